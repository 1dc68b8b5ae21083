//! The six programs on disk: put where the entries name them, and removed.
//!
//! A hook may be running while it is replaced, so a new file takes the old one's name; the old one is never written to.

use std::fmt;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use common::hook::NAMES;

use crate::file;
use crate::settings::read_file;

/// This tool's own name.
const TOOL: &str = "stop-hooks";

/// Why a program could not be put in place or removed.
#[derive(Debug)]
pub enum Error {
    /// It was built neither here nor there.
    Missing {
        /// Its name.
        name: &'static str,
        /// Where it was looked for.
        from: PathBuf,
    },
    /// The file system refuses.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// A program that is still to be copied.
#[derive(Debug)]
pub struct Copy {
    /// Where it goes.
    pub to: PathBuf,
    bytes: Vec<u8>,
}

/// What is to be copied from one directory to another; nothing where both hold the same.
///
/// # Errors
/// When a program is in neither, or can't be read.
pub fn outdated(from: &Path, to: &Path) -> Result<Vec<Copy>, Error> {
    let mut copies = Vec::new();
    for name in names() {
        let (source, target) = (from.join(name), to.join(name));
        match read_file(&source) {
            Ok(bytes) => {
                if read_file(&target).ok().as_ref() != Some(&bytes) {
                    copies.push(Copy { to: target, bytes });
                }
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                if !target.is_file() {
                    let from = from.to_owned();
                    return Err(Error::Missing { name, from });
                }
            }
            Err(e) => return Err(io_at(&source)(e)),
        }
    }
    Ok(copies)
}

impl Copy {
    /// Puts it in place.
    ///
    /// # Errors
    /// When the directory can't be written to.
    pub fn carry_out(&self) -> Result<(), Error> {
        file::replace(&self.to, &self.bytes, Some(&Permissions::from_mode(0o755)))
            .map_err(io_at(&self.to))
    }
}

/// The programs that are in `directory`.
pub fn present(directory: &Path) -> Vec<PathBuf> {
    names()
        .map(|name| directory.join(name))
        .filter(|path| path.is_file())
        .collect()
}

/// Removes one program.
///
/// # Errors
/// When it can't be removed.
pub fn remove(path: &Path) -> Result<(), Error> {
    fs::remove_file(path).map_err(io_at(path))
}

/// The names of all six.
pub fn names() -> impl Iterator<Item = &'static str> {
    NAMES.into_iter().chain([TOOL])
}

fn io_at(path: &Path) -> impl Fn(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Io {
        path: path.clone(),
        source,
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { name, from } => write!(
                f,
                "{name} is not in {}: build it first (install.sh does)",
                from.display()
            ),
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Missing { .. } => None,
        }
    }
}
