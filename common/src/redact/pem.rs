//! Private keys in PEM armour: whole, without their end, or without their beginning.
//!
//! Lines may be quoted (`> `), added in a diff (`+`), or string literals in code. A header alone, as in a regex or in
//! `startsWith("-----BEGIN PRIVATE KEY-----")`, is no key.

use std::ops::Range;

use super::Found;
use super::shape;

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const LABEL_MAX_BYTES: usize = 40;
/// A full line of base64 has 64, 70 or 76 characters; a word of this length has not only its letters.
const LINE_MIN_BYTES: usize = 24;
/// Less than that tells nothing of the key.
const BODY_MIN_BYTES: usize = 16;

/// All private keys in `view`, by their bytes there.
pub(super) fn find(view: &str, found: &mut Vec<Found>) {
    let mut done = 0;
    while let Some(key) = next(view, done) {
        done = key.end;
        found.push(Found {
            kind: "private-key",
            specific: true,
            at: key,
        });
    }
}

fn next(view: &str, from: usize) -> Option<Range<usize>> {
    let rest = view.get(from..)?;
    let mut armours = rest.match_indices("-----").map(|(at, _)| from + at);
    armours.find_map(|at| key_at(view, from, at))
}

/// The key whose first line, or for want of one whose last, begins at `at`.
fn key_at(view: &str, from: usize, at: usize) -> Option<Range<usize>> {
    if let Some(header) = armour(view.get(at..)?, BEGIN) {
        let body = at + header;
        let len = body_after(view.get(body..)?)?;
        return Some(at..body + len);
    }
    let footer = armour(view.get(at..)?, END)?;
    let body = body_before(view.get(from..at)?)?;
    Some(from + body..at + footer)
}

/// The length of `-----BEGIN … PRIVATE KEY…-----` at the start of `text`.
fn armour(text: &str, word: &str) -> Option<usize> {
    let label = text.strip_prefix(word)?;
    let len = label.find("-----").filter(|len| *len <= LABEL_MAX_BYTES)?;
    let private = label.get(..len)?.contains("PRIVATE KEY");
    private.then_some(word.len() + len + "-----".len())
}

/// How far the body behind a header goes: to its footer, or else to its last line of base64.
fn body_after(text: &str) -> Option<usize> {
    let footer = text
        .match_indices(END)
        .find_map(|(at, _)| Some((at, armour(text.get(at..)?, END)?)));
    if let Some((body, footer)) = footer {
        let lines = text.get(..body)?.lines().map(bare);
        let inside = |line: &str| is_header(line) || line.split_whitespace().all(is_base64);
        if lines.clone().all(inside) {
            let len: usize = lines.map(str::len).sum();
            return (len >= BODY_MIN_BYTES).then_some(body + footer);
        }
    }
    let mut at = 0;
    let mut end = 0;
    let mut base64 = 0;
    for line in text.split_inclusive('\n') {
        let inside = bare(line);
        let last = at + line.len() == text.len();
        let full = inside.len() >= LINE_MIN_BYTES || inside.starts_with('=');
        if inside.is_empty() || is_header(inside) {
            at += line.len();
            continue;
        }
        if !is_base64(inside) || !(full || last || !shape::is_wordy(inside)) {
            break;
        }
        base64 += inside.len();
        end = at + line.find(inside)? + inside.len();
        at += line.len();
    }
    (base64 >= BODY_MIN_BYTES).then_some(end)
}

/// Where the body before a footer begins.
fn body_before(text: &str) -> Option<usize> {
    let mut begin = text.len();
    let mut base64 = 0;
    let mut at = text.len();
    for line in text.split_inclusive('\n').rev() {
        at -= line.len();
        let inside = bare(line);
        if inside.is_empty() {
            continue;
        }
        let is_near_the_end = base64 < LINE_MIN_BYTES;
        if !is_base64(inside) || !(is_near_the_end || inside.len() >= LINE_MIN_BYTES) {
            break;
        }
        base64 += inside.len();
        begin = at + line.find(inside)?;
    }
    (base64 >= BODY_MIN_BYTES).then_some(begin)
}

/// A line without quote marks, diff marks and the syntax of string literals around it.
fn bare(line: &str) -> &str {
    let marks = |c: char| c.is_whitespace() || ">|\"'`,;\\*".contains(c);
    let line = line.trim_matches(marks);
    let line = line.strip_prefix(['+', '-']).unwrap_or(line);
    line.trim_end_matches('+').trim_matches(marks)
}

fn is_base64(text: &str) -> bool {
    text.bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(&b))
}

/// `Proc-Type: 4,ENCRYPTED`, `DEK-Info: …`, `Version: …`
fn is_header(line: &str) -> bool {
    ["Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Hash:"]
        .iter()
        .any(|name| line.starts_with(name))
}
