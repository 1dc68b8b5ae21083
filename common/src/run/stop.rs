//! The line of a stop: may the agent end its turn?

use std::time::Instant;

use super::consult;
use crate::config::Config;
use crate::decision::{self, Decision};
use crate::evaluation::{Evaluation, Judged, Stage};
use crate::hook::NAMES;
use crate::input::HookInput;
use crate::rules::{Fault, Rules};
use crate::signal::{Look, Read, Sensitivity};
use crate::transcript::{self, Turn};
use crate::verdict::Verdict;
use crate::{Hook, guard, signal};

/// Every stage leaves what it found in `found`; the first that settles it ends the line. Every failure allows.
pub fn decide(
    hook: &Hook,
    config: &Config,
    input: &HookInput,
    found: &mut Evaluation,
    deadline: Instant,
) -> (Stage, Decision) {
    let allow = |stage| (stage, Decision::Allow);
    if input.is_compaction() {
        return allow(Stage::Input);
    }
    let Some(turn) = transcript::read(input, &NAMES) else {
        return allow(Stage::TurnText);
    };
    let turn = found.turn.insert(turn);

    let rules = config.rules(hook.name);
    let read = signal::read(turn.text());
    let look = look(hook, &rules, turn, &read, config.sensitivity);
    let look = found.look.insert(look);
    found.rule_faults = rules.faults.iter().map(Fault::line).collect();
    if !matches!(look, Look::Hit { .. }) {
        return allow(Stage::Layer1);
    }
    if guard::budget_spent(turn, input.stop_hook_active) {
        found.notice = Some(decision::budget_spent(hook.name));
        return allow(Stage::BlockBudget);
    }

    let judged = Judged::of(turn, &rules.instruct(hook.prompt), hook.fields);
    match consult(hook, config, judged, found, deadline) {
        Verdict::Violation => {
            let words = decision::feedback(hook.name, found.reason.as_ref(), hook.remedy);
            (Stage::Verdict, Decision::Block(words))
        }
        Verdict::Allow => allow(Stage::Verdict),
        Verdict::Fail => allow(Stage::Judge),
    }
}

/// Layer 1 on a turn: the hook's own words and the user's. `stop-hooks replay` looks at past turns with it.
pub fn look(
    hook: &Hook,
    rules: &Rules,
    turn: &Turn,
    read: &Read,
    sensitivity: Sensitivity,
) -> Look {
    let built_in = signal::look_at_turn(hook, turn, read, sensitivity);
    rules.look(turn.text(), built_in)
}
