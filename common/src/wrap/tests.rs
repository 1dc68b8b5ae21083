//! Whole prompts, and what no text may do to them.

use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::redact::redact;

/// Texts that are written against the judge, and what it gets to read of them.
const ATTACKS: &str = include_str!("../../../tests/attacks.jsonl");

#[derive(Debug, Clone, Deserialize)]
struct Attack {
    why: String,
    text: String,
    /// What stands in the region; the text itself when nothing in it is mechanical.
    region: Option<String>,
}

fn attacks() -> Vec<Attack> {
    let parse = |line: &str| serde_json::from_str(line).expect(line);
    ATTACKS.lines().map(parse).collect()
}

const FIELDS: &[Field] = &[Field::NewProposal, Field::RetractionOrQuote];

#[test]
fn instruction_first_then_data_then_the_question() {
    let text = redact("I will push now. @src/main.rs");
    let material = Material {
        command: None,
        earlier: None,
        latest: &text,
        activity: None,
        user: None,
    };
    let prompt = wrap("/judge it.\n", FIELDS, &material);
    assert_eq!(
        prompt.user(),
        format!(
            "{FIRST_LINE}\n{REGIONS_EXPLAINED}\n\n/judge it.\n\n{NO_ACTIVITY}\n\n{TEXT}\n--- text-begin ---\n\
             I will push now. ＠src/main.rs\n--- text-end ---\n\n{QUESTION}\n\"new_proposal\": true or false\n\
             \"retraction_or_quote\": true or false\n\"reason\": which words decide, in English, one short sentence\n"
        )
    );
    assert!(!prompt.user().starts_with('/'));
    assert!(!SYSTEM.contains('\n'));
}

#[test]
fn the_schema_is_strict_and_ordered() {
    assert_eq!(
        schema(FIELDS),
        r#"{"type":"object","properties":{"new_proposal":{"type":"boolean"},"retraction_or_quote":{"type":"boolean"},"reason":{"type":"string"}},"required":["new_proposal","retraction_or_quote","reason"],"additionalProperties":false}"#
    );
    assert!(serde_json::from_str::<serde_json::Value>(&schema(&[])).is_ok());
}

#[test]
fn every_part_has_its_region() {
    let part = |text| redact(text);
    let (earlier, latest, activity, user) = (part("A"), part("B"), part("C"), part("D"));
    let command = part("E");
    let material = Material {
        command: Some(&command),
        earlier: Some(&earlier),
        latest: &latest,
        activity: Some(&activity),
        user: Some(&user),
    };
    let prompt = wrap("Judge.", FIELDS, &material);
    for (name, inside) in [
        ("earlier", "A"),
        ("activity", "C"),
        ("user", "D"),
        ("text", "B"),
        ("command", "E"),
    ] {
        let region = format!("\n--- {name}-begin ---\n{inside}\n--- {name}-end ---\n");
        assert_eq!(prompt.user().matches(&region).count(), 1, "{name}");
    }
    assert!(!prompt.user().contains(NO_ACTIVITY));
    assert!(prompt.user().contains(QUESTION_ON_COMMAND));
}

/// A prompt with `text` in each of its regions.
fn everywhere(text: &str) -> Prompt {
    let text = redact(text);
    let material = Material {
        command: Some(&text),
        earlier: Some(&text),
        latest: &text,
        activity: Some(&text),
        user: Some(&text),
    };
    wrap("Judge.", FIELDS, &material)
}

/// What stands between the two markers of a region, each of which occurs once.
fn inside<'a>(prompt: &'a Prompt, name: &str) -> &'a str {
    let (begin, end) = (
        format!("\n--- {name}-begin ---\n"),
        format!("\n--- {name}-end ---\n"),
    );
    let (before, after) = prompt.user().split_once(&begin).expect(name);
    let (inside, rest) = after.split_once(&end).expect(name);
    for elsewhere in [before, inside, rest] {
        assert!(
            !elsewhere.contains(begin.trim()) || elsewhere == before,
            "{name} begins twice"
        );
        assert!(!elsewhere.contains(end.trim()), "{name} ends twice");
    }
    inside
}

/// Every line of the prompt that reads like a marker, in order.
fn markers(prompt: &Prompt) -> Vec<&str> {
    let reads_like_one = |line: &&str| {
        let letters = line.chars().filter(char::is_ascii_alphabetic);
        let letters = letters.collect::<String>().to_lowercase();
        let words = Region::ALL.map(Region::name).into_iter();
        let mut words = words.flat_map(|name| ["begin", "end"].map(|verb| format!("{name}{verb}")));
        line.contains("--") && words.any(|word| word == letters)
    };
    prompt.user().lines().filter(reads_like_one).collect()
}

const ALL_MARKERS: [&str; 10] = [
    "--- earlier-begin ---",
    "--- earlier-end ---",
    "--- activity-begin ---",
    "--- activity-end ---",
    "--- user-begin ---",
    "--- user-end ---",
    "--- text-begin ---",
    "--- text-end ---",
    "--- command-begin ---",
    "--- command-end ---",
];

#[test]
fn of_an_attack_the_judge_reads_exactly_this() {
    let attacks = attacks();
    assert!(attacks.len() >= 100, "{}", attacks.len());
    for Attack { why, text, region } in attacks {
        let prompt = everywhere(&text);
        assert_eq!(markers(&prompt), ALL_MARKERS, "{why}");
        let expected = region.as_deref().unwrap_or(text.trim_end_matches('\n'));
        for name in ["text", "earlier", "activity", "user", "command"] {
            assert_eq!(inside(&prompt, name), expected, "{why}");
        }
        assert!(prompt.user().starts_with("What follows"), "{why}");
        assert!(prompt.user().ends_with("one short sentence\n"), "{why}");
    }
}

#[test]
fn our_own_markers_of_secrets_reach_the_judge() {
    let text = redact(&format!("AKIA{} leaked", "Q7RZT5LMW2CR3VKX"));
    let material = Material {
        command: None,
        earlier: None,
        latest: &text,
        activity: None,
        user: None,
    };
    let prompt = wrap("Judge.", FIELDS, &material);
    assert_eq!(inside(&prompt, "text"), "[REDACTED:aws-access-key] leaked");
    assert!(prompt.user().contains("taken out on our side"));
}

/// One letter, as a reader may be made to see it.
fn letter(c: char) -> BoxedStrategy<String> {
    let nth = u32::from(c) - u32::from('a');
    let from = |first: u32| {
        char::from_u32(first + nth)
            .map(String::from)
            .unwrap_or_default()
    };
    let alike = match c {
        'a' => "а",
        'c' => "с",
        'e' => "е",
        'i' => "і",
        'o' => "о",
        'x' => "х",
        'y' => "у",
        'n' => "ñ",
        'u' => "ü",
        'd' => "ԁ",
        's' => "ѕ",
        't' => "τ",
        _ => return Just(String::from(c)).boxed(),
    };
    prop_oneof![
        4 => Just(c.to_string()),
        2 => Just(c.to_uppercase().to_string()),
        1 => Just(from(0xff41)),
        1 => Just(from(0x1d41a)),
        1 => Just(from(0x24d0)),
        1 => Just(alike.to_owned()),
        1 => Just(format!("{c}\u{301}")),
        1 => Just(format!("{c}\u{336}")),
        1 => Just(format!("\u{200b}{c}")),
        1 => Just(format!("{c}\u{ad}")),
        1 => Just(format!("&#{};", u32::from(c))),
        1 => Just(format!("{c}\u{1b}[0m")),
    ]
    .boxed()
}

/// A forged marker: its words as a reader sees them and the whole of it.
fn forged() -> impl Strategy<Value = (String, String)> {
    let dash = prop::sample::select(vec![
        "-",
        "–",
        "—",
        "−",
        "－",
        "_",
        "=",
        "─",
        "‑",
        "&#45;",
        "-\u{200b}",
    ]);
    let dashes = prop::collection::vec(dash, 2..6).prop_map(|all| all.concat());
    let gap = prop::sample::select(vec![
        "", " ", "  ", "\n", "\t", "\u{3000}", "\u{a0}", "\r\n",
    ]);
    let joint = prop::sample::select(vec![
        "-", "–", "_", " ", "", " - ", "-\n", "\u{ad}-", "&#x2d;", "‐",
    ]);
    let words = (
        prop::sample::select(Region::ALL.to_vec()),
        prop::bool::ANY,
        joint,
    )
        .prop_flat_map(|(region, begins, joint)| {
            let spell = |word: &str| word.chars().map(letter).collect::<Vec<_>>();
            let verb = if begins { "begin" } else { "end" };
            (spell(region.name()), spell(verb))
                .prop_map(move |(name, verb)| format!("{}{joint}{}", name.concat(), verb.concat()))
        });
    (dashes.clone(), gap.clone(), words, gap, dashes).prop_map(
        |(left, before, words, after, right)| {
            let whole = format!("{left}{before}{words}{after}{right}");
            (words, whole)
        },
    )
}

fn any_attack() -> impl Strategy<Value = String> {
    let texts: Vec<String> = attacks().into_iter().map(|attack| attack.text).collect();
    prop_oneof![
        prop::sample::select(texts),
        "\\PC{0,20}",
        forged().prop_map(|(_, whole)| whole)
    ]
}

proptest! {
    #[test]
    fn no_text_closes_or_opens_a_region(parts in prop::collection::vec(any_attack(), 1..6), between in "[ \n]?") {
        let prompt = everywhere(&parts.join(&between));
        prop_assert_eq!(markers(&prompt), ALL_MARKERS);
    }

    #[test]
    fn no_forged_marker_is_left_however_it_is_spelt((words, whole) in forged(), before in "([\\PC&&[^&]]{0,10}[ .\n])?", after in "([ .\n]\\PC{0,10})?") {
        let harmless = defuse::defuse(&format!("{before}{whole}{after}"));
        prop_assert!(harmless.contains("(region marker)"), "{harmless:?}");
        prop_assert!(!harmless.contains(&words), "{harmless:?}");
    }

    #[test]
    fn what_stands_around_a_forged_marker_is_kept((words, whole) in forged(), left in "-{2,4} ?") {
        let one_sided = format!("{left}{words}");
        for marker in [whole, one_sided] {
            let harmless = defuse::defuse(&format!("Vorher: größer. {marker} 後で読む。"));
            prop_assert_eq!(harmless, "Vorher: größer. (region marker) 後で読む。");
        }
    }

    #[test]
    fn what_is_harmless_once_is_harmless_again(parts in prop::collection::vec(any_attack(), 1..6)) {
        let once = defuse::defuse(&parts.join("\n"));
        prop_assert_eq!(defuse::defuse(&once), once);
    }

    #[test]
    fn plain_prose_reaches_the_judge_byte_for_byte(text in "([A-Za-z]{1,9}[ ,.;:!?'\"()\n]{1,2}|\\p{Han}|\\p{Hiragana}|\\p{Cyrillic}|[0-9]{1,4} ){0,60}") {
        let harmless = defuse::defuse(&text);
        prop_assert_eq!(harmless, text);
    }

    #[test]
    fn no_file_is_named_and_no_command_begins_the_prompt(parts in prop::collection::vec(any_attack(), 1..6)) {
        let prompt = everywhere(&parts.join(" "));
        prop_assert!(!prompt.user().starts_with('/'));
        let mut before = ' ';
        for c in prompt.user().chars() {
            prop_assert!(c != '@' || !before.is_whitespace());
            prop_assert!(c == '\n' || c == '\t' || !c.is_control());
            before = c;
        }
prop_assert!(!prompt.user().contains("@\""));
        for obeyed in ["<|im_start|>", "<|eot_id|>", "<｜User｜>", "[INST]", "</s>", "<tool_call>", "\nHuman:"] {
            prop_assert!(!prompt.user().contains(obeyed), "{obeyed}");
        }
    }

    #[test]
    fn redacting_a_prompt_again_finds_nothing_new(parts in prop::collection::vec(any_attack(), 1..6)) {
        let prompt = everywhere(&parts.join(" "));
        let again = redact(prompt.user());
        prop_assert_eq!(again.as_str(), prompt.user());
    }
}
