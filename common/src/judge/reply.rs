//! Finds the one JSON object in what a judge said.
//!
//! Models wrap it in a code fence or a line of prose. Two different objects are ambiguous: one of them may be quoted from
//! the text under judgement, and nothing tells which. Half an object is none, whatever complete objects lie inside it.

use std::borrow::Cow;
use std::fmt::Write;

use serde_json::error::Category;
use serde_json::{Map, Value};

use super::outcome::{Failure, Outcome};
use super::{Answer, OUTPUT_MAX_BYTES};
use crate::surrogates;

/// Reads a reply.
pub(super) fn read(bytes: &[u8]) -> Result<Answer, Failure> {
    if bytes.len() > OUTPUT_MAX_BYTES {
        return Err(Outcome::TooLarge.into());
    }
    let bytes = surrogates::mended(bytes);
    let text = str::from_utf8(&bytes).map_err(|_| Outcome::UnreadableReply)?;
    if text.trim().is_empty() {
        return Err(Outcome::EmptyReply.into());
    }
    Ok(Answer::new(object(&with_escapes(text))?, text))
}

/// `text` with the control characters that JSON forbids in strings, and some models write there, as JSON wants them.
fn with_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains(|c: char| c.is_ascii_control()) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // Between tokens they are white space, so they can't be told apart without a parser.
            '\n' | '\r' | '\t' => escaped.push(' '),
            c if c.is_ascii_control() => {
                // A String takes everything.
                let _ = write!(escaped, "\\u{:04x}", u32::from(c));
            }
            c => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}

fn object(text: &str) -> Result<Map<String, Value>, Outcome> {
    match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(Value::Object(object)) => return Ok(object),
        Ok(_) => return Err(Outcome::UnreadableReply),
        Err(_) => {}
    }
    let mut found: Option<Map<String, Value>> = None;
    let mut rest = text;
    while let Some((_, from_brace)) = rest.find('{').and_then(|at| rest.split_at_checked(at)) {
        let mut objects = serde_json::Deserializer::from_str(from_brace).into_iter();
        let read = match objects.next() {
            // A pair of braces in prose says nothing.
            Some(Ok(object)) if Map::is_empty(&object) => objects.byte_offset(),
            Some(Ok(object)) => {
                match &found {
                    Some(other) if *other != object => return Err(Outcome::AmbiguousReply),
                    _ => found = Some(object),
                }
                objects.byte_offset()
            }
            Some(Err(e)) if e.classify() == Category::Eof => return Err(Outcome::UnreadableReply),
            // What was read of it is left behind, with the objects inside it. There are no line ends any more, so the
            // column counts bytes from the brace.
            Some(Err(e)) => e.column().max(1),
            None => from_brace.len(),
        };
        rest = (read..from_brace.len())
            .find_map(|at| from_brace.get(at..))
            .unwrap_or_default();
    }
    found.ok_or(Outcome::UnreadableReply)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[track_caller]
    fn check(reply: &str, expected: &str) {
        let read = read(reply.as_bytes()).unwrap_or_else(|e| panic!("{reply}: {:?}", e.outcome));
        assert_eq!(Value::Object(read.object).to_string(), expected, "{reply}");
        assert_eq!(read.raw, reply.replace(char::is_control, " "));
    }

    #[track_caller]
    fn check_error(reply: impl AsRef<[u8]>, expected: Outcome) {
        let reply = reply.as_ref();
        let got = read(reply)
            .map(|answer| answer.object)
            .map_err(|e| e.outcome);
        assert_eq!(got, Err(expected), "{}", String::from_utf8_lossy(reply));
    }

    #[test]
    fn one_object_is_read_through_what_models_put_around_it() {
        let plain = r#"{"a":true}"#;
        check(r#"{"a":true}"#, plain);
        check("\n\n{\"a\": true}\n", plain);
        check("\u{feff}{\"a\":true}", plain);
        check("```json\n{\"a\": true}\n```\n", plain);
        check(
            "Here is my verdict:\n\n```\n{\n  \"a\": true\n}\n```\nI hope {this} helps. Größe {ü",
            plain,
        );
        check("In fn main() { } it says: {\"a\":true}", plain);
        check("The set {1, 2} and {x: 1} and {é}: {\"a\":true}", plain);
        check("{\"a\":true} I repeat: { \"a\" : true }", plain);
        check(
            r#"{"a":{"b":{"c":[1,{"d":2}]}}}"#,
            r#"{"a":{"b":{"c":[1,{"d":2}]}}}"#,
        );
    }

    #[test]
    fn forbidden_control_characters_are_read() {
        check(
            "{\"a\":\"x\u{1b}[31m\u{0}y\nz\tw\"}\0",
            r#"{"a":"x\u001b[31m\u0000y z w"}"#,
        );
        check("\u{1b}[1m{\"a\":true}\u{1b}[0m", r#"{"a":true}"#);
        check(r#"{"a":"\u0000"}"#, r#"{"a":"\u0000"}"#);
    }

    #[test]
    fn half_a_character_costs_that_character_alone() {
        let reply = read(br#"{"a":"cut \ud83d here"}"#).map(|answer| answer.object);
        assert_eq!(reply.unwrap()["a"], "cut \u{fffd} here");
    }

    #[test]
    fn different_objects_are_ambiguous() {
        check_error(r#"{"a":true}{"a":false}"#, Outcome::AmbiguousReply);
        check_error(
            r#"You asked about {"a":false}, I say {"a":true,"b":1}"#,
            Outcome::AmbiguousReply,
        );
        check_error(r#"{"a":true} or {"a":null}"#, Outcome::AmbiguousReply);
    }

    #[test]
    fn half_an_object_is_none() {
        check_error(r#"{"a":true,"b":"#, Outcome::UnreadableReply);
        check_error(r#"{"b":{"a":true},"#, Outcome::UnreadableReply);
        check_error(r#"{"b":{"a":true}, oops}"#, Outcome::UnreadableReply);
        check_error(r#"{"a":true} {"a":fal"#, Outcome::UnreadableReply);
    }

    #[test]
    fn what_is_no_object_is_no_answer() {
        check_error("", Outcome::EmptyReply);
        check_error(" \n", Outcome::EmptyReply);
        check_error("true", Outcome::UnreadableReply);
        check_error(r#"[{"a":true}]"#, Outcome::UnreadableReply);
        check_error(r#""{\"a\":true}""#, Outcome::UnreadableReply);
        check_error("I would say that it is fine.", Outcome::UnreadableReply);
        check_error(b"{\"a\":\"\xff\"}", Outcome::UnreadableReply);
        check_error(vec![b' '; OUTPUT_MAX_BYTES + 1], Outcome::TooLarge);
    }

    #[test]
    fn the_beginning_of_a_reply_is_kept() {
        let long = format!("{}{{\"a\":true}}", "é\u{1b}\n".repeat(100_000));
        let raw = read(long.as_bytes()).unwrap().raw;
        assert_eq!(raw.len(), 16 << 10);
        assert!(raw.starts_with("é  é  "), "{raw:.20}");
    }

    /// A search that starts anew inside what it has read takes minutes for these.
    #[test]
    fn a_hostile_reply_is_read_once() {
        let deep = "{\"a\":".repeat(100);
        let long = "[0,".repeat(120) + &"0,".repeat(1 << 20);
        for reply in [
            "{".repeat(1 << 20),
            "{\"".repeat(1 << 20),
            "{\"a\":".repeat(1 << 19),
            format!("{deep}{long}x"),
            "{} ".repeat(1 << 20),
        ] {
            let started = Instant::now();
            let _ = read(reply.as_bytes());
            assert!(started.elapsed().as_secs() < 30, "{reply:.20}");
        }
    }
}
