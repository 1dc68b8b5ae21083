//! What layer 1 looks for: a part of what was asked dropped, postponed or made smaller.

use common::signal::vocabulary::Concept as C;
use common::signal::wording::Wording;
use common::signal::{Bypass, Pattern, Signal};

/// Made, and its thresholds measured, by `cargo run --release -p hooks --example train-signals -- TURNS FOUND`.
pub(super) const WORDING: Wording = Wording {
    weights: include_bytes!("weights.bin"),
    length_cost: 51,
    lone_cost: 255,
    thresholds: [353, 174, 26],
};

pub(super) const SIGNALS: &[Signal] = &[
    // A part is left to another change.
    Signal {
        id: "put-off",
        when: Pattern::Together(&[&[C::Defer], &[C::LaterPr]]),
        unless: &[],
        matches: "I left the export for a follow-up.",
        passes: "The export is done.",
    },
    // What was asked stands beside what was left out.
    Signal {
        id: "request-cut",
        when: Pattern::Beside(&[C::Request], &[C::Defer]),
        unless: &[],
        matches: "The ticket asked for CSV. I skipped it.",
        passes: "The ticket asked for CSV.",
    },
    // What was asked stands beside something lesser.
    Signal {
        id: "request-lessened",
        when: Pattern::Beside(&[C::Request], &[C::Lesser]),
        unless: &[],
        matches: "The spec names four; only the first is done.",
        passes: "The spec names four.",
    },
    // Something lesser for the time being.
    Signal {
        id: "lesser-for-now",
        when: Pattern::Together(&[&[C::Lesser], &[C::ForNow, C::LaterPr]]),
        unless: &[],
        matches: "A placeholder for now.",
        passes: "A button for all.",
    },
    // What was asked was replaced.
    Signal {
        id: "replaced",
        when: Pattern::Beside(&[C::Instead], &[C::Request]),
        unless: &[],
        matches: "You specified Redis; I used a file instead.",
        passes: "You specified Redis.",
    },
    // A part is left out, and that is called enough.
    Signal {
        id: "excused",
        when: Pattern::Beside(&[C::Defer], &[C::Excuse]),
        unless: &[],
        matches: "I skipped the edge cases, they are rare.",
        passes: "The page is rare.",
    },
    // A part is named for later.
    Signal {
        id: "later",
        when: Pattern::Together(&[&[C::LaterPr]]),
        unless: &[],
        matches: "Pagination: next sprint.",
        passes: "Pagination: done.",
    },
    // A part is left out.
    Signal {
        id: "left-out",
        when: Pattern::Together(&[&[C::Defer]]),
        unless: &[],
        matches: "Skipped the locale tests.",
        passes: "Ran the locale tests.",
    },
];

pub(super) const BYPASSES: &[Bypass] = &[
    // The deferral is asked, not decided.
    Bypass {
        id: "deferral-asked",
        when: Pattern::Together(&[&[C::Question], &[C::Ask, C::Choice], &[C::LaterPr]]),
        unless: &[C::Defer],
        matches: "Do you want it here or in a later PR?",
        passes: "This goes into a later PR.",
    },
];
