//! A judge's directory.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use super::Call;
use super::outcome::{Failure, Outcome};

const SYSTEM_TEMP_DIR: &str = "/tmp";

/// A directory of our own for one call, mode 0700, removed when dropped: an empty one to run in, one for the temporary
/// files that a client leaves behind, and beside them room for a file that it wants by name.
pub(super) struct Scratch {
    root: PathBuf,
}

impl Scratch {
    /// For `call`, where no settings of the project apply: clients look for such in the directories above their own, and
    /// a project can set `TMPDIR`.
    pub(super) fn of(call: Call<'_>) -> Result<Self, Failure> {
        let chosen = &call.settings.temp_dir;
        let can_be_used = chosen.is_absolute() && chosen.is_dir() && !call.programs.forbids(chosen);
        Self::new(if can_be_used {
            chosen
        } else {
            SYSTEM_TEMP_DIR.as_ref()
        })
    }

    pub(super) fn new(temp_dir: &Path) -> Result<Self, Failure> {
        Self::create(temp_dir).map_err(|e| Failure::new(Outcome::NotStarted, e.to_string()))
    }

    fn create(temp_dir: &Path) -> io::Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let nanos = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .subsec_nanos();
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("stop-hook-judge-{}-{nanos}-{count}", process::id());
        let root = std::path::absolute(temp_dir)?.join(name);
        let mut builder = DirBuilder::new();
        builder.mode(0o700);
        builder.create(&root)?;
        let scratch = Self { root };
        builder.create(scratch.empty())?;
        builder.create(scratch.temp())?;
        Ok(scratch)
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Where the judge runs.
    pub(super) fn empty(&self) -> PathBuf {
        self.root.join("empty")
    }

    /// The judge's `TMPDIR`.
    pub(super) fn temp(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// Writes a file beside them.
    pub(super) fn file(&self, name: &str, text: &str) -> Result<PathBuf, Failure> {
        let path = self.root.join(name);
        match fs::write(&path, text) {
            Ok(()) => Ok(path),
            Err(e) => Err(Failure::new(Outcome::NotStarted, e.to_string())),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}
