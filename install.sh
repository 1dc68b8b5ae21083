#!/usr/bin/env bash
# install.sh: builds the five stop hooks and switches them on for Claude Code; with --codex for Codex CLI too.
# Run it again to update, or with other flags to change how they run; --uninstall takes everything away.
set -euo pipefail
typed_in=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")"

usage() {
    cat <<'END'
Builds the five stop hooks, copies them to ~/.claude/hooks and adds them to ~/.claude/settings.json.

Usage: ./install.sh [OPTIONS] [FLAGS OF THE HOOKS]

Options:
  --dry-run           build, say what would be done, and do nothing
  --uninstall         take the hooks away (with --gate, --subagents or --codex only that part)
  --codex             add them to ~/.codex/hooks.json too
  --subagents         also when a subagent ends
  --gate              also before a command that commits, pushes or deploys
  --claude-dir DIR    made when missing [default: CLAUDE_CONFIG_DIR, else ~/.claude]
  --codex-dir DIR     made when missing [default: CODEX_HOME, else ~/.codex]

Flags of the hooks go into their entries:
  --judge LIST  --url URL  --api-key-env NAME  --mode block|warn|shadow|off  --timeout-s N
  --sensitivity low|normal|high  --log-dir DIR  --codex-user-config
END
}

die() {
    echo "install.sh: $1" >&2
    exit 1
}

uninstall=0
claude_dir=${CLAUDE_CONFIG_DIR:-${HOME:-}/.claude}
pass=()
while [ $# -gt 0 ]; do
    case $1 in
        --help | -h) usage; exit 0 ;;
        --uninstall) uninstall=1 ;;
        --claude-dir=*) claude_dir=${1#*=}; pass+=("$1") ;;
        --claude-dir)
            [ $# -gt 1 ] || die "$1 needs a value."
            claude_dir=$2
            pass+=("$1" "$2")
            shift
            ;;
        *) pass+=("$1") ;;
    esac
    shift
done

case $claude_dir in
    /*) ;;
    *) claude_dir=$typed_in/$claude_dir ;;
esac

# Directories that were typed mean what they meant where they were typed.
stop_hooks() { # the tool, its arguments
    local tool=$1
    shift
    (cd "$typed_in" && "$tool" "$@")
}

check_tools() {
    local needed have
    needed=$(sed -n 's/^rust-version *= *"\([0-9.]*\)".*/\1/p' Cargo.toml)
    command -v cargo >/dev/null || die "cargo is not on PATH: install Rust $needed or newer, see https://rustup.rs."
    have=$(cargo --version | sed 's/^cargo \([0-9]*\.[0-9]*\).*/\1/')
    if [ "${have%%.*}" -lt "${needed%%.*}" ] ||
        { [ "${have%%.*}" -eq "${needed%%.*}" ] && [ "${have#*.}" -lt "$(echo "$needed" | cut -d. -f2)" ]; }; then
        die "cargo $have is too old: Rust $needed or newer is needed (rustup update)."
    fi
    command -v "${CC:-cc}" >/dev/null || die "no C compiler (${CC:-cc}) is on PATH, and the TLS library needs one: install gcc or clang (macOS: xcode-select --install)."
}

build() {
    check_tools
    unset CARGO_BUILD_TARGET # it would move what is built out of target/release
    cargo build --release --locked --target-dir target -p hooks -p stop-hooks
}

if [ $uninstall = 1 ]; then
    tool=$claude_dir/hooks/stop-hooks
    [ -x "$tool" ] || tool=$PWD/target/release/stop-hooks
    [ -x "$tool" ] || build
    stop_hooks "$tool" uninstall ${pass[@]+"${pass[@]}"}
    exit 0
fi

build
stop_hooks "$PWD/target/release/stop-hooks" install ${pass[@]+"${pass[@]}"}
