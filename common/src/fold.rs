//! Text as a pattern should see it, with the way back to the original bytes.
//!
//! A full-width letter, a soft hyphen or one Cyrillic `о` inside `commit` look like nothing to a reader and break every
//! pattern. Folding undoes what only the look-up needs undone; nothing that is shown, logged or judged is ever folded.
//!
//! It is no Unicode normalisation: precomposed `é` and kana with dakuten stay as they are, and a pattern with an accent
//! should take the bare letter too (`d[ée]ploy`), since decomposed accents are dropped.

use std::ops::Range;

use crate::traced::Traced;

/// A folded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folded(Traced);

impl Folded {
    /// Folds `text`, keeping its case.
    pub fn of(text: &str) -> Self {
        if is_plain(text) {
            return Self(Traced::alike(text.to_owned()));
        }
        Self::build(text, |c| c)
    }

    /// Folds `text` and lowers its case, letter by letter.
    pub fn lowercase(text: &str) -> Self {
        if is_plain(text) {
            return Self(Traced::alike(text.to_ascii_lowercase()));
        }
        Self::build(text, lower)
    }

    fn build(text: &str, case: fn(char) -> char) -> Self {
        let mut folded = Traced::of_len(text.len());
        let mut letters = plain_letters(text);
        unmix_scripts(&mut letters);
        for (c, origin) in letters {
            folded.push(case(c), origin);
        }
        Self(folded)
    }

    /// The folded text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Where the character at byte `at` of the folded text began in the original; the original's length at the end.
    pub fn origin(&self, at: usize) -> usize {
        self.0.origin(at)
    }

    /// The bytes of the original that a match in the folded text covers.
    pub fn original_range(&self, range: &Range<usize>) -> Range<usize> {
        self.0.original_range(range)
    }
}

fn lower(c: char) -> char {
    if c == 'İ' {
        return 'i'; // the only letter whose lower case is two characters
    }
    c.to_lowercase().next().unwrap_or(c)
}

/// Is there nothing to fold but the case?
fn is_plain(text: &str) -> bool {
    text.is_ascii() && !text.contains('&')
}

/// The characters that remain, each with its place in `text`.
fn plain_letters(text: &str) -> Vec<(char, usize)> {
    let mut letters: Vec<(char, usize)> = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let at = text.len() - rest.len();
        let (c, len) = Some(rest)
            .filter(|_| c == '&')
            .and_then(entity)
            .unwrap_or((c, c.len_utf8()));
        rest = rest.get(len..).unwrap_or_default();
        let c = plain(c);
        let after_ascii_letter = letters
            .last()
            .is_some_and(|(last, _)| last.is_ascii_alphanumeric());
        if !(is_invisible(c) || is_combining(c) && after_ascii_letter) {
            letters.push((c, at));
        }
    }
    letters
}

/// The character that the entity at the start of `text` stands for, and the entity's length.
pub(crate) fn entity(text: &str) -> Option<(char, usize)> {
    const LONGEST: usize = 15;
    let end = text.bytes().take(LONGEST + 2).position(|b| b == b';')?;
    let name = text.get(1..end)?;
    let c = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "shy" | "ZeroWidthSpace" => '\u{ad}',
        "hyphen" | "dash" | "minus" => '-',
        "ndash" => '–',
        "mdash" => '—',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((c, end + 1))
}

/// Characters that take no room on a screen: zero-width, joiners, bidi controls, soft hyphen, selectors, tags, fillers.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Marks that are laid over a Latin letter. Kana, Hangul and Indic scripts have their own, which spell words.
fn is_combining(c: char) -> bool {
    matches!(
        c,
        '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{1ab0}'..='\u{1aff}'
            | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}'
    )
}

/// One character in its plain width and style.
fn plain(c: char) -> char {
    match c {
        '\u{ff01}'..='\u{ff5e}' => shifted(c, '\u{ff01}', '!'),
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
            ' '
        }
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2bc}' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{2033}' => '"',
        '\u{2010}' | '\u{2011}' | '\u{2212}' | '\u{fe63}' => '-',
        '\u{24b6}'..='\u{24cf}' => shifted(c, '\u{24b6}', 'A'),
        '\u{24d0}'..='\u{24e9}' => shifted(c, '\u{24d0}', 'a'),
        '\u{1d400}'..='\u{1d6a3}' => {
            // Thirteen styles of the alphabet, capitals first.
            let letter = (u32::from(c) - 0x1d400) % 52;
            let (first, letter) = if letter < 26 {
                (b'A', letter)
            } else {
                (b'a', letter - 26)
            };
            char::from_u32(u32::from(first) + letter).unwrap_or(c)
        }
        '\u{1d7ce}'..='\u{1d7ff}' => {
            char::from_u32(u32::from('0') + (u32::from(c) - 0x1d7ce) % 10).unwrap_or(c)
        }
        _ => c,
    }
}

fn shifted(c: char, from: char, to: char) -> char {
    char::from_u32(u32::from(c) - u32::from(from) + u32::from(to)).unwrap_or(c)
}

/// Spells a word in Latin when it mixes Latin letters with look-alikes and holds nothing else.
///
/// A Russian or Greek word has no Latin letter, and slang like `commitить` has letters that look like no Latin one:
/// both stay.
fn unmix_scripts(letters: &mut [(char, usize)]) {
    for word in letters.chunk_by_mut(|(a, _), (b, _)| a.is_alphanumeric() && b.is_alphanumeric()) {
        let latin = word.iter().any(|(c, _)| c.is_ascii_alphabetic());
        let foreign = word.iter().any(|(c, _)| !c.is_ascii());
        let alike = |c: char| c.is_ascii() || latin_look_alike(c).is_some();
        if latin && foreign && word.iter().all(|(c, _)| alike(*c)) {
            for (c, _) in word {
                *c = latin_look_alike(*c).unwrap_or(*c);
            }
        }
    }
}

/// The Latin letter that a Cyrillic, Greek, Armenian or phonetic one looks like.
pub(crate) fn latin_look_alike(c: char) -> Option<char> {
    Some(match c {
        'а' | 'α' | 'ɑ' => 'a',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ё' | 'є' | 'ε' => 'e',
        'ɡ' | 'ց' => 'g',
        'һ' | 'հ' => 'h',
        'і' | 'ї' | 'ι' | 'ı' => 'i',
        'ј' | 'ϳ' => 'j',
        'к' | 'κ' => 'k',
        'ӏ' | 'ⅼ' => 'l',
        'м' => 'm',
        'п' | 'ո' => 'n',
        'о' | 'ο' | 'օ' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' | 'ս' => 'u',
        'ѵ' | 'ν' => 'v',
        'ԝ' | 'ѡ' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        'А' | 'Α' => 'A',
        'В' | 'Β' => 'B',
        'С' | 'Ϲ' => 'C',
        'Е' | 'Ε' => 'E',
        'Н' | 'Η' => 'H',
        'І' | 'Ӏ' | 'Ι' => 'I',
        'Ј' => 'J',
        'К' | 'Κ' => 'K',
        'М' | 'Μ' => 'M',
        'Ν' => 'N',
        'О' | 'Ο' => 'O',
        'Р' | 'Ρ' => 'P',
        'Ѕ' => 'S',
        'Т' | 'Τ' => 'T',
        'У' | 'Υ' => 'Y',
        'Х' | 'Χ' => 'X',
        'Ζ' => 'Z',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(original: &str, folded: &str) {
        assert_eq!(Folded::of(original).as_str(), folded, "{original:?}");
    }

    #[test]
    fn what_only_looks_different_becomes_plain() {
        check("ｃｏｍｍｉｔ！", "commit!");
        check("a\u{3000}b\u{a0}c", "a b c");
        check("I’ll “push”", "I'll \"push\"");
        check("end‑to‑end", "end-to-end");
        check("com\u{200b}m\u{ad}it\u{202e}", "commit");
        check("c\u{336}o\u{301}mmit", "commit");
        check("𝐜𝐨𝐦𝐦𝐢𝐭 𝟏𝟐 ⓟⓤⓢⓗ", "commit 12 push");
        check(
            "Tom &amp; I&#39;ll &lt;b&gt; &#x70;ush &quot;",
            "Tom & I'll <b> push \"",
        );
    }

    #[test]
    fn an_ampersand_that_begins_no_entity_stays() {
        check("a && b; c &foo; &#xZZ; &;", "a && b; c &foo; &#xZZ; &;");
        check("&amp", "&amp");
        check("&#1114112;é", "&#1114112;é");
    }

    #[test]
    fn words_of_other_scripts_survive() {
        for text in [
            "Я сделаю коммит и запушу",
            "θα κάνω commit τώρα",
            "commitить и pushнуть",
            "git-коммит",
            "が\u{304b}\u{3099}ぱ",
            "\u{1112}\u{1161}\u{11ab}",
            "हिन्दी में",
            "déployer, größer, naïve",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn words_that_mix_scripts_are_spelt_in_latin() {
        check("cоmmit", "commit"); // one Cyrillic letter
        check("рush it", "push it");
        check("dеρlοy", "deploy"); // Cyrillic and Greek
        check("соmmіt сейчас", "commit сейчас");
    }

    #[test]
    fn lowercase_goes_letter_by_letter() {
        assert_eq!(
            Folded::lowercase("COMMIT İt ＰＵＳＨ ÉTÉ ΣΑΣ").as_str(),
            "commit it push été σασ"
        );
        assert_eq!(Folded::lowercase("Plain ASCII").as_str(), "plain ascii");
    }

    #[test]
    fn a_match_is_found_again_in_the_original() {
        let original = "だ。ｃｏm\u{200b}mіt&amp;push!";
        let folded = Folded::of(original);
        let at = folded.as_str().find("commit").unwrap();
        let back = folded.original_range(&(at..at + "commit".len()));
        assert_eq!(original.get(back), Some("ｃｏm\u{200b}mіt"));
        let at = folded.as_str().find("push!").unwrap();
        let back = folded.original_range(&(at..at + "push!".len()));
        assert_eq!(original.get(back), Some("push!"));
    }

    proptest! {
        #[test]
        fn origins_are_ascending_boundaries(text in "(\\PC|[a-z&;#0-9оіс]|\u{301}|\u{200b}|&amp;|&#45;){0,40}") {
            for folded in [Folded::of(&text), Folded::lowercase(&text)] {
                let mut last = 0;
                for (at, _) in folded.as_str().char_indices() {
                    let origin = folded.origin(at);
                    prop_assert!(text.is_char_boundary(origin) && origin < text.len());
                    prop_assert!(at == 0 || origin > last);
                    last = origin;
                }
                prop_assert_eq!(folded.original_range(&(0..folded.as_str().len())).end, text.len());
            }
        }

        #[test]
        fn plain_ascii_is_its_own_folding(text in "[ -%'-~\n]{0,60}") {
            let folded = Folded::of(&text);
            prop_assert_eq!(folded.as_str(), text.as_str());
            prop_assert_eq!(folded.origin(text.len()), text.len());
        }
    }
}
