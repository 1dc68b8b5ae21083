//! The digest: one short line a call, bounded.
//!
//! What a judge needs most is how a turn ended and the few calls that prove something, so those stay and the rest of a
//! long turn gives way, with a line that says how much is missing.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::output::{first_line, plain};
use super::{Activity, Call, Status, What};
use crate::command::Step;
use crate::input::BackgroundTask;
use crate::redact::redact;

/// Lines in a digest at most.
pub const MAX_LINES: usize = 40;

/// Bytes in a digest at most.
pub const MAX_BYTES: usize = 2000;

/// Bytes of a command, of a result and of a path in a line.
const COMMAND_MAX_BYTES: usize = 120;
const RESULT_MAX_BYTES: usize = 100;
const PATH_MAX_BYTES: usize = 80;

/// Bytes that are kept free for the oldest calls, if the newest could fill the digest.
const OLDEST_BYTES: usize = 400;

impl Activity {
    /// What was done, one line a call, in order: at most 40 lines and 2000 bytes. The newest calls and those that prove
    /// something are there in any case; what is missing is counted. Empty when nothing is known.
    pub fn digest(&self) -> String {
        let mut lines = self.lines();
        if self.calls.is_empty() && (!self.known || self.lacks_end) {
            if lines.is_empty() {
                return String::new();
            }
            // What still runs says nothing of what was called.
            lines.insert(0, Line::note("… the calls are not known"));
        } else if self.cut {
            lines.insert(0, Line::note("… earlier calls are not known"));
        } else if self.calls.is_empty() {
            // Whoever claims to have run something is contradicted by this.
            lines.insert(0, Line::note("no tool was called"));
        }
        let told = Selection::of(&lines).text();
        debug_assert!(told.len() <= MAX_BYTES && told.lines().count() <= MAX_LINES);
        told
    }

    pub(super) fn lines(&self) -> Vec<Line> {
        let last_edit = self.calls.iter().rposition(Call::is_edit);
        let last_test = self.calls.iter().rposition(Call::is_test);
        let reproduction = self.reproduction().filter(|_| last_edit.is_some());
        let told: Vec<_> = self
            .calls
            .iter()
            .enumerate()
            .filter(|(_, call)| !matches!(call.what, What::Poll(_)))
            .collect();
        // No digest reaches further from either end, but for the calls with a mark.
        let out_of_sight = MAX_LINES..told.len().saturating_sub(MAX_LINES);
        let mut lines = Vec::new();
        for (place, (at, call)) in told.into_iter().enumerate() {
            let mut marks = String::new();
            let mut mark = |here: bool, words: &str| marks.push_str(if here { words } else { "" });
            mark(Some(at) == reproduction, " [failed before the first edit]");
            mark(Some(at) == last_edit, " [last edit]");
            let after = Some(at) == last_test
                && (last_test > last_edit
                    || last_test == last_edit && call.ends_with() == Some(Step::Test));
            mark(
                after && last_edit.is_some(),
                " [last test after the last edit]",
            );
            let proves = !marks.is_empty();
            let text = if out_of_sight.contains(&place) && !proves {
                String::new()
            } else {
                describe(call) + &marks
            };
            lines.push(Line { text, proves });
        }
        if self.lacks_end && !self.calls.is_empty() {
            lines.push(Line::note("… later calls are not known"));
        }
        lines.extend(self.running.iter().map(|text| Line {
            text: text.clone(),
            proves: false,
        }));
        lines
    }
}

pub(super) struct Line {
    pub(super) text: String,
    /// It carries a mark.
    proves: bool,
}

impl Line {
    /// A line that is told in any case.
    fn note(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            proves: true,
        }
    }
}

/// The call in one line.
fn describe(call: &Call) -> String {
    let mut line = match &call.what {
        What::Run(run) => format!("$ {}", in_bytes(&run.line, COMMAND_MAX_BYTES)),
        What::Edit(files) => match files.as_slice() {
            [] => "edit".to_owned(),
            [file] => format!("edit {}", short_path(file)),
            [file, rest @ ..] => format!("edit {} and {} more", short_path(file), rest.len()),
        },
        What::Poll(_) => String::new(),
        What::Other(words) => in_bytes(words, COMMAND_MAX_BYTES),
    };
    let is_run = matches!(call.what, What::Run(_));
    match call.status {
        Some(Status::Ok) if is_run => line.push_str(" => ok"),
        Some(Status::Ok) => {}
        Some(Status::Exit(code)) => {
            let _ = write!(line, " => exit {code}");
        }
        Some(Status::Failed) => line.push_str(" => failed"),
        Some(Status::Error) if is_run => line.push_str(" => denied"),
        Some(Status::Error) => line.push_str(" => error"),
        Some(Status::Denied) => line.push_str(" => denied"),
        Some(Status::Running) => line.push_str(" => still running"),
        Some(Status::Stopped) => line.push_str(" => stopped"),
        None => line.push_str(" => no result known"),
    }
    if let (true, Some((_, result))) = (call.is_test() || call.failed(), call.result()) {
        let _ = write!(line, ": {}", in_bytes(result, RESULT_MAX_BYTES));
    }
    line
}

/// The last parts of a path, marked where some are left out: enough to tell a test from a source, and none of the
/// user's directories.
pub fn short_path(path: &str) -> String {
    let path = plain(path);
    let parts: Vec<&str> = path
        .split(['/', '\\'])
        .filter(|part| !part.is_empty())
        .collect();
    match parts.last_chunk::<3>() {
        Some(last) if parts.len() > last.len() => {
            in_bytes(&format!("…/{}", last.join("/")), PATH_MAX_BYTES)
        }
        _ => in_bytes(&path, PATH_MAX_BYTES),
    }
}

/// A background task as the digest tells it.
pub fn background(task: &BackgroundTask) -> String {
    let kind = task.r#type.as_deref().unwrap_or("task");
    let what = task
        .command
        .as_deref()
        .or(task.description.as_deref())
        .unwrap_or_default();
    let status = task.status.as_deref().unwrap_or("running");
    let told = format!("in the background, {status}: {kind} {}", first_line(what));
    in_bytes(plain(&told).trim_end(), COMMAND_MAX_BYTES)
}

/// A text in `max` bytes, cut between words where it has any. What has to be cut is redacted first: half of a secret may
/// look like none.
fn in_bytes(text: &str, max: usize) -> String {
    const CUT: &str = "…";
    if text.len() <= max {
        return text.to_owned();
    }
    let redacted = redact(text);
    let head = redacted.head(max - CUT.len());
    let (kept, rest) = redacted
        .as_str()
        .split_at_checked(head.as_str().len())
        .unwrap_or_default();
    let word = if rest.starts_with(char::is_whitespace) {
        None
    } else {
        kept.rfind(char::is_whitespace)
    };
    word.map_or(kept, |at| kept.get(..=at).unwrap_or_default())
        .to_owned()
        + CUT
}

/// The lines that are told.
struct Selection<'a> {
    lines: &'a [Line],
    chosen: BTreeSet<usize>,
}

impl<'a> Selection<'a> {
    fn of(lines: &'a [Line]) -> Self {
        let mut all = Self {
            lines,
            chosen: (0..lines.len()).collect(),
        };
        if all.fits(MAX_BYTES) {
            return all;
        }
        all.chosen.clear();
        let newest_first = || (0..lines.len()).rev();
        let proofs = newest_first().filter(|at| lines.get(*at).is_some_and(|line| line.proves));
        newest_first().take(1).chain(proofs).for_each(|at| {
            all.add(at, MAX_BYTES);
        });
        let _ = newest_first().all(|at| all.add(at, MAX_BYTES - OLDEST_BYTES));
        let _ = (0..lines.len()).all(|at| all.add(at, MAX_BYTES));
        all
    }

    /// Whether there was room for line `at`.
    fn add(&mut self, at: usize, max: usize) -> bool {
        let new = self.chosen.insert(at);
        let fits = self.fits(max);
        if new && !fits {
            self.chosen.remove(&at);
        }
        fits || !new
    }

    fn fits(&self, max: usize) -> bool {
        let (mut bytes, mut lines) = (0, 0);
        self.each(|line| {
            bytes += line.len() + 1;
            lines += 1;
        });
        bytes <= max + 1 && lines <= MAX_LINES
    }

    fn text(&self) -> String {
        let mut text = String::new();
        self.each(|line| {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(line);
        });
        text
    }

    /// Calls `take` for every line and for every gap.
    fn each(&self, mut take: impl FnMut(&str)) {
        let mut next = 0;
        for at in self.chosen.iter().copied().chain([self.lines.len()]) {
            match at - next {
                0 => {}
                1 => take("… 1 more call"),
                missing => take(&format!("… {missing} more calls")),
            }
            if let Some(line) = self.lines.get(at) {
                take(&line.text);
            }
            next = at + 1;
        }
    }
}
