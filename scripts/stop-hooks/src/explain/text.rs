//! The turn's text with the words in it that layer 1 found, and without its secrets.

use std::ops::Range;

use common::redact::redact;
use common::signal::{Found, Look};

use super::page::Piece;

/// `text` redacted, with the words found by layer 1 marked where redaction left them in place.
pub fn marked(text: &str, look: &Look) -> Vec<Piece> {
    let redacted = redact(text);
    let mut spans: Vec<_> = found(look)
        .into_iter()
        .filter_map(|found| moved(text, redacted.as_str(), &found.at))
        .collect();
    spans.sort_by_key(|span| (span.start, span.end));
    // Signals may overlap or touch: a reader sees one mark then.
    let mut marks: Vec<Range<usize>> = Vec::new();
    for span in spans {
        match marks.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => marks.push(span),
        }
    }
    let mut pieces = Vec::new();
    let mut done = 0;
    for mark in marks {
        let end = mark.end;
        push(
            &mut pieces,
            redacted.as_str(),
            done..mark.start,
            Piece::Plain,
        );
        push(&mut pieces, redacted.as_str(), mark, Piece::Marked);
        done = end;
    }
    push(
        &mut pieces,
        redacted.as_str(),
        done..redacted.as_str().len(),
        Piece::Plain,
    );
    pieces
}

/// The words that `found` stands for, redacted.
pub fn words(text: &str, found: &Found) -> String {
    let words = text.get(found.at.clone()).unwrap_or_default();
    redact(words).as_str().to_owned()
}

fn found(look: &Look) -> Vec<&Found> {
    match look {
        Look::NoHit => Vec::new(),
        Look::Bypassed { signal, bypass } => vec![signal, bypass],
        Look::Hit { signals } => signals.iter().collect(),
    }
}

/// Where the bytes `at` of `text` are in `redacted`, if they are still there.
fn moved(text: &str, redacted: &str, at: &Range<usize>) -> Option<Range<usize>> {
    let words = text.get(at.clone())?;
    let start = redact(text.get(..at.start)?).as_str().len();
    let span = start..start + words.len();
    (redacted.get(span.clone())? == words).then_some(span)
}

fn push(to: &mut Vec<Piece>, text: &str, span: Range<usize>, piece: fn(String) -> Piece) {
    if let Some(text) = text.get(span).filter(|text| !text.is_empty()) {
        to.push(piece(text.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(spans: &[Range<usize>]) -> Look {
        let signals = spans.iter().cloned().map(|at| Found { id: "x".into(), at });
        Look::Hit {
            signals: signals.collect(),
        }
    }

    #[test]
    fn words_are_marked_where_they_stand() {
        let (plain, mark) = (
            |t: &str| Piece::Plain(t.into()),
            |t: &str| Piece::Marked(t.into()),
        );
        let text = "Done. I will commit now.";
        assert_eq!(marked(text, &Look::NoHit), [plain(text)]);
        assert_eq!(
            marked(text, &hit(&[13..19, 6..12, 8..19])),
            [plain("Done. "), mark("I will commit"), plain(" now.")]
        );
    }

    #[test]
    fn secrets_go_and_the_marks_move_with_the_text() {
        // Made here, so that no token stands in the source.
        let token = format!("ghp_{}", "q8Zt4LmW2c".repeat(4).get(..36).unwrap());
        let text = format!("The token is {token}. I will push.");
        let at = text.find("I will").unwrap();
        assert_eq!(
            marked(&text, &hit(&[at..at + 6, 15..20])),
            [
                Piece::Plain("The token is [REDACTED:github-token]. ".into()),
                Piece::Marked("I will".into()),
                Piece::Plain(" push.".into()),
            ]
        );
    }
}
