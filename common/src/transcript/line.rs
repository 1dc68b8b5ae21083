//! One line of a transcript: the JSON objects in it.
//!
//! Nothing here knows what a host means by a line. A line ought to hold one object; after a crash it holds a torn one
//! with the next glued to it, or a run of NULs that the file system left behind. What can be read of it is read.

mod json;
mod kind;

use std::io::BufRead as _;

use serde::de::IgnoredAny;

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
    line.contains(&0) || !glue_points(line).is_empty()
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

/// Splits `part` where an object begins that nothing in JSON allows to begin there.
fn unglue<'a>(part: &'a [u8], found: &mut Vec<&'a [u8]>) {
    let part = part.trim_ascii();
    if part.is_empty() {
        return;
    }
    let mut from = 0;
    let mut starts = glue_points(part).into_iter().peekable();
    loop {
        let Some(rest) = part.get(from..) else { return };
        let mut stream = serde_json::Deserializer::from_slice(rest).into_iter::<IgnoredAny>();
        let end = match stream.next() {
            Some(Ok(_)) => from + stream.byte_offset(),
            // The part is torn: go on with the object that was glued to it.
            Some(Err(_)) | None => from + 1,
        };
        if end > from + 1 {
            found.extend(part.get(from..end));
        }
        while starts.next_if(|start| *start < end).is_some() {}
        match starts.next() {
            Some(start) => from = start,
            None => return,
        }
    }
}

/// Where `{"` follows a byte that can't precede an object inside JSON. Within a string the quote would be escaped.
fn glue_points(part: &[u8]) -> Vec<usize> {
    let mut points = Vec::new();
    let mut from = 1;
    while let Some(at) = part
        .get(from..)
        .and_then(|rest| find(b'{', rest))
        .map(|at| at + from)
    {
        from = at + 1;
        let before = part
            .get(..at)
            .and_then(|before| before.trim_ascii_end().last());
        if part.get(at + 1) == Some(&b'"') && !matches!(before, None | Some(b':' | b',' | b'[')) {
            points.push(at);
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
        ] {
            assert!(!is_glued(line.as_bytes()), "{line}");
        }
        assert!(is_glued(br#"{"a":1}{"b":2}"#) && is_glued(b"{\"a\":1}\0"));
    }
}
