//! Why a subcommand ended without doing what it was asked to.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::terminal::{count, count_of};
use crate::{executables, settings};

/// One sentence for the person at the terminal.
#[derive(Debug)]
pub enum Error {
    /// What was typed makes no sense.
    Usage(String),
    /// A settings file was left alone.
    Settings(settings::Error),
    /// A program could not be put in place or removed.
    Executables(executables::Error),
    /// A file can't be read or written.
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// What could not be done of several things.
    Several(Vec<Error>),
    /// This many things are broken; each was told.
    Unsound(usize),
    /// This many files or directories could not be read and were left out; each was told.
    LeftOut(usize),
    /// Neither a home directory nor the option that does without one.
    NoHome,
    /// The terminal or pipe is gone, or the working directory is.
    Output(io::Error),
}

impl Error {
    /// The file at `path` can't be read or written.
    pub fn file(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self::File { path, source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(what) => f.write_str(what),
            Self::Settings(e) => e.fmt(f),
            Self::Executables(e) => e.fmt(f),
            Self::File { path, source } => {
                // A name of several lines would look like several messages.
                let path = path.display().to_string();
                write!(f, "{}: {source}", path.replace(char::is_control, ""))
            }
            Self::Several(errors) => {
                let lines: Vec<_> = errors.iter().map(Self::to_string).collect();
                f.write_str(&lines.join("\nstop-hooks: "))
            }
            Self::Unsound(errors) => f.write_str(&count_of(*errors, "error")),
            Self::LeftOut(1) => f.write_str("1 file or directory could not be read"),
            Self::LeftOut(many) => {
                write!(f, "{} files or directories could not be read", count(*many))
            }
            Self::NoHome => f.write_str("there is no home directory; give --claude-dir"),
            Self::Output(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Settings(e) => Some(e),
            Self::Executables(e) => Some(e),
            Self::File { source: e, .. } | Self::Output(e) => Some(e),
            Self::Usage(_)
            | Self::Several(_)
            | Self::Unsound(_)
            | Self::LeftOut(_)
            | Self::NoHome => None,
        }
    }
}

impl From<lexopt::Error> for Error {
    fn from(e: lexopt::Error) -> Self {
        Self::Usage(e.to_string())
    }
}

impl From<settings::Error> for Error {
    fn from(e: settings::Error) -> Self {
        Self::Settings(e)
    }
}

impl From<executables::Error> for Error {
    fn from(e: executables::Error) -> Self {
        Self::Executables(e)
    }
}

impl From<io::Error> for Error {
    fn from(e: io::Error) -> Self {
        Self::Output(e)
    }
}
