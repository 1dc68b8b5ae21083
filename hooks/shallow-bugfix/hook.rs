//! A bug reported fixed with no cause given.

use common::signal::Signal;
use common::{Field, Hook};

/// A bug reported fixed with no cause given.
pub const HOOK: Hook = Hook {
    name: "shallow-bugfix",
    summary: "A bug reported fixed with no cause given.",
    examples: [
        "\"Added a null check and the error is gone.\"",
        "\"Increased the timeout, tests pass.\"",
        "\"Fixed!\"",
    ],
    signals: &[Signal {
        id: "fixed",
        literals: &[
            "fixed",
            "works now",
            "resolved",
            "should be ok",
            "tests pass",
        ],
        pattern: r"(?i)\b(?:fixed|works now|resolved|should be ok|tests pass)\b",
    }],
    bypasses: &[],
    prompt: include_str!("prompt.md"),
    fields: &[Field::NewProposal, Field::RetractionOrQuote],
    remedy: "Find out why it failed and say it: which value, order or assumption was wrong, and how the change removes that. If the cause is still open, say so and take the next step to find it.",
    gate: None,
};
