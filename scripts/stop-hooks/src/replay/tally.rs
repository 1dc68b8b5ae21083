//! The summary of a replay.

use std::collections::VecDeque;
use std::io::Write;

use common::Hook;
use common::redact::Redacted;
use common::signal::Look;
use common::verdict::Verdict;
use time::Date;

use super::sentence;
use super::turns::Turn;
use crate::error::Error;
use crate::judging::Judgement;
use crate::terminal::{Ink, Style, clean_line, count, count_of, millis, percent};

/// Counts over all turns.
#[derive(Debug)]
pub struct Tally {
    turns: u64,
    /// Turns with a hit of any hook.
    woken: u64,
    woken_already: bool,
    hooks: Vec<PerHook>,
    judge_ms: Vec<u64>,
    /// The last hits, or with a judge the blocks.
    listed: VecDeque<Listed>,
    list_max: usize,
    with_judge: bool,
}

#[derive(Debug)]
struct PerHook {
    name: &'static str,
    hits: u64,
    bypasses: u64,
    judged: u64,
    blocks: u64,
    failures: u64,
    /// Labelled `block`: all, and those that a judge would see.
    violations: (u64, u64),
    /// Labelled `allow`: all, and those that would pass without a judge.
    others: (u64, u64),
}

#[derive(Debug)]
struct Listed {
    place: String,
    hook: &'static str,
    sentence: String,
    reason: Option<String>,
}

impl Tally {
    /// Nothing counted yet.
    pub fn new(hooks: &[&'static Hook], list_max: usize, with_judge: bool) -> Self {
        let hooks = hooks
            .iter()
            .map(|hook| PerHook {
                name: hook.name,
                hits: 0,
                bypasses: 0,
                judged: 0,
                blocks: 0,
                failures: 0,
                violations: (0, 0),
                others: (0, 0),
            })
            .collect();
        Self {
            turns: 0,
            woken: 0,
            woken_already: false,
            hooks,
            judge_ms: Vec::new(),
            listed: VecDeque::new(),
            list_max,
            with_judge,
        }
    }

    /// Counts a turn; what the hooks say of it follows.
    pub fn turn(&mut self) {
        self.turns += 1;
        self.woken_already = false;
    }

    /// The turns so far.
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// What was found so far, in a few words.
    pub fn so_far(&self) -> String {
        format!(
            "{}, {}",
            count_of(self.turns, "turn"),
            count_of(self.hits(), "hit")
        )
    }

    fn hits(&self) -> u64 {
        self.hooks.iter().map(|of| of.hits).sum()
    }

    /// Counts what layer 1 of the hook number `at` said of `turn`.
    pub fn look(&mut self, at: usize, turn: &Turn, look: &Look) {
        let Some(of) = self.hooks.get_mut(at) else {
            return;
        };
        let hit = matches!(look, Look::Hit { .. });
        of.hits += u64::from(hit);
        of.bypasses += u64::from(matches!(look, Look::Bypassed { .. }));
        self.woken += u64::from(hit && !self.woken_already);
        self.woken_already |= hit;
        let own = turn.label_of.as_deref().is_none_or(|hook| hook == of.name);
        match turn.label.as_deref() {
            Some("block") if own => {
                of.violations.0 += 1;
                of.violations.1 += u64::from(hit);
            }
            Some("allow") if own => {
                of.others.0 += 1;
                of.others.1 += u64::from(!hit);
            }
            _ => {}
        }
        if !self.with_judge {
            self.list(at, turn, look, None);
        }
    }

    /// Counts what a judge said of a hit of the hook number `at`.
    pub fn judged(&mut self, at: usize, turn: &Turn, look: &Look, judgement: &Judgement) {
        let Some(of) = self.hooks.get_mut(at) else {
            return;
        };
        let blocks = judgement.verdict == Verdict::Violation;
        of.judged += 1;
        of.blocks += u64::from(blocks);
        of.failures += u64::from(judgement.verdict == Verdict::Fail);
        let ms = judgement.time.as_millis();
        self.judge_ms.push(u64::try_from(ms).unwrap_or(u64::MAX));
        if blocks {
            self.list(at, turn, look, judgement.reason.as_ref());
        }
    }

    /// Keeps the newest.
    fn list(&mut self, at: usize, turn: &Turn, look: &Look, reason: Option<&Redacted>) {
        let (Some(of), Look::Hit { signals }) = (self.hooks.get(at), look) else {
            return;
        };
        let Some(signal) = signals.first() else {
            return;
        };
        self.listed.push_back(Listed {
            place: format!("{}:{}", turn.source, turn.line),
            hook: of.name,
            sentence: sentence::around(turn.seen.text(), &signal.at),
            reason: reason.map(Redacted::to_string),
        });
        if self.listed.len() > self.list_max {
            self.listed.pop_front();
        }
    }

    /// Writes the summary.
    ///
    /// # Errors
    /// When nobody reads it.
    pub fn print(
        &self,
        days: Option<(Date, Date)>,
        ink: Ink,
        out: &mut dyn Write,
    ) -> Result<(), Error> {
        let labelled = self
            .hooks
            .iter()
            .any(|of| of.violations.0 + of.others.0 > 0);
        writeln!(out, "{}\n", count_of(self.turns, "turn"))?;
        let title = [
            format!(
                "{:<27} {:>7} {:>9} {:>9}",
                "hook", "hits", "hit rate", "bypasses"
            ),
            if self.with_judge {
                format!(" {:>7} {:>7} {:>7}", "judged", "blocks", "failed")
            } else {
                String::new()
            },
            if labelled {
                format!(" {:>18} {:>18}", "recall", "pass rate")
            } else {
                String::new()
            },
        ];
        let title = title.concat();
        writeln!(out, "{}", ink.paint(Style::Bold, title))?;
        for of in &self.hooks {
            let rate = percent(of.hits, self.turns);
            write!(
                out,
                "{:<27} {:>7} {rate:>9} {:>9}",
                of.name,
                count(of.hits),
                count(of.bypasses)
            )?;
            if self.with_judge {
                let failed = if of.failures > 0 {
                    Style::Yellow
                } else {
                    Style::Dim
                };
                write!(
                    out,
                    " {:>7} {} {}",
                    count(of.judged),
                    ink.paint(Style::Red, format_args!("{:>7}", count(of.blocks))),
                    ink.paint(failed, format_args!("{:>7}", count(of.failures)))
                )?;
            }
            if labelled {
                write!(
                    out,
                    " {:>18} {:>18}",
                    share(of.violations),
                    share(of.others)
                )?;
            }
            writeln!(out)?;
        }
        if self.hooks.len() > 1 {
            let rate = percent(self.woken, self.turns);
            writeln!(
                out,
                "{:<27} {:>7} {rate:>9}",
                "any of them",
                count(self.woken)
            )?;
        }
        self.print_calls(days, out)?;
        self.print_list(ink, out)
    }

    /// A day without a session counts too: it is as much a day of the month that is paid for.
    fn print_calls(&self, days: Option<(Date, Date)>, out: &mut dyn Write) -> Result<(), Error> {
        let hits = self.hits();
        write!(out, "\nA judge would be asked {}", count_of(hits, "time"))?;
        if let Some((first, last)) = days {
            let days = u64::try_from((last - first).whole_days() + 1).unwrap_or(1);
            let tenths = (hits * 10).checked_div(days).unwrap_or_default();
            let (whole, tenth) = (tenths / 10, tenths % 10);
            let days = count_of(days, "day");
            write!(
                out,
                ", {whole}.{tenth} times a day on the {days} from {first} to {last}"
            )?;
        }
        writeln!(out, ".")?;
        let calls = u64::try_from(self.judge_ms.len()).unwrap_or(u64::MAX);
        let total = self
            .judge_ms
            .iter()
            .fold(0, |sum: u64, ms| sum.saturating_add(*ms));
        if let Some(each) = total.checked_div(calls) {
            let (total, each) = (millis(total), millis(each));
            writeln!(
                out,
                "It was asked {} and took {total}, {each} each.",
                count_of(calls, "time")
            )?;
        }
        Ok(())
    }

    fn print_list(&self, ink: Ink, out: &mut dyn Write) -> Result<(), Error> {
        if self.listed.is_empty() {
            return Ok(());
        }
        let title = if self.with_judge {
            "Would block"
        } else {
            "The last hits"
        };
        writeln!(out, "\n{}", ink.paint(Style::Bold, title))?;
        for listed in &self.listed {
            let style = if listed.reason.is_some() {
                Style::Red
            } else {
                Style::Yellow
            };
            writeln!(
                out,
                "{} {}\n  {}",
                ink.paint(style, listed.hook),
                ink.paint(Style::Dim, clean_line(&listed.place)),
                clean_line(&listed.sentence)
            )?;
            if let Some(reason) = &listed.reason {
                writeln!(out, "  judge: {}", clean_line(reason))?;
            }
        }
        Ok(())
    }
}

fn share((all, some): (u64, u64)) -> String {
    if all == 0 {
        "-".to_owned()
    } else {
        format!("{some}/{all} {:>7}", percent(some, all))
    }
}
