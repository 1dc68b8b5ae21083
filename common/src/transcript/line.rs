//! One line of a transcript: the JSON objects in it.
//!
//! Nothing here knows what a host means by a line. A line ought to hold one object; after a crash it holds a torn one
//! with the next glued to it, or a run of NULs that the file system left behind. What can be read of it is read.

mod any;
mod json;
mod kind;

use std::io::BufRead as _;

use serde::de::IgnoredAny;

pub use any::{Take, take};
pub use json::{Keys, Loose, Printed, Text, TextOr};
pub use kind::{Kind, is_long_message};

/// Where `needle` first stands in `hay`. `skip_until` searches with the platform's `memchr`, which the iterator
/// adaptors do not.
pub fn find(needle: u8, hay: &[u8]) -> Option<usize> {
    let mut rest = hay;
    let passed = rest.skip_until(needle).ok()?;
    let at = passed.checked_sub(1)?;
    (hay.get(at) == Some(&needle)).then_some(at)
}

/// Whether a line holds more than the object that it begins with.
pub fn is_glued(line: &[u8]) -> bool {
    let points = glue_points(line);
    line.contains(&0)
        || points.iter().any(|point| point.sure)
        // Only the parser knows whether what may be a line's beginning is a value inside another.
        || !points.is_empty() && serde_json::from_slice::<IgnoredAny>(line).is_err()
}

/// The objects of a line that isn't one object, in order.
pub fn objects(line: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let mut found = Vec::new();
    if line.contains(&0) {
        // JSON never holds a raw NUL, so nothing reaches over one.
        for part in line.split(|byte| *byte == 0) {
            unglue(part, &mut found);
        }
    } else {
        unglue(line, &mut found);
    }
    found.into_iter()
}

/// Of the objects that enclose the place where a line is torn, so many are tried. Real ones are a few levels deep.
const TRIED_MAX: usize = 64;

/// Splits `part` where an object begins that nothing in JSON allows to begin there, or that looks like a line.
fn unglue<'a>(part: &'a [u8], found: &mut Vec<&'a [u8]>) {
    let part = part.trim_ascii();
    let mut torn = 0;
    let mut next = 0;
    let first = Point { at: 0, sure: true };
    for point in [first].into_iter().chain(glue_points(part)) {
        if point.at < next || !point.sure && torn > TRIED_MAX {
            continue;
        }
        let Some(rest) = part.get(point.at..) else {
            return;
        };
        let mut stream = serde_json::Deserializer::from_slice(rest).into_iter::<IgnoredAny>();
        let Some(Ok(_)) = stream.next() else {
            // It is torn: go on with the object that was glued to it.
            torn += 1;
            continue;
        };
        next = point.at + stream.byte_offset();
        let behind = part.get(next..).unwrap_or_default().trim_ascii_start();
        // Where the object around it goes on, it is a value. Where the line ends, it is taken for one of its own.
        if point.sure || !matches!(behind.first(), Some(b',' | b'}' | b']')) {
            found.extend(part.get(point.at..next));
        }
    }
}

/// Where a second object may begin.
struct Point {
    at: usize,
    /// It can't be a value of the first. Otherwise it may be one, or follow a line that was torn behind a colon, a comma
    /// or a bracket.
    sure: bool,
}

/// How the hosts' lines begin.
const OPENINGS: [&[u8]; 3] = [b"{\"parentUuid\":", b"{\"type\":", b"{\"timestamp\":"];

/// Where `{"` follows a byte that can't precede an object inside JSON, and where something begins like a line that
/// matters. Within a string the quotes would be escaped.
fn glue_points(part: &[u8]) -> Vec<Point> {
    let mut points = Vec::new();
    let mut from = 1;
    while let Some(at) = part
        .get(from..)
        .and_then(|rest| find(b'{', rest))
        .map(|at| at + from)
    {
        from = at + 1;
        let (before, rest) = part.split_at_checked(at).unwrap_or_default();
        if rest.get(1) != Some(&b'"') {
            continue;
        }
        let sure = !matches!(
            before.trim_ascii_end().last(),
            None | Some(b':' | b',' | b'[')
        );
        let is_line = || {
            OPENINGS.iter().any(|opening| rest.starts_with(opening))
                && matches!(Kind::of(rest), Kind::Claude | Kind::Codex)
        };
        if sure || is_line() {
            points.push(Point { at, sure });
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &[&str]) {
        let found: Vec<_> = objects(line.as_bytes())
            .map(String::from_utf8_lossy)
            .collect();
        assert_eq!(found, expected, "{line:?}");
    }

    #[test]
    fn objects_of_a_damaged_line() {
        check("", &[]);
        check(r#"{"a":1}{"b":2}"#, &[r#"{"a":1}"#, r#"{"b":2}"#]);
        check(r#" {"a":1} 	 {"b":2} "#, &[r#"{"a":1}"#, r#"{"b":2}"#]);
        check(
            "\0\0{\"a\":1}\0\0{\"b\":2}\0",
            &[r#"{"a":1}"#, r#"{"b":2}"#],
        );
        check("\u{feff}{\"a\":1}trailing", &[r#"{"a":1}"#]);
        // The host was killed in the middle of a line, and went on later.
        check(r#"{"a":"tor{"b":2}"#, &[r#"{"b":2}"#]);
        check(r#"{"a":{"x":{"b":2}"#, &[]);
        check(r#"{"a":"x{"b":{"c":"y{"d":4}"#, &[r#"{"d":4}"#]);
        // It may have been killed behind a sign that a value follows; that value is a line.
        for torn in [
            r#"{"type":"#,
            r#"{"type":"assistant","message":{"content":[{"type":"text","#,
            r#"{"timestamp":"t","payload":{"content":["#,
            r#"{"type":"system","content":"one, "#,
        ] {
            let user = r#"{"type":"user","message":{"content":[{"type":"text","text":"Go"}]}}"#;
            check(&format!("{torn}{user}"), &[user]);
            check(&format!("{torn}{user}{user}"), &[user, user]);
            check(&format!("{torn}{user} rubbish"), &[user]);
            check(&format!("{torn}{user},{torn}{user}"), &[user]);
            assert!(is_glued(format!("{torn}{user}").as_bytes()), "{torn}");
        }
        // A value inside a torn line is none.
        check(
            r#"{"type":"progress","data":[{"type":"user","message":{}},{"type":"user","message":{}},"#,
            &[],
        );
        // Within a string nothing begins.
        check(
            r#"{"a":"{\"b\":2}"}{"c":"z{"}"#,
            &[r#"{"a":"{\"b\":2}"}"#, r#"{"c":"z{"}"#],
        );
    }

    #[test]
    fn a_whole_line_is_not_taken_for_a_damaged_one() {
        for line in [
            r#"{"a":[{"b":{"c":1}},{"d":2}]}"#,
            r#"{"a": {"b": 1}, "c": [ {"d":2} ]}"#,
            r#"{"type":"progress","data":{"type":"user","message":{"type":"assistant"}}}"#,
        ] {
            assert!(!is_glued(line.as_bytes()), "{line}");
        }
        assert!(is_glued(br#"{"a":1}{"b":2}"#) && is_glued(b"{\"a\":1}\0"));
    }
}
