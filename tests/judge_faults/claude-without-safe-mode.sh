#!/bin/sh
# A Claude Code that is older than `--safe-mode`.
echo $$ >>"${0%/*}/pids"
for word; do
  [ "$word" != --safe-mode ] || { echo "error: unknown option '--safe-mode'" >&2 && exit 1; }
done
cat >/dev/null
echo '{"type":"result","is_error":false,"structured_output":{"new_proposal":true,"verification_reported":false}}'
