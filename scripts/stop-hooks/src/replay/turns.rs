//! The turns of a file, whatever kind of file it is.

use std::fs;
use std::path::{Path, PathBuf};

use common::Hook;

use super::rows;
use crate::error::Error;

/// One turn as a hook would have seen it at its end.
#[derive(Debug)]
pub struct Turn<'a> {
    /// The file, as it was named.
    pub source: &'a str,
    /// The line where the turn ends, from 1.
    pub line: u64,
    /// What names it.
    pub id: Option<String>,
    /// What layer 1 looks at.
    pub text: String,
    /// Stops that our hooks blocked in it.
    pub blocked_stops: usize,
    /// A reader's judgement: `block` or `allow`.
    pub label: Option<String>,
    /// The hook that the label is about; none when it may be any.
    pub label_of: Option<String>,
    /// The language.
    pub lang: Option<String>,
}

impl Turn<'_> {
    /// The label, if it is about `hook`.
    pub fn label_for(&self, hook: &Hook) -> Option<&str> {
        match &self.label_of {
            Some(of) if of != hook.name => None,
            _ => self.label.as_deref(),
        }
    }
}

/// The files under `paths`, in a fixed order.
///
/// # Errors
/// When a path can't be read.
pub fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    for path in paths {
        let meta = fs::metadata(path).map_err(|e| Error::file(path, e))?;
        if meta.is_dir() {
            collect(path, &mut found)?;
        } else {
            found.push(path.clone());
        }
    }
    Ok(found)
}

/// Session files of a directory and those below it. Links are not followed, so there is no way round and round.
fn collect(directory: &Path, found: &mut Vec<PathBuf>) -> Result<(), Error> {
    let failed = |e| Error::file(directory, e);
    let mut entries = fs::read_dir(directory)
        .map_err(failed)?
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_dir() {
            collect(&path, found)?;
        } else if kind.is_file() && path.extension().is_some_and(|e| e == "jsonl") {
            found.push(path);
        }
    }
    Ok(())
}

/// Hands every turn of the file at `path` to `take`, in the order of the file.
///
/// # Errors
/// When the file can't be read, or `take` fails.
pub fn each(path: &Path, take: impl FnMut(Turn<'_>) -> Result<(), Error>) -> Result<(), Error> {
    rows::each(path, take)
}
