//! The sentence around the words that layer 1 found, for a person to read.

use std::ops::Range;

use common::redact::clean_line;

/// A sentence is cut here.
const MAX_BYTES: usize = 200;

/// The sentence of `text` that holds the bytes `at`, on one line, redacted.
pub fn around(text: &str, at: &Range<usize>) -> String {
    let before = text.get(..at.start).unwrap_or_default();
    let start = before
        .rfind('\n')
        .map_or(0, |end| end + 1)
        .max(end_of_sentence(before));
    let after = text.get(at.end..).unwrap_or_default();
    let ends = |(from, c): (usize, char)| {
        let next = after
            .get(from + c.len_utf8()..)
            .and_then(|rest| rest.chars().next());
        match c {
            '。' | '！' | '？' => Some(from + c.len_utf8()),
            '.' | '!' | '?' if next.is_none_or(char::is_whitespace) => Some(from + 1),
            '\n' => Some(from),
            _ => None,
        }
    };
    let end = after.char_indices().find_map(ends).unwrap_or(after.len());
    let sentence = text.get(start..at.end + end).unwrap_or_default();
    clean_line(sentence.trim(), MAX_BYTES).as_str().to_owned()
}

/// Where the last sentence that ends in `text` ends.
fn end_of_sentence(text: &str) -> usize {
    let mut end = 0;
    let mut previous = None;
    for (at, c) in text.char_indices() {
        match previous {
            Some('。' | '！' | '？') => end = at,
            Some('.' | '!' | '?') if c.is_whitespace() => end = at,
            _ => {}
        }
        previous = Some(c);
    }
    match previous {
        Some('。' | '！' | '？') => text.len(),
        _ => end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, words: &str, expected: &str) {
        let at = text.find(words).unwrap();
        assert_eq!(around(text, &(at..at + words.len())), expected);
    }

    #[test]
    fn it_ends_where_a_reader_sees_it_end() {
        check(
            "Done. I will push v1.2 now. Bye.",
            "will push",
            "I will push v1.2 now.",
        );
        check("- a\n- let's push\n- c", "push", "- let's push");
        check(
            "終わった。これからコミットします。次へ",
            "コミット",
            "これからコミットします。",
        );
        check("push", "push", "push");
        check("a. push", "push", "push");
        check("終わった。push", "push", "push");
    }
}
