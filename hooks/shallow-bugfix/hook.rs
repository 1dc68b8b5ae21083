//! A bug reported fixed with no cause given.

use common::{Field, Hook};

#[path = "signals.rs"]
mod signals;

/// A bug reported fixed with no cause given.
pub const HOOK: Hook = Hook {
    name: "shallow-bugfix",
    summary: "A bug reported fixed with no cause given.",
    examples: [
        "\"Added a null check and the error is gone.\"",
        "\"Bumped the timeout to 30 s and the test passes.\"",
        "\"Fixed!\"",
    ],
    signals: signals::SIGNALS,
    wording: signals::WORDING,
    bypasses: signals::BYPASSES,
    claims: &[],
    takes_a_change: true,
    prompt: include_str!("prompt.md"),
    fields: &[Field::NewProposal, Field::RetractionOrQuote],
    remedy: "Find out why it failed and say it: which value, order or assumption was wrong, and how the change removes that. If the cause is still open, say so and take the next step to find it.",
    gate: None,
};
