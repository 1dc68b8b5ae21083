//! A regular expression that looks at lower-case letters on both sides.
//!
//! `regex` can do it itself, at 150 kB of tables in each hook; nothing but the user's own rules needs it.

use std::borrow::Cow;
use std::ops::Range;

use regex::Regex;

/// A pattern, compiled in lower case.
#[derive(Debug)]
pub struct Caseless(Regex);

impl Caseless {
    /// Compiles `pattern`; fails as `regex` does.
    pub fn new(pattern: &str) -> Result<Self, regex::Error> {
        Regex::new(&lower_pattern(pattern)).map(Self)
    }

    /// Where it first matches, in bytes of `text`.
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        let lower: Cow<str> = if text.chars().any(|c| lower(c) != c) {
            text.chars().map(lower).collect()
        } else {
            text.into()
        };
        let found = self.0.find(&lower)?.range();
        // Character for character the same, but the one or other is longer in lower case.
        let origin = |end: usize| -> usize {
            let before = lower.get(..end).unwrap_or_default().chars().count();
            text.chars().take(before).map(char::len_utf8).sum()
        };
        Some(origin(found.start)..origin(found.end))
    }
}

/// `c` in lower case, where that is one character.
fn lower(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

/// `pattern` with its letters in lower case, but for those that mean something: after a backslash, and in the head of a group.
fn lower_pattern(pattern: &str) -> String {
    let mut lowered = String::new();
    let mut rest = pattern;
    let mut class = 0_usize;
    while let Some(c) = rest.chars().next() {
        let kept = match c {
            '\\' => escape(rest),
            '(' if class == 0 && rest.starts_with("(?") => {
                if let Some((head, after)) = without_case(rest) {
                    lowered.push_str(&head);
                    rest = after;
                    continue;
                }
                rest.find([':', '>', ')']).unwrap_or(rest.len())
            }
            _ => 0,
        };
        let (kept, after) = rest.split_at(kept);
        lowered.push_str(kept);
        rest = after;
        if kept.is_empty() {
            match c {
                '[' => class += 1,
                ']' => class = class.saturating_sub(1),
                _ => {}
            }
            lowered.push(lower(c));
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
    }
    lowered
}

/// The head of a group of flags that `text` begins with, `(?im:` or `(?i)`, without the flag for the case, and what
/// follows it: there is only one case here. `None` where it names no case.
fn without_case(text: &str) -> Option<(String, &str)> {
    let behind = text.strip_prefix("(?")?;
    let end = behind.find(|c: char| !c.is_ascii_alphabetic() && c != '-')?;
    let (flags, after) = behind.split_at(end);
    let flags = flags.contains('i').then(|| flags.replace('i', ""))?;
    let flags = flags.strip_suffix('-').unwrap_or(&flags);
    match (after.strip_prefix(':'), after.strip_prefix(')')) {
        (Some(after), _) => Some((format!("(?{flags}:"), after)),
        (_, Some(after)) if flags.is_empty() => Some((String::new(), after)),
        (_, Some(after)) => Some((format!("(?{flags})"), after)),
        _ => None,
    }
}

/// How many bytes the escape takes that `text` begins with: `\S`, `\x41`, `\p{Greek}`.
fn escape(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    let Some((at, escaped)) = chars.next() else {
        return text.len();
    };
    let braced = chars.next().is_some_and(|(_, c)| c == '{') && "pPxuUb".contains(escaped);
    let close = braced.then(|| text.find('}')).flatten();
    close.map_or(at + escaped.len_utf8(), |close| close + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_makes_no_difference() {
        for (pattern, text, expected) in [
            ("ship it", "so: SHIP it", Some("SHIP it")),
            ("SHIP [I-T]+", "so: ship it", Some("ship it")),
            ("ДАЛЕЕ", "и далее", Some("далее")),
            ("é$", "ÇA Y EST, ARRÊTÉ", Some("É")),
            // Longer in lower case than in upper case.
            ("done", "\u{23A}\u{23A} DONE", Some("DONE")),
            ("\\u{130}", "\u{130}", Some("\u{130}")),
            // What isn't a letter to match stays as it is.
            (r"\Snow\S", "x now y", None),
            (r"\Snow\S", "xNOWy", Some("xNOWy")),
            (r"\D\W", "a-", Some("a-")),
            (r"\x41", "A", None),
            (r"(?P<Name>A)(?-U)b", "AB", Some("AB")),
            (r"(?:A|B)c", "bC", Some("bC")),
            (r"\b{start}A", "a", Some("a")),
            ("(?i)Ship", "SHIP", Some("SHIP")),
            ("(?i:A)b", "aB", Some("aB")),
            ("(?-i)A(?m-i:b$)", "ab\n", Some("ab")),
            ("(?si)A.B", "a\nb", Some("a\nb")),
            ("(?s-i)A.B(?ix) c", "a\nbC", Some("a\nbC")),
            (r"(?<Tip>I)\(?i\)", "i(i)", Some("i(i)")),
            ("a[(?i)]", "a?", Some("a?")),
        ] {
            let found = Caseless::new(pattern).unwrap().find(text);
            assert_eq!(found.and_then(|at| text.get(at)), expected, "{pattern}");
        }
        for bad in ["(", "\\", "(?", "(?i", "(?i:", "(?iq)", "(?=i)", "\\p{"] {
            assert!(Caseless::new(bad).is_err(), "{bad}");
        }
    }
}
