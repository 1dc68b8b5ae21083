#!/usr/bin/env bash
# All that must hold before a change lands: format, lints, every test, the documentation, the shell scripts.
#
#     scripts/check.sh
#
# Each step runs even when an earlier one failed. The last line is "N passed, N failed", where a test counts as one
# and so does each other step; the status is 0 only when nothing failed. Writes to target/ alone, and needs the
# network at most once, to fetch the crates of Cargo.lock.
set -uo pipefail
shopt -s nullglob
cd "$(dirname "$0")/.." || exit 1

log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
failed=0
broken=()

have() { command -v "$1" >/dev/null 2>&1; }

# What is missing is named all at once, with what it is for, before anything runs.
require() {
    local missing=0 need
    for need in "$@"; do
        local program=${need%%:*}
        have "$program" && continue
        echo "missing: $program (${need#*:})" >&2
        missing=1
    done
    ((missing == 0)) || exit 1
}

step() {
    local name=$1
    shift
    echo "== $name"
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        broken+=("$name")
    fi
}

# Adds the counts of a test run's own summary lines: those of cargo-nextest and those of libtest.
# A run that failed without a failed test, such as one that did not compile, is one failure.
tests() {
    local name=$1 status ok bad
    shift
    echo "== $name"
    CARGO_TERM_COLOR=never "$@" 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    ok=$(count passed)
    bad=$(count failed)
    ((status == 0 || bad > 0)) || bad=1
    passed=$((passed + ok))
    failed=$((failed + bad))
    ((bad == 0)) || broken+=("$name")
}

count() {
    grep -E '^ *Summary \[|^test result:' "$log" | grep -oE "[0-9]+ $1" | awk '{ sum += $1 } END { print sum + 0 }'
}

require \
    "cargo:builds everything; see https://rustup.rs" \
    "cargo-fmt:rustup component add rustfmt" \
    "cargo-clippy:rustup component add clippy" \
    "cc:a C compiler, for the TLS library; on Debian: apt-get install gcc libc6-dev" \
    "jq:the verdict is compared with the real one; on Debian: apt-get install jq"

step "format" cargo fmt --all --check
step "lints" cargo clippy --quiet --locked --workspace --all-targets --target-dir target -- -D warnings
if have cargo-nextest; then
    tests "tests" cargo nextest run --locked --workspace --target-dir target --no-fail-fast --status-level fail
    tests "doc tests" cargo test --quiet --locked --workspace --target-dir target --doc
else
    tests "tests and doc tests" cargo test --quiet --locked --workspace --target-dir target --no-fail-fast
fi
if have chromium; then
    tests "the page of stop-hooks stats in a browser" cargo test --quiet --locked -p stop-hooks --test page \
        --target-dir target -- --ignored
else
    echo "== the page of stop-hooks stats: not opened, chromium is not installed"
fi
step "documentation" env RUSTDOCFLAGS="-D warnings" \
    cargo doc --quiet --locked --workspace --no-deps --document-private-items --target-dir target
step "layer 1 on the corpus" scripts/eval.sh
if have shellcheck; then
    step "shell scripts" shellcheck ./*.sh scripts/*.sh .ci/run
else
    echo "== shell scripts: not checked, shellcheck is not installed"
fi

((failed == 0)) || printf 'failed: %s\n' "${broken[@]}"
echo "$passed passed, $failed failed"
((failed == 0))
