//! The line of a stop: may the agent end its turn?

use std::time::Instant;

use super::consult;
use crate::config::Config;
use crate::decision::{self, Decision};
use crate::evaluation::{Evaluation, Judged, Stage};
use crate::hook::NAMES;
use crate::input::HookInput;
use crate::rules::{Fault, Rules};
use crate::signal::Look;
use crate::transcript;
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

    let rules = match &config.rules_dir {
        Some(dir) => Rules::read(&Rules::file(dir, hook.name)),
        None => Rules::default(),
    };
    let look = signal::look_at_turn(hook, turn, config.sensitivity);
    let look = found.look.insert(rules.look(turn.text(), look));
    found.rule_faults = rules.faults.iter().map(Fault::line).collect();
    if !matches!(look, Look::Hit { .. }) {
        return allow(Stage::Layer1);
    }
    if guard::budget_spent(turn, input.stop_hook_active == Some(true)) {
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
