//! Lines of a file, newest first.
//!
//! Sessions outgrow 100 MB and a turn ends mostly within the last 40 kB, so the file is read backwards in blocks and
//! only as far as someone asks. A line inside a block is lent out of it; a longer one is read once its ends are known,
//! so nothing is joined; one beyond [`LINE_MAX_BYTES`] is lent as its two ends. The host appends meanwhile, so the end
//! is fixed when reading starts; where the file has become shorter, there is nothing more to read. Nor is there beyond
//! a reach that the caller sets: a file may end with gigabytes that hold no line.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use super::line::find;

/// The longest line that is held whole. Images make lines of a few MB.
pub const LINE_MAX_BYTES: u64 = 16 << 20;

/// How much of either end is lent of a line that isn't held whole.
pub const END_BYTES: u64 = 4 << 10;

/// Half of all turns fit in the first block.
const FIRST_BLOCK_BYTES: u64 = 64 << 10;
const BLOCK_BYTES: u64 = 256 << 10;

/// A line without its line feed.
#[derive(Debug, Clone, Copy)]
pub enum Line<'a> {
    /// All of it.
    Whole(&'a [u8]),
    /// Longer than [`LINE_MAX_BYTES`]: how it begins and how it ends.
    Ends {
        /// The first bytes.
        head: &'a [u8],
        /// The last bytes.
        tail: &'a [u8],
    },
}

/// Reads the lines of a file from its end.
pub struct Lines<'f> {
    file: &'f File,
    /// The bytes from `block_at` on that were read last.
    block: Vec<u8>,
    block_at: u64,
    /// Line feeds in `block`, in order, that end no line handed out yet.
    feeds: Vec<usize>,
    /// Where the line to hand out next ends; its line feed, if any, stands there.
    line_end: u64,
    /// A line that outgrew its block, or the ends of one.
    long: Vec<u8>,
    done: bool,
    /// Nothing before is read.
    from: u64,
}

impl<'f> Lines<'f> {
    /// The lines before `end` that begin within the last `reach` bytes.
    pub fn before(file: &'f File, end: u64, reach: u64) -> Self {
        Self {
            from: end.saturating_sub(reach),
            file,
            block: Vec::new(),
            block_at: end,
            feeds: Vec::new(),
            line_end: end,
            long: Vec::new(),
            done: false,
        }
    }

    /// Where the line begins that was handed out last.
    pub fn next(&mut self) -> Option<(u64, Line<'_>)> {
        if self.done {
            return None;
        }
        let end = self.line_end;
        let start = loop {
            if let Some(feed) = self.feeds.pop() {
                self.line_end = self.block_at + feed as u64;
                break self.line_end + 1;
            }
            if self.block_at == 0 {
                self.done = true;
                break 0;
            }
            if self.is_cut() || self.load().is_none() {
                self.done = true;
                return None;
            }
        };
        let line = self.line(start, end)?;
        Some((start, line))
    }

    /// All within reach was looked at, and the file begins before.
    pub fn is_cut(&self) -> bool {
        self.from > 0 && self.block_at == self.from && self.feeds.is_empty()
    }

    /// Reads the block before the one that was read last.
    fn load(&mut self) -> Option<()> {
        let wanted = if self.block.is_empty() {
            FIRST_BLOCK_BYTES
        } else {
            BLOCK_BYTES
        };
        let length = wanted.min(self.block_at - self.from);
        let at = self.block_at - length;
        fill(self.file, at, length, &mut self.block)?;
        self.block_at = at;
        let mut from = 0;
        while let Some(feed) = self.block.get(from..).and_then(|rest| find(b'\n', rest)) {
            self.feeds.push(from + feed);
            from += feed + 1;
        }
        Some(())
    }

    fn line(&mut self, start: u64, end: u64) -> Option<Line<'_>> {
        let length = end.checked_sub(start)?;
        let in_block = |at: u64| usize::try_from(at.checked_sub(self.block_at)?).ok();
        if let (Some(from), Some(to)) = (in_block(start), in_block(end))
            && to <= self.block.len()
        {
            return self.block.get(from..to).map(Line::Whole);
        }
        if length <= LINE_MAX_BYTES {
            fill(self.file, start, length, &mut self.long)?;
            return Some(Line::Whole(&self.long));
        }
        fill(self.file, start, END_BYTES, &mut self.long)?;
        let mut tail = Vec::new();
        fill(self.file, end - END_BYTES, END_BYTES, &mut tail)?;
        self.long.append(&mut tail);
        let (head, tail) = self
            .long
            .split_at_checked(usize::try_from(END_BYTES).ok()?)?;
        Some(Line::Ends { head, tail })
    }
}

/// Reads `length` bytes from `at` on into `buffer`, which doesn't keep more room than that needs.
fn fill(mut file: &File, at: u64, length: u64, buffer: &mut Vec<u8>) -> Option<()> {
    let length = usize::try_from(length).ok()?;
    if buffer.capacity() < length {
        *buffer = Vec::with_capacity(length);
    }
    buffer.resize(length, 0);
    file.seek(SeekFrom::Start(at)).ok()?;
    file.read_exact(buffer).ok()
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use proptest::prelude::*;

    use super::*;

    fn newest_first(bytes: &[u8], end: u64) -> Vec<(u64, Vec<u8>)> {
        let mut file = tempfile::tempfile().expect("a temporary file");
        file.write_all(bytes).expect("it is written");
        let mut lines = Lines::before(&file, end, u64::MAX);
        let mut found = Vec::new();
        while let Some((start, line)) = lines.next() {
            found.push((
                start,
                match line {
                    Line::Whole(line) => line.to_owned(),
                    Line::Ends { head, tail } => [head, tail].concat(),
                },
            ));
        }
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

        #[test]
        fn all_lines_in_their_places(
            lengths in prop::collection::vec(prop_oneof![0..300_usize, 65_000..66_000_usize, 200_000..600_000_usize], 0..12),
        ) {
            let lines: Vec<Vec<u8>> =
                (b'a'..).zip(&lengths).map(|(byte, length)| vec![byte; *length]).collect();
            let bytes = lines.join(&b'\n');
            let mut start = 0;
            let mut expected: Vec<_> = bytes
                .split(|byte| *byte == b'\n')
                .map(|line| {
                    start += line.len() as u64 + 1;
                    (start - line.len() as u64 - 1, line.to_owned())
                })
                .collect();
            expected.reverse();
            prop_assert!(newest_first(&bytes, bytes.len() as u64) == expected);
        }
    }

    #[test]
    fn a_file_that_became_shorter_ends_there() {
        assert_eq!(newest_first(b"one\ntwo\n", 100), []);
    }

    #[test]
    fn a_line_that_is_too_long_shows_its_ends() {
        let long = [b"head".as_slice(), &vec![b'x'; 17 << 20], b"tail"].concat();
        let found = newest_first(
            &[b"a\n", long.as_slice(), b"\nb"].concat(),
            long.len() as u64 + 4,
        );
        assert_eq!(found.len(), 3);
        let (start, ends) = &found[1];
        assert_eq!((*start, ends.len()), (2, 2 * 4096));
        assert!(ends.starts_with(b"head") && ends.ends_with(b"tail"));
    }
}
