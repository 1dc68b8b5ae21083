//! The data that makes one hook.
//!
//! A hook is data: words, fields and a prompt. What happens with them is the same for all and lives in
//! [`run`](crate::run()). A hook that needs more asks for a new field here, never for a callback.

use crate::signal::wording::Wording;
use crate::signal::{Bypass, Signal};

/// The hooks that share one block budget. Feedback that starts with `[` and one of these is ours.
pub const NAMES: [&str; 5] = [
    "commit-before-verify",
    "scope-check",
    "scope-change",
    "shallow-bugfix",
    "bugfix-without-reproduction",
];

/// One hook, as its executable's `main` hands it to [`run`](crate::run()).
#[derive(Debug)]
pub struct Hook {
    /// The executable's name, as in settings.json and the log: `commit-before-verify`.
    pub name: &'static str,
    /// What it blocks, in one sentence, for `--help` and the README.
    pub summary: &'static str,
    /// Three sentences that it blocks, for `--help`.
    pub examples: [&'static str; 3],
    /// Words that look like the violation, by name.
    pub signals: &'static [Signal],
    /// How the violation is worded, learned; its sum makes a hit.
    pub wording: Wording,
    /// Words that settle "allow" without a judge.
    pub bypasses: &'static [Bypass],
    /// The bypasses that rest on a claim that something ran, by id: activity can contradict them.
    pub claims: &'static [&'static str],
    /// The violation takes a change of code in the same turn: where no tool was called, layer 1 looks one
    /// [sensitivity](crate::signal::Sensitivity::lower) lower.
    pub takes_a_change: bool,
    /// The judge's instructions, from `prompt.md`.
    pub prompt: &'static str,
    /// What the judge returns, in this order, before `reason`. The JSON schema is derived from it.
    pub fields: &'static [Field],
    /// What would satisfy the hook, as the agent is told after a block. At most 400 characters.
    pub remedy: &'static str,
    /// A hook that also serves `PreToolUse`.
    pub gate: Option<Gate>,
}

/// What a hook asks before a command runs.
#[derive(Debug)]
pub struct Gate {
    /// The judge's instructions. The fields are the hook's.
    pub prompt: &'static str,
    /// What would satisfy the gate, as the agent is told after a denial. At most 400 characters.
    pub remedy: &'static str,
}

/// One boolean that a judge returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The violation is newly put forward, now.
    NewProposal,
    /// A result of a test, build or check is reported.
    VerificationReported,
    /// The user is asked to choose.
    DirectionQuery,
    /// The action is a later step of a described sequence.
    FutureStepDescription,
    /// It is quoted, withdrawn, negated, explained as a rule, or repeats what the user asked for.
    RetractionOrQuote,
}

impl Field {
    /// The key in the judge's JSON.
    pub fn key(self) -> &'static str {
        match self {
            Self::NewProposal => "new_proposal",
            Self::VerificationReported => "verification_reported",
            Self::DirectionQuery => "direction_query",
            Self::FutureStepDescription => "future_step_description",
            Self::RetractionOrQuote => "retraction_or_quote",
        }
    }
}
