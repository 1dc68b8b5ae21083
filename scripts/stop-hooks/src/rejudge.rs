//! `stop-hooks rejudge`: puts logged texts to the judge again, with the prompts of this version.

use std::collections::BTreeMap;
use std::io::Write;

use common::Hook;
use common::config::Config;
use common::log::Record;
use common::verdict::Verdict;
use lexopt::Arg::Long;
use lexopt::ValueExt as _;

use crate::decisions::Window;
use crate::error::Error;
use crate::judging::{self, Judgement};
use crate::logged;
use crate::marks::{self, Mark};
use crate::places::Told;
use crate::progress::{Interruption, Progress, Unit};
use crate::registration::{self, Flags};
use crate::terminal::{Ink, Style, clean_line, count, count_of};
use crate::typed;

/// `stop-hooks rejudge --help`.
pub const HELP: &str = "\
Puts logged texts to the judge again, with the prompts of this version, and lists the decisions that change. With
`stop-hooks mark` before it, this tells whether a new prompt is better. It costs one call to the judge for each text, says
first how many that makes, and Ctrl-C ends it with what it has so far.

Usage: stop-hooks rejudge [OPTIONS] [FLAGS OF THE HOOKS]

Options:
  --hook NAME      only this hook; may be given again [default: all five]
  --marked         only texts that were marked right or wrong
  --limit N        the newest N texts at most, so N calls [default: all of these days]
  --days N         how many days of the log [default: 7]
  --claude-dir DIR where the log and your own rules are
                   [default: CLAUDE_CONFIG_DIR, else where this tool is installed, else ~/.claude]
  --log-dir DIR    where the log is [default: where the installed hooks log]
";

/// One text, judged again.
struct Again<'a> {
    record: &'a Record,
    judgement: Judgement,
}

impl Again<'_> {
    /// None where a gate asked since nobody had judged: there is nothing to compare with.
    fn blocked(&self) -> Option<bool> {
        logged::blocked(self.record)
    }

    fn blocks(&self) -> bool {
        self.judgement.verdict == Verdict::Violation
    }

    /// A judge that gave no answer changes no decision.
    fn changes(&self) -> bool {
        let blocked = self.blocked().unwrap_or(self.blocks());
        self.judgement.verdict != Verdict::Fail && blocked != self.blocks()
    }
}

/// Carries out `stop-hooks rejudge`.
///
/// # Errors
/// When an option makes no sense, or the log can't be read.
pub fn run(args: &mut lexopt::Parser, out: &mut dyn Write) -> Result<(), Error> {
    let (mut chosen, mut flags, mut told) = (Vec::new(), Flags::default(), Told::default());
    let (mut only_marked, mut limit, mut days) = (false, usize::MAX, 7);
    while let Some(arg) = args.next()? {
        match arg {
            Long("hook") => chosen.push(typed::hook(&args.value()?.string()?)?),
            Long("marked") => only_marked = true,
            Long("limit") => limit = typed::number("--limit", &args.value()?.string()?)?,
            Long("days") => days = typed::days(&args.value()?.string()?)?,
            Long("claude-dir") => told.claude_dir = Some(args.value()?.into()),
            Long("log-dir") => told.log_dir = Some(args.value()?.into()),
            _ => {
                let flag = registration::flag(arg)?;
                flags.read(flag, args)?;
            }
        }
    }
    if chosen.is_empty() {
        chosen.extend(hooks::ALL);
    }
    let config = typed::config(&flags, told.claude_dir.as_deref())?;
    let log_dir = told.logs()?;
    let marks = marks::read(&log_dir)?;
    let mut records = logged::records(&log_dir, Window::new(days, None), |record| {
        record.text.is_some()
            && chosen.iter().any(|hook| hook.name == record.hook)
            && (!only_marked || marks.contains_key(&record.id))
    })?;
    if records.is_empty() {
        let (days, log_dir) = (count_of(days, "day"), log_dir.display());
        return Ok(writeln!(
            out,
            "Nothing to judge again in the last {days} of {log_dir}."
        )?);
    }
    let fewer = if records.len() > limit {
        format!(", the newest of {}", count(records.len()))
    } else {
        String::new()
    };
    records.drain(..records.len().saturating_sub(limit));
    let texts = count_of(records.len(), "text");
    writeln!(
        out,
        "{texts} for the judge{fewer}: one call each, --limit N makes fewer.\n"
    )?;
    out.flush()?;
    let interruption = Interruption::watch()?;
    let again = ask(&records, &chosen, &config, &interruption)?;
    if interruption.came() {
        writeln!(out, "Interrupted after {}.", count_of(again.len(), "text"))?;
    }
    report(&again, &marks, Ink::for_stdout(), out)
}

fn ask<'a>(
    records: &'a [Record],
    chosen: &[&'static Hook],
    config: &Config,
    interruption: &Interruption,
) -> Result<Vec<Again<'a>>, Error> {
    let mut progress = Progress::new(Unit::Calls, records.len());
    let mut again = Vec::new();
    for (done, record) in records.iter().enumerate() {
        if interruption.came() {
            break;
        }
        progress.at(done, String::new);
        let hook = chosen.iter().find(|hook| hook.name == record.hook);
        let prompt = hook.and_then(|hook| {
            let rules = config.rules(hook.name);
            Some((hook, logged::prompt(hook, &rules, record)?))
        });
        if let Some((hook, prompt)) = prompt {
            let Some(judgement) = judging::ask(hook, config, prompt, interruption)? else {
                break;
            };
            again.push(Again { record, judgement });
        }
    }
    progress.wipe();
    Ok(again)
}

fn report(
    all: &[Again<'_>],
    marks: &BTreeMap<String, Mark>,
    ink: Ink,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let of = |wanted: &dyn Fn(&Again<'_>) -> bool| all.iter().filter(|a| wanted(a)).count();
    for again in all.iter().filter(|again| again.changes()) {
        let (word, style) = if again.blocks() {
            ("allow → block", Style::Red)
        } else {
            ("block → allow", Style::Green)
        };
        let record = again.record;
        let mark = marks
            .get(&record.id)
            .map_or(String::new(), |m| format!(", marked {}", m.name()));
        let reason = |text: Option<&str>| clean_line(text.unwrap_or("no reason"));
        writeln!(
            out,
            "{} {} {}{mark}\n  then: {}\n  now:  {}",
            ink.paint(style, word),
            clean_line(&record.hook),
            ink.paint(Style::Dim, clean_line(&record.id)),
            reason(record.reason.as_deref()),
            reason(
                again
                    .judgement
                    .reason
                    .as_ref()
                    .map(common::redact::Redacted::as_str)
            ),
        )?;
    }
    if of(&|again| again.changes()) > 0 {
        writeln!(out)?;
    }
    writeln!(
        out,
        "{} judged again: {} (allow → block {}, block → allow {}), {} without an answer.",
        count_of(all.len(), "text"),
        count_of(of(&|a| a.changes()), "change"),
        count(of(&|a| a.changes() && a.blocks())),
        count(of(&|a| a.changes() && !a.blocks())),
        count(of(&|a| a.judgement.verdict == Verdict::Fail))
    )?;
    let label = |again: &Again<'_>| {
        let mark = marks.get(&again.record.id)?;
        Some(mark.label(again.blocked()?) == "block")
    };
    let answered = |again: &Again<'_>| again.judgement.verdict != Verdict::Fail;
    let marked = of(&|a| label(a).is_some());
    if marked > 0 {
        let agrees = of(&|a| label(a) == Some(a.blocks()) && answered(a));
        let this_run = match of(&|a| label(a).is_some() && answered(a)) {
            0 => "has no answer for them".to_owned(),
            answers => format!(
                "with {} of the {} that it has an answer for",
                count(agrees),
                count(answers)
            ),
        };
        writeln!(
            out,
            "Of {} the log agrees with {}, this run {this_run}.",
            count_of(marked, "mark"),
            count(of(&|a| label(a).is_some() && label(a) == a.blocked()))
        )?;
    }
    Ok(())
}
