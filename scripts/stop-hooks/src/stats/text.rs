//! The figures for a terminal.

use std::io::Write;

use super::tally::{Counts, Stats};
use crate::error::Error;
use crate::terminal::{Ink, Style, bar, clean_line, count, count_of, millis, percent};

const BAR_WIDTH: u64 = 40;

/// Signals that are listed at most.
const SIGNALS_MAX: usize = 15;

/// Writes `stats`.
///
/// # Errors
/// When nobody reads it.
pub fn print(stats: &Stats, ink: Ink, out: &mut dyn Write) -> Result<(), Error> {
    let total = &stats.total;
    writeln!(
        out,
        "{} to {}: {} at {}, {} by a judge, {} blocked.",
        stats.first,
        stats.last,
        count_of(total.decisions, "decision"),
        count_of(stats.stops, "stop"),
        count(total.judged),
        count(total.blocks)
    )?;
    if total.decisions == 0 {
        return Ok(());
    }
    let heading = |text: &str| ink.paint(Style::Bold, text.to_owned());

    writeln!(
        out,
        "\n{}",
        heading(&format!(
            "{:<28} {:>9} {:>15} {:>7} {:>7} {:>7}",
            "hook", "decisions", "passed layer 1", "judged", "blocks", "failed"
        ))
    )?;
    for (hook, counts) in &stats.hooks {
        row(out, ink, hook, counts)?;
    }
    if stats.hooks.len() > 1 {
        row(out, ink, "all", total)?;
    }

    writeln!(out, "\n{}", heading("day         decisions"))?;
    let per_day = |hooks: &std::collections::BTreeMap<String, Counts>, of: fn(&Counts) -> u64| {
        hooks.values().map(of).sum::<u64>()
    };
    let most = stats
        .days
        .values()
        .map(|hooks| per_day(hooks, |c| c.decisions))
        .max();
    for (day, hooks) in &stats.days {
        let decisions = per_day(hooks, |c| c.decisions);
        let blocks = per_day(hooks, |c| c.blocks);
        let by_hook: Vec<_> = hooks
            .iter()
            .filter(|(_, counts)| counts.blocks > 0)
            .map(|(hook, counts)| format!("{} {}", clean_line(hook), count(counts.blocks)))
            .collect();
        let by_hook = if by_hook.is_empty() {
            String::new()
        } else {
            format!(" ({})", by_hook.join(", "))
        };
        writeln!(
            out,
            "{:<10} {:>10}  {} {} judged, {} blocked{by_hook}",
            clean_line(day),
            count(decisions),
            ink.paint(Style::Cyan, bar(decisions, most.unwrap_or(0), BAR_WIDTH)),
            count(per_day(hooks, |c| c.judged)),
            ink.paint(
                if blocks > 0 { Style::Red } else { Style::Dim },
                count(blocks)
            ),
        )?;
    }

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
        let commands = count_of(stats.denials, "command");
        writeln!(
            out,
            "The gate refused {commands}, which count as blocks too."
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
    signals(stats, ink, out)
}

fn row(out: &mut dyn Write, ink: Ink, name: &str, counts: &Counts) -> Result<(), Error> {
    let styled = |number: u64, style| {
        let style = if number > 0 { style } else { Style::Dim };
        ink.paint(style, format!("{:>7}", count(number)))
    };
    Ok(writeln!(
        out,
        "{:<28} {:>9} {:>15} {:>7} {} {}",
        clean_line(name),
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

fn signals(stats: &Stats, ink: Ink, out: &mut dyn Write) -> Result<(), Error> {
    if stats.signals.is_empty() {
        return Ok(());
    }
    let title = format!(
        "{:<28} {:<28} {:>6} {:>15}",
        "signal", "hook", "hits", "blocked"
    );
    writeln!(out, "\n{}", ink.paint(Style::Bold, title))?;
    for signal in stats.signals.iter().take(SIGNALS_MAX) {
        let blocked = format!(
            "{} {:>8}",
            count(signal.blocks),
            percent(signal.blocks, signal.hits)
        );
        let noise = if signal.hits >= 5 && signal.blocks == 0 {
            "  never blocks: noise"
        } else {
            ""
        };
        writeln!(
            out,
            "{:<28} {:<28} {:>6} {blocked:>15}{}",
            clean_line(&signal.signal),
            clean_line(&signal.hook),
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
