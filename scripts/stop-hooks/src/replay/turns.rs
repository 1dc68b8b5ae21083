//! The turns of files, whatever kind of files they are.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use common::Hook;
use common::hook::NAMES;
use common::transcript::{self, Turns};

use super::rows::LeftOut;
use super::{days, rows};
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
    /// What the hook's own reader made of it.
    pub seen: transcript::Turn,
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

/// The files to walk.
#[derive(Debug)]
pub struct Files {
    paths: Vec<PathBuf>,
    /// Their sizes together.
    pub bytes: u64,
    read: Rc<Cell<u64>>,
    days: RefCell<BTreeSet<String>>,
    left_out: RefCell<LeftOut>,
}

impl Files {
    /// The files at `paths` and below, in a fixed order.
    ///
    /// # Errors
    /// When a path can't be read.
    pub fn find(paths: &[PathBuf]) -> Result<Self, Error> {
        let mut files = Self {
            paths: Vec::new(),
            bytes: 0,
            read: Rc::default(),
            days: RefCell::default(),
            left_out: RefCell::default(),
        };
        for path in paths {
            let meta = fs::metadata(path).map_err(|e| Error::file(path, e))?;
            if meta.is_dir() {
                files.collect(path)?;
            } else {
                files.add(path.clone(), meta.len());
            }
        }
        Ok(files)
    }

    fn add(&mut self, path: PathBuf, bytes: u64) {
        self.bytes += bytes;
        self.paths.push(path);
    }

    /// Session files of a directory and those below it. Links are not followed, so there is no way round and round.
    fn collect(&mut self, directory: &Path) -> Result<(), Error> {
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
                self.collect(&path)?;
            } else if kind.is_file() && path.extension().is_some_and(|e| e == "jsonl") {
                let bytes = entry.metadata().map_err(failed)?.len();
                self.add(path, bytes);
            }
        }
        Ok(())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// How many bytes were read so far.
    pub fn read(&self) -> u64 {
        self.read.get()
    }

    /// On how many days the sessions read so far were worked on.
    pub fn days(&self) -> usize {
        self.days.borrow().len()
    }

    /// What of the lists read so far could not be used, in a sentence for each kind.
    pub fn left_out(&self) -> Vec<String> {
        self.left_out.borrow().sentences().collect()
    }

    /// Hands every turn to `take`, in the order of the files, until it says that it has enough.
    ///
    /// # Errors
    /// When a file can't be opened, or `take` fails.
    pub fn each(&self, mut take: impl FnMut(Turn<'_>) -> Result<Next, Error>) -> Result<(), Error> {
        for path in &self.paths {
            if let Next::Stop = self.each_of(path, &mut take)? {
                break;
            }
        }
        Ok(())
    }

    fn each_of(
        &self,
        path: &Path,
        take: &mut impl FnMut(Turn<'_>) -> Result<Next, Error>,
    ) -> Result<Next, Error> {
        let failed = |e| Error::file(path, e);
        // Opening a pipe would wait for its writer.
        if !fs::metadata(path).map_err(failed)?.is_file() {
            return Err(failed(io::Error::other("not a regular file")));
        }
        let mut file = File::open(path).map_err(failed)?;
        self.days.borrow_mut().extend(days::of(&mut file));
        file.rewind().map_err(failed)?;
        let counted = Counted {
            file,
            read: Rc::clone(&self.read),
        };
        let mut reader = BufReader::with_capacity(BLOCK_BYTES, counted);
        let source = path.display().to_string();
        if rows::begins_as_rows(reader.fill_buf().map_err(failed)?) {
            let mut left_out = self.left_out.borrow_mut();
            return rows::each(reader, path, &source, &mut left_out, take);
        }
        for past in Turns::read(reader, &NAMES) {
            let turn = Turn {
                source: &source,
                line: past.line,
                id: past.id,
                seen: past.turn,
                label: None,
                label_of: None,
                lang: None,
            };
            if let Next::Stop = take(turn)? {
                return Ok(Next::Stop);
            }
        }
        Ok(Next::Go)
    }
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// With the next turn.
    Go,
    /// Not at all.
    Stop,
}

const BLOCK_BYTES: usize = 256 << 10;

/// A file that counts what was read of it.
struct Counted {
    file: File,
    read: Rc<Cell<u64>>,
}

impl Read for Counted {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(to)?;
        self.read
            .set(self.read.get() + u64::try_from(read).unwrap_or_default());
        Ok(read)
    }
}
