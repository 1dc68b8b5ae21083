//! Layer 1: does the text hold words that look like a hook's violation?
//!
//! Compiling a pattern costs a thousand times more than scanning 4 kB for its literals, so nothing is compiled before
//! one of its literals is found.

use std::ops::Range;

use regex::Regex;

/// A pattern for words that look like a violation.
#[derive(Debug)]
pub struct Signal {
    /// As the log and `stop-hooks explain` name it.
    pub id: &'static str,
    /// One of these occurs, in any case, wherever the pattern matches.
    pub literals: &'static [&'static str],
    /// A regular expression.
    pub pattern: &'static str,
}

/// A pattern for words that settle "allow".
pub type Bypass = Signal;

/// A signal or bypass and where it matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Which one.
    pub id: &'static str,
    /// Its bytes in the text that was looked at.
    pub at: Range<usize>,
}

/// What layer 1 says of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Look {
    /// Nothing looks like a violation.
    NoHit,
    /// Something does, and something else settles it.
    Bypassed {
        /// What looked like a violation.
        signal: Found,
        /// What settled it.
        bypass: Found,
    },
    /// A judge has to read it.
    Hit {
        /// What looked like a violation; never empty.
        signals: Vec<Found>,
    },
}

/// How much layer 1 lets through.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sensitivity {
    /// Few judge calls, more missed.
    Low,
    /// The default.
    #[default]
    Normal,
    /// Few missed, more judge calls.
    High,
}

/// Looks at `text` with the signals and bypasses of `hook`.
pub fn look(hook: &crate::Hook, text: &str, _sensitivity: Sensitivity) -> Look {
    let lower = text.to_lowercase();
    let mut signals = hook.signals.iter().filter_map(|s| s.find(text, &lower));
    let Some(signal) = signals.next() else {
        return Look::NoHit;
    };
    match hook.bypasses.iter().find_map(|b| b.find(text, &lower)) {
        Some(bypass) => Look::Bypassed { signal, bypass },
        None => Look::Hit {
            signals: std::iter::once(signal).chain(signals).collect(),
        },
    }
}

impl Signal {
    fn find(&self, text: &str, lower: &str) -> Option<Found> {
        if !self.literals.iter().any(|l| lower.contains(l)) {
            return None;
        }
        let at = Regex::new(self.pattern).ok()?.find(text)?.range();
        Some(Found { id: self.id, at })
    }
}
