#!/usr/bin/env bash
# What reading a turn costs in time and memory, against the size of the session file. Needs 1.1 GB in $TMPDIR.
set -euo pipefail
cd "$(dirname "$0")/.."
exec cargo run --quiet --release --locked --target-dir target -p common --example transcripts
