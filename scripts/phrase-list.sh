#!/usr/bin/env bash
# What scripts/bench.sh compares a hook with: a Stop hook as it is usually written in shell, with jq for the message and
# one grep for each phrase. With --one-grep all phrases go to one grep. Nobody's judgement is asked: a phrase blocks.
set -euo pipefail
phrases=(
    "i(.ll| will) (now )?commit" "(shall|should) i (commit|push|merge)" "ready to (commit|push|merge)" "want me to commit"
    "(good|natural) stopping point" "in a (new|fresh) session" "running low on context" "stop here for (now|today)"
    "follow-?up (pr|issue|task)" "out of scope for now" "known (limitation|issue)" "left as future work"
    "existed before my changes" "not caused by my changes" "simplif(y|ied) for now"
    "(symptom|error) (is|should be) gone" "should work now" "probably (a|the) (race|cache|timing)"
    "should i (continue|keep going)" "want me to (continue|keep going)"
)
input=$(cat)
[ "$(jq -r '.stop_hook_active // false' <<<"$input")" = true ] && exit 0
message=$(jq -r '.last_assistant_message // empty' <<<"$input")
if [ "${1:-}" = --one-grep ]; then
    phrases=("$(IFS='|' && echo "${phrases[*]}")")
fi
for phrase in "${phrases[@]}"; do
    if grep -qiE "$phrase" <<<"$message"; then
        jq -n --arg reason "You said \"$phrase\". Go on with the work." '{decision: "block", reason: $reason}'
        exit 0
    fi
done
