//! The turns of files, whatever kind of files they are.

use std::cell::{Cell, Ref, RefCell};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use common::Hook;
use common::hook::NAMES;
use common::transcript::{self, Turns};
use time::Date;

use super::rows::LeftOut;
use super::{days, rows};
use crate::error::Error;

/// One turn as a hook would have seen it at its end.
#[derive(Debug)]
pub struct Turn {
    /// The file, as it was named.
    pub source: Rc<str>,
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

impl Turn {
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
    nth: Cell<usize>,
    opened: Cell<usize>,
    days: RefCell<Option<(Date, Date)>>,
    left_out: RefCell<LeftOut>,
    unread: RefCell<Vec<Error>>,
}

impl Files {
    /// The files at `paths` and below, in a fixed order.
    pub fn find(paths: &[PathBuf]) -> Self {
        let mut files = Self {
            paths: Vec::new(),
            bytes: 0,
            read: Rc::default(),
            nth: Cell::default(),
            opened: Cell::default(),
            days: RefCell::default(),
            left_out: RefCell::default(),
            unread: RefCell::default(),
        };
        for path in paths {
            match fs::metadata(path) {
                Ok(meta) if meta.is_dir() => files.collect(path),
                Ok(meta) => files.add(path.clone(), meta.len()),
                Err(e) => files.leave(path, e),
            }
        }
        files
    }

    /// Notes what can't be read: a session that is removed or closed to us meanwhile costs itself alone.
    fn leave(&self, path: &Path, e: io::Error) {
        self.unread.borrow_mut().push(Error::file(path, e));
    }

    fn add(&mut self, path: PathBuf, bytes: u64) {
        self.bytes += bytes;
        self.paths.push(path);
    }

    /// Session files of a directory and those below it. Links are not followed, so there is no way round and round.
    fn collect(&mut self, directory: &Path) {
        let entries = match fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(e) => return self.leave(directory, e),
        };
        let mut found = Vec::new();
        for entry in entries {
            match entry {
                Ok(entry) => found.push(entry),
                Err(e) => self.leave(directory, e),
            }
        }
        found.sort_by_key(fs::DirEntry::file_name);
        for entry in found {
            let path = entry.path();
            match entry.metadata() {
                Ok(meta) if meta.is_dir() => self.collect(&path),
                Ok(meta) if meta.is_file() && path.extension().is_some_and(|e| e == "jsonl") => {
                    self.add(path, meta.len());
                }
                Ok(_) => {}
                Err(e) => self.leave(&path, e),
            }
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// How many could be opened so far.
    pub fn opened(&self) -> usize {
        self.opened.get()
    }

    /// How many bytes were read so far.
    pub fn read(&self) -> u64 {
        self.read.get()
    }

    /// The first and the last day of the sessions read so far.
    pub fn days(&self) -> Option<(Date, Date)> {
        *self.days.borrow()
    }

    /// Which file is being read, from 1.
    pub fn nth(&self) -> usize {
        self.nth.get()
    }

    /// What of the lists read so far could not be used, in a sentence for each kind.
    pub fn left_out(&self) -> Vec<String> {
        self.left_out.borrow().sentences().collect()
    }

    /// What could not be read so far, each with the reason.
    pub fn unread(&self) -> Ref<'_, Vec<Error>> {
        self.unread.borrow()
    }

    /// Hands every turn to `take`, in the order of the files, until it says that it has enough.
    ///
    /// # Errors
    /// When `take` fails.
    pub fn each(&self, mut take: impl FnMut(Turn) -> Result<Next, Error>) -> Result<(), Error> {
        for path in &self.paths {
            self.nth.update(|nth| nth + 1);
            match self.each_of(path, &mut take) {
                Ok(Next::Go) => {}
                Ok(Next::Stop) => break,
                Err(e @ Error::File { .. }) => self.unread.borrow_mut().push(e),
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    fn each_of(
        &self,
        path: &Path,
        take: &mut impl FnMut(Turn) -> Result<Next, Error>,
    ) -> Result<Next, Error> {
        let failed = |e| Error::file(path, e);
        // Opening a pipe would wait for its writer.
        if !fs::metadata(path).map_err(failed)?.is_file() {
            return Err(failed(io::Error::other("not a regular file")));
        }
        let mut file = File::open(path).map_err(failed)?;
        self.opened.update(|opened| opened + 1);
        let mut days = self.days.borrow_mut();
        for day in days::of(&mut file) {
            let (first, last) = days.unwrap_or((day, day));
            *days = Some((first.min(day), last.max(day)));
        }
        drop(days);
        file.rewind().map_err(failed)?;
        let failure = Rc::default();
        let counted = Counted {
            file,
            read: Rc::clone(&self.read),
            failure: Rc::clone(&failure),
        };
        let mut reader = BufReader::with_capacity(BLOCK_BYTES, counted);
        let source = Rc::from(path.display().to_string());
        if rows::begins_as_rows(reader.fill_buf().map_err(failed)?) {
            let mut left_out = self.left_out.borrow_mut();
            return rows::each(reader, path, &source, &mut left_out, take);
        }
        for past in Turns::read(reader, &NAMES) {
            let turn = Turn {
                source: Rc::clone(&source),
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
        // A session ends where reading fails.
        failure.take().map_or(Ok(Next::Go), |e| Err(failed(e)))
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

/// A file that counts what was read of it, and keeps why reading failed.
struct Counted {
    file: File,
    read: Rc<Cell<u64>>,
    failure: Rc<Cell<Option<io::Error>>>,
}

impl Read for Counted {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = match self.file.read(to) {
            Ok(read) => read,
            Err(e) => {
                // The error itself can't be had twice.
                self.failure.set(Some(e.kind().into()));
                return Err(e);
            }
        };
        self.read
            .set(self.read.get() + u64::try_from(read).unwrap_or_default());
        Ok(read)
    }
}
