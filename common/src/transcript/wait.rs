//! Opens a transcript once the final message is in it.
//!
//! Claude Code writes its lines in batches and starts the hook before the last of them: the missing lines came 15 to
//! 53 ms later in the median and 107 ms at most. Codex writes first. The path in the input may name nothing, for ever.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::entry::{Entry, Rules, entries};
use super::open_regular;
use super::tail::Lines;

const POLL: Duration = Duration::from_millis(10);
const PATIENCE: Duration = Duration::from_millis(300);
const PATIENCE_WITHOUT_FILE: Duration = Duration::from_millis(150);
const PATIENCE_IN_DOUBT: Duration = Duration::from_millis(150);

/// A transcript as it stands.
pub struct Settled {
    pub file: File,
    /// Lines beyond are of no interest.
    pub length: u64,
    /// It ends with the final message.
    pub has_message: bool,
}

/// Opens `path`, waiting for `message` if there is one, and tells how long it waited. `None`: there is no file to read.
///
/// `sent_back`: a hook already blocked a stop of this turn. An agent that won't give in says the same again, and then a
/// message that stands in the file from the start may be the one before: it is believed only when nothing follows.
pub fn settle(
    path: &Path,
    message: Option<&str>,
    sent_back: bool,
    rules: &Rules<'_>,
) -> (Option<Settled>, Duration) {
    let started = Instant::now();
    let mut waited = Duration::ZERO;
    let mut looked_at = None;
    let mut has_message = false;
    let mut grown = false;
    loop {
        let (found, patience) = match open(path) {
            Place::File(file, length) => {
                // The file is looked into only when it has changed.
                if looked_at != Some(length) {
                    grown = looked_at.is_some();
                    has_message = message.is_some_and(|m| ends_with(&file, length, m, rules));
                    looked_at = Some(length);
                }
                let patience = match (message, has_message) {
                    (Some(_), true) if sent_back && !grown => PATIENCE_IN_DOUBT,
                    (Some(_), false) => PATIENCE,
                    _ => Duration::ZERO,
                };
                let settled = Settled {
                    file,
                    length,
                    has_message,
                };
                (Some(settled), patience)
            }
            Place::Nothing if message.is_some() => (None, PATIENCE_WITHOUT_FILE),
            Place::Nothing | Place::Unreadable => (None, Duration::ZERO),
        };
        match patience.checked_sub(started.elapsed()) {
            Some(left) if !left.is_zero() => thread::sleep(POLL.min(left)),
            _ => return (found, waited),
        }
        waited = started.elapsed();
    }
}

enum Place {
    File(File, u64),
    Nothing,
    /// A directory, a pipe, a loop of links, another's file: no waiting makes it a transcript.
    Unreadable,
}

fn open(path: &Path) -> Place {
    match open_file(path) {
        Place::Nothing => outside_worktree(path).map_or(Place::Nothing, |path| open_file(&path)),
        place => place,
    }
}

fn open_file(path: &Path) -> Place {
    match open_regular(path).and_then(|file| file.metadata().map(|data| (file, data.len()))) {
        Ok((file, length)) => Place::File(file, length),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Place::Nothing,
        Err(_) => Place::Unreadable,
    }
}

/// Older clients named a file in the worktree's project directory, which never exists; the session's own is in the
/// project's.
fn outside_worktree(path: &Path) -> Option<PathBuf> {
    let project = path.parent()?;
    let (name, _worktree) = project
        .file_name()?
        .to_str()?
        .split_once("--claude-worktrees-")?;
    Some(project.with_file_name(name).join(path.file_name()?))
}

/// Whether the newest entry of the transcript is `message`.
fn ends_with(file: &File, length: u64, message: &str, rules: &Rules<'_>) -> bool {
    let mut lines = Lines::before(file, length);
    while let Some((_, line)) = lines.next() {
        for entry in entries(line, rules).into_iter().rev() {
            match entry {
                Entry::Said { text, .. } => return text.trim() == message.trim(),
                Entry::Thought | Entry::Turn(_) | Entry::Compacted(_) => {}
                Entry::Human(_)
                | Entry::Command(_)
                | Entry::Call(_)
                | Entry::Outcome(_)
                | Entry::Feedback { .. } => {
                    return false;
                }
            }
        }
    }
    false
}
