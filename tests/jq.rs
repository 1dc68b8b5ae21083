//! `normalise` alone against the `jq` program that defines it.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "what fails here fails the test"
)]

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::thread;

use common::Field;
use common::verdict::{Verdict, normalise, own_fields};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};

const PROGRAM: &str = r#"
if type != "object" or (.new_proposal|type) != "boolean" then "fail"
elif .new_proposal==true and .verification_reported==false and .direction_query!=true and .future_step_description!=true then "violation"
elif .new_proposal==true and .verification_reported==null and .retraction_or_quote!=true and .future_step_description!=true then "violation"
else "allow" end
"#;

const FIELDS: [Field; 5] = [
    Field::NewProposal,
    Field::VerificationReported,
    Field::DirectionQuery,
    Field::FutureStepDescription,
    Field::RetractionOrQuote,
];

/// What jq says of each answer, from one process.
fn jq(answers: &[Value]) -> Vec<String> {
    let mut child = Command::new("jq")
        .args(["-r", PROGRAM])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("jq is installed");
    let mut stdin = child.stdin.take().expect("a pipe");
    let rows: Vec<_> = answers.iter().map(Value::to_string).collect();
    let writer = thread::spawn(move || stdin.write_all(rows.join("\n").as_bytes()));
    let output = child.wait_with_output().expect("jq ends");
    writer.join().expect("no panic").expect("jq reads all");
    assert!(output.status.success());
    String::from_utf8(output.stdout)
        .expect("UTF-8")
        .lines()
        .map(str::to_owned)
        .collect()
}

#[track_caller]
fn check(answers: &[Value]) {
    let expected = jq(answers);
    assert_eq!(expected.len(), answers.len());
    for (answer, expected) in answers.iter().zip(expected) {
        assert_eq!(normalise(answer).name(), expected, "{answer}");
    }
}

#[test]
fn agrees_over_the_whole_product_of_the_five_fields() {
    let values = [
        Some(json!(true)),
        Some(json!(false)),
        Some(json!(null)),
        None,
        Some(json!("true")),
        Some(json!(0)),
    ];
    let mut answers = vec![Map::new()];
    for field in FIELDS {
        answers = answers
            .into_iter()
            .flat_map(|answer| {
                values.iter().map(move |value| {
                    let mut answer = answer.clone();
                    answer.extend(value.clone().map(|value| (field.key().to_owned(), value)));
                    answer
                })
            })
            .collect();
    }
    assert_eq!(answers.len(), 6_usize.pow(5));
    check(&answers.into_iter().map(Value::from).collect::<Vec<_>>());
}

#[test]
fn agrees_on_any_json() {
    let mut runner = TestRunner::deterministic();
    let answers: Vec<_> = (0..3000)
        .map(|_| {
            any_answer()
                .new_tree(&mut runner)
                .expect("a value")
                .current()
        })
        .collect();
    check(&answers);
}

proptest! {
    #[test]
    fn a_key_that_is_not_the_hooks_own_decides_nothing(
        answer in an_object(),
        key in "[a-z_]{1,12}",
        value in any_value(),
    ) {
        let fields = &FIELDS[..4];
        let verdict = |answer: &Map<String, Value>| normalise(&own_fields(answer, fields));
        let before = verdict(&answer);
        let mut more = answer;
        if !fields.iter().any(|field| field.key() == key) {
            more.insert(key, value.clone());
        }
        more.insert(Field::RetractionOrQuote.key().to_owned(), value);
        prop_assert_eq!(verdict(&more), before);
    }

    #[test]
    fn only_a_true_proposal_is_a_violation(answer in any_answer()) {
        if normalise(&answer) == Verdict::Violation {
            prop_assert_eq!(&answer["new_proposal"], &json!(true));
        }
    }
}

/// An object of the judge's keys and others, or any other JSON.
fn any_answer() -> impl Strategy<Value = Value> {
    prop_oneof![9 => an_object().prop_map(Value::from), 1 => any_value()]
}

fn an_object() -> impl Strategy<Value = Map<String, Value>> {
    let key = prop_oneof![
        9 => prop::sample::select(FIELDS.map(Field::key).to_vec()).prop_map(str::to_owned),
        1 => "[a-zA-Z_ ]{0,12}",
    ];
    prop::collection::vec((key, any_value()), 0..8).prop_map(|pairs| pairs.into_iter().collect())
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        6 => any::<bool>().prop_map(Value::from),
        2 => Just(Value::Null),
        1 => any::<i32>().prop_map(Value::from),
        1 => any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::hash_map("[a-z_]{0,8}", inner, 0..3)
                .prop_map(|map| map.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}
