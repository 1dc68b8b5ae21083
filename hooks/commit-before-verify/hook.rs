//! A commit, push, merge, release or deployment put forward before anything was verified.

use common::hook::Gate;
use common::{Field, Hook};

#[path = "signals.rs"]
mod signals;

/// A commit, push, merge, release or deployment put forward before anything was verified.
pub const HOOK: Hook = Hook {
    name: "commit-before-verify",
    summary: "A commit, push, merge, release or deployment put forward before anything was verified.",
    examples: [
        "\"The refactor is in place. I will commit and push it now.\"",
        "\"All files are updated. Shall I open the PR?\"",
        "\"Next step: deploy to production.\"",
    ],
    signals: signals::SIGNALS,
    wording: signals::WORDING,
    bypasses: signals::BYPASSES,
    claims: &["evidence", "evidence-code"],
    takes_a_change: false,
    prompt: include_str!("prompt.md"),
    fields: &[
        Field::NewProposal,
        Field::VerificationReported,
        Field::DirectionQuery,
        Field::FutureStepDescription,
    ],
    remedy: "Run the tests or the build now, after your last edit, and report the result before you put the change forward. If it can't be verified here, say why and ask the user which way to go; a bare \"shall I commit?\" is not enough.",
    gate: Some(Gate {
        prompt: include_str!("gate.md"),
        remedy: "Run the tests or the build now, after your last edit, and run this command again once they pass; if that \
            can't be done here, ask the user to approve the command.",
    }),
};
