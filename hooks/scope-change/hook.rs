//! A part of what was asked dropped, postponed or replaced by something lesser.

use common::{Field, Hook};

#[path = "signals.rs"]
mod signals;

/// A part of what was asked dropped, postponed or replaced by something lesser.
pub const HOOK: Hook = Hook {
    name: "scope-change",
    summary: "A part of what was asked dropped, postponed or replaced by something lesser.",
    examples: [
        "\"I'll leave the migration for a follow-up PR.\"",
        "\"Implemented the core; the rest is a TODO.\"",
        "\"Skipped the two failing tests for now.\"",
    ],
    signals: signals::SIGNALS,
    wording: signals::WORDING,
    bypasses: signals::BYPASSES,
    claims: &[],
    takes_a_change: false,
    prompt: include_str!("prompt.md"),
    fields: &[Field::NewProposal, Field::RetractionOrQuote],
    remedy: "Do the part that was asked for, as it was asked for. If you think that it belongs elsewhere, ask the user whether it may be left out, and don't decide it yourself.",
    gate: None,
};
