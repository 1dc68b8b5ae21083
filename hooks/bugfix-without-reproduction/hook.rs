//! Code changed for a bug on a guess, with no reproduction.

use common::{Field, Hook};

#[path = "signals.rs"]
mod signals;

/// Code changed for a bug on a guess, with no reproduction.
pub const HOOK: Hook = Hook {
    name: "bugfix-without-reproduction",
    summary: "Code changed for a bug on a guess, with no reproduction.",
    examples: [
        "\"This is probably the cause, so I changed the query.\"",
        "\"Might be a race; adding a lock.\"",
        "\"Let me just try another encoding.\"",
    ],
    signals: signals::SIGNALS,
    wording: signals::WORDING,
    bypasses: signals::BYPASSES,
    claims: &[],
    takes_a_change: true,
    prompt: include_str!("prompt.md"),
    fields: &[Field::NewProposal, Field::RetractionOrQuote],
    remedy: "Make the failure happen on the code without the change and show the command and its result, then the same command with the change. If it can't be made to happen, say so openly and say what you tried.",
    gate: None,
};
