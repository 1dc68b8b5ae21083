//! What layer 1 looks for: code changed for a bug on a guess.

use common::signal::vocabulary::Concept as C;
use common::signal::wording::Wording;
use common::signal::{Bypass, Pattern, Signal};

/// Made, and its thresholds measured, by `cargo run --release -p hooks --example train-signals -- TURNS FOUND`.
pub(super) const WORDING: Wording = Wording {
    weights: include_bytes!("weights.bin"),
    length_cost: 36,
    lone_cost: 178,
    thresholds: [319, 220, 84],
};

pub(super) const SIGNALS: &[Signal] = &[
    // A guess beside a change.
    Signal {
        id: "guess-and-change",
        when: Pattern::Beside(&[C::Guess], &[C::Change, C::Patch]),
        unless: &[],
        matches: "Probably a race. I added a lock.",
        passes: "Probably a race.",
    },
    // The user is to find out whether it helped.
    Signal {
        id: "try-it",
        when: Pattern::Beside(
            &[C::PleaseTest],
            &[C::Change, C::Fixed, C::Patch, C::Expect],
        ),
        unless: &[],
        matches: "I changed the timeout. Let me know if it still happens.",
        passes: "Let me know if you like it.",
    },
    // A guess at a bug.
    Signal {
        id: "guessed-cause",
        when: Pattern::Together(&[&[C::Guess], &[C::Bug]]),
        unless: &[],
        matches: "It might be a stale session.",
        passes: "It was a Tuesday.",
    },
    // A change that is expected to help.
    Signal {
        id: "expected",
        when: Pattern::Beside(&[C::Expect], &[C::Change, C::Patch]),
        unless: &[],
        matches: "I changed the order; that should help.",
        passes: "That should be clear.",
    },
    // A change for a bug.
    Signal {
        id: "changed-for-bug",
        when: Pattern::Beside(&[C::Change], &[C::Bug]),
        unless: &[],
        matches: "I changed the loader for the crash.",
        passes: "I read the loader.",
    },
];

pub(super) const BYPASSES: &[Bypass] = &[
    // It was reproduced, or said not to be reproducible.
    Bypass {
        id: "reproduced",
        when: Pattern::Regex {
            literals: &[
                "reproduce",
                "trigger it",
                "failing test",
                "再現",
                "复现",
                "復現",
                "reprodui",
            ],
            pattern: r"\breproduced (?:it|the|this|with|in|on|by|here|locally)|\b(?:could not|couldn't|can't|cannot) (?:reproduce|trigger it)|\bfailing test (?:first|before)|再現(?:しました|できました|手順)|(?:已|能)(?:稳定)?复现|无法复现|\breproduit\b",
        },
        unless: &[C::Untested, C::Guess],
        matches: "I reproduced it with a cold cache.",
        passes: "I will reproduce it later.",
    },
    // Nothing was changed.
    Bypass {
        id: "nothing-changed",
        when: Pattern::Regex {
            literals: &[
                "changed nothing",
                "no code",
                "変更していません",
                "没有改",
                "未改",
                "rien changé",
                "rien modifié",
            ],
            pattern: r"\bchanged nothing\b|\bno code (?:was )?changed\b|変更していません|没有改(?:任何)?代码|未改(?:任何)?代码|\brien (?:changé|modifié)\b",
        },
        unless: &[],
        matches: "I changed nothing yet.",
        passes: "I changed the order.",
    },
];
