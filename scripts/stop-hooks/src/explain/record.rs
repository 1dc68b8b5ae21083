//! A decision of the log, stage by stage. No judge is asked again.
//!
//! The log holds what each stage brought forth. Layer 1 is looked through again to show the words, and the prompt is
//! wrapped again: both are those of this version of the hook, which is told where the record is of another.

use std::time::{Duration, Instant};

use common::Hook;
use common::log::Record;
use common::rules::Rules;
use common::signal::{self, Sensitivity};

use super::live::{look_steps, verdict_step};
use super::page::{Mood, Step};
use super::text;
use crate::logged;
use crate::terminal::{count, millis};

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
    let cut = if record.truncated { ", cut" } else { "" };
    let bytes = u64::try_from(record.text_bytes).unwrap_or(u64::MAX);
    let result = format!(
        "{} bytes{cut}, waited {} ms for it",
        count(bytes),
        record.transcript_wait_ms
    );
    if let Some(text) = &record.text {
        steps.extend(judged_steps(hook, rules, record, text, result));
    } else {
        steps.push(Step::new(
            "turn text",
            format!("{result}; texts of passes aren't logged"),
        ));
        let signal = or_unknown(&record.signal);
        let layer1 = match &record.bypass {
            Some(bypass) => format!("signal {signal}, bypassed by {bypass}"),
            None if record.signal.is_some() => format!("signal {signal}"),
            None => "no signal".to_owned(),
        };
        steps.push(Step::new("layer 1", layer1));
    }
    if let Some(fields) = &record.fields {
        steps.push(Step::new("fields", fields.to_string()));
    }
    if let Some(verdict) = &record.verdict {
        steps.push(verdict_step(verdict));
    }
    if let Some(reason) = &record.reason {
        steps.push(Step::new("reason", reason));
    }
    let mood = if record.decision == "allow" {
        Mood::Passes
    } else {
        Mood::Blocks
    };
    steps.push(
        Step::new(
            "decision",
            format!("{}, settled by stage {}", record.decision, record.stage),
        )
        .mood(mood)
        .took(Duration::from_millis(record.total_ms)),
    );
    steps
}

fn judged_steps(
    hook: &Hook,
    rules: &Rules,
    record: &Record,
    text: &str,
    result: String,
) -> Vec<Step> {
    let looking = Instant::now();
    let look = rules.look(text, signal::look(hook, text, Sensitivity::High));
    let looking = looking.elapsed();
    let mut turn = Step::new("turn text", result);
    turn.body = text::marked(text, &look);
    let mut steps = vec![turn];
    if let Some(earlier) = &record.earlier {
        steps.push(Step::new("earlier", "said before the last feedback:").body(earlier));
    }
    steps.extend(look_steps(text, &look, looking));

    let kinds: Vec<_> = record
        .redactions
        .iter()
        .map(|(kind, n)| format!("{kind} {n}"))
        .collect();
    let kinds = if kinds.is_empty() {
        "nothing was taken out".to_owned()
    } else {
        kinds.join(", ")
    };
    steps.push(Step::new("redaction", kinds));

    if let Some(prompt) = logged::prompt(hook, rules, record) {
        let bytes = u64::try_from(prompt.user().len()).unwrap_or(u64::MAX);
        let step = Step::new("prompt", format!("{} bytes", count(bytes)));
        steps.push(step.body(prompt.user()).at_length());
    }
    for attempt in &record.attempts {
        let model = attempt
            .model
            .as_ref()
            .map_or(String::new(), |model| format!(":{model}"));
        let detail = attempt
            .detail
            .as_ref()
            .map_or(String::new(), |words| format!(" ({words})"));
        let mood = if attempt.outcome == "answered" {
            Mood::Neutral
        } else {
            Mood::Fails
        };
        let result = format!(
            "{}{model} {} in {}{detail}",
            attempt.backend,
            attempt.outcome,
            millis(attempt.ms)
        );
        steps.push(Step::new("judge", result).mood(mood));
    }
    if let Some(reply) = &record.reply {
        let bytes = u64::try_from(reply.len()).unwrap_or(u64::MAX);
        steps.push(Step::new("reply", format!("{} bytes", count(bytes))).body(reply));
    }
    steps
}
