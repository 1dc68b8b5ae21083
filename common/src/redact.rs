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
mod line;
mod pem;
mod query;
mod shape;
#[cfg(test)]
mod tests;
mod tokens;
pub(crate) mod view;

pub use line::clean_line;

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
    /// It shows by itself what it is: this names it better than its place does.
    specific: bool,
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
            at: view.original_range(&hit.at),
            ..hit
        }));
    }
    replace(text, merge(found))
}

/// Hits that overlap or touch become one.
fn merge(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|hit| (hit.at.start, std::cmp::Reverse(hit.at.end)));
    let mut merged: Vec<Found> = Vec::with_capacity(found.len());
    for hit in found {
        match merged.last_mut() {
            Some(last) if hit.at.start <= last.at.end => {
                last.at.end = last.at.end.max(hit.at.end);
                if hit.specific && !last.specific {
                    (last.kind, last.specific) = (hit.kind, true);
                }
            }
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
    for Found { kind, at, .. } in secrets {
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
