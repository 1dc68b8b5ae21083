#!/bin/sh
# A Codex CLI that is older than `--ignore-user-config`.
echo $$ >>"${0%/*}/pids"
cat >/dev/null
echo "error: unexpected argument '--ignore-user-config' found" >&2
echo >&2
echo "For more information, try '--help'." >&2
exit 2
