//! How much the wording of a text resembles a hook's violation: learned weights over what its sentences hold.
//!
//! A feature is a concept of the vocabulary, two of them in a sentence, one right after the other, one in a sentence and
//! one in the next, or a hashed word, stem, pair or near pair of stems (characters where a script has no spaces). The end
//! of a text is weighed window by window, a few sentences at a time: a long report around one bad sentence would otherwise
//! outweigh it. To each window come the concepts that occur anywhere in the text: a result named at its beginning counts
//! for what is proposed at its end; and how short the text is: "done" alone is not "done" in a report. A window has a
//! feature or not, however often. The weight of each is one signed byte, learned by `examples/train-signals` of the
//! `hooks` package.

use std::mem;
use std::ops::Range;

use super::reading::{Reading, Sentence};
use super::vocabulary::{Concepts, is_spelled, is_unspaced};

/// Only so much of the end of a text is weighed: what a turn comes to stands there.
const WEIGHED_BYTES: usize = 1500;

/// About what a violation and its surroundings take.
const WINDOW_BYTES: usize = 400;

/// About what a violation takes alone. Such a window counts only by what it has over [`Wording::lone_cost`]: one bad
/// sentence may not hide beside much that is harmless.
const LONE_BYTES: usize = 60;

const CONCEPTS: usize = 64;
const PAIRS: usize = CONCEPTS * CONCEPTS;
const LAST: usize = CONCEPTS;
const TOGETHER: usize = LAST + CONCEPTS;
const ADJACENT: usize = TOGETHER + PAIRS;
const NEXT: usize = ADJACENT + PAIRS;
const WORDS: usize = NEXT + PAIRS;
const WORD_BUCKETS: usize = 1 << 14;
const WHOLE: usize = WORDS + WORD_BUCKETS;

/// So much of a longer word stands for all its endings.
const STEM_CHARS: usize = 4;

/// A text of at most 16, 32, 64 or 128 bytes.
const SHORT: usize = WHOLE + CONCEPTS;
const SHORTNESSES: [usize; 4] = [16, 32, 64, 128];

/// How many features there are, and so how many bytes of weights.
pub const FEATURES: usize = SHORT + SHORTNESSES.len();

/// Is it a word or some of them, not a concept? For learning.
pub fn is_of_words(feature: usize) -> bool {
    (WORDS..WHOLE).contains(&feature)
}

/// The learned part of a hook's layer 1.
#[derive(Debug)]
pub struct Wording {
    /// One signed byte for each feature.
    pub weights: &'static [u8; FEATURES],
    /// What each doubling of the text's windows takes off the sum: the more there are, the likelier one looks bad by
    /// chance.
    pub length_cost: i32,
    /// What a sentence alone has to have over one with its surroundings.
    pub lone_cost: i32,
    /// From which sum on a text is a hit, by sensitivity: low, normal, high.
    pub thresholds: [i32; 3],
}

/// What the weights say of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weighed {
    /// The sum of the worst window's weights, less what the length of the text costs.
    pub sum: i32,
    /// The sentence of that window that adds most: an index of [`Reading::sentences`].
    pub strongest: usize,
}

/// Weighs what `reading` says.
pub fn weigh(wording: &Wording, reading: &Reading) -> Weighed {
    let all = weigh_only(wording, reading, |_| true);
    if reading.sentences.iter().any(|s| s.to_judge) {
        // What is said to a judge may not speak for the rest, nor hide in it.
        let rest = weigh_only(wording, reading, |s| !s.to_judge);
        return if rest.sum > all.sum { rest } else { all };
    }
    all
}

fn weigh_only(wording: &Wording, reading: &Reading, keep: impl Fn(&Sentence) -> bool) -> Weighed {
    let lines = lines(reading, &keep);
    let windows_around = windows(&lines, WINDOW_BYTES);
    let whole: i32 = whole(reading, keep).map(|f| wording.weight(f)).sum();
    let length_cost = doublings(windows_around.len(), wording.length_cost) - whole;
    let mut seen = Seen::new();
    let mut worst = |windows, cost| worst(wording, &lines, windows, cost, &mut seen);
    let around = worst(windows_around, length_cost);
    let lone_cost = length_cost + wording.lone_cost;
    let lone = worst(windows(&lines, LONE_BYTES), lone_cost);
    if lone.sum > around.sum { lone } else { around }
}

fn worst(
    wording: &Wording,
    lines: &[Line],
    windows: Vec<Range<usize>>,
    cost: i32,
    seen: &mut Seen,
) -> Weighed {
    let mut worst = Weighed {
        sum: i32::MIN,
        strongest: 0,
    };
    for window in windows {
        let mut sum = -cost;
        let mut strongest = (i32::MIN, 0);
        seen.next_window();
        for (at, line) in lines.get(window).unwrap_or_default().iter().enumerate() {
            let mut gain = 0;
            for feature in line.features(at == 0) {
                if seen.is_new(feature) {
                    gain += wording.weight(feature);
                }
            }
            sum += gain;
            strongest = strongest.max((gain, line.sentence));
        }
        if sum > worst.sum {
            worst = Weighed {
                sum,
                strongest: strongest.1,
            };
        }
    }
    worst
}

/// `cost` for each doubling of `windows`, and in between in proportion.
pub fn doublings(windows: usize, cost: i32) -> i32 {
    let windows = u16::try_from(windows).unwrap_or(u16::MAX).max(1);
    let whole = windows.ilog2();
    let sixteenths = 16 * (whole.cast_signed() - 1) + i32::from(windows) * 16 / (1 << whole);
    cost * sixteenths / 16
}

impl Wording {
    fn weight(&self, feature: usize) -> i32 {
        let weight = self.weights.get(feature).copied().unwrap_or_default();
        i32::from(weight.cast_signed())
    }
}

/// The features of each window of a text; for learning.
#[derive(Debug, Default, Clone)]
pub struct Windows {
    /// With what surrounds a sentence.
    pub around: Vec<Vec<usize>>,
    /// Little more than a sentence.
    pub lone: Vec<Vec<usize>>,
}

/// The features of each window of what `reading` says; for learning.
pub fn features(reading: &Reading) -> Windows {
    let lines = lines(reading, |_| true);
    let mut seen = Seen::new();
    let mut of_window = |window: Range<usize>| {
        seen.next_window();
        let window = lines.get(window).unwrap_or_default().iter().enumerate();
        let all = window.flat_map(|(at, line)| line.features(at == 0));
        let new = all.filter(|feature| seen.is_new(*feature));
        new.chain(whole(reading, |_| true)).collect()
    };
    let mut of_size = |size| {
        windows(&lines, size)
            .into_iter()
            .map(&mut of_window)
            .collect()
    };
    Windows {
        around: of_size(WINDOW_BYTES),
        lone: of_size(LONE_BYTES),
    }
}

/// A sentence as it is weighed.
struct Line {
    sentence: usize,
    bytes: usize,
    /// What it holds.
    own: Vec<usize>,
    /// What it makes with the line before it.
    linked: Vec<usize>,
}

impl Line {
    fn features(&self, is_first: bool) -> impl Iterator<Item = usize> {
        let linked: &[usize] = if is_first { &[] } else { &self.linked };
        self.own.iter().chain(linked).copied()
    }
}

/// The last sentences of a text.
fn lines(reading: &Reading, keep: impl Fn(&Sentence) -> bool) -> Vec<Line> {
    let mut weighed = 0;
    let mut from = reading.sentences.len();
    while from > 0 && weighed < WEIGHED_BYTES {
        from -= 1;
        weighed += reading.sentences.get(from).map_or(0, |s| s.at.len());
    }
    let mut found = Vec::new();
    let mut previous: Option<&Sentence> = None;
    for (index, sentence) in reading.sentences.iter().enumerate().skip(from) {
        if !keep(sentence) {
            continue;
        }
        let is_last = index + 2 >= reading.sentences.len();
        let mut own = Vec::new();
        concepts_of(sentence, is_last, &mut own);
        words_of(reading.words(sentence), &mut own);
        let mut linked = Vec::new();
        for before in previous.iter().flat_map(|s| s.concepts.numbers()) {
            linked.extend(
                sentence
                    .concepts
                    .numbers()
                    .map(|a| NEXT + before * CONCEPTS + a),
            );
        }
        found.push(Line {
            sentence: index,
            bytes: sentence.at.len(),
            own,
            linked,
        });
        previous = Some(sentence);
    }
    found
}

/// What is so of the whole text: what occurs anywhere in it, and whether it is short.
fn whole(reading: &Reading, keep: impl Fn(&Sentence) -> bool) -> impl Iterator<Item = usize> {
    let kept = reading.sentences.iter().filter(|s| keep(s));
    let start = (Concepts::default(), 0);
    let (all, bytes) = kept.fold(start, |(all, bytes), s| {
        (all.and(s.concepts), bytes + reading.words(s).trim().len())
    });
    let short = SHORTNESSES.iter().position(|most| bytes <= *most);
    let concepts = all.numbers().map(|concept| WHOLE + concept);
    concepts.chain(short.map(|at| SHORT + at))
}

/// Which lines are weighed together: at each line the window that ends there, as long as it holds something new.
fn windows(lines: &[Line], size: usize) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for end in (1..=lines.len()).rev() {
        let mut start = end;
        let mut bytes = 0;
        while start > 0 && bytes < size {
            start -= 1;
            bytes += lines.get(start).map_or(0, |line| line.bytes);
        }
        if found.last().is_none_or(|window| window.start != start) {
            found.push(start..end);
        }
        if start == 0 {
            break;
        }
    }
    if found.is_empty() {
        found.push(0..0);
    }
    found
}

fn concepts_of(sentence: &Sentence, is_last: bool, found: &mut Vec<usize>) {
    for a in sentence.concepts.numbers() {
        found.push(a);
        if is_last {
            found.push(LAST + a);
        }
        let rest = sentence.concepts.numbers().skip_while(|b| *b <= a);
        found.extend(rest.map(|b| TOGETHER + a * CONCEPTS + b));
    }
    for pair in sentence.marks.windows(2) {
        if let [first, second] = pair {
            for a in first.concepts.numbers() {
                let after = second.concepts.numbers();
                found.extend(after.map(|b| ADJACENT + a * CONCEPTS + b));
            }
        }
    }
}

fn words_of(text: &str, found: &mut Vec<usize>) {
    let mut bucket = |parts: [u32; 3]| {
        let mixed = parts.iter().fold(0x811c_9dc5, |hash: u32, part| {
            (hash.rotate_left(13) ^ part).wrapping_mul(0x9e37_79b1)
        });
        found.push(WORDS + (mixed >> 18) as usize);
    };
    let mut older = 0;
    let mut before = 0;
    each_word(text, |word| {
        bucket([word.hash, 0, 0]);
        if word.stem != word.hash {
            bucket([word.stem, 0, 2]);
        }
        if before != 0 {
            bucket([before, word.stem, 1]);
        }
        if older != 0 {
            // Three characters are about a word where a script has no spaces; elsewhere the middle word may vary.
            bucket([older, if word.unspaced { before } else { 0 }, word.stem]);
        }
        (older, before) = (before, word.stem);
    });
}

/// A word or telling mark.
struct Word {
    hash: u32,
    /// The hash of its stem; of all of it where it is short.
    stem: u32,
    /// It is one character of an unspaced script.
    unspaced: bool,
}

/// Calls `note` with each word or telling mark.
fn each_word(text: &str, mut note: impl FnMut(Word)) {
    const START: u32 = 0x811c_9dc5;
    let hashed = |hash: u32, c: char| (hash ^ u32::from(c)).wrapping_mul(0x0100_0193);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let mut hash = hashed(START, c);
        let mut stem = hash;
        let mut unspaced = false;
        if is_letter(c) {
            let mut length = 1;
            while let Some(c) = chars.next_if(|c| is_letter(*c)) {
                hash = hashed(hash, c);
                length += 1;
                if length <= STEM_CHARS {
                    stem = hash;
                }
            }
        } else if is_unspaced(c) {
            unspaced = true;
        } else if !matches!(c, '?' | '!' | ':' | '✅' | '`') {
            continue;
        }
        note(Word {
            hash,
            stem,
            unspaced,
        });
    }
}

fn is_letter(c: char) -> bool {
    is_spelled(c) || c == '\''
}

/// Which features a window was met to have, one window after another.
struct Seen {
    /// The last window that had a feature.
    last: Vec<u16>,
    window: u16,
}

impl Seen {
    fn new() -> Self {
        Self {
            last: vec![0; FEATURES],
            window: 0,
        }
    }

    /// Begins with a window that has none yet.
    fn next_window(&mut self) {
        self.window += 1;
    }

    fn is_new(&mut self, feature: usize) -> bool {
        let last = self.last.get_mut(feature);
        last.is_some_and(|last| mem::replace(last, self.window) != self.window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_costs_by_its_length() {
        assert_eq!(
            [1, 2, 3, 4, 8].map(|n| doublings(n, 32)),
            [0, 32, 48, 64, 96]
        );
    }

    #[test]
    fn a_long_text_is_weighed_in_parts() {
        assert_eq!(features(&Reading::of("")).around.len(), 1);
        assert_eq!(features(&Reading::of("Done.")).around.len(), 1);
        let long = "This sentence says nothing of weight at all. ".repeat(40);
        assert!(features(&Reading::of(&long)).around.len() > 10);
    }
}
