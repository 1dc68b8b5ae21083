//! All turns of a past session, oldest first, each as a hook would have seen it at its end.
//!
//! A file is read forwards and once, but nothing is decided here: lines become entries as in a hook run, and a turn's
//! entries are handed over newest first, as in a hook run, to what makes a turn of them.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::time::Duration;

use super::entry::{Entry, Rules, entries};
use super::gather::Gather;
use super::tail::{END_BYTES, LINE_MAX_BYTES, Line};
use super::{TURN_MAX_BYTES, Turn, open_regular};

/// A turn of a past session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past {
    /// What the hook would have seen.
    pub turn: Turn,
    /// The number of the last line that belongs to it, from 1.
    pub line: u64,
    /// The host's id of its prompt (Claude Code) or of the turn (Codex).
    pub id: Option<String>,
}

/// The turns of a file.
pub struct Turns<'n, R> {
    lines: Lines<R>,
    rules: Rules<'n>,
    /// Entries of the turn under way, each with where its line begins.
    held: VecDeque<(u64, Entry<'static>)>,
    /// Entries of the turn under way were given up, because no hook would reach back to them.
    given_up: bool,
    /// The last line in which the assistant or a stop hook did something.
    last_line: u64,
    ready: VecDeque<Past>,
    ended: bool,
}

impl<'n> Turns<'n, BufReader<std::fs::File>> {
    /// The turns of the file at `path`. `hook_names` are all hooks whose blocks count.
    ///
    /// # Errors
    /// When it can't be opened, or is something else than a regular file.
    pub fn open(path: &Path, hook_names: &'n [&'n str]) -> io::Result<Self> {
        let file = open_regular(path)?;
        Ok(Self::read(
            BufReader::with_capacity(BLOCK_BYTES, file),
            hook_names,
        ))
    }
}

const BLOCK_BYTES: usize = 256 << 10;

impl<'n, R: BufRead> Turns<'n, R> {
    /// The turns of what `from` holds. Where reading fails, the session ends.
    pub fn read(mut from: R, hook_names: &'n [&'n str]) -> Self {
        let sidechains = from.fill_buf().is_ok_and(is_sidechain);
        Self {
            lines: Lines {
                from,
                at: 0,
                number: 0,
                line: Vec::new(),
            },
            rules: Rules {
                hook_names,
                sidechains,
            },
            held: VecDeque::new(),
            given_up: false,
            last_line: 0,
            ready: VecDeque::new(),
            ended: false,
        }
    }

    fn line(&mut self) -> Option<()> {
        let Some((start, line)) = self.lines.next() else {
            self.ended = true;
            let end = self.lines.at;
            self.close(end);
            return None;
        };
        let found: Vec<_> = entries(line, &self.rules)
            .into_iter()
            .map(Entry::into_owned)
            .collect();
        for entry in found {
            if matches!(entry, Entry::Human(_)) {
                self.close(start);
            }
            if !matches!(
                entry,
                Entry::Human(_) | Entry::Command(_) | Entry::Turn(_) | Entry::Notice
            ) {
                self.last_line = self.lines.number;
            }
            self.held.push_back((start, entry));
        }
        self.give_up(self.lines.at);
        Some(())
    }

    /// Drops what a hook that runs when the file is as long as `end` wouldn't reach back to.
    fn give_up(&mut self, end: u64) {
        let reach = end.saturating_sub(TURN_MAX_BYTES);
        while self.held.front().is_some_and(|(start, _)| *start < reach) {
            self.held.pop_front();
            self.given_up = true;
        }
    }

    /// Ends the turn under way at `end`.
    fn close(&mut self, end: u64) {
        self.give_up(end);
        let mut gather = Gather::new(None, None);
        let complete = self
            .held
            .drain(..)
            .rev()
            .any(|(_, entry)| !gather.add(entry));
        if std::mem::take(&mut self.given_up) && !complete {
            gather.cut();
        }
        if gather.has_work() {
            let id = gather.id().map(str::to_owned);
            let turn = gather.finish(Duration::ZERO);
            self.ready.push_back(Past {
                turn,
                line: self.last_line,
                id,
            });
        }
    }
}

impl<R: BufRead> Iterator for Turns<'_, R> {
    type Item = Past;

    fn next(&mut self) -> Option<Past> {
        while self.ready.is_empty() && !self.ended {
            self.line();
        }
        self.ready.pop_front()
    }
}

/// Whether a file is a subagent's own: the first mark says so. A session's file begins with the user, and older clients
/// wrote their subagents' lines into it. Within a string the quotes of a mark would be escaped.
fn is_sidechain(block: &[u8]) -> bool {
    let mark = br#""isSidechain":"#;
    let marked = block.windows(mark.len()).position(|part| part == mark);
    marked.is_some_and(|at| {
        block
            .get(at + mark.len()..)
            .is_some_and(|v| v.starts_with(b"true"))
    })
}

/// Lines, oldest first.
struct Lines<R> {
    from: R,
    /// Where the next line begins.
    at: u64,
    /// Of the last line, from 1.
    number: u64,
    line: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    fn next(&mut self) -> Option<(u64, Line<'_>)> {
        self.line.clear();
        let (mut length, mut ended) = self.more()?;
        if length == 0 {
            return None;
        }
        let ends = usize::try_from(END_BYTES).ok()?;
        let long = !ended;
        while !ended {
            self.keep_ends(ends);
            let (more, last) = self.more()?;
            (length, ended) = (length + more, last);
        }
        let start = self.at;
        self.at += length;
        self.number += 1;
        if !long {
            return Some((start, Line::Whole(&self.line)));
        }
        self.keep_ends(ends);
        let (head, tail) = self.line.split_at_checked(ends)?;
        Some((start, Line::Ends { head, tail }))
    }

    /// Adds to the line as much as may be held: the bytes read, and whether the line ends there.
    fn more(&mut self) -> Option<(u64, bool)> {
        let most = LINE_MAX_BYTES + 1;
        let read = self
            .from
            .by_ref()
            .take(most)
            .read_until(b'\n', &mut self.line)
            .ok()? as u64;
        let feed = self.line.last() == Some(&b'\n');
        if feed {
            self.line.pop();
        }
        Some((read, feed || read < most))
    }

    fn keep_ends(&mut self, ends: usize) {
        let kept = self.line.len().saturating_sub(ends).max(ends);
        self.line.drain(ends..kept);
    }
}
