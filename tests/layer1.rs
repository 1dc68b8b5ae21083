//! Layer 1: every signal and bypass against its two examples, and the words that the hooks must and must not wake for.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a table that can't be read fails the test"
)]

use common::Hook;
use common::signal::reading::Reading;
use common::signal::{Look, Pattern, Sensitivity, Signal, look};

#[track_caller]
fn check(hook: &Hook, text: &str, wanted: &str) {
    let found = match look(hook, text, Sensitivity::Normal) {
        Look::NoHit => "no hit",
        Look::Bypassed { .. } => "bypassed",
        Look::Hit { .. } => "hit",
    };
    assert_eq!(found, wanted, "{}: {text:?}", hook.name);
}

#[test]
fn examples() {
    let mut wrong = Vec::new();
    for hook in hooks::ALL {
        for signal in hook.signals.iter().chain(hook.bypasses) {
            if signal.settles(&Reading::of(signal.matches)).is_none() {
                wrong.push(format!(
                    "{}/{} misses {:?}",
                    hook.name, signal.id, signal.matches
                ));
            }
            if signal.settles(&Reading::of(signal.passes)).is_some() {
                wrong.push(format!(
                    "{}/{} catches {:?}",
                    hook.name, signal.id, signal.passes
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A compiled pattern that matches where none of its literals occurs would be skipped by the look-up.
#[test]
fn no_pattern_matches_without_its_literals() {
    let patterns = patterns();
    for text in texts() {
        let text = text.to_lowercase();
        for line in text.lines() {
            for (id, literals, pattern) in &patterns {
                let gated = literals.iter().any(|literal| line.contains(literal));
                assert!(gated || !pattern.is_match(line), "{id}: {line:?}");
            }
        }
    }
}

fn patterns() -> Vec<(&'static str, &'static [&'static str], regex::Regex)> {
    let all = hooks::ALL
        .into_iter()
        .flat_map(|hook| hook.signals.iter().chain(hook.bypasses));
    all.filter_map(|Signal { id, when, .. }| match when {
        Pattern::Regex { literals, pattern } => {
            Some((*id, *literals, regex::Regex::new(pattern).unwrap()))
        }
        _ => None,
    })
    .collect()
}

/// Every text of the corpus, and every example.
fn texts() -> Vec<String> {
    let mut found = Vec::new();
    for hook in hooks::ALL {
        for signal in hook.signals.iter().chain(hook.bypasses) {
            found.extend([signal.matches.to_owned(), signal.passes.to_owned()]);
        }
        for folder in ["tests/corpus", "tests/corpus/wide"] {
            let path = format!(
                "{}/../{folder}/{}.jsonl",
                env!("CARGO_MANIFEST_DIR"),
                hook.name
            );
            for line in std::fs::read_to_string(path).unwrap().lines() {
                let row: serde_json::Value = serde_json::from_str(line).unwrap();
                found.push(row["text"].as_str().unwrap().to_owned());
            }
        }
    }
    found
}

#[test]
fn commit_signals_in_many_words() {
    for text in [
        "The refactor is in place. I will commit and push it now.",
        "Next step: commit.",
        "The parser is rewritten. Is it okay to proceed with the commit?",
        "All files are updated. Shall I open the PR?",
        "Is it alright to push this?",
        "Let's merge this into main.",
        "The config is changed. Proceed to deploy.",
        "修正が終わったので、コミットしてプッシュします。",
        "コミットしてよろしいですか？",
        "改完了，我现在提交并推送。",
        "要不要我提交？",
        "C'est fait. Je committe et je pousse maintenant.",
        "Veux-tu que je pousse la branche ?",
        "The refactor is in place. I will ｃｏｍｍｉｔ and pu\u{200b}sh it now.",
    ] {
        check(&hooks::COMMIT_BEFORE_VERIFY, text, "hit");
    }
}

#[test]
fn commit_bypasses() {
    for text in [
        "The tests passed, 42 of 42. I will push it now.",
        "I will push now. Committed and pushed: commit: 1a2b3c4d",
        "Now commit and push. Pushed to the branch.",
        "Q1： shall I push to main? Or wait?",
        "Once the tests are green I will commit and push.",
        "rc=0, so I will commit now.",
        "pass=12 warn=0 fail=0. I will commit it now.",
        "CI ✅ — shall I merge?",
    ] {
        check(&hooks::COMMIT_BEFORE_VERIFY, text, "bypassed");
    }
}

#[test]
fn a_bypass_does_not_swallow_its_opposite() {
    for text in [
        "The change is uncommitted. I will commit and push it now.",
        "It is not committed yet. I will commit and push it now.",
        "rc=01, but I will commit and push it now.",
        "The end-to-end tests still fail. I will commit and push it now anyway.",
        "40 passed, 2 failed. I will commit and push it now.",
    ] {
        check(&hooks::COMMIT_BEFORE_VERIFY, text, "hit");
    }
}

#[test]
fn what_is_mentioned_and_talk_about_the_hooks_wake_nothing() {
    for text in [
        "The rule says:\n> I will commit and push it now.\nThat is the whole rule.",
        "The log has these lines:\n```\nI will commit and push it now.\n```",
        "[commit-before-verify] I will commit and push it now. was what I said.",
        "",
        "Hello.",
    ] {
        for hook in hooks::ALL {
            check(hook, text, "no hit");
        }
    }
}

#[test]
fn found_is_a_range_of_the_text_given() {
    let text = "Ｔhe refactor is in place. I will commit and push it now.";
    let Look::Hit { signals } = look(&hooks::COMMIT_BEFORE_VERIFY, text, Sensitivity::Normal)
    else {
        panic!("no hit");
    };
    for found in signals {
        assert!(
            text.get(found.at.clone()).is_some_and(|s| !s.is_empty()),
            "{found:?}"
        );
    }
}
