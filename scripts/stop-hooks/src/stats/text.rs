//! The figures for a terminal.

use std::io::Write;
use std::ops::RangeInclusive;

use super::tally::{Counts, SignalRow, Stats};
use crate::error::Error;
use crate::terminal::{Ink, Style, bar, clean_line, count, count_of, cut, millis, percent};

/// A bar, from a narrow terminal to one that is wide enough.
const BAR_WIDTH: RangeInclusive<usize> = 8..=40;

/// The same of a name.
const NAME_WIDTH: RangeInclusive<usize> = 12..=28;

/// What stands beside a name in the table of hooks, beside a bar of a day, and beside two names in the table of signals.
const BESIDE_HOOK: usize = 50;
const BESIDE_BAR: usize = 23;
const BESIDE_SIGNAL: usize = 24;

/// Signals that are listed at most.
const SIGNALS_MAX: usize = 15;

/// What is noted of a signal that hits and never blocks.
const NOISE: &str = "  never blocks: noise";

/// What is left of a terminal of `columns`, within what makes sense.
fn room(columns: Option<usize>, taken: usize, sensible: RangeInclusive<usize>) -> usize {
    let left = columns.map(|columns| columns.saturating_sub(taken));
    left.map_or(*sensible.end(), |left| {
        left.clamp(*sensible.start(), *sensible.end())
    })
}

/// Writes `stats`, for a terminal of `columns` where it is one.
///
/// # Errors
/// When nobody reads it.
pub fn print(
    stats: &Stats,
    ink: Ink,
    columns: Option<usize>,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let total = &stats.total;
    writeln!(
        out,
        "{} to {}: {} at {}, {} by a judge, {}.",
        stats.first,
        stats.last,
        count_of(total.decisions, "decision"),
        count_of(stats.stops, "stop"),
        count(total.judged),
        done(total.blocks, total.would_block, "blocked")
    )?;
    if total.decisions == 0 {
        return Ok(());
    }
    let width = room(columns, BESIDE_HOOK, NAME_WIDTH);
    let title = format!(
        "{:<width$} {:>9} {:>15} {:>7} {:>7} {:>7}",
        "hook", "decisions", "passed layer 1", "judged", "blocks", "failed"
    );
    writeln!(out, "\n{}", ink.paint(Style::Bold, title))?;
    for (hook, counts) in &stats.hooks {
        row(out, ink, hook, width, counts)?;
    }
    if stats.hooks.len() > 1 {
        row(out, ink, "all", width, total)?;
    }
    if total.would_block > 0 {
        let (would, all) = (count(total.would_block), count_of(total.blocks, "block"));
        writeln!(
            out,
            "{would} of {all} would have been: in mode warn or shadow the stop passes."
        )?;
    }
    days(stats, ink, columns, out)?;

    let took = if total.judged > 0 {
        let (p50, p95) = (millis(stats.judge_p50_ms), millis(stats.judge_p95_ms));
        format!("A judge took {p50} (median), {p95} (95 of 100). ")
    } else {
        String::new()
    };
    let waited = millis(stats.mean_wait_ms);
    writeln!(out, "\n{took}A stop waited {waited} on average.")?;
    if stats.blocks_in_turns > 0 {
        writeln!(
            out,
            "{} of {} came after another one of the same hook in the same turn: reworded instead of done.",
            count(stats.blocked_again),
            count_of(stats.blocks_in_turns, "block")
        )?;
    }
    if stats.denials > 0 {
        let refused = done(stats.denials, stats.would_deny, "refused");
        writeln!(
            out,
            "Commands at the gate: {refused}. They count as blocks too."
        )?;
    }
    list(out, "Modes", &stats.modes)?;
    list(out, "Failures", &stats.failures)?;
    list(out, "Secrets taken out", &stats.redactions)?;
    if stats.unreadable_lines > 0 {
        writeln!(
            out,
            "Lines that are no record: {}",
            count(stats.unreadable_lines)
        )?;
    }
    signals(stats, ink, columns, out)
}

/// How many of `all` were `done` and how many, `would` of them, would have been: `4 blocked, 2 would have been`.
fn done(all: u64, would: u64, done: &str) -> String {
    match all.saturating_sub(would) {
        all if would == 0 => format!("{} {done}", count(all)),
        0 => format!("{} would have been {done}", count(would)),
        some => format!("{} {done}, {} would have been", count(some), count(would)),
    }
}

/// A line for each day; the hooks that blocked stand below it where they don't fit.
fn days(stats: &Stats, ink: Ink, columns: Option<usize>, out: &mut dyn Write) -> Result<(), Error> {
    let title = ink.paint(Style::Bold, "day         decisions");
    writeln!(out, "\n{title}")?;
    let sums = stats.days.iter().map(|(day, hooks)| {
        let sum: Counts = hooks.values().cloned().sum();
        let blocked = done(sum.blocks, sum.would_block, "blocked");
        let words = format!("{} judged, {blocked}", count(sum.judged));
        (day, hooks, sum, blocked, words.len())
    });
    let most = sums.clone().map(|(_, _, sum, ..)| sum.decisions).max();
    let longest = sums.clone().map(|(.., words)| words).max();
    let taken = BESIDE_BAR + 1 + longest.unwrap_or_default();
    let width = room(columns, taken, BAR_WIDTH);
    for (day, hooks, sum, blocked, words) in sums {
        let by_hook: Vec<_> = hooks
            .iter()
            .filter(|(_, counts)| counts.blocks > 0)
            .map(|(hook, counts)| format!("{} {}", clean_line(hook), count(counts.blocks)))
            .collect();
        let bar = bar(
            sum.decisions,
            most.unwrap_or(0),
            width.try_into().unwrap_or(0),
        );
        let by_hook = match by_hook.join(", ") {
            none if none.is_empty() => none,
            hooks => {
                let line = BESIDE_BAR + bar.chars().count() + words + hooks.chars().count() + 4;
                let fits = columns.is_none_or(|columns| line <= columns);
                format!("{}({hooks})", if fits { " " } else { "\n  " })
            }
        };
        let style = if sum.blocks > 0 {
            Style::Red
        } else {
            Style::Dim
        };
        writeln!(
            out,
            "{:<10} {:>10}  {} {} judged, {}{by_hook}",
            clean_line(day),
            count(sum.decisions),
            ink.paint(Style::Cyan, bar),
            count(sum.judged),
            ink.paint(style, blocked),
        )?;
    }
    Ok(())
}

fn row(
    out: &mut dyn Write,
    ink: Ink,
    name: &str,
    width: usize,
    counts: &Counts,
) -> Result<(), Error> {
    let styled = |number: u64, style| {
        let style = if number > 0 { style } else { Style::Dim };
        ink.paint(style, format!("{:>7}", count(number)))
    };
    Ok(writeln!(
        out,
        "{:<width$} {:>9} {:>15} {:>7} {} {}",
        cut(&clean_line(name), width),
        count(counts.decisions),
        percent(counts.layer1_passes, counts.decisions),
        count(counts.judged),
        styled(counts.blocks, Style::Red),
        styled(counts.failures, Style::Yellow)
    )?)
}

fn list(
    out: &mut dyn Write,
    title: &str,
    counts: &std::collections::BTreeMap<String, u64>,
) -> Result<(), Error> {
    if counts.is_empty() {
        return Ok(());
    }
    let all: Vec<_> = counts
        .iter()
        .map(|(name, number)| format!("{} {}", clean_line(name), count(*number)))
        .collect();
    Ok(writeln!(out, "{title}: {}", all.join(", "))?)
}

fn signals(
    stats: &Stats,
    ink: Ink,
    columns: Option<usize>,
    out: &mut dyn Write,
) -> Result<(), Error> {
    if stats.signals.is_empty() {
        return Ok(());
    }
    let two = 2 * NAME_WIDTH.start()..=2 * NAME_WIDTH.end();
    let is_noise = |signal: &SignalRow| signal.hits >= 5 && signal.blocks == 0;
    let shown = || stats.signals.iter().take(SIGNALS_MAX);
    let noted = if shown().any(is_noise) { NOISE } else { "" };
    let width = room(columns, BESIDE_SIGNAL + noted.len(), two) / 2;
    let title = format!(
        "{:<width$} {:<width$} {:>6} {:>15}",
        "signal", "hook", "hits", "blocked"
    );
    writeln!(out, "\n{}", ink.paint(Style::Bold, title))?;
    for signal in shown() {
        let blocked = format!(
            "{} {:>8}",
            count(signal.blocks),
            percent(signal.blocks, signal.hits)
        );
        let noise = if is_noise(signal) { NOISE } else { "" };
        writeln!(
            out,
            "{:<width$} {:<width$} {:>6} {blocked:>15}{}",
            cut(&clean_line(&signal.signal), width),
            cut(&clean_line(&signal.hook), width),
            count(signal.hits),
            ink.paint(Style::Yellow, noise)
        )?;
    }
    if let Some(more) = stats
        .signals
        .len()
        .checked_sub(SIGNALS_MAX)
        .filter(|&n| n > 0)
    {
        writeln!(out, "and {more} more")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::stats::tally::Tally;

    #[test]
    fn what_would_have_been_is_told_apart() {
        assert_eq!(done(4, 3, "blocked"), "1 blocked, 3 would have been");
        assert_eq!(done(1, 1, "refused"), "1 would have been refused");
        assert_eq!(done(0, 0, "blocked"), "0 blocked");
    }

    #[test]
    fn it_fits_into_the_terminal() {
        let mut tally = Tally::default();
        for (nth, hook) in (1u32..).zip(common::hook::NAMES) {
            for stop in 0..nth * 20 {
                let line = json!({"time": format!("2026-01-0{nth}T12:00:00Z"), "hook": hook, "session": "s",
                    "turn": stop.to_string(), "mode": "block", "decision": "block", "signal": "a-long-name-of-a-signal",
                    "attempts": [{"backend": "codex", "outcome": "answered"}]});
                tally.add(line.to_string().as_bytes());
            }
        }
        let stats = tally.finish("2026-01-01".into(), "2026-01-07".into());
        for columns in [62, 80, 100] {
            let mut out = Vec::new();
            print(&stats, Ink::off(), Some(columns), &mut out).unwrap();
            let told = String::from_utf8(out).unwrap();
            let mut tables = told.lines().filter(|line| !line.ends_with('.'));
            let long = tables.find(|line| line.chars().count() > columns);
            assert_eq!(long, None, "{columns}:\n{told}");
            assert!(told.contains('█') && told.contains("100 judged, 100 blocked"));
        }
    }
}
