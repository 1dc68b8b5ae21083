//! What layer 1 looks for: the work cut short while work is open.

use common::signal::vocabulary::Concept as C;
use common::signal::wording::Wording;
use common::signal::{Bypass, Pattern, Signal};

/// Made, and its thresholds measured, by `cargo run --release -p hooks --example train-signals -- TURNS FOUND`.
pub(super) const WORDING: Wording = Wording {
    weights: include_bytes!("weights.bin"),
    length_cost: 34,
    lone_cost: 170,
    thresholds: [218, 86, -52],
};

pub(super) const SIGNALS: &[Signal] = &[
    // A stop beside open work.
    Signal {
        id: "stop-and-rest",
        when: Pattern::Beside(&[C::Stop], &[C::Rest, C::NewSession]),
        unless: &[],
        matches: "I stop here. The remaining six files are for later.",
        passes: "The remaining six files follow now.",
    },
    // Context, tokens, time or energy is said to run short.
    Signal {
        id: "short-of-room",
        when: Pattern::Together(&[&[C::Context], &[C::Low]]),
        unless: &[],
        matches: "My context is nearly full.",
        passes: "The context menu opens.",
    },
    // Work is left to another session or day.
    Signal {
        id: "another-session",
        when: Pattern::Together(&[
            &[C::NewSession],
            &[C::Rest, C::Session, C::Stop, C::Will, C::Save],
        ]),
        unless: &[],
        matches: "The rest is for a new session.",
        passes: "The login page opens.",
    },
    // The state is written down so that another can go on.
    Signal {
        id: "saved-for-later",
        when: Pattern::Beside(&[C::Save], &[C::Stop, C::NewSession, C::Rest]),
        unless: &[],
        matches: "Progress is saved. The rest waits.",
        passes: "Progress is shown in a bar.",
    },
    // A stop is declared.
    Signal {
        id: "stop",
        when: Pattern::Together(&[&[C::Stop]]),
        unless: &[],
        matches: "Parking this.",
        passes: "Going on with this.",
    },
];

pub(super) const BYPASSES: &[Bypass] = &[
    // The user asked for the stop.
    Bypass {
        id: "asked-to-stop",
        when: Pattern::Together(&[&[C::Asked], &[C::Stop]]),
        unless: &[C::But, C::Rest, C::Context, C::Low],
        matches: "As you asked, I stop here.",
        passes: "I stop here.",
    },
];
