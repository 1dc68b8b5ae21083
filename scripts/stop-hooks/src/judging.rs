//! The judge's word outside of a hook run: the same prompt, judge and rule as in a hook run.

use std::time::{Duration, Instant};

use common::Hook;
use common::config::Config;
use common::evaluation::Judged;
use common::judge;
use common::redact::{Redacted, clean_line};
use common::rules::Rules;
use common::transcript::Turn;
use common::verdict::{self, Verdict};
use common::wrap::Prompt;

/// What a judge said.
#[derive(Debug)]
pub struct Judgement {
    /// The normalised answer.
    pub verdict: Verdict,
    /// Why.
    pub reason: Option<Redacted>,
    /// How long it took.
    pub time: Duration,
}

/// A reason is cut here.
const REASON_MAX_BYTES: usize = 300;

/// Asks about `turn`.
pub fn ask(hook: &Hook, rules: &Rules, config: &Config, turn: &Turn) -> Judgement {
    let judged = Judged::of(turn, &rules.instruct(hook.prompt), hook.fields);
    ask_prompt(hook, config, &judged.prompt)
}

/// Asks what `prompt` asks.
pub fn ask_prompt(hook: &Hook, config: &Config, prompt: &Prompt) -> Judgement {
    let started = Instant::now();
    let asked = judge::ask(prompt, &config.judge, started + config.judge.timeout);
    let answer = asked.answer.as_ref().map(|answer| &answer.object);
    let reason = answer.and_then(|answer| answer.get("reason")?.as_str());
    Judgement {
        verdict: answer.map_or(Verdict::Fail, |answer| {
            verdict::normalise(&verdict::own_fields(answer, hook.fields))
        }),
        reason: reason.map(|reason| clean_line(reason, REASON_MAX_BYTES)),
        time: started.elapsed(),
    }
}
