//! Code changed for a bug on a guess, with no reproduction.

use common::signal::Signal;
use common::{Field, Hook};

/// Code changed for a bug on a guess, with no reproduction.
pub const HOOK: Hook = Hook {
    name: "bugfix-without-reproduction",
    summary: "Code changed for a bug on a guess, with no reproduction.",
    signals: &[Signal {
        id: "guess",
        literals: &["probably", "might be", "let me just try", "likely"],
        pattern: r"(?i)\b(?:probably|might be|let me just try|likely)\b",
    }],
    bypasses: &[],
    prompt: include_str!("prompt.md"),
    fields: &[Field::NewProposal, Field::RetractionOrQuote],
    remedy: "Reproduce the failure before you change code and show the command and its result, or say openly that it can't be reproduced and what you tried.",
};
