//! A run on a hook input, stage by stage. The stages are those of a hook run; only the log is not written.

use std::time::{Duration, Instant};

use common::Hook;
use common::command::shared_change;
use common::config::Config;
use common::decision::Decision;
use common::evaluation::{Evaluation, Judged};
use common::input::{self, Event, HookInput, Host};
use common::judge::Attempt;
use common::redact::redact;
use common::rules::Rules;
use common::run::{evaluate, look};
use common::signal::{self, Found, Look};
use common::transcript::{TURN_TEXT_MAX_BYTES, Turn};
use common::verdict::Verdict;

use super::page::{Mood, Step};
use super::text;
use crate::terminal::count;

/// Runs `hook` on `input` and tells every stage.
pub fn steps(hook: &Hook, config: &Config, input: Result<HookInput, input::Error>) -> Vec<Step> {
    let started = Instant::now();
    let found = evaluate(hook, config, input, started);
    let total = started.elapsed();

    let times = Times::of(hook, config, &found, total);
    let (line, look) = (command(&found), found.look.as_ref().unwrap_or(&Look::NoHit));
    let mut steps = vec![input_step(&found)];
    if let Some(line) = line {
        let mut step = Step::new("command", format!("{} bytes", count_of(line.len())));
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
                "{} blocked stops before this text; said before them:",
                turn.blocked_stops
            );
            steps.push(Step::new("earlier", result).body(earlier.as_str()));
        }
    }
    if let (Some(text), Some(look)) = (line.or(found.turn.as_ref().map(Turn::text)), &found.look) {
        steps.extend(look_steps(text, look, times.looking));
    }
    for fault in &found.rule_faults {
        steps.push(Step::new("own rules", fault.as_str()).mood(Mood::Fails));
    }
    if let Some(judged) = &found.judged {
        steps.extend(judged_steps(judged, times.wrapping));
    }
    if let Some(asked) = &found.asked {
        steps.extend(asked.attempts.iter().map(attempt_step));
        if let Some(answer) = &asked.answer {
            let reply = redact(&answer.raw);
            let result = format!("{} bytes", count_of(answer.raw.len()));
            steps.push(Step::new("reply", result).body(reply.as_str()));
        }
    }
    if let Some(fields) = &found.fields {
        steps.push(Step::new("fields", fields.to_string()));
    }
    if let Some(verdict) = found.verdict {
        steps.push(verdict_step(verdict.name()));
    }
    if let Some(reason) = &found.reason {
        steps.push(Step::new("reason", reason.as_str()));
    }
    steps.extend(decision_steps(&found, config, total));
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
        let rules = Rules::of_hook(config.rules_dir.as_deref(), hook.name);
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
    let mut result = format!("{} bytes, {source}", count_of(turn.text().len()));
    if turn.truncated {
        result = format!(
            "{result}, cut to the last {}",
            count_of(TURN_TEXT_MAX_BYTES)
        );
    }
    if !turn.waited.is_zero() {
        result = format!("{result}, waited {} ms for it", turn.waited.as_millis());
    }
    let mut step = Step::new("turn text", result);
    step.body = text::marked(turn.text(), marks);
    step
}

/// What layer 1 says of `text`.
pub fn look_steps(text: &str, look: &Look, time: Duration) -> Vec<Step> {
    let told = |found: &Found| {
        let words = text::words(text, found);
        format!(
            "{} at {}..{}: \"{words}\"",
            found.id, found.at.start, found.at.end
        )
    };
    match look {
        Look::NoHit => vec![
            Step::new("layer 1", "no signal")
                .mood(Mood::Passes)
                .took(time),
        ],
        Look::Bypassed { signal, bypass } => vec![
            Step::new("layer 1", "bypassed")
                .mood(Mood::Passes)
                .took(time),
            Step::new("  signal", told(signal)),
            Step::new("  bypass", told(bypass)),
        ],
        Look::Hit { signals } => {
            let mut steps = vec![Step::new("layer 1", "hit").mood(Mood::Fails).took(time)];
            steps.extend(
                signals
                    .iter()
                    .map(|found| Step::new("  signal", told(found))),
            );
            steps
        }
    }
}

fn judged_steps(judged: &Judged, time: Duration) -> Vec<Step> {
    let regions = [
        &judged.command,
        &judged.earlier,
        &judged.activity,
        &judged.user,
    ];
    let all = regions.into_iter().flatten().chain([&judged.latest]);
    let mut kinds = std::collections::BTreeMap::<_, usize>::new();
    for (kind, number) in all.flat_map(common::redact::Redacted::counts) {
        *kinds.entry(kind).or_default() += number;
    }
    let kinds: Vec<_> = kinds
        .iter()
        .map(|(kind, number)| format!("{kind} {number}"))
        .collect();
    let redacted = if kinds.is_empty() {
        "nothing to take out".to_owned()
    } else {
        kinds.join(", ")
    };
    let prompt = judged.prompt.user();
    let activity = judged.activity.as_ref().map(|digest| {
        let lines = digest.as_str().lines().count();
        Step::new("activity", format!("{} lines", count_of(lines))).body(digest.as_str())
    });
    let steps = [
        Step::new("redaction", redacted).took(time),
        Step::new("system", judged.prompt.system()).at_length(),
        Step::new("prompt", format!("{} bytes", count_of(prompt.len())))
            .body(prompt)
            .at_length(),
        Step::new("schema", judged.prompt.schema()).at_length(),
    ];
    activity.into_iter().chain(steps).collect()
}

fn attempt_step(attempt: &Attempt) -> Step {
    let model = attempt
        .model
        .as_ref()
        .map_or(String::new(), |model| format!(":{model}"));
    let outcome = attempt.outcome.word();
    let (mut result, mood) = if outcome == "answered" {
        (
            format!("{}{model} answered", attempt.backend),
            Mood::Neutral,
        )
    } else {
        let help = attempt.outcome.help();
        (
            format!("{}{model} {outcome}: {help}", attempt.backend),
            Mood::Fails,
        )
    };
    if let Some(detail) = &attempt.detail {
        result = format!("{result} ({detail})");
    }
    Step::new("judge", result).mood(mood).took(attempt.elapsed)
}

/// The verdict called `name`.
pub fn verdict_step(name: &str) -> Step {
    let mood = if name == Verdict::Violation.name() {
        Mood::Blocks
    } else if name == Verdict::Allow.name() {
        Mood::Passes
    } else {
        Mood::Fails
    };
    Step::new("verdict", name).mood(mood)
}

fn decision_steps(found: &Evaluation, config: &Config, total: Duration) -> Vec<Step> {
    let mood = match found.decision {
        Decision::Allow => Mood::Passes,
        _ => Mood::Blocks,
    };
    let result = format!(
        "{}, settled by stage {}",
        found.decision.name(),
        found.stage.name()
    );
    let output = found.output(config);
    let mut steps = vec![Step::new("decision", result).mood(mood).took(total)];
    let sees = match (output.code, output.stdout.as_str()) {
        (2, _) => Step::new("agent sees", "exit 2 and on stderr:").body(&output.stderr),
        (_, "") => Step::new("agent sees", "nothing"),
        (_, json) => Step::new("host reads", "exit 0 and on stdout:").body(json),
    };
    steps.push(sees);
    steps
}

fn count_of(bytes: usize) -> String {
    count(u64::try_from(bytes).unwrap_or(u64::MAX))
}
