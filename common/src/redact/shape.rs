//! Does a candidate look drawn at random, or made up by a person?
//!
//! A format alone is not enough: documentation is full of `ghp_xxxx…`, `your-token-here` and identifiers that begin like
//! a token. Checksums are not verified: a wrong one would cost a leak, a right one gains nothing.

/// Words that only a placeholder holds. Compared without case.
const PLACEHOLDERS: &[&str] = &[
    "xxxx",
    "your",
    "example",
    "placeholder",
    "redacted",
    "changeme",
    "change-me",
    "change_me",
    "goeshere",
    "dummy",
    "insert",
    "replace",
    "0000000",
    "1234567",
    "abcdefg",
    "****",
    "...",
    "<",
    "…",
];

/// A random string this long may hold a short word by chance, and nobody types a placeholder this long.
const PLACEHOLDER_MAX_BYTES: usize = 100;

/// A stand-in that somebody typed: `xxxx…`, `your-key-here`, `AKIAIOSFODNN7EXAMPLE`.
pub(super) fn is_placeholder(body: &str) -> bool {
    if distinct(body) < 5 || has_run(body) {
        return true;
    }
    let lower = body.to_ascii_lowercase();
    body.len() <= PLACEHOLDER_MAX_BYTES && PLACEHOLDERS.iter().any(|word| lower.contains(word))
}

/// One character eight times in a row: a filler of any length.
fn has_run(body: &str) -> bool {
    let same = |run: &[u8]| run.len() >= 8;
    body.as_bytes().chunk_by(|a, b| a == b).any(same)
}

/// How many different characters there are.
fn distinct(body: &str) -> u32 {
    let seen = body.bytes().fold(0_u128, |seen, b| seen | 1 << (b & 127));
    seen.count_ones()
}

/// Has both letters and digits and no run of words: `k3Jd9…`, not `rotation_policy` or `sha256-sum`.
pub(super) fn is_random(body: &str) -> bool {
    let digits = body.bytes().filter(u8::is_ascii_digit).count();
    let letters = body.bytes().filter(u8::is_ascii_alphabetic).count();
    digits > 0 && letters > 0 && distinct(body) >= 6 && !is_wordy(body)
}

/// Many letters of both cases: what a random string without a digit looks like.
pub(super) fn is_mixed_case(body: &str) -> bool {
    let upper = body.bytes().filter(u8::is_ascii_uppercase).count();
    let lower = body.bytes().filter(u8::is_ascii_lowercase).count();
    upper >= 5 && lower >= 5 && distinct(body) >= 10 && !is_camel(body)
}

/// Words joined by punctuation, each with a short number behind it at most: `oauth2-token_v3`, `2026-10-03`.
pub(super) fn is_wordy(body: &str) -> bool {
    body.split(|c: char| !c.is_ascii_alphanumeric())
        .all(|part| {
            let word = part.trim_end_matches(|c: char| c.is_ascii_digit());
            let number = part.len() - word.len();
            let lower_tail = |w: &str| w.chars().skip(1).all(|c| c.is_ascii_lowercase());
            let upper = word.chars().all(|c| c.is_ascii_uppercase());
            (word.is_empty() && number <= 8) || (number <= 5 && (upper || lower_tail(word)))
        })
}

/// `getNextToken`: letters alone, in humps that are words.
pub(super) fn is_camel(body: &str) -> bool {
    let humps = body.bytes().filter(u8::is_ascii_uppercase).count() + 1;
    body.bytes().all(|b| b.is_ascii_alphabetic()) && body.len() / humps >= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_are_told_from_random_strings() {
        for stand_in in [
            "xxxxxxxxxxxxxxxx",
            "YOUR_API_KEY",
            "IOSFODNN7EXAMPLE",
            "0000000000",
            "sk_test_...",
        ] {
            assert!(is_placeholder(stand_in), "{stand_in}");
        }
        for body in ["q8Zt4LmW2c", "d41d8cd98f"] {
            assert!(!is_placeholder(body), "{body}");
        }
    }

    #[test]
    fn words_with_numbers_are_not_random() {
        for words in [
            "rotation_policy",
            "oauth2-token_v3",
            "sha256",
            "2026-10-03",
            "Llama-3.1",
            "HTTP2",
        ] {
            assert!(!is_random(words), "{words}");
        }
        for body in ["q8Zt4LmW2c", "a1b2c3d4e5", "7fK-x9_Lp2"] {
            assert!(is_random(body), "{body}");
        }
    }
}
