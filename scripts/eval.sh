#!/usr/bin/env bash
# What layer 1 finds and what it wakes for: builds, runs the five hooks over tests/corpus, prints the figures per hook,
# language and author at each sensitivity, and the minimal pairs with what became of either side.
#
#     scripts/eval.sh [--record] [FILE.jsonl ...]
#
# FILE: rows of `stop-hooks export-marked` (with "label" and "hook") count with the corpus; anything else with "text" is
# taken for real turns, which stay where they are: what share of them wakes a judge. The status is 1 where a figure falls
# below tests/corpus/recorded.tsv, which --record writes, or the real turns wake more than is promised.
#
# The corpus was learned from (and maybe the turns), so these figures only guard against a step back. What is found of authors left out of the
# learning is told by `cargo run --release -p hooks --example train-signals -- TURNS FOUND`. Needs jq.
set -euo pipefail
cd "$(dirname "$0")/.."

record=
if [[ ${1:-} == --record ]]; then
    record=yes
    shift
fi
marked=()
turns=()
for file in "$@"; do
    if head -n 1 "$file" | jq -e '.label and .hook' >/dev/null; then marked+=("$file"); else turns+=("$file"); fi
done

cargo build --quiet --locked --target-dir target -p stop-hooks
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

shopt -s globstar
corpus=(tests/corpus/**/*-*.jsonl "${marked[@]}")
jq -c '{source: input_filename, text, id, phenomenon, author: (.author // "first"),
        hook: (.hook // (input_filename | split("/") | last | rtrimstr(".jsonl")))}' "${corpus[@]}" >"$scratch/rows"

for level in low normal high; do
    # A line a row: what the hook made of it that it was written for.
    target/debug/stop-hooks replay --format json --sensitivity "$level" "${corpus[@]}" |
        jq -c '{source, id, hook, lang, label: .label, outcome}' | jq -nc --slurpfile rows "$scratch/rows" '
        def key: "\(.source) \(.id) \(.hook)";
        ($rows | map({key: key, value: .}) | from_entries) as $row
        | inputs | $row[key] as $row | select($row) | . + $row' >"$scratch/$level"
    jq -nr --arg level "$level" --slurpfile rows "$scratch/$level" '
        def percent(outcome): 1000 * (map(select(.outcome == outcome)) | length) / length | round / 10;
        def line(name): "\($level)\t\(.[0].label)\t\(name)\t\(percent("hit"))\t\(percent("bypass"))\t\(length)";
        def table(key): group_by(key)[] | line(.[0] | key);
        $rows | group_by(.label) | sort_by(.[0].label != "block")[]
        | table(.hook), table(.lang), table(.author), line("all")' >"$scratch/$level.tsv"
    printf '== %s: label, group, hits %%, settled by a bypass %%, of\n' "$level"
    cut -f 2- "$scratch/$level.tsv"
done
cat "$scratch"/{low,normal,high}.tsv >"$scratch/figures"
if [[ -n $record ]]; then
    cp "$scratch/figures" tests/corpus/recorded.tsv
elif ((${#marked[@]} == 0)); then
    # Fewer violations found, or more of them settled by a bypass.
    awk -F '\t' 'NR == FNR { found[$1 $2 $3] = $4; settled[$1 $2 $3] = $5; next }
        $2 == "block" && ($4 < found[$1 $2 $3] || $5 > settled[$1 $2 $3]) { print "BELOW: " $0; below = 1 }
        END { exit below }' tests/corpus/recorded.tsv "$scratch/figures" || status=1
fi

echo "== minimal pairs at normal: hook, the allowed side and its outcome, the other side and its outcome"
jq -nr --slurpfile rows "$scratch/normal" '
    def words: [.text | scan("[^\\s\\p{P}]+")] | unique;
    ($rows | map(select(.phenomenon // "" | test("^(pair|対|对照|paire|대조|Paar)"; "i")))) as $pairs
    | $pairs[] | select(.label == "allow") | . as $allow | words as $words
    | (.phenomenon | [scan("^pair ([0-9]+)")[0]] | first) as $number
    | [$rows[] | select(.label == "block" and .hook == $allow.hook and .lang == $allow.lang and .author == $allow.author)]
    | map(. + {alike: (if $number then (.phenomenon // "" | startswith("pair \($number):"))
                       else (words as $other | ($words | length) - ($words - $other | length)) end)})
    | max_by(.alike) as $block
    | "  \($allow.hook)\t\($allow.id)\t\($allow.outcome)\t\($block.id)\t\($block.outcome)\t\($allow.phenomenon)"'

# What is promised of real turns: percent that may wake one hook, and any of the five.
declare -A one=([low]=2.5 [normal]=6 [high]=15) any=([low]=9 [normal]=20 [high]=40)
for file in "${turns[@]}"; do
    for level in low normal high; do
        target/debug/stop-hooks replay --format json --sensitivity "$level" "$file" |
            jq -c '{line, hook, outcome}' >"$scratch/turns"
        jq -nr --arg level "$level" --argjson one "${one[$level]}" --argjson any "${any[$level]}" \
            --slurpfile rows "$scratch/turns" '
            def share(n): 1000 * n / ($rows | map(.line) | unique | length) | round / 10;
            ($rows | map(select(.outcome == "hit"))) as $hits
            | "== \($level): real turns that wake, %",
              ($hits | group_by(.hook)[] | "  \(.[0].hook)\t\(share(length))",
                (select(share(length) > $one) | "ABOVE: \($level) \(.[0].hook)")),
              ($hits | map(.line) | unique | length | "  any\t\(share(.))",
                (select(share(.) > $any) | "ABOVE: \($level) any"))' | tee "$scratch/table"
        grep -q '^ABOVE' "$scratch/table" && status=1
    done
done
exit "$status"
