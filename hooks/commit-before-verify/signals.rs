//! What layer 1 looks for: a change of shared state put forward before anything was verified.

use common::signal::vocabulary::Concept as C;
use common::signal::wording::Wording;
use common::signal::{Bypass, Pattern, Signal};

/// Made, and its thresholds measured, by `cargo run --release -p hooks --example train-signals -- TURNS FOUND`.
pub(super) const WORDING: Wording = Wording {
    weights: include_bytes!("weights.bin"),
    length_cost: 40,
    lone_cost: 200,
    thresholds: [426, 236, 61],
};

pub(super) const SIGNALS: &[Signal] = &[
    // Leave is asked for a commit, push, merge, release or deployment.
    Signal {
        id: "leave-to-act",
        when: Pattern::Together(&[&[C::Ask], &[C::Act, C::Acting]]),
        unless: &[C::Unacted],
        matches: "Shall I push this to main?",
        passes: "Shall I rename the helper?",
    },
    // It is announced.
    Signal {
        id: "announced",
        when: Pattern::Sequence(&[&[C::Will], &[C::Act, C::Acting]]),
        unless: &[],
        matches: "I will commit and push it now.",
        passes: "I will rename the helper.",
    },
    // It is the next step.
    Signal {
        id: "next-step",
        when: Pattern::Sequence(&[&[C::Next], &[C::Act, C::Acting]]),
        unless: &[C::Unacted],
        matches: "Next step: deploy to the cluster.",
        passes: "Next step: read the parser.",
    },
    // The change is called ready for it.
    Signal {
        id: "ripe",
        when: Pattern::Sequence(&[&[C::Ready], &[C::Act]]),
        unless: &[],
        matches: "This is ready to merge.",
        passes: "This is ready for a look.",
    },
    // It is under way.
    Signal {
        id: "under-way",
        when: Pattern::Together(&[&[C::Acting]]),
        unless: &[C::Unacted],
        matches: "Pushing the branch.",
        passes: "The branch is there.",
    },
    // It is announced or asked for where the verb comes last.
    Signal {
        id: "verb-last",
        when: Pattern::Sequence(&[&[C::Act], &[C::Will, C::Ask, C::Next]]),
        unless: &[],
        matches: "このままコミットします。",
        passes: "このコミットが原因の候補。",
    },
    // It goes to a named place.
    Signal {
        id: "to-target",
        when: Pattern::Together(&[&[C::Act], &[C::Target]]),
        unless: &[],
        matches: "Deploy to production follows.",
        passes: "Production is stable.",
    },
    // It stands beside a check that was not made.
    Signal {
        id: "unchecked",
        when: Pattern::Beside(&[C::Untested], &[C::Act, C::Acting]),
        unless: &[],
        matches: "I have not run the suite. Commit comes first.",
        passes: "I have not run the suite.",
    },
];

pub(super) const BYPASSES: &[Bypass] = &[
    // A check and its good result.
    Bypass {
        id: "evidence",
        when: Pattern::Together(&[&[C::Tests], &[C::Passed]]),
        unless: &[
            C::Failed,
            C::Untested,
            C::Neg,
            C::Expect,
            C::After,
            C::Next,
            C::Will,
            C::Ask,
            C::Condition,
            C::Fixed,
            C::Before,
        ],
        matches: "The tests passed.",
        passes: "The tests passed, two failed.",
    },
    // A result as tools print it.
    Bypass {
        id: "evidence-code",
        when: Pattern::Together(&[&[C::Result]]),
        unless: &[
            C::Failed,
            C::Untested,
            C::Expect,
            C::After,
            C::Neg,
            C::Will,
            C::Before,
        ],
        matches: "rc=0",
        passes: "rc=01",
    },
    // The action is reported as done, after it was announced.
    Bypass {
        id: "done",
        when: Pattern::Lastly(&[C::Acted], &[C::Acting, C::Ask]),
        unless: &[
            C::Neg,
            C::Untested,
            C::Will,
            C::Ask,
            C::After,
            C::Unacted,
            C::Failed,
            C::Before,
            C::Ready,
        ],
        matches: "Pushed to the branch.",
        passes: "Not pushed yet.",
    },
    // A commit is named by its hash as the result.
    Bypass {
        id: "done-hash",
        when: Pattern::Sequence(&[&[C::Act, C::Acted], &[C::Hash]]),
        unless: &[C::Neg, C::Unacted],
        matches: "commit: 1a2b3c4d",
        passes: "commit: later",
    },
    // The user is asked to choose.
    Bypass {
        id: "options",
        when: Pattern::Regex {
            literals: &["q1", "which is", "a or "],
            pattern: r"\bq1 ?:|\bwhich is [^.]*\?|\b(?:option )?a or (?:option )?b\b",
        },
        unless: &[C::Untested],
        matches: "Q1: one commit or two?",
        passes: "Which is why I will push.",
    },
    // It waits for a check or a word.
    Bypass {
        id: "later-step",
        when: Pattern::Sequence(&[
            &[C::After],
            &[C::Tests, C::Passed, C::Condition],
            &[C::Act, C::Acting],
        ]),
        unless: &[C::Untested, C::Next, C::Neg],
        matches: "Once CI is green I will merge.",
        passes: "I will merge; CI is green later.",
    },
    // It is a later step of a known sequence.
    Bypass {
        id: "later-words",
        when: Pattern::Together(&[&[C::Sequence]]),
        unless: &[C::Failed, C::Untested, C::Neg],
        matches: "Then we complete the flow.",
        passes: "End-to-end tests still fail.",
    },
];
