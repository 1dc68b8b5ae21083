//! The decision log, read back: which files, and their lines in the order in which they were written.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use common::log;
use time::{Date, Duration, OffsetDateTime};

use crate::error::Error;
use crate::typed;

/// Days of the log, the first and the last included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The first.
    pub first: Date,
    /// The last; none where all that is there counts. A log may be of a day that is yet to come here: it was written in
    /// another time zone, or before the clock was set back.
    last: Option<Date>,
    today: Date,
}

impl Window {
    /// The last `days` days, until `until` or today.
    pub fn new(days: u32, until: Option<Date>) -> Self {
        let today = OffsetDateTime::now_local().unwrap_or_else(|_| OffsetDateTime::now_utc());
        let today = today.date();
        let back = Duration::days(i64::from(days) - 1);
        let first = until.unwrap_or(today).checked_sub(back);
        Self {
            first: first.unwrap_or(Date::MIN),
            last: until,
            today,
        }
    }

    /// The last day, as far as `files` go beyond today.
    pub fn last(self, files: &[PathBuf]) -> Date {
        let newest = files.iter().filter_map(|file| day(file)).max();
        self.last
            .unwrap_or_else(|| newest.map_or(self.today, |newest| newest.max(self.today)))
    }

    /// The logs in `directory` of these days, oldest first. A directory that doesn't exist holds none.
    ///
    /// # Errors
    /// When the directory can't be read.
    pub fn files(self, directory: &Path) -> Result<Vec<PathBuf>, Error> {
        let entries = match fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(Error::file(directory, e)),
        };
        let mut files = Vec::new();
        for entry in entries {
            let path = entry.map_err(|e| Error::file(directory, e))?.path();
            let within = |day| self.first <= day && self.last.is_none_or(|last| day <= last);
            if day(&path).is_some_and(within) {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }
}

/// The day of a log's file; none for a file that is no log.
fn day(file: &Path) -> Option<Date> {
    typed::day(log::day_of(file)?).ok()
}

/// Hands every line of `files` to `take`, oldest first. What could not be read comes back: it costs itself alone.
pub fn each_line(files: &[PathBuf], mut take: impl FnMut(&[u8])) -> Vec<Error> {
    let mut unread = Vec::new();
    for path in files {
        match read(path) {
            Ok(bytes) => lines(&bytes).for_each(&mut take),
            Err(e) => unread.push(Error::file(path, e)),
        }
    }
    unread
}

/// What is in the file at `path`. Opening a pipe would wait for its writer.
///
/// # Errors
/// When it can't be read, or is something else than a regular file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    fs::read(path)
}

/// The lines that hold something.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes
        .split(|&b| b == b'\n')
        .filter(|line| !line.trim_ascii().is_empty())
}
