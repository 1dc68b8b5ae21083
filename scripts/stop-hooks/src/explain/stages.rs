//! The stages that a run and a record of the log tell alike.

use std::time::Duration;

use common::decision::{Decision, Output};
use common::evaluation::Stage;
use common::judge::Outcome;
use common::signal::{Found, Look};
use common::verdict::Verdict;
use common::wrap::Prompt;

use super::page::{Mood, Step};
use super::text;
use crate::terminal::count_of;

/// What layer 1 says of `text`, in two steps and more.
pub fn look(text: &str, look: &Look, time: Duration) -> Vec<Step> {
    let (result, mood) = match look {
        Look::NoHit => ("no signal", Mood::Passes),
        Look::Bypassed { .. } => ("bypassed", Mood::Passes),
        Look::Hit { .. } => ("hit", Mood::Fails),
    };
    let mut steps = vec![Step::new("layer 1", result).mood(mood).took(time)];
    steps.extend(found(text, look));
    steps
}

/// The words that layer 1 found in `text`, each with its place.
pub fn found(text: &str, look: &Look) -> Vec<Step> {
    let step = |name, found: &Found| {
        let words = text::words(text, found);
        let at = &found.at;
        Step::new(
            name,
            format!("{} at {}..{}: \"{words}\"", found.id, at.start, at.end),
        )
    };
    match look {
        Look::NoHit => Vec::new(),
        Look::Bypassed { signal, bypass } => {
            vec![step("  signal", signal), step("  bypass", bypass)]
        }
        Look::Hit { signals } => signals
            .iter()
            .map(|found| step("  signal", found))
            .collect(),
    }
}

/// Rules of the user's own that can't be used.
pub fn own_rules<'a>(faults: impl IntoIterator<Item = &'a str>) -> impl Iterator<Item = Step> {
    let step = |fault| Step::new("own rules", format!("{fault}; left out")).mood(Mood::Fails);
    faults.into_iter().map(step)
}

/// What the agent did, as the judge reads it.
pub fn activity(digest: &str) -> Step {
    Step::new("activity", count_of(digest.lines().count(), "line")).body(digest)
}

/// What was taken out of the texts, by kind.
pub fn redaction<'a>(kinds: impl IntoIterator<Item = (&'a str, usize)>) -> Step {
    let kinds: Vec<_> = kinds
        .into_iter()
        .map(|(kind, number)| format!("{kind} {number}"))
        .collect();
    if kinds.is_empty() {
        Step::new("redaction", "nothing to take out")
    } else {
        Step::new("redaction", kinds.join(", "))
    }
}

/// All that a judge is given.
pub fn prompt(prompt: &Prompt) -> [Step; 3] {
    [
        Step::new("system", prompt.system()).at_length(),
        Step::new("prompt", count_of(prompt.user().len(), "byte"))
            .body(prompt.user())
            .at_length(),
        Step::new("schema", prompt.schema()).at_length(),
    ]
}

/// One backend that was tried; `outcome` as the log names it.
pub fn attempt(
    backend: &str,
    model: Option<&str>,
    outcome: &str,
    detail: Option<&str>,
    time: Duration,
) -> Step {
    let mut result = backend.to_owned();
    if let Some(model) = model {
        result = format!("{result}:{model}");
    }
    result = format!("{result} {outcome}");
    let known = Outcome::named(outcome);
    let answered = known == Some(Outcome::Answered);
    if let Some(outcome) = known.filter(|_| !answered) {
        result = format!("{result}: {}", outcome.help());
    }
    if let Some(detail) = detail {
        result = format!("{result} ({detail})");
    }
    let mood = if answered { Mood::Neutral } else { Mood::Fails };
    Step::new("judge", result).mood(mood).took(time)
}

/// No backend was tried.
pub fn nobody() -> Step {
    Step::new(
        "judge",
        "nobody was asked: there is none, or no time was left",
    )
    .mood(Mood::Fails)
}

/// The judge's own words.
pub fn reply(raw: &str) -> Step {
    Step::new("reply", count_of(raw.len(), "byte")).body(raw)
}

/// The verdict called `name`.
pub fn verdict(name: &str) -> Step {
    let mood = if name == Verdict::Violation.name() {
        Mood::Blocks
    } else if name == Verdict::Allow.name() {
        Mood::Passes
    } else {
        Mood::Fails
    };
    Step::new("verdict", name).mood(mood)
}

/// The decision called `name`.
pub fn decision(name: &str, stage: &str, time: Duration) -> Step {
    let mood = if name == Decision::Allow.name() {
        Mood::Passes
    } else {
        Mood::Blocks
    };
    let known = Stage::ALL.into_iter().find(|known| known.name() == stage);
    let help = known.map_or(String::new(), |known| format!(": {}", known.help()));
    Step::new(
        "decision",
        format!("{name}, settled by stage {stage}{help}"),
    )
    .mood(mood)
    .took(time)
}

/// What comes of the decision: `output`, and `words` where the mode keeps them from everybody.
pub fn seen(output: &Output, words: Option<&str>) -> Step {
    match (output.code, output.stdout.as_str(), words) {
        (2, ..) => Step::new("agent sees", "exit 2 and on stderr:").body(&output.stderr),
        (_, "", Some(words)) => {
            Step::new("agent sees", "nothing in this mode; in mode block:").body(words)
        }
        (_, "", None) => Step::new("agent sees", "nothing"),
        (_, json, _) => Step::new("host reads", "exit 0 and on stdout:").body(json),
    }
}
