//! The work or the session cut short, unasked, while work is open.

use common::{Field, Hook};

#[path = "signals.rs"]
mod signals;

/// The work or the session cut short, unasked, while work is open.
pub const HOOK: Hook = Hook {
    name: "scope-check",
    summary: "The work or the session cut short, unasked, while work is open.",
    examples: [
        "\"Context is running low, so I'll leave the rest.\"",
        "\"Let's continue in a new session.\"",
        "\"I'll stop here for today.\"",
    ],
    signals: signals::SIGNALS,
    wording: signals::WORDING,
    bypasses: signals::BYPASSES,
    claims: &[],
    takes_a_change: false,
    prompt: include_str!("prompt.md"),
    fields: &[Field::NewProposal, Field::RetractionOrQuote],
    remedy: "Go on with the open work now; neither context nor length nor time is a reason to stop. If something outside your reach forces a stop (a credential, a failing service, an approval), name it. If nothing is open, say so.",
    gate: None,
};
