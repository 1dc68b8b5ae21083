//! Layer 1: does the end of a turn look like a hook's violation?
//!
//! A text is read once ([`reading`]): folded, without what is only mentioned, cut into sentences, the words of the
//! [`vocabulary`] marked. Over that reading stand two views. *Signals* are readable patterns: an action after words of
//! intent, a stop beside open work. They name what was found. *Wording* ([`mod@wording`]) is learned: weights over what the
//! sentences hold. Its sum decides, by [`Sensitivity`], whether a judge is woken. *Bypasses* are readable patterns too
//! and settle "allow" without a judge.
//!
//! Nothing is compiled at run time but the few patterns that are regular expressions, each only when one of its literals
//! occurs: compiling costs a thousand times more than looking a word up.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use regex::Regex;

use crate::transcript::Turn;

pub mod reading;
pub mod vocabulary;
pub mod wording;

use reading::{Reading, Sentence};
use vocabulary::{Concept, Concepts};
use wording::Weighed;

/// How much of a text's end is looked at.
const LOOKED_AT_BYTES: usize = 4000;

/// A pattern for words that look like a violation, with an example on either side of it.
#[derive(Debug)]
pub struct Signal {
    /// As the log and `stop-hooks explain` name it.
    pub id: &'static str,
    /// What has to be there.
    pub when: Pattern,
    /// Words that, in the same sentence, make it mean something else.
    pub unless: &'static [Concept],
    /// A text that it matches.
    pub matches: &'static str,
    /// A text near to it that it does not match.
    pub passes: &'static str,
}

/// A pattern for words that settle "allow".
pub type Bypass = Signal;

/// Where words stand to each other.
#[derive(Debug)]
pub enum Pattern {
    /// One of each group, in this order, in one sentence.
    Sequence(&'static [&'static [Concept]]),
    /// One of each group in one sentence.
    Together(&'static [&'static [Concept]]),
    /// One of the first group in a sentence, and none of the second in a later one.
    Lastly(&'static [Concept], &'static [Concept]),
    /// One of the first group in a sentence, one of the second in it or in the next or the one before.
    Beside(&'static [Concept], &'static [Concept]),
    /// A regular expression over one lower-case sentence, tried when one of the literals occurs in it.
    Regex {
        /// Every match holds one of them.
        literals: &'static [&'static str],
        /// In the syntax of the `regex` crate.
        pattern: &'static str,
    },
}

impl Pattern {
    /// Can it match where no concepts but these occur?
    fn may_match(&self, concepts: Concepts) -> bool {
        let occurs = |group: &[Concept]| concepts.meets(Concepts::of(group));
        match self {
            Self::Sequence(groups) | Self::Together(groups) => groups.iter().all(|g| occurs(g)),
            Self::Lastly(wanted, _) => occurs(wanted),
            Self::Beside(first, second) => occurs(first) && occurs(second),
            Self::Regex { .. } => true,
        }
    }
}

/// A signal or bypass and where it matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Which one.
    pub id: Cow<'static, str>,
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
        /// What looked like a violation, the strongest first; never empty.
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

impl Sensitivity {
    /// The next one that lets more through.
    #[must_use]
    pub fn lower(self) -> Self {
        match self {
            Self::High => Self::Normal,
            Self::Normal | Self::Low => Self::Low,
        }
    }
}

/// Looks at the end of `text` with the signals, wording and bypasses of `hook`.
pub fn look(hook: &crate::Hook, text: &str, sensitivity: Sensitivity) -> Look {
    look_past(hook, &read(text), sensitivity, &[])
}

/// Reads the end of `text`, once for all hooks that look at it.
pub fn read(text: &str) -> Read {
    let end = end_of(text);
    Read {
        start: text.len() - end.len(),
        reading: Reading::of(end),
    }
}

/// A text that was read.
pub struct Read {
    /// Where the reading begins in the text.
    start: usize,
    reading: Reading,
}

/// Looks at the end of `turn`, which was `read`, in the light of its activity: a claim of a result that no passing run
/// after the last edit bears out settles nothing, and a turn without a call of a tool has hardly changed code.
pub fn look_at_turn(
    hook: &crate::Hook,
    turn: &Turn,
    read: &Read,
    sensitivity: Sensitivity,
) -> Look {
    let sensitivity = if hook.takes_a_change && turn.activity.is_none() {
        sensitivity.lower()
    } else {
        sensitivity
    };
    let void = if turn.activity.contradicts_a_claim() {
        hook.claims
    } else {
        &[]
    };
    look_past(hook, read, sensitivity, void)
}

/// Looks at what was `read` as if the bypasses `void` weren't there.
fn look_past(hook: &crate::Hook, read: &Read, sensitivity: Sensitivity, void: &[&str]) -> Look {
    let start = read.start;
    let mut reading = Cow::Borrowed(&read.reading);
    for claim in hook.bypasses.iter().filter(|b| void.contains(&b.id)) {
        claim.strike_out(reading.to_mut());
    }
    let reading = reading.as_ref();
    let shift = |found: Found| Found {
        id: found.id,
        at: found.at.start + start..found.at.end + start,
    };

    let mut signals: Vec<Found> = hook
        .signals
        .iter()
        .filter_map(|s| s.find(reading))
        .collect();
    if signals.is_empty() && !says_something(reading) {
        return Look::NoHit;
    }
    let weighed = wording::weigh(&hook.wording, reading);
    let is_over = weighed.sum >= hook.wording.threshold(sensitivity);
    if signals.is_empty() && is_over {
        // Worded like one, in words that no signal knows.
        signals.push(wording(reading, &weighed));
    }
    let Some(signal) = signals.first() else {
        return Look::NoHit;
    };
    let mut bypasses = hook.bypasses.iter().filter(|b| !void.contains(&b.id));
    if let Some(bypass) = bypasses.find_map(|b| b.settles(reading)) {
        let signal = shift(signal.clone());
        let bypass = shift(bypass);
        return Look::Bypassed { signal, bypass };
    }
    if !is_over {
        return Look::NoHit;
    }
    Look::Hit {
        signals: signals.into_iter().map(shift).collect(),
    }
}

/// Is there a word of the vocabulary to weigh? A sum over none means nothing.
pub fn says_something(reading: &Reading) -> bool {
    reading.concepts != Concepts::default()
}

/// The part of `text` that is looked at.
pub fn end_of(text: &str) -> &str {
    let start = text.len().saturating_sub(LOOKED_AT_BYTES);
    let start = (start..text.len()).find(|at| text.is_char_boundary(*at));
    start
        .and_then(|start| text.get(start..))
        .unwrap_or_default()
}

/// The sentence that the learned weights hold most against, where no signal names it.
fn wording(reading: &Reading, weighed: &Weighed) -> Found {
    let sentence = reading.sentences.get(weighed.strongest);
    Found {
        id: "wording".into(),
        at: sentence.map_or(0..0, |s| reading.origin(&s.at)),
    }
}

impl Signal {
    /// Where it matches what is said.
    pub fn find(&self, reading: &Reading) -> Option<Found> {
        self.find_among(reading, |_| true)
    }

    /// Where it matches what is said, leaving out sentences that speak to a judge and those that the next one limits to a
    /// part of what was to be checked.
    pub fn settles(&self, reading: &Reading) -> Option<Found> {
        let limits = Concepts::of(&[Concept::Untested]);
        let limited = if Concepts::of(self.unless).meets(limits) {
            limits
        } else {
            Concepts::default()
        };
        let is_limited = |s: &Sentence| {
            let sentences = &reading.sentences;
            let next = sentences.partition_point(|other| other.at.start < s.at.end);
            sentences
                .get(next)
                .is_some_and(|next| next.concepts.meets(limited))
        };
        self.find_among(reading, |s| !s.to_judge && !is_limited(s))
    }

    /// Marks each sentence that it matches as one that settles nothing.
    fn strike_out(&self, reading: &mut Reading) {
        let regex = OnceCell::new();
        while let Some((sentence, _)) = self.place(reading, &regex, |s| !s.to_judge) {
            if let Some(sentence) = reading.sentences.get_mut(sentence) {
                sentence.to_judge = true;
            }
        }
    }

    fn find_among(&self, reading: &Reading, keep: impl Fn(&Sentence) -> bool) -> Option<Found> {
        let (_, at) = self.place(reading, &OnceCell::new(), keep)?;
        Some(Found {
            id: self.id.into(),
            at: reading.origin(&at),
        })
    }

    /// The first sentence that it matches, and where in the folded text. `regex` keeps what is compiled for the first
    /// sentence with a literal in it for the others.
    fn place(
        &self,
        reading: &Reading,
        regex: &OnceCell<Option<Regex>>,
        keep: impl Fn(&Sentence) -> bool,
    ) -> Option<(usize, Range<usize>)> {
        if !self.when.may_match(reading.concepts) {
            return None;
        }
        let unless = Concepts::of(self.unless);
        let sentences = reading.sentences.iter().enumerate();
        let kept: Vec<(usize, &Sentence)> = sentences.filter(|(_, s)| keep(s)).collect();
        kept.iter().enumerate().find_map(|(at, (index, sentence))| {
            if sentence.concepts.meets(unless) {
                return None;
            }
            let found = match self.when {
                Pattern::Sequence(groups) => sequence(sentence, groups),
                Pattern::Together(groups) => together(sentence, groups),
                Pattern::Lastly(wanted, over) => {
                    let over = Concepts::of(over);
                    let mut later = kept.iter().skip(at + 1);
                    let found = together(sentence, &[wanted])?;
                    (!later.any(|(_, s)| s.concepts.meets(over))).then_some(found)
                }
                Pattern::Beside(first, second) => {
                    let near = [at.checked_sub(1), Some(at), Some(at + 1)];
                    let mut near = near.into_iter().flatten().filter_map(|at| kept.get(at));
                    let found = together(sentence, &[first])?;
                    let second = Concepts::of(second);
                    near.any(|(_, s)| s.concepts.meets(second)).then_some(found)
                }
                Pattern::Regex { literals, pattern } => {
                    let words = reading.words(sentence);
                    if !literals.iter().any(|literal| words.contains(literal)) {
                        return None;
                    }
                    let regex = regex.get_or_init(|| Regex::new(pattern).ok());
                    let found = regex.as_ref()?.find(words)?.range();
                    Some(found.start + sentence.at.start..found.end + sentence.at.start)
                }
            };
            Some((*index, found?))
        })
    }
}

/// From the first word of the first group to the first of the last after it, each after the one before.
fn sequence(sentence: &Sentence, groups: &[&[Concept]]) -> Option<Range<usize>> {
    let mut marks = sentence.marks.iter();
    let mut span: Option<Range<usize>> = None;
    for group in groups {
        let wanted = Concepts::of(group);
        let mark = marks.find(|mark| mark.concepts.meets(wanted))?;
        span = Some(span.map_or(mark.at.clone(), |span| span.start..mark.at.end));
    }
    span
}

/// From the first to the last of the first words of each group.
fn together(sentence: &Sentence, groups: &[&[Concept]]) -> Option<Range<usize>> {
    let mut span: Option<Range<usize>> = None;
    for group in groups {
        let wanted = Concepts::of(group);
        let mark = sentence
            .marks
            .iter()
            .find(|mark| mark.concepts.meets(wanted))?;
        span = Some(span.map_or(mark.at.clone(), |span| {
            span.start.min(mark.at.start)..span.end.max(mark.at.end)
        }));
    }
    span
}

impl wording::Wording {
    fn threshold(&self, sensitivity: Sensitivity) -> i32 {
        let [low, normal, high] = self.thresholds;
        match sensitivity {
            Sensitivity::Low => low,
            Sensitivity::Normal => normal,
            Sensitivity::High => high,
        }
    }
}
