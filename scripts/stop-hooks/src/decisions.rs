//! The decision log, read back: which files, and their lines in the order in which they were written.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use common::log;
use time::{Date, Duration, OffsetDateTime};

use crate::error::Error;

/// Days of the log, the first and the last included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// The first.
    pub first: Date,
    /// The last.
    pub last: Date,
}

impl Window {
    /// The last `days` days, until `until` or today.
    pub fn new(days: u32, until: Option<Date>) -> Self {
        let today = || OffsetDateTime::now_local().unwrap_or_else(|_| OffsetDateTime::now_utc());
        let last = until.unwrap_or_else(|| today().date());
        let back = Duration::days(i64::from(days) - 1);
        let first = last.checked_sub(back).unwrap_or(Date::MIN);
        Self { first, last }
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
        let (first, last) = (self.first.to_string(), self.last.to_string());
        let mut files = Vec::new();
        for entry in entries {
            let path = entry.map_err(|e| Error::file(directory, e))?.path();
            let within = log::day_of(&path).is_some_and(|day| *first <= *day && *day <= *last);
            if within {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }
}

/// Hands every line of `files` to `take`, oldest first.
///
/// # Errors
/// When a file can't be read.
pub fn each_line(files: &[PathBuf], mut take: impl FnMut(&[u8])) -> Result<(), Error> {
    for path in files {
        let bytes = fs::read(path).map_err(|e| Error::file(path, e))?;
        for line in bytes.split(|&b| b == b'\n') {
            if !line.trim_ascii().is_empty() {
                take(line);
            }
        }
    }
    Ok(())
}
