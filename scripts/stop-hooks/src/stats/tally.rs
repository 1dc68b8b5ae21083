//! The figures: one pass over the log's lines, oldest first.
//!
//! Hooks run side by side, and all of one stop are logged before the next stop of the turn begins. So the records of
//! one turn fall into stops: a new one begins where a hook appears again. What a person waits for is the slowest of a
//! stop's hooks.

use std::collections::{BTreeMap, HashMap, HashSet};

use common::config::Mode;
use common::input::Event;
use serde::{Deserialize, Serialize};

/// What the figures need of a record. The texts, which are most of a line, are skipped.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Entry {
    time: String,
    hook: String,
    event: Option<String>,
    session: Option<String>,
    turn: Option<String>,
    mode: String,
    decision: String,
    stage: String,
    signal: Option<String>,
    verdict: Option<String>,
    attempts: Vec<Attempt>,
    judge_ms: u64,
    total_ms: u64,
    redactions: BTreeMap<String, u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Attempt {
    backend: String,
    outcome: String,
}

/// How decisions came about.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// All.
    pub decisions: u64,
    /// Settled by layer 1.
    pub layer1_passes: u64,
    /// A judge was asked.
    pub judged: u64,
    /// Blocked, or would have been in mode warn or shadow. Commands that were refused count too.
    pub blocks: u64,
    /// Those of them that passed, since the mode was warn or shadow.
    pub would_block: u64,
    /// No judge gave an answer.
    pub failures: u64,
}

/// A signal of layer 1 and what judges said of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SignalRow {
    /// Whose.
    pub hook: String,
    /// Its name.
    pub signal: String,
    /// Texts that a judge read because of it.
    pub hits: u64,
    /// Those that were blocked.
    pub blocks: u64,
}

/// All figures.
#[derive(Debug, Serialize)]
pub struct Stats {
    /// The first day looked at.
    pub first: String,
    /// The last day looked at.
    pub last: String,
    /// Ends of turns; five hooks at one are one.
    pub stops: u64,
    /// All hooks together.
    pub total: Counts,
    /// By hook.
    pub hooks: BTreeMap<String, Counts>,
    /// By day and hook; only days with a decision.
    pub days: BTreeMap<String, BTreeMap<String, Counts>>,
    /// Decisions by mode.
    pub modes: BTreeMap<String, u64>,
    /// The judges' time for a text, in milliseconds: the median.
    pub judge_p50_ms: u64,
    /// What 95 of 100 were faster than, in milliseconds.
    pub judge_p95_ms: u64,
    /// How long a stop waited for its slowest hook on average, in milliseconds.
    pub mean_wait_ms: u64,
    /// Attempts without an answer, by backend and name.
    pub failures: BTreeMap<String, u64>,
    /// Blocks at the ends of turns that are known by session and name.
    pub blocks_in_turns: u64,
    /// Those of them by a hook that had blocked in the same turn before: reworded instead of done.
    pub blocked_again: u64,
    /// Commands that a gate refused, or would have in mode warn or shadow.
    pub denials: u64,
    /// Those of them that ran.
    pub would_deny: u64,
    /// Secrets taken out, by kind.
    pub redactions: BTreeMap<String, u64>,
    /// Signals by their hits, most first.
    pub signals: Vec<SignalRow>,
    /// Lines that are no record.
    pub unreadable_lines: u64,
}

/// The figures in the making.
#[derive(Default)]
pub struct Tally {
    days: BTreeMap<String, BTreeMap<String, Counts>>,
    modes: BTreeMap<String, u64>,
    judge_ms: Vec<u64>,
    stops: u64,
    finished_wait_ms: u64,
    turns: HashMap<TurnKey, Turn>,
    failures: BTreeMap<String, u64>,
    blocks_in_turns: u64,
    blocked_again: u64,
    denials: u64,
    would_deny: u64,
    redactions: BTreeMap<String, u64>,
    signals: BTreeMap<(String, String), (u64, u64)>,
    unreadable_lines: u64,
}

/// Session, turn and event: what a subagent does is no second try of the agent's.
type TurnKey = (Option<String>, Option<String>, Option<String>);

/// The stop of a turn that is being logged.
#[derive(Default)]
struct Turn {
    hooks: HashSet<String>,
    wait_ms: u64,
    blocked: HashSet<String>,
}

impl Tally {
    /// Counts one line of the log.
    pub fn add(&mut self, line: &[u8]) {
        let Ok(entry) = serde_json::from_slice::<Entry>(line) else {
            self.unreadable_lines += 1;
            return;
        };
        let blocks = matches!(entry.decision.as_str(), "block" | "deny");
        let would_block = blocks && !is_carried_out(&entry.mode);
        let failed = entry.verdict.as_deref() == Some("fail");
        let judged = !entry.attempts.is_empty();
        let day = entry.time.get(..10).unwrap_or_default();
        let counts = entry_of(entry_of(&mut self.days, day), &entry.hook);
        counts.add(&Counts {
            decisions: 1,
            layer1_passes: u64::from(entry.stage == "layer-1" && entry.decision == "allow"),
            judged: u64::from(judged),
            blocks: u64::from(blocks),
            would_block: u64::from(would_block),
            failures: u64::from(failed),
        });
        *entry_of(&mut self.modes, &entry.mode) += 1;
        if judged {
            self.judge_ms.push(entry.judge_ms);
        }
        for attempt in entry.attempts.iter().filter(|a| a.outcome != "answered") {
            let name = format!("{} {}", attempt.backend, attempt.outcome);
            *self.failures.entry(name).or_default() += 1;
        }
        for (kind, count) in &entry.redactions {
            let sum = entry_of(&mut self.redactions, kind);
            *sum = sum.saturating_add(*count);
        }
        if let Some(signal) = entry.signal.as_ref().filter(|_| judged) {
            let key = (entry.hook.clone(), signal.clone());
            let (hits, blocked) = self.signals.entry(key).or_default();
            *hits += 1;
            *blocked += u64::from(blocks);
        }
        if entry.event.as_deref() == Some(Event::PreToolUse.name()) {
            self.denials += u64::from(blocks);
            self.would_deny += u64::from(would_block);
        } else {
            self.add_to_stop(entry, blocks);
        }
    }

    fn add_to_stop(&mut self, entry: Entry, blocks: bool) {
        let is_known = entry.session.is_some() && entry.turn.is_some();
        let key = (entry.session, entry.turn, entry.event);
        let turn = self.turns.entry(key).or_default();
        if turn.hooks.is_empty() || turn.hooks.contains(&entry.hook) {
            self.stops += 1;
            self.finished_wait_ms = self.finished_wait_ms.saturating_add(turn.wait_ms);
            turn.hooks.clear();
            turn.wait_ms = 0;
        }
        turn.wait_ms = turn.wait_ms.max(entry.total_ms);
        if blocks && is_known {
            self.blocks_in_turns += 1;
            self.blocked_again += u64::from(!turn.blocked.insert(entry.hook.clone()));
        }
        turn.hooks.insert(entry.hook);
    }

    /// The figures of all lines that were counted.
    pub fn finish(mut self, first: String, last: String) -> Stats {
        let mut hooks = BTreeMap::<String, Counts>::new();
        let mut total = Counts::default();
        for (hook, counts) in self.days.values().flatten() {
            entry_of(&mut hooks, hook).add(counts);
            total.add(counts);
        }
        let waits = self.turns.values().map(|turn| turn.wait_ms);
        let waits = waits.fold(self.finished_wait_ms, u64::saturating_add);
        let mut signals: Vec<_> = self
            .signals
            .into_iter()
            .map(|((hook, signal), (hits, blocks))| SignalRow {
                hook,
                signal,
                hits,
                blocks,
            })
            .collect();
        signals.sort_by_key(|signal| std::cmp::Reverse(signal.hits));
        self.judge_ms.sort_unstable();
        Stats {
            first,
            last,
            stops: self.stops,
            total,
            hooks,
            days: self.days,
            modes: self.modes,
            judge_p50_ms: percentile(&self.judge_ms, 50),
            judge_p95_ms: percentile(&self.judge_ms, 95),
            mean_wait_ms: waits.checked_div(self.stops).unwrap_or_default(),
            failures: self.failures,
            blocks_in_turns: self.blocks_in_turns,
            blocked_again: self.blocked_again,
            denials: self.denials,
            would_deny: self.would_deny,
            redactions: self.redactions,
            signals,
            unreadable_lines: self.unreadable_lines,
        }
    }
}

impl Counts {
    /// Counts `more` too.
    pub fn add(&mut self, more: &Self) {
        self.decisions += more.decisions;
        self.layer1_passes += more.layer1_passes;
        self.judged += more.judged;
        self.blocks += more.blocks;
        self.would_block += more.would_block;
        self.failures += more.failures;
    }
}

/// Whether a block in `mode` blocks. In the others the stop passes and the log says what block would have done.
pub fn is_carried_out(mode: &str) -> bool {
    ![Mode::Warn, Mode::Shadow].map(Mode::name).contains(&mode)
}

impl std::iter::Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, more| {
            sum.add(&more);
            sum
        })
    }
}

/// The value of `key`, made when missing.
fn entry_of<'a, V: Default>(map: &'a mut BTreeMap<String, V>, key: &str) -> &'a mut V {
    map.entry(key.to_owned()).or_default()
}

/// The smallest value that `percent` of 100 values don't exceed; 0 of none.
fn percentile(sorted: &[u64], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tally(lines: &[serde_json::Value]) -> Stats {
        let mut tally = Tally::default();
        for line in lines {
            tally.add(line.to_string().as_bytes());
        }
        tally.finish("2026-01-01".into(), "2026-01-07".into())
    }

    #[test]
    fn five_hooks_at_one_stop_are_one_wait() {
        let line = |hook: &str, turn: &str, ms: u64| json!({"hook": hook, "session": "s", "turn": turn, "total_ms": ms});
        let stats = tally(&[
            line("a", "1", 10),
            line("b", "1", 1000),
            line("a", "2", 30),
            line("b", "1", 5),
            line("a", "1", 7),
        ]);
        assert_eq!(stats.stops, 3);
        assert_eq!(stats.mean_wait_ms, (1000 + 30 + 7) / 3);
    }

    #[test]
    fn a_second_block_in_a_turn_is_one_that_was_reworded() {
        let line = |hook: &str, turn: &str, decision: &str| json!({"hook": hook, "session": "s", "turn": turn, "decision": decision});
        let stats = tally(&[
            line("a", "1", "block"),
            line("b", "1", "block"),
            line("a", "2", "block"),
            line("a", "1", "allow"),
            line("b", "1", "block"),
        ]);
        assert_eq!((stats.total.blocks, stats.blocked_again), (4, 1));
    }

    /// What can't be told apart may be many turns, and a gate refuses commands, not ends of turns.
    #[test]
    fn only_blocks_of_a_known_turn_are_compared() {
        let stop = |session: Option<&str>, turn: Option<&str>, event: &str| json!({"hook": "a", "session": session, "turn": turn, "event": event, "decision": "block"});
        let deny = json!({"hook": "a", "session": "s", "turn": "1", "event": "PreToolUse", "decision": "deny"});
        let stats = tally(&[
            stop(None, None, "Stop"),
            stop(None, None, "Stop"),
            stop(Some("s"), None, "Stop"),
            stop(Some("s"), None, "Stop"),
            stop(Some("s"), Some("1"), "Stop"),
            stop(Some("s"), Some("1"), "SubagentStop"),
            deny.clone(),
            deny,
        ]);
        assert_eq!((stats.blocks_in_turns, stats.blocked_again), (2, 0));
        assert_eq!((stats.total.blocks, stats.denials), (8, 2));
    }

    #[test]
    fn what_a_mode_let_pass_was_not_blocked() {
        let line = |mode: &str, event: &str, decision: &str| json!({"hook": "a", "mode": mode, "event": event, "decision": decision});
        let stats = tally(&[
            line("block", "Stop", "block"),
            line("warn", "Stop", "block"),
            line("shadow", "Stop", "block"),
            line("shadow", "Stop", "allow"),
            line("shadow", "PreToolUse", "deny"),
        ]);
        let total = &stats.total;
        assert_eq!((total.blocks, total.would_block), (4, 3));
        assert_eq!((stats.denials, stats.would_deny), (1, 1));
    }

    /// A record may hold any number.
    #[test]
    fn no_number_is_too_large() {
        let line = |turn: &str| {
            json!({"hook": "a", "session": "s", "turn": turn, "judge_ms": u64::MAX,
            "total_ms": u64::MAX, "redactions": {"k": u64::MAX}, "attempts": [{"outcome": "answered"}]})
        };
        let stats = tally(&[line("1"), line("1"), line("2")]);
        assert_eq!(stats.mean_wait_ms, u64::MAX / 3);
        assert_eq!(
            (stats.judge_p50_ms, stats.redactions["k"]),
            (u64::MAX, u64::MAX)
        );
        let mut out = Vec::new();
        crate::stats::text::print(&stats, crate::terminal::Ink::off(), None, &mut out).unwrap();
        crate::stats::html::page(&stats, [].iter());
    }

    #[test]
    fn ranks_are_the_nearest() {
        let hundred: Vec<u64> = (1..=100).collect();
        assert_eq!(percentile(&hundred, 50), 50);
        assert_eq!(percentile(&hundred, 95), 95);
        assert_eq!(percentile(&[7], 95), 7);
        assert_eq!(percentile(&[], 50), 0);
    }
}
