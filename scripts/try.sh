#!/usr/bin/env bash
# Shows each hook on one text that it blocks and one that it lets pass: the text, what layer 1 found in it, the judge's
# answer, and what the agent would see. Needs Rust and nothing else, and touches nothing outside this directory.
#
#     scripts/try.sh                 with a stand-in judge that costs nothing (scripts/stand-in-judge.sh)
#     scripts/try.sh --judge auto    with the judge that the hooks would ask: codex, then claude
#     scripts/try.sh --judge LIST    with another one; further flags of the hooks are passed on
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# hook | expected | what the agent says at the end of its turn
samples=(
    "commit-before-verify|block|The refactor of the parser is in place. I will commit and push it now."
    "commit-before-verify|allow|The refactor is in place and all 48 tests passed. I will commit and push it now."
    "scope-check|block|The first three endpoints are migrated. My context is running low, so let's continue with the other four in a new session."
    "scope-check|allow|All seven endpoints are migrated, as you asked. I'll stop here."
    "scope-change|block|The import works for CSV files. I'll leave the XML import for a follow-up PR."
    "scope-change|allow|The import works for CSV and XML files. The export is out of scope for now, as you said."
    "shallow-bugfix|block|Fixed! I added a null check and the error is gone."
    "shallow-bugfix|allow|Fixed. The list was empty because the loader returns before the cache is filled; it now waits for the cache."
    "bugfix-without-reproduction|block|This is probably a race in the writer, so I added a lock around the flush."
    "bugfix-without-reproduction|allow|I reproduced it with 200 parallel writes: the flush ran twice. It is probably the missing lock, so I added one around it."
)

case ${1:-} in
    -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' scripts/try.sh; exit 0 ;;
esac
# A judge runs neither below the directory that a hook runs in nor below a session's project.
mkdir -p target/tmp/project
export TMPDIR="$PWD/target/tmp"
unset CLAUDE_PROJECT_DIR

judge=(--judge "command:$PWD/scripts/stand-in-judge.sh")
stand_in=1
if [ $# -gt 0 ]; then
    judge=("$@")
    stand_in=0
fi

cargo build --quiet --locked --target-dir target -p stop-hooks
tool=$PWD/target/debug/stop-hooks

explain() { # sample, flags of the hook
    local hook=${1%%|*} text=${1##*|}
    shift
    printf '{"hook_event_name":"Stop","last_assistant_message":"%s"}' "$text" |
        (cd target/tmp/project && "$tool" explain --brief --hook "$hook" "$@")
}

if [ $stand_in = 1 ]; then
    echo "The judge here is a stand-in that goes by a few words: scripts/stand-in-judge.sh."
    echo "With --judge auto your own is asked."
else
    calls=0
    for sample in "${samples[@]}"; do
        if explain "$sample" --judge none | grep -q '^layer 1 *hit'; then calls=$((calls + 1)); fi
    done
    echo "This asks the judge $calls times."
fi

wrong=0
for sample in "${samples[@]}"; do
    expected=${sample#*|} expected=${expected%%|*}
    echo
    echo "== $expected expected"
    told=$(explain "$sample" "${judge[@]}")
    echo "$told"
    if ! echo "$told" | grep -q "^decision *$expected,"; then
        echo "-- not what was expected"
        wrong=$((wrong + 1))
    fi
done

echo
echo "$((${#samples[@]} - wrong)) of ${#samples[@]} as expected."
# A model may judge differently; the stand-in may not.
[ $stand_in = 0 ] || [ $wrong = 0 ]
