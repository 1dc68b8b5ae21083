//! What a person says of decisions: a file of their own beside the log, one line a mark, the last one counts.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

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
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
        Err(e) => return Err(Error::file(&path, e)),
    };
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Line>(line).ok());
    Ok(lines.map(|line| (line.id, line.mark)).collect())
}

/// Adds a mark.
///
/// # Errors
/// When the file can't be written.
pub fn add(log_dir: &Path, id: &str, mark: Mark) -> Result<(), Error> {
    let path = file(log_dir);
    let line = Line {
        id: id.to_owned(),
        mark,
    };
    let failed = |e| Error::file(&path, e);
    let mut bytes = serde_json::to_vec(&line).map_err(|e| failed(e.into()))?;
    bytes.push(b'\n');
    let opened = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(&path);
    opened
        .and_then(|mut file| file.write_all(&bytes))
        .map_err(failed)
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
