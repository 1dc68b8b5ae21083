//! A run on a hook input, stage by stage. The stages are those of a hook run; only the log is not written.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use common::Hook;
use common::command::shared_change;
use common::config::Config;
use common::evaluation::{Evaluation, Judged};
use common::input::{self, Event, HookInput, Host};
use common::judge::Attempt;
use common::redact::{Redacted, redact};
use common::run::{evaluate, look};
use common::signal::{self, Look};
use common::transcript::{TURN_TEXT_MAX_BYTES, Turn};

use super::page::{Mood, Step};
use super::{stages, text};
use crate::terminal::{count, count_of};

/// Runs `hook` on `input` and tells every stage.
pub fn steps(hook: &Hook, config: &Config, input: Result<HookInput, input::Error>) -> Vec<Step> {
    let started = Instant::now();
    let found = evaluate(hook, config, input, started);
    let total = started.elapsed();

    let times = Times::of(hook, config, &found, total);
    let (line, look) = (command(&found), found.look.as_ref().unwrap_or(&Look::NoHit));
    let mut steps = vec![input_step(&found)];
    if let Some(line) = line {
        let mut step = Step::new("command", count_of(line.len(), "byte"));
        step.body = text::marked(line, look);
        steps.push(step);
    }
    if let Some(turn) = &found.turn {
        // What the gate found stands in the command.
        let marks = if line.is_some() { &Look::NoHit } else { look };
        steps.push(turn_step(turn, marks).took(times.reading));
        if !turn.earlier.is_empty() {
            let earlier = redact(&turn.earlier);
            let result = format!(
                "{} before this text; said before the last:",
                count_of(turn.blocked_stops, "blocked stop")
            );
            steps.push(Step::new("earlier", result).body(earlier.as_str()));
        }
    }
    if let (Some(text), Some(look)) = (line.or(found.turn.as_ref().map(Turn::text)), &found.look) {
        steps.extend(stages::look(text, look, times.looking));
    }
    steps.extend(stages::own_rules(
        found.rule_faults.iter().map(Redacted::as_str),
    ));
    if let Some(judged) = &found.judged {
        steps.extend(judged_steps(judged, times.wrapping));
    }
    if let Some(asked) = &found.asked {
        steps.extend(asked.attempts.is_empty().then(stages::nobody));
        steps.extend(asked.attempts.iter().map(attempt_step));
        if let Some(answer) = &asked.answer {
            steps.push(stages::reply(redact(&answer.raw).as_str()));
        }
    }
    if let Some(fields) = &found.fields {
        steps.push(Step::new("fields", fields.to_string()));
    }
    if let Some(verdict) = found.verdict {
        steps.push(stages::verdict(verdict.name()));
    }
    if let Some(reason) = &found.reason {
        steps.push(Step::new("reason", reason.as_str()));
    }
    let (decision, words) = (found.decision.name(), found.decision.words());
    steps.push(stages::decision(decision, found.stage.name(), total));
    steps.push(stages::seen(&found.output(config), words));
    steps
}

/// How long the stages before the judge took.
struct Times {
    reading: Duration,
    looking: Duration,
    wrapping: Duration,
}

impl Times {
    /// Looking and wrapping are pure, so a second run tells their time; what is left of the first is reading.
    fn of(hook: &Hook, config: &Config, found: &Evaluation, total: Duration) -> Self {
        let rules = config.rules(hook.name);
        let (mut looking, mut wrapping) = (Duration::ZERO, Duration::ZERO);
        match (command(found), &hook.gate, &found.turn) {
            (Some(line), Some(gate), turn) => {
                looking = time(|| shared_change(line));
                if let (Some(turn), Some(change), true) =
                    (turn, shared_change(line), found.judged.is_some())
                {
                    let at = change.at.start;
                    let (prompt, fields) = (gate.prompt, hook.fields);
                    wrapping = time(|| Judged::of_command(line, at, turn, prompt, fields));
                }
            }
            (None, _, Some(turn)) => {
                looking = time(|| {
                    let read = signal::read(turn.text());
                    look(hook, &rules, turn, &read, config.sensitivity)
                });
                if found.judged.is_some() {
                    wrapping = time(|| Judged::of(turn, &rules.instruct(hook.prompt), hook.fields));
                }
            }
            _ => {}
        }
        let reading = total.saturating_sub(found.judge_time + looking + wrapping);
        Self {
            reading,
            looking,
            wrapping,
        }
    }
}

/// The command line that waits, where the input is a gate's.
fn command(found: &Evaluation) -> Option<&str> {
    let input = found
        .input
        .as_ref()
        .filter(|input| input.event == Event::PreToolUse)?;
    input.tool_input.as_ref()?.command.as_deref()
}

fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let started = Instant::now();
    std::hint::black_box(work());
    started.elapsed()
}

fn input_step(found: &Evaluation) -> Step {
    let Some(input) = &found.input else {
        return Step::new("input", "no hook input").mood(Mood::Fails);
    };
    let host = match input.host() {
        Host::ClaudeCode => "Claude Code",
        Host::Codex => "Codex CLI",
    };
    let mut result = format!("{} of {host}", input.event.name());
    if let Some(session) = &input.session_id {
        result = format!("{result}, session {}", redact(session).as_str());
    }
    Step::new("input", result)
}

fn turn_step(turn: &Turn, marks: &Look) -> Step {
    let source = if turn.from_transcript {
        "from the transcript"
    } else {
        "the last message alone, there is no transcript"
    };
    let mut result = format!("{}, {source}", count_of(turn.text().len(), "byte"));
    if turn.truncated {
        result = format!("{result}, cut to the last {}", count(TURN_TEXT_MAX_BYTES));
    }
    if !turn.waited.is_zero() {
        result = format!("{result}, waited {} ms for it", turn.waited.as_millis());
    }
    let mut step = Step::new("turn text", result);
    step.body = text::marked(turn.text(), marks);
    step
}

fn judged_steps(judged: &Judged, time: Duration) -> Vec<Step> {
    let regions = [
        &judged.command,
        &judged.earlier,
        &judged.activity,
        &judged.user,
    ];
    let all = regions.into_iter().flatten().chain([&judged.latest]);
    let mut kinds = BTreeMap::<_, usize>::new();
    for (kind, number) in all.flat_map(Redacted::counts) {
        *kinds.entry(kind).or_default() += number;
    }
    let activity = judged.activity.as_ref().map(Redacted::as_str);
    activity
        .map(stages::activity)
        .into_iter()
        .chain([stages::redaction(kinds).took(time)])
        .chain(stages::prompt(&judged.prompt))
        .collect()
}

fn attempt_step(attempt: &Attempt) -> Step {
    stages::attempt(
        &attempt.backend,
        attempt.model.as_deref(),
        &attempt.outcome.word(),
        attempt.detail.as_ref().map(Redacted::as_str),
        attempt.elapsed,
    )
}
