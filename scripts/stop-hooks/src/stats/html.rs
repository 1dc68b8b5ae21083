//! The figures and the judged texts as one page that loads nothing.
//!
//! What sessions said is hostile here: it is escaped, control characters are gone, and a content security policy
//! forbids every script and request that a slip would let through.

use std::fmt::{self, Write as _};

use common::log::Record;

use super::axis::Axis;
use super::tally::{Counts, Stats, is_carried_out};
use crate::terminal::{clean, count, millis, percent};

const STYLE: &str = include_str!("page.css");

/// The chart's own units; the page stretches it.
const CHART_WIDTH: u64 = 1000;
const CHART_HEIGHT: u64 = 100;

/// The page.
pub fn page<'a>(stats: &Stats, texts: impl ExactSizeIterator<Item = &'a Record>) -> String {
    let mut page = String::new();
    // Writing to a String does not fail.
    let _ = write_page(&mut page, stats, texts);
    page
}

fn write_page<'a>(
    to: &mut String,
    stats: &Stats,
    texts: impl ExactSizeIterator<Item = &'a Record>,
) -> fmt::Result {
    let (first, last) = (Escaped(&stats.first), Escaped(&stats.last));
    write!(
        to,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>Stop hooks, {first} to {last}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>Stop hooks</h1>\n<p class=\"faint\">{first} to {last}</p>\n"
    )?;
    figures(to, stats)?;
    chart(to, stats)?;
    hooks(to, stats)?;
    signals(to, stats)?;
    for (title, counts) in [
        ("Failures", &stats.failures),
        ("Secrets taken out", &stats.redactions),
        ("Modes", &stats.modes),
    ] {
        if !counts.is_empty() {
            write!(to, "<h2>{title}</h2>\n<dl>\n")?;
            for (name, number) in counts {
                writeln!(to, "<dt>{}</dt><dd>{}</dd>", Escaped(name), count(*number))?;
            }
            to.write_str("</dl>\n")?;
        }
    }
    judged(to, stats, texts)?;
    to.write_str("</body>\n</html>\n")
}

fn figures(to: &mut String, stats: &Stats) -> fmt::Result {
    let total = &stats.total;
    to.write_str("<div class=\"figures\">\n")?;
    let refused = stats.denials.saturating_sub(stats.would_deny);
    let blocked = total.blocks.saturating_sub(total.would_block);
    let figures = [
        (count(stats.stops), "stops"),
        (
            percent(total.layer1_passes, total.decisions),
            "passed layer 1",
        ),
        (count(total.judged), "read by a judge"),
        (count(blocked), "blocks"),
        (count(stats.blocked_again), "blocked again in a turn"),
        (millis(stats.judge_p50_ms), "a judge, median"),
        (millis(stats.judge_p95_ms), "a judge, 95 of 100"),
        (millis(stats.mean_wait_ms), "mean wait of a stop"),
    ];
    let rare = [
        (
            total.would_block,
            "blocks that passed in mode warn or shadow",
        ),
        (refused, "commands refused"),
        (stats.would_deny, "commands that would have been refused"),
    ];
    let rare = rare.into_iter().filter(|(number, _)| *number > 0);
    let rare = rare.map(|(number, what)| (count(number), what));
    for (figure, what) in figures.into_iter().chain(rare) {
        writeln!(to, "<div><b>{figure}</b>{what}</div>")?;
    }
    to.write_str("</div>\n")
}

/// Two charts over the days, since blocks would be invisible on the scale of decisions.
fn chart(to: &mut String, stats: &Stats) -> fmt::Result {
    let axis = Axis::of(stats);
    let unit = &axis.unit;
    writeln!(to, "<h2>Decisions by {unit}</h2>")?;
    bars(to, &axis, &[("pass", |c| c.decisions)])?;
    let blocked = blocked(stats);
    writeln!(to, "<h2>Read by a judge, and {blocked}, by {unit}</h2>")?;
    bars(
        to,
        &axis,
        &[("judged", |c| c.judged), ("block", |c| c.blocks)],
    )?;
    writeln!(
        to,
        "<p class=\"faint\"><span class=\"key\" style=\"--key: var(--judged)\">read by a judge</span> \
         <span class=\"key\" style=\"--key: var(--block)\">of them {blocked}</span></p>",
    )
}

/// What is counted as a block: in mode warn or shadow it would have been one.
fn blocked(stats: &Stats) -> &'static str {
    match stats.total.would_block {
        0 => "blocked",
        _ => "blocked or would have been",
    }
}

/// A layer of a chart: its class and its height in a bar. A later layer is part of the one before and drawn over it.
type Layer = (&'static str, fn(&Counts) -> u64);

fn bars(to: &mut String, axis: &Axis, layers: &[Layer]) -> fmt::Result {
    let most = axis
        .bars
        .iter()
        .flat_map(|(_, c)| layers.iter().map(|(_, of)| of(c)))
        .max();
    let most = most.unwrap_or(0).max(1);
    let all = u64::try_from(axis.bars.len()).unwrap_or(u64::MAX).max(1);
    let per = &axis.per;
    write!(
        to,
        "<figure>\n<svg viewBox=\"0 0 {CHART_WIDTH} {CHART_HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"At most {} {per}\">\n",
        count(most)
    )?;
    for (at, (days, counts)) in (0u64..).zip(&axis.bars) {
        let (x, end) = (at * CHART_WIDTH / all, (at + 1) * CHART_WIDTH / all);
        for (class, of) in layers {
            let value = of(counts);
            let height = value.saturating_mul(CHART_HEIGHT).div_ceil(most);
            writeln!(
                to,
                "<rect class=\"{class}\" x=\"{x}\" y=\"{}\" width=\"{}\" height=\"{height}\"><title>{days}: {}</title></rect>",
                CHART_HEIGHT.saturating_sub(height),
                ((end - x) * 9 / 10).max(1),
                count(value)
            )?;
        }
    }
    write!(
        to,
        "</svg>\n<figcaption><span>{}</span><span>at most {} {per}</span><span>{}</span></figcaption>\n</figure>\n",
        axis.first,
        count(most),
        axis.last
    )
}

fn hooks(to: &mut String, stats: &Stats) -> fmt::Result {
    writeln!(
        to,
        "<h2>By hook</h2>\n<div class=\"wide\"><table>\n<tr><th>hook<th>decisions<th>passed layer 1<th>judged\
         <th>{}<th>failed</tr>",
        blocked(stats)
    )?;
    for (hook, counts) in &stats.hooks {
        writeln!(
            to,
            "<tr><td>{}<td>{}<td>{}<td>{}<td>{}<td>{}</tr>",
            Escaped(hook),
            count(counts.decisions),
            percent(counts.layer1_passes, counts.decisions),
            count(counts.judged),
            count(counts.blocks),
            count(counts.failures)
        )?;
    }
    to.write_str("</table></div>\n")
}

fn signals(to: &mut String, stats: &Stats) -> fmt::Result {
    if stats.signals.is_empty() {
        return Ok(());
    }
    writeln!(
        to,
        "<h2>Signals</h2>\n<p class=\"faint\">One that hits and never blocks is noise.</p>\n\
         <div class=\"wide\"><table>\n<tr><th>signal<th class=\"name\">hook<th>hits<th>{}</tr>",
        blocked(stats)
    )?;
    for signal in &stats.signals {
        writeln!(
            to,
            "<tr><td>{}<td class=\"name\">{}<td>{}<td>{}</tr>",
            Escaped(&signal.signal),
            Escaped(&signal.hook),
            count(signal.hits),
            percent(signal.blocks, signal.hits)
        )?;
    }
    to.write_str("</table></div>\n")
}

fn judged<'a>(
    to: &mut String,
    stats: &Stats,
    texts: impl ExactSizeIterator<Item = &'a Record>,
) -> fmt::Result {
    let shown = count(texts.len());
    write!(
        to,
        "<section class=\"texts\">\n<h2>What was judged</h2>\n\
         <p class=\"faint\">The newest {shown} of {}, secrets taken out.</p>\n<fieldset>\n",
        count(stats.total.judged)
    )?;
    for (id, label) in [
        ("every", "all"),
        ("block", blocked(stats)),
        ("allow", "allowed"),
        ("fail", "no answer"),
    ] {
        let checked = if id == "every" { " checked" } else { "" };
        writeln!(
            to,
            "<label><input type=\"radio\" name=\"show\" id=\"{id}\"{checked}> {label}</label>"
        )?;
    }
    to.write_str("</fieldset>\n")?;
    for record in texts {
        text(to, record)?;
    }
    to.write_str("</section>\n")
}

fn text(to: &mut String, record: &Record) -> fmt::Result {
    let (class, word) = match (record.decision.as_str(), record.verdict.as_deref()) {
        ("allow", Some("fail")) => ("fail", "no answer"),
        ("allow", _) => ("allow", "allow"),
        // Of a gate: nobody had judged.
        ("ask", _) => ("fail", "ask"),
        (other, _) => ("block", other),
    };
    let word = match class {
        "block" if !is_carried_out(&record.mode) => format!("would {word}"),
        _ => word.to_owned(),
    };
    let reason = record.reason.as_deref().unwrap_or_default();
    write!(
        to,
        "<details class=\"is-{class}\">\n<summary><b>{}</b> {} <span class=\"faint\">{}</span><br>{}</summary>\n<dl>\n",
        Escaped(&word),
        Escaped(&record.hook),
        Escaped(record.time.get(..16).unwrap_or(&record.time)),
        Escaped(reason)
    )?;
    let attempts: Vec<_> = record
        .attempts
        .iter()
        .map(|a| {
            let model = a
                .model
                .as_ref()
                .map_or(String::new(), |model| format!(":{model}"));
            format!("{}{model} {} in {}", a.backend, a.outcome, millis(a.ms))
        })
        .collect();
    let fields = record.fields.as_ref().map(ToString::to_string);
    for (name, value) in [
        ("id", Some(record.id.as_str())),
        ("signal", record.signal.as_deref()),
        ("judge", Some(attempts.join(", ").as_str())),
        ("fields", fields.as_deref()),
        ("mode", Some(record.mode.as_str())),
    ] {
        if let Some(value) = value {
            writeln!(to, "<dt>{name}</dt><dd>{}</dd>", Escaped(value))?;
        }
    }
    to.write_str("</dl>\n")?;
    // A gate may come before the first word of a turn.
    let words = [&record.command, &record.text].into_iter().flatten();
    for words in words.filter(|words| !words.is_empty()) {
        writeln!(to, "<pre>{}</pre>", Escaped(words))?;
    }
    to.write_str("</details>\n")
}

/// Text between tags or in a quoted attribute.
struct Escaped<'a>(&'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in clean(self.0).chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::tally::Tally;

    #[test]
    fn no_word_of_a_session_becomes_markup() {
        let hostile = "</pre><script>alert(1)</script>\"'&\u{0}\u{1b}[2J";
        let record = Record {
            text: Some(hostile.into()),
            reason: Some(hostile.into()),
            hook: hostile.into(),
            id: hostile.into(),
            signal: Some(hostile.into()),
            ..Record::default()
        };
        let mut tally = Tally::default();
        tally.add(
            serde_json::json!({"hook": hostile, "signal": hostile, "mode": hostile, "time": hostile,
                "attempts": [{"backend": hostile, "outcome": hostile}], "redactions": {hostile: 1}})
            .to_string()
            .as_bytes(),
        );
        let stats = tally.finish(hostile.into(), hostile.into());
        let page = page(&stats, [&record].into_iter());
        assert!(
            !page.contains("<script") && !page.contains("alert(1)</"),
            "{page}"
        );
        assert!(!page.contains(|c: char| c.is_control() && c != '\n'));
        assert_eq!(
            page.matches("<pre>").count(),
            page.matches("</pre>").count()
        );
    }
}
