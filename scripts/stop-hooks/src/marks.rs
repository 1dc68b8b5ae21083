//! What a person says of decisions: a file of their own beside the log, one line a mark, the last one counts.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use common::config::Environment;
use common::log;
use serde::{Deserialize, Serialize};

use crate::decisions;
use crate::error::Error;

const FILE: &str = "stop-hook-marks.jsonl";

/// Whether a decision was right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// It was.
    Right,
    /// It was not.
    Wrong,
}

impl Mark {
    /// What a reader says of a text that was decided on: `block` or `allow`.
    pub fn label(self, blocked: bool) -> &'static str {
        if (self == Self::Right) == blocked {
            "block"
        } else {
            "allow"
        }
    }

    /// As typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong",
        }
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    id: String,
    mark: Mark,
}

/// All marks, by the decision's ID.
///
/// # Errors
/// When the file is there and can't be read.
pub fn read(log_dir: &Path) -> Result<BTreeMap<String, Mark>, Error> {
    let path = file(log_dir);
    let bytes = match decisions::read(&path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(e) => return Err(Error::file(&path, e)),
    };
    // A line that is torn or foreign costs itself alone.
    let lines = decisions::lines(&bytes);
    let marks = lines.filter_map(|line| serde_json::from_slice::<Line>(line).ok());
    Ok(marks.map(|line| (line.id, line.mark)).collect())
}

/// Adds a mark, to a file like the log: for its owner alone, and no link.
///
/// # Errors
/// When the file can't be written, or isn't the user's own.
pub fn add(log_dir: &Path, id: &str, mark: Mark) -> Result<(), Error> {
    let path = file(log_dir);
    let line = Line {
        id: id.to_owned(),
        mark,
    };
    // Who has no home can only name a log of their own.
    let home = Environment::read().home().cloned();
    let home = home.unwrap_or_else(|| log_dir.to_owned());
    log::append_line(&line, &path, &home).map_err(|e| Error::file(&path, e))
}

fn file(log_dir: &Path) -> PathBuf {
    log_dir.join(FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_mark_counts() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(read(directory.path()).unwrap(), BTreeMap::new());
        for (id, mark) in [("a", Mark::Right), ("b", Mark::Right), ("a", Mark::Wrong)] {
            add(directory.path(), id, mark).unwrap();
        }
        let marks = read(directory.path()).unwrap();
        assert_eq!(
            marks,
            BTreeMap::from([("a".into(), Mark::Wrong), ("b".into(), Mark::Right)])
        );
    }

    #[test]
    fn a_wrong_block_is_a_text_to_allow() {
        for (mark, blocked, label) in [
            (Mark::Right, true, "block"),
            (Mark::Wrong, true, "allow"),
            (Mark::Right, false, "allow"),
            (Mark::Wrong, false, "block"),
        ] {
            assert_eq!(mark.label(blocked), label);
        }
    }
}
