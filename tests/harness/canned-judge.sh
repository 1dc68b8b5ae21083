#!/bin/sh
# A judge that says what it was told to. The harness links it into a directory of its own for each run, beside the
# files that say how: `reply` is printed, `exit` is the exit code, `sleep` the seconds before. What it is asked and
# how often goes to `asked` and `calls`.
here=${0%/*}
echo >>"$here/calls"
cat >"$here/asked"
[ ! -e "$here/sleep" ] || sleep "$(cat "$here/sleep")"
[ ! -e "$here/reply" ] || cat "$here/reply"
[ ! -e "$here/exit" ] || { echo 'the canned judge breaks' >&2; exit "$(cat "$here/exit")"; }
