//! Reads a transcript once the final message is in it.
//!
//! Claude Code writes its lines in batches and starts the hook before the last of them: the missing lines came 15 to
//! 53 ms later in the median and 107 ms at most. Codex writes first. The path in the input may name nothing, for ever.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use super::gather::Gather;
use super::open_regular;

const POLL: Duration = Duration::from_millis(10);
const PATIENCE: Duration = Duration::from_millis(300);
const PATIENCE_WITHOUT_FILE: Duration = Duration::from_millis(150);
const PATIENCE_IN_DOUBT: Duration = Duration::from_millis(150);

/// Reads the transcript at `path` with `read` whenever it has changed, until the turn's end is there or the time is up,
/// and tells how long it waited. `awaited`: the input holds a final message. `None`: there is no file to read.
///
/// `sent_back`: a hook already blocked a stop of this turn. An agent that won't give in says the same again, and then a
/// message that stands in the file from the start may be the one before: it is believed only when nothing follows.
pub fn settle<'n>(
    path: &Path,
    awaited: bool,
    sent_back: bool,
    mut read: impl FnMut(&File, u64) -> Gather<'n>,
) -> (Option<Gather<'n>>, Duration) {
    let started = Instant::now();
    let mut waited = Duration::ZERO;
    let mut looked_at = None;
    let mut reading = None;
    let mut grown = false;
    loop {
        let patience = match open(path) {
            Place::File(file, stamp) => {
                // The file is looked into only when it has changed.
                if looked_at != Some(stamp) {
                    grown = looked_at.is_some();
                    reading = Some(read(&file, stamp.length));
                    looked_at = Some(stamp);
                }
                match reading.as_ref().is_some_and(Gather::has_end) {
                    false => PATIENCE,
                    true if awaited && sent_back && !grown => PATIENCE_IN_DOUBT,
                    true => Duration::ZERO,
                }
            }
            Place::Nothing if awaited => PATIENCE_WITHOUT_FILE,
            Place::Nothing | Place::Unreadable => Duration::ZERO,
        };
        match patience.checked_sub(started.elapsed()) {
            Some(left) if !left.is_zero() => thread::sleep(POLL.min(left)),
            _ => return (reading, waited),
        }
        waited = started.elapsed();
    }
}

/// How a file stands; lines beyond its length are of no interest.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    length: u64,
    written: Option<SystemTime>,
}

impl Stamp {
    fn of(data: &Metadata) -> Self {
        Self {
            length: data.len(),
            written: data.modified().ok(),
        }
    }
}

enum Place {
    File(File, Stamp),
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
    match open_regular(path).and_then(|file| file.metadata().map(|data| (file, Stamp::of(&data)))) {
        Ok((file, stamp)) => Place::File(file, stamp),
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
