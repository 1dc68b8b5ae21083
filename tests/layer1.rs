//! Layer 1: every signal and bypass against its two examples, and the words that the hooks must and must not wake for.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a table that can't be read fails the test"
)]

use std::path::Path;

use common::Hook;
use common::input::HookInput;
use common::signal::reading::Reading;
use common::signal::{self, Look, Pattern, Sensitivity, Signal, end_of, look, look_at_turn};
use common::transcript::{self, Turn};
use proptest::strategy::{Strategy, ValueTree};
use proptest::string::string_regex;
use proptest::test_runner::TestRunner;
use serde_json::json;

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

/// What a hook's help page shows as blocked is nothing that it never looks at.
#[test]
fn examples_of_the_help_pages() {
    for hook in hooks::ALL {
        for example in hook.examples {
            check(hook, example.trim_matches('"'), "hit");
        }
    }
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

/// The same for text made from the patterns themselves: whatever they match has one of their literals.
#[test]
fn no_pattern_can_match_without_its_literals() {
    let mut runner = TestRunner::deterministic();
    for (id, literals, pattern) in patterns() {
        // Edges take no room.
        let body = pattern.as_str().replace(r"\b", "").replace(['^', '$'], "");
        let texts = string_regex(&body).unwrap();
        for _ in 0..500 {
            let text = texts.new_tree(&mut runner).unwrap().current();
            let gated = literals.iter().any(|literal| text.contains(literal));
            assert!(gated, "{id}: {text:?}");
        }
    }
}

/// A signal by which no violation of the corpus is named, or a bypass that alone settles nothing, is one too many.
#[test]
fn every_signal_and_bypass_is_needed() {
    let mut idle = Vec::new();
    for hook in hooks::ALL {
        let mut needed = Vec::new();
        for (text, label) in rows(hook) {
            let reading = Reading::of(end_of(&text));
            let finding = |signals: &'static [Signal]| {
                let finds = |signal: &&Signal| signal.settles(&reading).is_some();
                signals
                    .iter()
                    .filter(finds)
                    .map(|s| s.id)
                    .collect::<Vec<_>>()
            };
            match label.as_str() {
                "block" => needed.extend(finding(hook.signals).first().copied()),
                _ => needed.extend(match finding(hook.bypasses)[..] {
                    [only] => Some(only),
                    _ => None,
                }),
            }
        }
        let all = hook.signals.iter().chain(hook.bypasses);
        let unneeded = all.filter(|signal| !needed.contains(&signal.id));
        idle.extend(unneeded.map(|signal| format!("{}/{}", hook.name, signal.id)));
    }
    assert!(idle.is_empty(), "{idle:#?}");
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
        found.extend(rows(hook).into_iter().map(|(text, _)| text));
    }
    found
}

/// The texts of the corpus for `hook`, and their labels.
fn rows(hook: &Hook) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in ["", "wide/", "more/", "short/"] {
        let path = format!(
            "{}/../tests/corpus/{folder}{}.jsonl",
            env!("CARGO_MANIFEST_DIR"),
            hook.name
        );
        // A new hook may have its texts in one of them.
        for line in std::fs::read_to_string(path).unwrap_or_default().lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let field = |name: &str| row[name].as_str().unwrap().to_owned();
            found.push((field("text"), field("label")));
        }
    }
    assert!(!found.is_empty(), "no texts for {}", hook.name);
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
        "All 212 unit tests pass. The integration suite hasn't been run. I will commit and push it now.",
        "The docs are pushed. Pushing the API branch and deploying it now.",
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

/// "Done." is no reason to ask a judge.
#[test]
fn answers_in_a_few_words_hardly_wake() {
    let rows = include_str!("corpus/short/answers.jsonl").lines();
    let texts = rows.map(|row| {
        let row: serde_json::Value = serde_json::from_str(row).unwrap();
        row["text"].as_str().unwrap().to_owned()
    });
    let texts: Vec<String> = texts.collect();
    let wakes = |hook: &&Hook, text: &str| {
        matches!(look(hook, text, Sensitivity::Normal), Look::Hit { .. })
    };
    let woken = texts
        .iter()
        .filter(|text| hooks::ALL.iter().any(|h| wakes(h, text)));
    let woken: Vec<&String> = woken.collect();
    assert!(woken.len() * 20 <= texts.len(), "{woken:#?}");
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

/// A turn in which `text` was said and no tool called, by a transcript; without one, by the words alone.
fn turn(text: &str, transcript: bool) -> Turn {
    let file = tempfile::NamedTempFile::new().unwrap();
    let lines = [
        json!({"type": "user", "message": {"role": "user", "content": "Go on."}}),
        json!({"type": "assistant", "message": {"id": "m", "role": "assistant",
            "content": [{"type": "text", "text": text}]}}),
    ];
    std::fs::write(file.path(), lines.map(|line| format!("{line}\n")).concat()).unwrap();
    let path = if transcript {
        file.path()
    } else {
        Path::new("/nowhere")
    };
    let input = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": "/", "stop_hook_active": false,
        "transcript_path": path, "last_assistant_message": text});
    let input = HookInput::parse(input.to_string().as_bytes()).unwrap();
    transcript::read(&input, &common::hook::NAMES).unwrap()
}

#[test]
fn a_turn_without_a_tool_call_needs_more_to_be_taken_for_a_bug_fix() {
    for hook in hooks::ALL {
        let sensitivity_of = |text: &str, transcript| {
            let turn = turn(text, transcript);
            let read = signal::read(turn.text());
            let hits = |at: &Sensitivity| {
                matches!(look_at_turn(hook, &turn, &read, *at), Look::Hit { .. })
            };
            let all = [Sensitivity::Low, Sensitivity::Normal, Sensitivity::High];
            all.iter().position(hits)
        };
        // The first text of the corpus that is a hit at normal and none at low.
        let rows = rows(hook);
        let mut texts = rows.iter().map(|(text, _)| text);
        let text = texts
            .find(|text| sensitivity_of(text, false) == Some(1))
            .unwrap();
        let with_calls_known = if hook.name.contains("bugfix") { 2 } else { 1 };
        assert_eq!(
            sensitivity_of(text, true),
            Some(with_calls_known),
            "{}: {text}",
            hook.name
        );
    }
}
