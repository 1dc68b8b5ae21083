//! A turn and what one hook says of it, as a line of JSON.

use std::io::{self, Write};

use common::Hook;
use common::redact::Redacted;
use common::signal::Look;
use serde::Serialize;

use super::turns::Turn;
use crate::error::Error;
use crate::judging::Judgement;
use crate::terminal::escaped;

/// What layer 1 says.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Outcome {
    /// Nothing looks like a violation.
    NoHit,
    /// Something does, and something else settles it.
    Bypass,
    /// A judge would be asked.
    Hit,
}

impl Outcome {
    fn of(look: &Look) -> Self {
        match look {
            Look::NoHit => Self::NoHit,
            Look::Bypassed { .. } => Self::Bypass,
            Look::Hit { .. } => Self::Hit,
        }
    }
}

/// One line of `--format json`.
#[derive(Debug, Serialize)]
struct Record<'a> {
    source: &'a str,
    line: u64,
    id: Option<&'a str>,
    hook: &'a str,
    turn_text: &'a str,
    turn_bytes: usize,
    blocked_stops: usize,
    outcome: Outcome,
    signal: Option<&'a str>,
    bypass: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lang: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    judge_ms: Option<u128>,
}

/// Writes the line.
///
/// # Errors
/// When nobody reads it.
pub fn print(
    out: &mut impl Write,
    turn: &Turn,
    hook: &Hook,
    look: &Look,
    judgement: Option<&Judgement>,
) -> Result<(), Error> {
    let (signal, bypass) = match look {
        Look::NoHit => (None, None),
        Look::Bypassed { signal, bypass } => (Some(&*signal.id), Some(&*bypass.id)),
        Look::Hit { signals } => (signals.first().map(|s| &*s.id), None),
    };
    let text = turn.seen.text();
    let record = Record {
        source: &turn.source,
        line: turn.line,
        id: turn.id.as_deref(),
        hook: hook.name,
        turn_text: text,
        turn_bytes: text.len(),
        blocked_stops: turn.seen.blocked_stops,
        outcome: Outcome::of(look),
        signal,
        bypass,
        label: turn.label_for(hook),
        lang: turn.lang.as_deref(),
        verdict: judgement.map(|j| j.verdict.name()),
        reason: judgement.and_then(|j| j.reason.as_ref().map(Redacted::as_str)),
        judge_ms: judgement.map(|j| j.time.as_millis()),
    };
    let line = serde_json::to_string(&record).map_err(io::Error::from)?;
    Ok(writeln!(out, "{}", escaped(line))?)
}
