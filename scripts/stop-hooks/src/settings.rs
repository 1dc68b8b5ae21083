//! A host's settings file on disk: read, written back, backed up.
//!
//! What is written is a whole new file that takes the old one's place by a rename, so that a client that reads at the
//! same moment sees one or the other. A symlinked file stays a symlink: people keep their settings in a dotfiles
//! repository. What to write is [`splice`]'s question.

pub mod json;
mod layout;
pub mod splice;

use std::fmt;
use std::fs::{self, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use crate::file::{gone, replace, with_suffix};

/// What is appended to the file's name for the copy of the file as it was before ours went in.
const BACKUP_SUFFIX: &str = ".before-stop-hooks";

/// One settings file, as it was read.
#[derive(Debug)]
pub struct Settings {
    /// As its owner names it, perhaps a symlink.
    path: PathBuf,
    /// Where its bytes are.
    target: PathBuf,
    /// Its text; none when there is no file.
    text: Option<String>,
    permissions: Option<Permissions>,
}

/// Why a settings file was left alone.
#[derive(Debug)]
pub enum Error {
    /// It can't be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It holds bytes that are no UTF-8, so it is no JSON either.
    Utf8(PathBuf),
    /// Its owner made it read-only.
    ReadOnly(PathBuf),
    /// Another program wrote it between our reading and writing.
    Changed(PathBuf),
    /// Its content can't be edited.
    Content {
        /// The file.
        path: PathBuf,
        /// Why.
        source: splice::Error,
    },
}

impl Settings {
    /// Reads the file at `path`; a file that doesn't exist is an empty one.
    ///
    /// # Errors
    /// When it exists and can't be read as text.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let target = resolve(path);
        let io = |source| Error::Io {
            path: path.to_owned(),
            source,
        };
        let (text, permissions) = match read_file(&target) {
            Ok(bytes) => {
                let text = String::from_utf8(bytes).map_err(|_| Error::Utf8(path.to_owned()))?;
                let permissions = fs::metadata(&target).map_err(io)?.permissions();
                (Some(text), Some(permissions))
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => (None, None),
            Err(e) => return Err(io(e)),
        };
        Ok(Self {
            path: path.to_owned(),
            target,
            text,
            permissions,
        })
    }

    /// As its owner names it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its text, empty when there is no file.
    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// Whether there is a file.
    pub fn exists(&self) -> bool {
        self.text.is_some()
    }

    /// Names this file in an error of its content.
    pub fn content_error(&self, source: splice::Error) -> Error {
        Error::Content {
            path: self.path.clone(),
            source,
        }
    }

    /// Refuses a file that its owner made read-only, though a rename could replace it.
    ///
    /// # Errors
    /// When it is read-only.
    pub fn check_writable(&self) -> Result<(), Error> {
        match &self.permissions {
            Some(permissions) if permissions.readonly() => Err(Error::ReadOnly(self.path.clone())),
            _ => Ok(()),
        }
    }

    /// Writes `text` in place of what was read; makes the directory when there is none.
    ///
    /// # Errors
    /// When it was changed in the meantime or can't be written.
    pub fn write(&self, text: &str) -> Result<(), Error> {
        let now = match read_file(&self.target) {
            Ok(bytes) => Some(bytes),
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(e) => return Err(self.io(e)),
        };
        if now.as_deref() != self.text.as_ref().map(String::as_bytes) {
            return Err(Error::Changed(self.path.clone()));
        }
        replace(&self.target, text.as_bytes(), self.permissions.as_ref()).map_err(|e| self.io(e))
    }

    /// Keeps a copy of the file as it was read, if it exists.
    ///
    /// # Errors
    /// When the copy can't be written.
    pub fn back_up(&self) -> Result<(), Error> {
        match &self.text {
            Some(text) => replace(
                &self.backup_path(),
                text.as_bytes(),
                self.permissions.as_ref(),
            )
            .map_err(|e| self.io(e)),
            None => self.forget_backup(),
        }
    }

    /// The copy of the file as it was before ours went in.
    ///
    /// # Errors
    /// When it exists and can't be read.
    pub fn backup(&self) -> Result<Option<String>, Error> {
        let text = read_file(&self.backup_path())
            .and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other));
        match text {
            Ok(text) => Ok(Some(text)),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(self.io(e)),
        }
    }

    /// Removes that copy.
    ///
    /// # Errors
    /// When it exists and can't be removed.
    pub fn forget_backup(&self) -> Result<(), Error> {
        gone(fs::remove_file(self.backup_path())).map_err(|e| self.io(e))
    }

    /// Where the copy is: beside the file's name, not beside what a symlink leads to.
    pub fn backup_path(&self) -> PathBuf {
        with_suffix(&self.path, BACKUP_SUFFIX)
    }

    /// Removes the file; a symlink that leads to it stays.
    ///
    /// # Errors
    /// When it can't be removed.
    pub fn delete(&self) -> Result<(), Error> {
        gone(fs::remove_file(&self.target)).map_err(|e| self.io(e))
    }

    fn io(&self, source: io::Error) -> Error {
        Error::Io {
            path: self.path.clone(),
            source,
        }
    }
}

/// Reads a file and nothing else: opening a pipe would wait for its writer.
///
/// # Errors
/// When it can't be read, or is no file.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    if fs::metadata(path)?.is_file() {
        fs::read(path)
    } else {
        Err(io::Error::other("it is no regular file"))
    }
}

/// Follows symlinks to the file that they name, which need not exist.
pub fn resolve(path: &Path) -> PathBuf {
    let mut target = path.to_owned();
    // The system's own bound; a loop then fails as such when it is opened.
    for _ in 0..40 {
        let Ok(link) = fs::read_link(&target) else {
            break;
        };
        target = match target.parent() {
            Some(directory) => directory.join(link),
            None => link,
        };
    }
    target
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Utf8(path) => write!(f, "{} is not UTF-8; left alone", path.display()),
            Self::ReadOnly(path) => write!(f, "{} is read-only; left alone", path.display()),
            Self::Changed(path) => write!(
                f,
                "{} was changed by another program just now; left alone, try again",
                path.display()
            ),
            Self::Content { path, source } => {
                write!(f, "{}: {source}; left alone", path.display())
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Content { source, .. } => Some(source),
            Self::Utf8(_) | Self::ReadOnly(_) | Self::Changed(_) => None,
        }
    }
}
