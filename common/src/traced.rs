//! A text made from another one, character by character, that knows where each character came from.

use std::ops::Range;

/// What a look-up sees instead of the original, with the way back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Traced {
    text: String,
    /// Pairs (offset in `text`, offset in the original) from where on both advance alike.
    steps: Vec<(usize, usize)>,
    original_len: usize,
}

impl Traced {
    /// Nothing yet, of a text of `original_len` bytes.
    pub(crate) fn of_len(original_len: usize) -> Self {
        Self {
            text: String::with_capacity(original_len),
            steps: Vec::new(),
            original_len,
        }
    }

    /// A text as long as the original, byte for byte.
    pub(crate) fn alike(text: String) -> Self {
        Self {
            original_len: text.len(),
            steps: Vec::new(),
            text,
        }
    }

    /// Appends the character that `origin` began in the original.
    pub(crate) fn push(&mut self, c: char, origin: usize) {
        let at = self.text.len();
        if self.origin(at) != origin {
            self.steps.push((at, origin));
        }
        self.text.push(c);
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Where the character at byte `at` began in the original; the original's length at the end.
    pub(crate) fn origin(&self, at: usize) -> usize {
        let later = self.steps.partition_point(|(made, _)| *made <= at);
        let (made, original) = later
            .checked_sub(1)
            .and_then(|i| self.steps.get(i))
            .copied()
            .unwrap_or_default();
        (original + (at - made)).min(self.original_len)
    }

    /// The bytes of the original behind a range of this text, with what was dropped between and right after.
    pub(crate) fn original_range(&self, range: &Range<usize>) -> Range<usize> {
        let end = if range.end >= self.text.len() {
            self.original_len
        } else {
            self.origin(range.end)
        };
        self.origin(range.start)..end
    }
}
