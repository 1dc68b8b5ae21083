//! What a reader would take for a region marker, or for a sentence of our frame, however it is spelt.
//!
//! Neither case nor width, style, accents, invisible characters, punctuation, entities nor line breaks make a difference
//! to a reader, so they make none here. Words alone are no marker: dashes or their like have to stand beside them.

use std::ops::Range;

use super::Region;
use crate::fold::{self, Folded};

const VERBS: [&str; 2] = ["begin", "end"];

/// A text as its letters and digits alone, in their plainest form.
pub(super) struct Outline {
    /// Every character, folded, with its bytes in the text.
    chars: Vec<(char, Range<usize>)>,
    letters: String,
    /// For each byte of `letters` its index in `chars`.
    places: Vec<usize>,
}

impl Outline {
    pub(super) fn of(text: &str) -> Self {
        let folded = Folded::lowercase(text);
        let mut outline = Self {
            chars: Vec::with_capacity(text.len()),
            letters: String::with_capacity(text.len()),
            places: Vec::with_capacity(text.len()),
        };
        for (at, c) in folded.as_str().char_indices() {
            let bytes = folded.original_range(&(at..at + c.len_utf8()));
            let c = plainest(c);
            if c.is_alphanumeric() {
                outline.letters.push(c);
                let places = outline.letters.len();
                outline.places.resize(places, outline.chars.len());
            }
            outline.chars.push((c, bytes));
        }
        outline
    }

    /// What looks like one of our markers, in any order of its two words.
    pub(super) fn markers(&self) -> Vec<Range<usize>> {
        let pairs = Region::ALL.map(Region::name).into_iter();
        let pairs = pairs.flat_map(|name| VERBS.map(|verb| (name, verb)));
        let words = pairs.flat_map(|(name, verb)| [[name, verb].concat(), [verb, name].concat()]);
        let named = words.flat_map(|word| {
            let places = self.letters.match_indices(&word);
            let markers = places.filter_map(|(at, _)| self.marker(at, word.len()));
            markers.collect::<Vec<_>>()
        });
        let lines = self
            .chars
            .split(|(c, _)| *c == '\n')
            .filter_map(bare_marker);
        named.chain(lines).collect()
    }

    /// The marker around the words at `at`, when dashes or their like stand beside them.
    fn marker(&self, at: usize, len: usize) -> Option<Range<usize>> {
        let first = *self.places.get(at)?;
        let last = *self.places.get(at + len - 1)?;
        let left = Side::of(self.chars.get(..first)?.iter().rev());
        let right = Side::of(self.chars.get(last + 1..)?.iter());
        if left.glued || right.glued {
            return None;
        }
        let between = last + 1 - first - len;
        let marks = left.weight >= 2
            || right.weight >= 2
            || (left.weight > 0 && right.weight > 0 && between <= 2);
        let words = self.bytes_of(at, len)?;
        let from = left.outermost.map_or(words.start, |dash| dash.start);
        let to = right.outermost.map_or(words.end, |dash| dash.end);
        marks.then_some(from..to)
    }

    /// Our own sentences, copied to look like a part of the frame.
    pub(super) fn frame_sentences(&self) -> Vec<Range<usize>> {
        const SENTENCE_MIN_LETTERS: usize = 25;
        let sentences = super::FRAME_SENTENCES.iter();
        let sentences = sentences.flat_map(|text| text.split(['.', ':', ';']));
        let outlines = sentences.map(|sentence| Self::of(sentence).letters);
        let outlines = outlines.filter(|letters| letters.len() >= SENTENCE_MIN_LETTERS);
        let copies = outlines.flat_map(|sentence| {
            let places = self.letters.match_indices(&sentence);
            let copies = places.filter_map(|(at, _)| self.bytes_of(at, sentence.len()));
            copies.collect::<Vec<_>>()
        });
        copies.collect()
    }

    /// The bytes of the text from the first to the last of `len` bytes of letters.
    fn bytes_of(&self, at: usize, len: usize) -> Option<Range<usize>> {
        let first = self.chars.get(*self.places.get(at)?)?;
        let last = self.chars.get(*self.places.get(at + len - 1)?)?;
        Some(first.1.start..last.1.end)
    }
}

/// A line that is nothing but a marker, of whatever region: `--- xxtext-end ---`.
fn bare_marker(line: &[(char, Range<usize>)]) -> Option<Range<usize>> {
    const NAME_MAX_LETTERS: usize = 40;
    let first = line.iter().position(|(c, _)| !c.is_whitespace())?;
    let last = line.iter().rposition(|(c, _)| !c.is_whitespace())?;
    let line = line.get(first..=last)?;
    let letters = line.iter().map(|(c, _)| *c).filter(|c| c.is_alphanumeric());
    let letters: String = letters.collect();
    let dashed = |side: Side<'_>| side.weight >= 2;
    let is_marker = letters.len() <= NAME_MAX_LETTERS
        && VERBS
            .iter()
            .any(|verb| letters.len() > verb.len() && letters.ends_with(verb))
        && dashed(Side::of(line.iter()))
        && dashed(Side::of(line.iter().rev()));
    is_marker.then_some(line.first()?.1.start..line.last()?.1.end)
}

/// What stands on one side of a marker's words.
struct Side<'a> {
    /// A letter stands right beside them: they are a part of a longer word.
    glued: bool,
    /// How much it looks like the dashes of a marker; 2 is enough.
    weight: usize,
    outermost: Option<&'a Range<usize>>,
}

impl<'a> Side<'a> {
    fn of(outward: impl Iterator<Item = &'a (char, Range<usize>)>) -> Self {
        let mut side = Self {
            glued: false,
            weight: 0,
            outermost: None,
        };
        let mut room = 12;
        let mut outward = outward.take(200).enumerate().peekable();
        while let Some((i, (c, bytes))) = outward.next() {
            let weight = weight(*c);
            // An arrow that follows is no dash: behind it stands what came of a command.
            if *c == '=' && outward.peek().is_some_and(|(_, (next, _))| *next == '>') {
                break;
            }
            if weight == 0 && c.is_alphanumeric() {
                side.glued = i == 0;
                break;
            }
            if room == 0 {
                break;
            }
            room -= usize::from(!c.is_whitespace());
            if weight > 0 {
                side.weight += weight;
                side.outermost = Some(bytes);
            }
        }
        side
    }
}

fn weight(c: char) -> usize {
    match c {
        '-' | '_' | '~' | '=' | '*' | '#' | '·' | '•' | '⁃' | '˗' | '֊' | '﹘' | '‒' | '⎯'
        | '─' | '━' | '┄' | '┅' | '╌' | '═' | 'ー' | 'ｰ' | 'ㅡ' | '一' | '➖' => {
            1
        }
        '–' | '−' => 2,
        '—' | '―' | '⸺' | '⸻' | '﹣' => 3,
        _ => 0,
    }
}

/// The letter that a reader sees.
fn plainest(c: char) -> char {
    const ACCENTED: &[(char, &str)] = &[
        ('a', "àáâãäåāăąǎạả"),
        ('b', "ḃḅ"),
        ('c', "çćĉċč"),
        ('d', "ďđḍ"),
        ('e', "èéêëēĕėęěẹẻẽ"),
        ('g', "ĝğġģ"),
        ('i', "ìíîïĩīĭįǐịỉ"),
        ('l', "ĺļľŀł"),
        ('m', "ḿṁṃ"),
        ('n', "ñńņňŉ"),
        ('o', "òóôõöøōŏőǒọỏ"),
        ('r', "ŕŗř"),
        ('s', "śŝşšſ"),
        ('t', "ţťŧțṭ"),
        ('u', "ùúûüũūŭůűųụủ"),
        ('v', "ṽṿ"),
        ('x', "ẋẍ×"),
        ('y', "ýÿŷỳỵ"),
    ];
    const SMALL_CAPITALS: &str = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡ🅧ʏᴢ";
    const RAISED: &str = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ𐞥ʳˢᵗᵘᵛʷˣʸᶻ";
    if c.is_ascii() {
        return c;
    }
    let nth = |i: u32| char::from_u32(u32::from('a') + i).unwrap_or(c);
    let code = u32::from(c);
    match c {
        '\u{249c}'..='\u{24b5}' => return nth(code - 0x249c),
        '\u{1f130}'..='\u{1f149}' => return nth(code - 0x1f130),
        '\u{1f150}'..='\u{1f169}' => return nth(code - 0x1f150),
        '\u{1f170}'..='\u{1f189}' => return nth(code - 0x1f170),
        '\u{1f1e6}'..='\u{1f1ff}' => return nth(code - 0x1f1e6),
        _ => {}
    }
    if let Some(latin) = fold::latin_look_alike(c) {
        return latin;
    }
    if let Some((bare, _)) = ACCENTED.iter().find(|(_, all)| all.contains(c)) {
        return *bare;
    }
    let alphabets = [SMALL_CAPITALS, RAISED];
    let place = alphabets
        .iter()
        .find_map(|a| a.chars().position(|x| x == c));
    place.and_then(|i| u32::try_from(i).ok()).map_or(c, nth)
}
