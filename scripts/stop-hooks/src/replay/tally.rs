//! The summary of a replay.

use std::io::Write;

use common::Hook;

use super::Outcome;
use super::turns::Turn;
use crate::error::Error;
use crate::terminal::percent;

/// Counts over all turns.
#[derive(Debug)]
pub struct Tally {
    turns: u64,
    /// Turns with a hit of any hook.
    woken: u64,
    woken_already: bool,
    hooks: Vec<PerHook>,
}

#[derive(Debug)]
struct PerHook {
    name: &'static str,
    hits: u64,
    bypasses: u64,
    /// Labelled `block`: all, and those that a judge would see.
    violations: (u64, u64),
    /// Labelled `allow`: all, and those that would pass without a judge.
    others: (u64, u64),
}

impl Tally {
    /// Nothing counted yet.
    pub fn new(hooks: &[&'static Hook]) -> Self {
        let hooks = hooks
            .iter()
            .map(|hook| PerHook {
                name: hook.name,
                hits: 0,
                bypasses: 0,
                violations: (0, 0),
                others: (0, 0),
            })
            .collect();
        Self {
            turns: 0,
            woken: 0,
            woken_already: false,
            hooks,
        }
    }

    /// Counts a turn; what the hooks say of it follows.
    pub fn turn(&mut self) {
        self.turns += 1;
        self.woken_already = false;
    }

    /// Counts what the hook number `at` said of `turn`.
    pub fn add(&mut self, at: usize, turn: &Turn<'_>, outcome: Outcome) {
        let Some(of) = self.hooks.get_mut(at) else {
            return;
        };
        let hit = outcome == Outcome::Hit;
        of.hits += u64::from(hit);
        self.woken += u64::from(hit && !self.woken_already);
        self.woken_already |= hit;
        of.bypasses += u64::from(outcome == Outcome::Bypass);
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
    }

    /// Writes the summary.
    ///
    /// # Errors
    /// When nobody reads it.
    pub fn print(&self, out: &mut impl Write) -> Result<(), Error> {
        let labelled = self
            .hooks
            .iter()
            .any(|of| of.violations.0 + of.others.0 > 0);
        writeln!(out, "{} turns\n", self.turns)?;
        write!(
            out,
            "{:<27} {:>7} {:>9} {:>9}",
            "hook", "hits", "hit rate", "bypasses"
        )?;
        if labelled {
            write!(out, " {:>18} {:>18}", "recall", "pass rate")?;
        }
        writeln!(out)?;
        for of in &self.hooks {
            write!(
                out,
                "{:<27} {:>7} {:>9} {:>9}",
                of.name,
                of.hits,
                percent(of.hits, self.turns),
                of.bypasses
            )?;
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
            writeln!(out, "{:<27} {:>7} {rate:>9}", "any of them", self.woken)?;
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
