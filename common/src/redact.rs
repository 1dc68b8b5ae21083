//! Secrets out of a text, before anything leaves this process.
//!
//! Whatever reaches a judge, a log or the agent is [`Redacted`], and [`redact`] is the only way to one:
//!
//! ```compile_fail
//! let skipped = common::redact::Redacted { text: String::from("raw"), markers: vec![] };
//! ```
//!
//! ```compile_fail
//! let skipped: common::redact::Redacted = "raw".into();
//! ```
//!
//! ```
//! assert_eq!(common::redact::redact("nothing to hide").as_str(), "nothing to hide");
//! ```
//!
//! A secret becomes `[REDACTED:kind]`: the judge can still tell that a GitHub token was printed, and nothing of the
//! token, not even its length, is left. Not tried: to find a password in plain prose, or a secret without a known
//! format in a place that names nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

mod contexts;
mod joint;
mod pem;
mod shape;
mod tokens;
pub(crate) mod view;

/// A text without secrets.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Redacted {
    text: String,
    /// Where our markers stand, in ascending order.
    markers: Vec<Marker>,
}

#[derive(Clone, PartialEq, Eq)]
struct Marker {
    kind: &'static str,
    at: Range<usize>,
}

/// A secret and its bytes.
struct Found {
    kind: &'static str,
    at: Range<usize>,
}

/// Takes the secrets out of `text`; where there is none, not a byte changes.
pub fn redact(text: &str) -> Redacted {
    let mut found = Vec::new();
    let decoded = view::decoded(text);
    for view in [Some(view::visible(text)), decoded].into_iter().flatten() {
        let mut seen = Vec::new();
        tokens::find(view.as_str(), &mut seen);
        pem::find(view.as_str(), &mut seen);
        contexts::find(view.as_str(), &mut seen);
        found.extend(seen.into_iter().map(|hit| Found {
            kind: hit.kind,
            at: view.original_range(&hit.at),
        }));
    }
    replace(text, merge(found))
}

/// A reason or an error message as it may stand in the log and before the agent: one line, redacted before it is cut at
/// `max_bytes`. Control characters go, and terminal sequences go whole.
pub fn clean_line(text: &str, max_bytes: usize) -> Redacted {
    /// Read beyond the cut, so that a secret across it is seen whole.
    const MARGIN_BYTES: usize = 8192;

    let mut plain = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters
        .next()
        .filter(|_| plain.len() < max_bytes + MARGIN_BYTES)
    {
        if letter == '\u{1b}' && letters.next_if_eq(&'[').is_some() {
            // A control sequence ends with its first byte from `@` to `~`.
            let _ = letters.by_ref().find(|c| ('@'..='~').contains(c));
        } else if letter.is_whitespace() {
            plain.push(' ');
        } else if !letter.is_control() {
            plain.push(letter);
        }
    }
    let words: Vec<&str> = plain.split(' ').filter(|word| !word.is_empty()).collect();
    redact(&words.join(" ")).head(max_bytes)
}

/// Hits that overlap or touch become one; the first to begin, then the longest, names it.
fn merge(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|hit| (hit.at.start, std::cmp::Reverse(hit.at.end)));
    let mut merged: Vec<Found> = Vec::with_capacity(found.len());
    for hit in found {
        match merged.last_mut() {
            Some(last) if hit.at.start <= last.at.end => last.at.end = last.at.end.max(hit.at.end),
            _ => merged.push(hit),
        }
    }
    merged
}

fn replace(text: &str, secrets: Vec<Found>) -> Redacted {
    let mut redacted = Redacted {
        text: String::with_capacity(text.len()),
        markers: Vec::with_capacity(secrets.len()),
    };
    let mut done = 0;
    for Found { kind, at } in secrets {
        redacted.text += text.get(done..at.start).unwrap_or_default();
        let start = redacted.text.len();
        redacted.text.extend(["[REDACTED:", kind, "]"]);
        redacted.markers.push(Marker {
            kind,
            at: start..redacted.text.len(),
        });
        done = at.end;
    }
    redacted.text += text.get(done..).unwrap_or_default();
    redacted
}

impl Redacted {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// How many secrets of each kind are left out of this very text.
    pub fn counts(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for marker in &self.markers {
            *counts.entry(marker.kind).or_default() += 1;
        }
        counts
    }

    /// The last `max_bytes` at most: less where the cut would split a character or a marker.
    #[must_use]
    pub fn tail(&self, max_bytes: usize) -> Self {
        let mut start = self.text.len().saturating_sub(max_bytes);
        while !self.text.is_char_boundary(start) {
            start += 1;
        }
        if let Some(cut) = self.marker_around(start) {
            start = cut.end;
        }
        self.part(start..self.text.len())
    }

    /// The first `max_bytes` at most: less where the cut would split a character or a marker.
    #[must_use]
    pub fn head(&self, max_bytes: usize) -> Self {
        let mut end = max_bytes.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        if let Some(cut) = self.marker_around(end) {
            end = cut.start;
        }
        self.part(0..end)
    }

    fn marker_around(&self, at: usize) -> Option<Range<usize>> {
        let inside = |m: &&Marker| m.at.start < at && at < m.at.end;
        self.markers.iter().find(inside).map(|m| m.at.clone())
    }

    fn part(&self, range: Range<usize>) -> Self {
        let markers = self
            .markers
            .iter()
            .filter(|m| range.start <= m.at.start && m.at.end <= range.end)
            .map(|m| Marker {
                kind: m.kind,
                at: m.at.start - range.start..m.at.end - range.start,
            });
        Self {
            markers: markers.collect(),
            text: self.text.get(range.clone()).unwrap_or_default().to_owned(),
        }
    }
}

impl fmt::Display for Redacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Redacted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redacted({:?})", self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Made here so that no token stands in the source.
    fn fake(start: &str, len: usize) -> String {
        const LETTERS: &[u8] = b"q8Zt4LmW2cR7vK9xB3nD5hJ6sF1pG0yT";
        let body = (0..len).map(|i| char::from(LETTERS[(i * 7 + i / 32) % 32]));
        body.fold(start.to_owned(), |token, c| {
            token + c.encode_utf8(&mut [0; 4])
        })
    }

    #[track_caller]
    fn check(text: &str, redacted: &str) {
        assert_eq!(redact(text).as_str(), redacted, "{text:?}");
    }

    #[test]
    fn a_line_is_cleaned_before_it_is_cut() {
        let token = fake("ghp_", 36);
        let line = clean_line(
            &format!("\u{1b}[31mno\u{1b}[0m\n\tfile\0: {token}\u{85}x"),
            200,
        );
        assert_eq!(line.as_str(), "no file: [REDACTED:github-token] x");
        assert_eq!(clean_line(&"é ".repeat(1 << 20), 4).as_str(), "é ");
        assert_eq!(clean_line(&format!("abc {token}"), 8).as_str(), "abc ");
    }

    #[test]
    fn tokens_go_wherever_they_stand() {
        let token = fake("ghp_", 36);
        for (before, after) in [
            ("", ""),
            ("the token is ", "."),
            ("キーは", "です。"),
            ("**", "**"),
            ("{\"out\":\"a\\n", "\\nexit 0\"}"),
            ("?state%3D", "%26next=1"),
        ] {
            check(
                &format!("{before}{token}{after}"),
                &format!("{before}[REDACTED:github-token]{after}"),
            );
        }
    }

    #[test]
    fn cuts_spare_characters_and_markers() {
        let redacted = redact(&format!("é {} ü", fake("ghp_", 36)));
        assert_eq!(redacted.as_str(), "é [REDACTED:github-token] ü");
        assert_eq!(redacted.head(1).as_str(), "");
        assert_eq!(redacted.head(10).as_str(), "é ");
        assert_eq!(redacted.head(26).as_str(), "é [REDACTED:github-token]");
        assert_eq!(redacted.tail(1).as_str(), "");
        assert_eq!(redacted.tail(10).as_str(), " ü");
        assert_eq!(redacted.tail(26).counts()["github-token"], 1);
        assert!(redacted.tail(25).counts().is_empty());
    }
}
