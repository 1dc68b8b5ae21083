//! A decision of the log, stage by stage. No judge is asked again.
//!
//! The log holds what each stage brought forth. Layer 1 is looked through again to show the words, and the prompt is
//! wrapped again, with this version of the hook and today's rules of the user. Where the record is of another version, or
//! its prompt was another one, that is told.

use std::time::{Duration, Instant};

use common::Hook;
use common::args;
use common::command::shared_change;
use common::config::Mode;
use common::decision::Decision;
use common::input::{Event, Host};
use common::log::Record;
use common::rules::Rules;
use common::signal::{self, Found, Look, Sensitivity};
use common::transcript::TURN_TEXT_MAX_BYTES;
use common::wrap::Prompt;

use super::page::{Mood, Step};
use super::{stages, text};
use crate::logged;
use crate::terminal::{count, count_of};

/// The stages of `record`, a decision of `hook`.
pub fn steps(hook: &Hook, rules: &Rules, record: &Record) -> Vec<Step> {
    let mut steps = vec![Step::new(
        "record",
        format!(
            "{}, {}, version {}, mode {}",
            record.id, record.time, record.version, record.mode
        ),
    )];
    if record.version != env!("CARGO_PKG_VERSION") {
        let note = format!(
            "layer 1 and the prompt below are those of version {}",
            env!("CARGO_PKG_VERSION")
        );
        steps.push(Step::new("", note).mood(Mood::Fails));
    }
    let or_unknown = |word: &Option<String>| word.clone().unwrap_or_else(|| "?".to_owned());
    steps.push(Step::new(
        "input",
        format!(
            "{} of {}, session {}, turn {}",
            or_unknown(&record.event),
            or_unknown(&record.host),
            or_unknown(&record.session),
            or_unknown(&record.turn)
        ),
    ));
    let layer1 = layer1(record);
    if let Some(text) = &record.text {
        steps.extend(read(hook, rules, record, text, layer1));
    } else {
        let result = format!("{}; texts of passes aren't logged", size(record));
        steps.extend([Step::new("turn text", result), layer1]);
    }
    let faults = record.rule_faults.iter().map(String::as_str);
    steps.extend(stages::own_rules(faults));
    if record.text.is_some() {
        steps.extend(judged(hook, rules, record));
    }
    if let Some(fields) = &record.fields {
        steps.push(Step::new("fields", fields.to_string()));
    }
    if let Some(verdict) = &record.verdict {
        steps.push(stages::verdict(verdict));
    }
    if let Some(reason) = &record.reason {
        steps.push(Step::new("reason", reason));
    }
    let total = Duration::from_millis(record.total_ms);
    steps.push(stages::decision(&record.decision, &record.stage, total));
    steps.push(seen(record));
    steps
}

fn size(record: &Record) -> String {
    let mut size = count_of(record.text_bytes, "byte");
    if record.truncated {
        size = format!("{size}, cut to the last {}", count(TURN_TEXT_MAX_BYTES));
    }
    if record.transcript_wait_ms > 0 {
        size = format!("{size}, waited {} ms for it", record.transcript_wait_ms);
    }
    size
}

/// What layer 1 said then.
fn layer1(record: &Record) -> Step {
    match (&record.signal, &record.bypass) {
        (Some(signal), Some(bypass)) => {
            Step::new("layer 1", format!("{signal}, bypassed by {bypass}")).mood(Mood::Passes)
        }
        (Some(signal), None) => Step::new("layer 1", format!("hit by {signal}")).mood(Mood::Fails),
        (None, _) => Step::new("layer 1", "no signal").mood(Mood::Passes),
    }
}

/// The texts that layer 1 looked through, and what it finds in them.
fn read(hook: &Hook, rules: &Rules, record: &Record, text: &str, layer1: Step) -> Vec<Step> {
    let looking = Instant::now();
    let is_gate = record.event.as_deref() == Some(Event::PreToolUse.name());
    let line = record.command.as_deref().filter(|_| is_gate);
    let look = match line {
        Some(line) => shared_change(line).map_or(Look::NoHit, |change| Look::Hit {
            signals: vec![Found {
                id: change.what.into(),
                at: change.at,
            }],
        }),
        None => rules.look(text, signal::look(hook, text, Sensitivity::High)),
    };
    let looking = looking.elapsed();
    let mut steps = Vec::new();
    if let Some(line) = line {
        let mut step = Step::new("command", count_of(line.len(), "byte"));
        step.body = text::marked(line, &look);
        steps.push(step);
    }
    let mut turn = Step::new("turn text", size(record));
    turn.body = text::marked(text, if line.is_some() { &Look::NoHit } else { &look });
    steps.push(turn);
    if let Some(earlier) = &record.earlier {
        steps.push(Step::new("earlier", "said before the last feedback:").body(earlier));
    }
    steps.push(layer1.took(looking));
    steps.extend(stages::found(line.unwrap_or(text), &look));
    steps
}

/// What a judge was given, and what it said.
fn judged(hook: &Hook, rules: &Rules, record: &Record) -> Vec<Step> {
    let mut steps = Vec::new();
    steps.extend(record.activity.as_deref().map(stages::activity));
    let kinds = record.redactions.iter();
    steps.push(stages::redaction(
        kinds.map(|(kind, n)| (kind.as_str(), *n)),
    ));
    if let Some(prompt) = logged::prompt(hook, rules, record) {
        steps.extend(not_the_one_sent(record, &prompt));
        steps.extend(stages::prompt(&prompt));
    }
    steps.extend(record.attempts.is_empty().then(stages::nobody));
    steps.extend(record.attempts.iter().map(|attempt| {
        stages::attempt(
            &attempt.backend,
            attempt.model.as_deref(),
            &attempt.outcome,
            attempt.detail.as_deref(),
            Duration::from_millis(attempt.ms),
        )
    }));
    steps.extend(record.reply.as_deref().map(stages::reply));
    steps
}

/// A note where `prompt`, made of the record today, isn't known to be what the judge was given then.
fn not_the_one_sent(record: &Record, prompt: &Prompt) -> Option<Step> {
    let why = match &record.prompt {
        Some(digest) if *digest == prompt.digest() => return None,
        Some(_) => {
            "not the prompt that was sent: the hook's prompt or your own rules have changed since"
        }
        None => "perhaps not the prompt that was sent: the record doesn't tell it from others",
    };
    Some(Step::new("", why).mood(Mood::Fails).at_length())
}

/// What the agent or the user saw: the words of the record, put out as the hook does it.
fn seen(record: &Record) -> Step {
    let (mode, host) = (
        args::mode(&record.mode).unwrap_or(Mode::Block),
        record.host.as_deref().and_then(Host::named),
    );
    let words = record.told.as_deref();
    let decision = Decision::named(&record.decision, words.unwrap_or_default());
    let Some(decision) = decision.filter(|found| words.is_some() || *found == Decision::Allow)
    else {
        return Step::new("agent sees", "its words are not in this record");
    };
    let output = decision.output(words, mode, host.unwrap_or(Host::ClaudeCode));
    stages::seen(&output, decision.words())
}
