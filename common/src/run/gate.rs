//! The line of a gate: may this tool call run?
//!
//! The host runs the call when a gate fails in silence, so here every failure asks the human.

use std::time::Instant;

use super::consult;
use crate::config::Config;
use crate::decision::{self, Decision};
use crate::evaluation::{Evaluation, Judged, Stage};
use crate::hook::NAMES;
use crate::input::HookInput;
use crate::signal::{Found, Look};
use crate::verdict::Verdict;
use crate::{Hook, command, transcript};

/// The tool that runs shell commands, in both hosts' words.
const SHELL_TOOL: &str = "Bash";

/// Allow means: the host's own rules go on.
pub fn decide(
    hook: &Hook,
    config: &Config,
    input: &HookInput,
    found: &mut Evaluation,
    deadline: Instant,
) -> (Stage, Decision) {
    let allow = |stage| (stage, Decision::Allow);
    let Some(gate) = &hook.gate else {
        return allow(Stage::Input);
    };
    if input
        .tool_name
        .as_deref()
        .is_some_and(|tool| tool != SHELL_TOOL)
    {
        return allow(Stage::Input);
    }
    let Some(line) = input
        .tool_input
        .as_ref()
        .and_then(|call| call.command.as_deref())
    else {
        let words = decision::unchecked(hook.name, "the call holds no command");
        return (Stage::Input, Decision::Ask(words));
    };

    let Some(change) = command::shared_change(line) else {
        found.look = Some(Look::NoHit);
        return allow(Stage::Layer1);
    };
    let signal = Found {
        id: change.what.into(),
        at: change.at,
    };
    let start = signal.at.start;
    found.look = Some(Look::Hit {
        signals: vec![signal],
    });

    let turn = found
        .turn
        .insert(transcript::read(input, &NAMES).unwrap_or_default());
    let judged = Judged::of_command(line, start, turn, gate.prompt, hook.fields);
    match consult(hook, config, judged, found, deadline) {
        Verdict::Violation => {
            let words = decision::denial(hook.name, found.reason.as_ref(), gate.remedy);
            (Stage::Verdict, Decision::Deny(words))
        }
        Verdict::Allow => allow(Stage::Verdict),
        Verdict::Fail => {
            let words = decision::unchecked(hook.name, &failures(found));
            (Stage::Judge, Decision::Ask(words))
        }
    }
}

/// What went wrong with the judges, in the log's words.
fn failures(found: &Evaluation) -> String {
    let attempts = found.asked.iter().flat_map(|asked| &asked.attempts);
    let words: Vec<_> = attempts
        .map(|tried| format!("{}: {}", tried.backend, tried.outcome.word()))
        .collect();
    if words.is_empty() {
        "there is no judge".to_owned()
    } else {
        format!("no judge gave a verdict ({})", words.join(", "))
    }
}
