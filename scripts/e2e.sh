#!/usr/bin/env bash
# Drives the real Claude Code and Codex CLI against scripted model servers on loopback, with the hooks installed the
# way a user installs them, and measures what the hooks add.
#
#     scripts/e2e.sh              # the pinned versions; E2E_LATEST=1 takes the newest
#     scripts/e2e.sh PATTERN...   # only the scenarios whose name holds one of the patterns; --list names them
#
# Made for Linux. Needs npm, python3 (3.10 or newer), openssl and, once, the network for the two clients, which stay under
# target/e2e. Every run has a HOME of its own, dummy keys and a proxy that leads nowhere but to the scripted vendors.
# The last line is "N passed, N failed".
set -euo pipefail
cd "$(dirname "$0")/.."

claude_version=2.1.197
codex_version=0.171.0
if [[ -n ${E2E_LATEST:-} ]]; then
    claude_version=latest
    codex_version=latest
fi

missing=0
for need in cargo npm openssl python3; do
    command -v "$need" >/dev/null 2>&1 && continue
    echo "missing: $need" >&2
    missing=1
done
((missing == 0)) || exit 1

clients=target/e2e/clients-$claude_version-$codex_version
[[ -n ${E2E_LATEST:-} ]] && rm -rf "$clients"
if [[ ! -x $clients/node_modules/.bin/claude || ! -x $clients/node_modules/.bin/codex ]]; then
    echo "== installing claude-code $claude_version and codex $codex_version"
    mkdir -p "$clients"
    npm install --prefix "$clients" --no-audit --no-fund --loglevel=error \
        "@anthropic-ai/claude-code@$claude_version" "@openai/codex@$codex_version"
fi

cargo build --quiet --locked --release --target-dir target -p hooks -p stop-hooks # as install.sh does
exec python3 -B tests/e2e/main.py --clients "$clients/node_modules/.bin" --hooks target/release "$@"
