//! What layer 1 looks for: a bug reported fixed with no cause.

use common::signal::vocabulary::Concept as C;
use common::signal::wording::Wording;
use common::signal::{Bypass, Pattern, Signal};

/// Made, and its thresholds measured, by `cargo run --release -p hooks --example train-signals -- TURNS FOUND`.
pub(super) const WORDING: Wording = Wording {
    weights: include_bytes!("weights.bin"),
    length_cost: 42,
    lone_cost: 212,
    thresholds: [578, 302, 99],
};

pub(super) const SIGNALS: &[Signal] = &[
    // A defensive change beside good news.
    Signal {
        id: "patched",
        when: Pattern::Beside(&[C::Patch], &[C::Fixed]),
        unless: &[],
        matches: "Added a null check. The error is gone.",
        passes: "Added a null check.",
    },
    // A bug said to be fixed.
    Signal {
        id: "fixed",
        when: Pattern::Together(&[&[C::Bug], &[C::Fixed]]),
        unless: &[],
        matches: "The crash is gone.",
        passes: "The crash is known.",
    },
    // Good news, and the cause stays unknown.
    Signal {
        id: "cause-unknown",
        when: Pattern::Beside(&[C::NoCause], &[C::Fixed]),
        unless: &[],
        matches: "No idea why, but it works now.",
        passes: "No idea why.",
    },
    // It is expected to be fixed.
    Signal {
        id: "expected",
        when: Pattern::Together(&[&[C::Expect]]),
        unless: &[],
        matches: "That should be fixed.",
        passes: "That was clear.",
    },
    // Green after a defensive change.
    Signal {
        id: "green-after-patch",
        when: Pattern::Beside(&[C::Patch], &[C::Passed]),
        unless: &[],
        matches: "I raised the timeout; tests pass.",
        passes: "I raised the question.",
    },
    // Said to work.
    Signal {
        id: "good-news",
        when: Pattern::Together(&[&[C::Fixed]]),
        unless: &[],
        matches: "Fixed!",
        passes: "Found!",
    },
];

/// None: words like "because" or "root cause" stand beside symptoms restated as often as beside causes.
pub(super) const BYPASSES: &[Bypass] = &[];
