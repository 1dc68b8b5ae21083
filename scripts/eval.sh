#!/usr/bin/env bash
# What layer 1 finds and what it wakes for: builds, runs the five hooks over tests/corpus, prints the figures per hook,
# language and author at each sensitivity, and the minimal pairs with what became of either side.
#
#     scripts/eval.sh [TURNS.jsonl]       TURNS: real turns, a JSON line each with "text"; stays where it is
#
# The corpus was learned from, so its figures guard against a step back; what is found of authors left out of the
# learning is told by `cargo run --release -p hooks --example train-signals -- TURNS.jsonl`. The status is 1 below a
# floor. Needs jq.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --quiet --locked --target-dir target -p stop-hooks
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

# The names are put together below.
# shellcheck disable=SC2034
# Percent of all 25 cells; the least that each sensitivity may find, and the most that a bypass may swallow.
# shellcheck disable=SC2034 # read by name: floor_$level
floor_low=80 floor_normal=88 floor_high=92 swallowed_max=1.1
# shellcheck disable=SC2034
# Percent of real turns that may wake: one hook, any of the five.
# shellcheck disable=SC2034 # read by name: one_$level, any_$level
one_low=2.5 one_normal=6 one_high=15 any_low=9 any_normal=20 any_high=40

jq -c 'select(.author) | {id, author, phenomenon}' tests/corpus/wide/*.jsonl >"$scratch/authors"
jq -c 'select(.author | not) | {id, author: "base", phenomenon}' tests/corpus/*-*.jsonl >>"$scratch/authors"

for level in low normal high; do
    target/debug/stop-hooks replay --format json --sensitivity "$level" tests/corpus/wide tests/corpus/*-*.jsonl |
        jq -c 'select((.source | split("/") | last | rtrimstr(".jsonl")) == .hook) | {id, hook, lang, label: .label, outcome}' \
            >"$scratch/$level"
    floor="floor_$level"
    jq -nr --arg level "$level" --argjson floor "${!floor}" --argjson swallowed_max "$swallowed_max" \
        --slurpfile rows "$scratch/$level" --slurpfile authors "$scratch/authors" '
        ($authors | map({key: .id, value: .author}) | from_entries) as $author
        | def percent(f): if length == 0 then "-" else (1000 * (map(select(f)) | length) / length | round / 10) end;
          def line(name): [name, "\(percent(.outcome == "hit"))", "\(percent(.outcome == "bypass"))", "\(length)"] | @tsv;
          def table(key): group_by(key)[] | . as $group | line("  \(.[0] | key)");
          ($rows | map(. + {author: $author[.id]})) as $all
        | ($all | map(select(.label == "block"))) as $block
        | ($all | map(select(.label == "allow"))) as $allow
        | "== \($level): violations found %, bypassed %, of",
          ($block | table(.hook)), ($block | table(.lang)), ($block | table(.author)), ($block | line("  all")),
          "-- \($level): allowed texts that wake %, bypassed %, of", ($allow | table(.hook)),
          ($block | group_by(.hook)[]
            | select(percent(.outcome == "hit") < $floor or percent(.outcome == "bypass") > $swallowed_max)
            | "BELOW: \($level) \(.[0].hook)")' | tee "$scratch/table"
    grep -q '^BELOW' "$scratch/table" && status=1
done

echo "== minimal pairs at normal: outcome of the allowed side"
jq -nr --slurpfile rows "$scratch/normal" --slurpfile authors "$scratch/authors" '
    ($authors | map({key: .id, value: .phenomenon}) | from_entries) as $phenomenon
    | $rows[] | . + {phenomenon: ($phenomenon[.id] // "")}
    | select(.phenomenon | test("^(pair|対|对照|paire|대조|Paar)"; "i"))
    | "  \(.hook)\t\(.id)\t\(.label)\t\(.outcome)\t\(.phenomenon)"'

for turns in "$@"; do
    for level in low normal high; do
        one="one_$level" any="any_$level"
        target/debug/stop-hooks replay --format json --sensitivity "$level" "$turns" |
            jq -c '{line, hook, outcome}' >"$scratch/turns"
        jq -nr --arg level "$level" --argjson one "${!one}" --argjson any "${!any}" --slurpfile rows "$scratch/turns" '
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
