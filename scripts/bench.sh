#!/usr/bin/env bash
# What a hook costs, as ratios that hold on other machines: its process against /bin/true, an empty Rust program and a
# phrase list in shell; instructions; reading session files of any size; sizes; crates. A figure with a target says "ok"
# or "miss" beside it, and the status is 1 when one is missed.
#
#     scripts/bench.sh            all of it but the cold build: one release build and 1.1 GB in $TMPDIR
#     scripts/bench.sh --quick    without the session files
#     scripts/bench.sh --cold     with install.sh from a fresh clone as well: minutes on all cores
#
# Needs jq for the shell version; instructions only with valgrind. ROUNDS sets how often each process runs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

hooks=(commit-before-verify scope-check scope-change shallow-bugfix bugfix-without-reproduction)
rounds=${ROUNDS:-200}
quick=0 cold=0 missed=0
for word in "$@"; do
    case $word in
        --quick) quick=1 ;;
        --cold) cold=1 ;;
        -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p;}' scripts/bench.sh; exit 0 ;;
        *) echo "bench.sh: what is $word? Try --help." >&2; exit 1 ;;
    esac
done

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT

section() { printf '\n%s\n' "$1"; }

# name, value as printed, and where there is a target: the figure, <= or >=, the bound
row() {
    local verdict=
    if [ $# -gt 2 ]; then
        verdict=ok
        awk -v figure="$3" -v bound="$5" -v sign="$4" \
            'BEGIN { exit !(sign == "<=" ? figure <= bound : figure >= bound) }' || verdict=miss
        [ $verdict = ok ] || missed=1
        verdict="$4 $5: $verdict"
    fi
    printf '  %-40s %24s   %s\n' "$1" "$2" "$verdict" | sed 's/ *$//'
}

ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

# --- what runs ---------------------------------------------------------------------------------------------------
cargo build --quiet --locked --release --target-dir target -p hooks
cargo build --quiet --locked --release --target-dir target -p common --examples
built=target/release
hook=$built/commit-before-verify
empty=target/bench/empty
mkdir -p target/bench
echo 'fn main() {}' | rustc --edition 2024 -C opt-level=s -C panic=abort -C strip=symbols -o $empty -

message() { jq -cn --arg text "$1" '{hook_event_name: "Stop", last_assistant_message: $text}'; }
plain='The parser reads a file in one pass and keeps the lines that it understands. '
proposal='The refactor is in place. I will commit and push it now.'
filler=$(for _ in {1..52}; do printf %s "$plain"; done)
unknown=$(for _ in {1..120}; do printf %s 'Xyzzy plugh, quux frobozz gnusto. '; done)
message "$plain" >"$temp/short"
message "${filler:0:4000}" >"$temp/pass"
message "${unknown:0:4000}" >"$temp/unknown"
message "${filler:0:3900} $proposal" >"$temp/hit"

# What is measured must be what it is called: the log tells which stage settled it.
check_stage() { # message, stage
    local log=$temp/checked-$1
    "$hook" --judge none --log-dir "$log" <"$temp/$1" >/dev/null
    local stage
    stage=$(jq -r .stage "$log"/*.log)
    [ "$stage" = "$2" ] || { echo "bench.sh: the message \"$1\" ends at $stage, not $2" >&2; exit 1; }
}
check_stage short layer-1
check_stage pass layer-1
check_stage unknown layer-1
check_stage hit judge

# --- wall time ---------------------------------------------------------------------------------------------------
flags="--judge	none	--log-dir	$temp/log"
true=$(type -P true)
cat >"$temp/cases" <<CASES
true	/dev/null	0	$true
empty	/dev/null	0	$empty
short	$temp/short	0	$hook	$flags
pass	$temp/pass	0	$hook	$flags
hit	$temp/hit	0	$hook	$flags
CASES
cat >"$temp/shell-cases" <<CASES
shell-pass	$temp/pass	0	scripts/phrase-list.sh
shell-hit	$temp/hit	0	scripts/phrase-list.sh
one-pass	$temp/pass	0	scripts/phrase-list.sh	--one-grep
hook-pass	$temp/pass	0	$hook	$flags
hook-hit	$temp/hit	0	$hook	$flags
CASES
$built/examples/processes "$rounds" <"$temp/cases" >"$temp/times"
$built/examples/processes $((rounds / 5)) <"$temp/shell-cases" >>"$temp/times"

micros() { awk -F'\t' -v name="$1" '$1 == name { print $2 }' "$temp/times"; }

timed() { # case, name, against, words for it, and where there is a target: its bound
    local factor
    factor=$(ratio "$(micros "$1")" "$(micros "$3")")
    row "$2" "$(ratio "$(micros "$1")" 1000) ms, $factor x $4" ${5:+"$factor" "<=" "$5"}
}

faster() { # case, name, than which case, and where there is a target: its bound
    local factor
    factor=$(ratio "$(micros "$3")" "$(micros "$1")")
    row "$2" "$factor x faster" ${4:+"$factor" ">=" "$4"}
}

section "Wall time of a process, median of $rounds, $(nproc 2>/dev/null || sysctl -n hw.ncpu) cores, $(uptime | sed 's/.*load/load/')"
row "/bin/true" "$(ratio "$(micros true)" 1000) ms"
timed empty "empty Rust program" true "true"
timed short "hook, pass, 77 bytes" empty "empty" 1.6
timed pass "hook, pass, 4000 bytes" empty "empty" 1.6
timed hit "hook, hit, 4000 bytes, judge none" empty "empty"
timed shell-pass "shell, pass" empty "empty"
timed shell-hit "shell, hit" empty "empty"
timed one-pass "shell, one grep, pass" empty "empty"
faster hook-pass "hook than shell, pass" shell-pass 15
faster hook-hit "hook than shell, hit" shell-hit
faster hook-pass "hook than one grep, pass" one-pass

# --- instructions ------------------------------------------------------------------------------------------------
instructions() { # stdin, program, arguments
    local input=$1
    shift
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null --trace-children=yes "$@" \
        <"$input" 2>&1 >/dev/null | awk '/I *refs:/ { gsub(",", "", $NF); sum += $NF } END { printf "%.3f", sum / 1e6 }'
}

if command -v valgrind >/dev/null; then
    section "Instructions, in millions"
    row "/bin/true" "$(instructions /dev/null "$true")"
    row "empty Rust program" "$(instructions /dev/null $empty)"
    parse=$(instructions "$temp/unknown" $built/examples/parse)
    row "program that only parses the input" "$parse"
    for name in "${hooks[@]}"; do
        count=$(instructions "$temp/unknown" $built/"$name" --log-dir "$temp/log")
        factor=$(ratio "$count" "$parse")
        row "$name, 4000 bytes, no known word" "$count, $factor x parse" "$factor" "<=" 3
    done
    for name in "${hooks[@]}"; do
        count=$(instructions "$temp/pass" $built/"$name" --log-dir "$temp/log")
        row "$name, pass, 4000 bytes" "$count" "$count" "<=" 4
    done
    row "commit-before-verify, hit" "$(instructions "$temp/hit" "$hook" --judge none --log-dir "$temp/log")"
    row "shell, pass" "$(instructions "$temp/pass" scripts/phrase-list.sh)"
else
    section "Instructions: not counted, valgrind is not installed"
fi

# --- session files -----------------------------------------------------------------------------------------------
if [ $quick = 0 ]; then
    section "Reading the last turn of a session file: time, memory beyond the start"
    $built/examples/transcripts | sed 's/^/  /'
fi

# --- sizes and crates --------------------------------------------------------------------------------------------
section "Size"
for name in "${hooks[@]}"; do
    megabytes=$(ratio "$(wc -c <"$built/$name")" 1000000)
    row "$name" "$megabytes MB" "$megabytes" "<=" 3.0
done

section "Crates"
row "in Cargo.lock, ours among them" "$(grep -c '^name = ' Cargo.lock)"
row "linked into a hook" "$(cargo tree --locked -p hooks -e normal --prefix none --format '{p}' | sed 's/ (.*//' | sort -u | wc -l | tr -d ' ')"

# --- from nothing ------------------------------------------------------------------------------------------------
if [ $cold = 1 ]; then
    section "install.sh from a fresh clone"
    git clone --quiet . "$temp/clone"
    cargo fetch --quiet --locked # the network is not what is measured
    started=$SECONDS
    "$temp/clone/install.sh" --claude-dir "$temp/claude" >"$temp/install.log" 2>&1 || {
        cat "$temp/install.log" >&2
        exit 1
    }
    took=$((SECONDS - started))
    row "seconds" "$took" "$took" "<=" 240
fi
exit $missed
