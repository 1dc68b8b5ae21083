//! JSON that says half a UTF-16 pair.
//!
//! Programs that count in UTF-16 cut texts inside an emoji and write what is left as `\ud83d`. That is JSON by its
//! grammar and no text for anybody: a strict parser gives up the whole document for it.

use std::borrow::Cow;

/// `json` with U+FFFD in place of every escape that is half a pair. Nothing else changes.
pub fn mended(json: &[u8]) -> Cow<'_, [u8]> {
    let mut mended = Vec::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(escape) = json
        .get(at..)
        .and_then(|rest| rest.iter().position(|b| *b == b'\\'))
    {
        at += escape;
        match unit(json, at) {
            Some(0xd800..=0xdbff) if matches!(unit(json, at + 6), Some(0xdc00..=0xdfff)) => {
                at += 12;
            }
            Some(0xd800..=0xdfff) => {
                // The escape that takes its place is as long.
                mended.reserve_exact(json.len() - mended.len());
                mended.extend_from_slice(json.get(copied..at).unwrap_or_default());
                mended.extend_from_slice(b"\\ufffd");
                at += 6;
                copied = at;
            }
            Some(_) => at += 6,
            // The character behind a backslash begins no escape, even if it is a backslash.
            None => at += 2,
        }
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    mended.extend_from_slice(json.get(copied..).unwrap_or_default());
    Cow::Owned(mended)
}

/// `json` as text, with U+FFFD in place of what is none: bytes that aren't UTF-8 too. `None`: there is no such place.
pub fn as_text(json: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(json);
    if let Cow::Owned(mended) = mended(text.as_bytes()) {
        return Some(mended);
    }
    match text {
        Cow::Borrowed(_) => None,
        Cow::Owned(text) => Some(text.into_bytes()),
    }
}

/// The UTF-16 unit that the escape at `at` stands for.
fn unit(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = str::from_utf8(digits).ok()?;
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hex
        .then(|| u16::from_str_radix(digits, 16).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: &str) {
        assert_eq!(
            str::from_utf8(&mended(json.as_bytes())),
            Ok(expected),
            "{json}"
        );
        assert!(
            serde_json::from_str::<String>(expected).is_ok(),
            "{expected}"
        );
    }

    #[test]
    fn half_a_pair_becomes_a_replacement_character() {
        check(r#""a\ud83d""#, r#""a\ufffd""#);
        check(r#""\uDE00b""#, r#""\ufffdb""#);
        check(r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#);
        check(r#""\ud83d\n\ude00""#, r#""\ufffd\n\ufffd""#);
        check(r#""\\\ud83d""#, r#""\\\ufffd""#);
    }

    #[test]
    fn all_else_stays() {
        for json in [
            r#""""#,
            r#""\ud83d\ude00é\u00e9""#,
            r#""\\ud83d""#,
            r#""\"\\\\ud83d\t""#,
        ] {
            check(json, json);
        }
        for broken in [r"\u", r"\ud8", r"\u+83d", "\\"] {
            assert_eq!(mended(broken.as_bytes()), broken.as_bytes());
        }
    }
}
