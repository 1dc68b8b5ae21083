//! Where the hosts keep their settings.

use std::path::{Path, PathBuf, absolute};

use common::config::Environment;

use crate::error::Error;
use crate::registration::Owner;

/// The directories that an installation touches.
#[derive(Debug)]
pub struct Places {
    /// Claude Code's directory: `~/.claude`, or `CLAUDE_CONFIG_DIR`.
    pub claude: PathBuf,
    /// Codex's directory: `~/.codex`.
    pub codex: PathBuf,
    home: Option<PathBuf>,
}

impl Places {
    /// The directories given, else those in the home directory.
    ///
    /// # Errors
    /// When there is no home directory to look in.
    pub fn new(claude: Option<PathBuf>, codex: Option<PathBuf>) -> Result<Self, Error> {
        let environment = Environment::read();
        let home = environment
            .home()
            .filter(|home| home.is_absolute())
            .cloned();
        let codex = codex.or_else(|| Some(home.as_ref()?.join(".codex")));
        let found =
            |place: Option<PathBuf>| absolute(place.ok_or(Error::NoHome)?).map_err(Error::Output);
        Ok(Self {
            claude: found(claude.or_else(|| environment.claude_dir()))?,
            codex: found(codex)?,
            home,
        })
    }

    /// Claude Code's settings of the user.
    pub fn claude_settings(&self) -> PathBuf {
        self.claude.join("settings.json")
    }

    /// Codex's hooks of the user.
    pub fn codex_hooks(&self) -> PathBuf {
        self.codex.join("hooks.json")
    }

    /// The directory given, else where decisions are logged.
    ///
    /// # Errors
    /// When there is no home directory to look in.
    pub fn log_dir(given: Option<PathBuf>) -> Result<PathBuf, Error> {
        match given {
            Some(given) => Ok(given),
            None => Ok(Self::new(None, None)?.logs()),
        }
    }

    /// Where decisions are logged.
    pub fn logs(&self) -> PathBuf {
        self.claude.join("logs")
    }

    /// The home directory.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// What tells our entries from others.
    pub fn owner(&self) -> Owner {
        Owner {
            executables: self.claude.join("hooks"),
            home: self.home.clone(),
        }
    }

    /// A path as a person writes it: `~` for the home directory.
    pub fn shown(&self, path: &Path) -> String {
        match self
            .home
            .as_ref()
            .and_then(|home| path.strip_prefix(home).ok())
        {
            Some(rest) => format!("~/{}", rest.display()),
            None => path.display().to_string(),
        }
    }
}
