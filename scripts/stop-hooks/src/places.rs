//! Where the hosts keep their settings, and the hooks their log and the user's own rules.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf, absolute};

use common::config::Environment;
use common::hook::NAMES;

use crate::error::Error;
use crate::registration::{self, Owner, Whose};
use crate::settings::Settings;

/// The directories that an installation touches.
#[derive(Debug)]
pub struct Places {
    /// Claude Code's directory: `~/.claude`, or `CLAUDE_CONFIG_DIR`.
    pub claude: PathBuf,
    /// Codex's directory: `~/.codex`, or `CODEX_HOME`.
    pub codex: PathBuf,
    /// Claude Code's directory as a hook finds it that is started from here.
    run_time: Option<PathBuf>,
    home: Option<PathBuf>,
}

/// Where a command was told to look for the log and the user's own rules.
#[derive(Debug, Default)]
pub struct Told {
    /// `--claude-dir`.
    pub claude_dir: Option<PathBuf>,
    /// `--log-dir`.
    pub log_dir: Option<PathBuf>,
}

impl Told {
    /// Where decisions are logged.
    ///
    /// # Errors
    /// When there is no home directory to look in.
    pub fn logs(&self) -> Result<PathBuf, Error> {
        match &self.log_dir {
            Some(log_dir) => Ok(log_dir.clone()),
            None => Ok(Places::new(self.claude_dir.clone(), None)?.logs_in_use()),
        }
    }
}

impl Places {
    /// The directories given, else those that the environment names, else the one that this program is installed in,
    /// else those in the home directory.
    ///
    /// # Errors
    /// When there is no home directory to look in.
    pub fn new(claude: Option<PathBuf>, codex: Option<PathBuf>) -> Result<Self, Error> {
        let environment = Environment::read();
        let home = environment
            .home()
            .filter(|home| home.is_absolute())
            .cloned();
        let found =
            |place: Option<PathBuf>| absolute(place.ok_or(Error::NoHome)?).map_err(Error::Output);
        let run_time = environment.claude_dir();
        let installed = || installed_in().filter(|_| !environment.names_claude_dir());
        let own = || match (installed(), run_time.clone()) {
            (Some(installed), Some(default)) if same(&installed, &default) => Some(default),
            (installed, default) => installed.or(default),
        };
        let claude = found(claude.or_else(own))?;
        // Who names the one directory alone may well have no home.
        let codex = codex.or_else(|| environment.codex_dir());
        let codex = found(codex.or_else(|| Some(claude.with_file_name(".codex"))))?;
        Ok(Self {
            claude,
            codex,
            run_time,
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

    /// Why hooks that are registered here log elsewhere, and read the user's own rules elsewhere, if they do.
    pub fn elsewhere(&self) -> Option<String> {
        let run_time = self.run_time.as_ref()?;
        let here = self.shown(&self.claude);
        (!same(run_time, &self.claude)).then(|| {
            format!(
                "the hooks go by CLAUDE_CONFIG_DIR: unless it is {here}, they log to {0} and read your own rules in {0}",
                self.shown(run_time)
            )
        })
    }

    /// What to do about it.
    pub fn elsewhere_todo(&self) -> String {
        format!(
            "start Claude Code and Codex with CLAUDE_CONFIG_DIR={}",
            self.claude.display()
        )
    }

    /// Where decisions are logged.
    pub fn logs(&self) -> PathBuf {
        self.claude.join("logs")
    }

    /// Where the registered hooks log: they may name another directory.
    fn logs_in_use(&self) -> PathBuf {
        let owner = self.owner();
        let settings = Settings::read(&self.claude_settings());
        let named: BTreeSet<_> = settings
            .iter()
            .flat_map(|settings| registration::entries(settings.text(), |c| owner.takes_out(c)))
            .filter_map(|registered| match owner.whose(&registered.command) {
                Whose::Ours { flags, .. } => Some(flags.get("log-dir").map(PathBuf::from)),
                _ => None,
            })
            .collect();
        match Vec::from_iter(named).as_slice() {
            [Some(directory)] => directory.clone(),
            _ => self.logs(),
        }
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

/// Claude Code's directory, if this program stands in its `hooks`.
fn installed_in() -> Option<PathBuf> {
    let this = std::env::current_exe().ok()?;
    let hooks = this.parent().filter(|hooks| hooks.ends_with("hooks"))?;
    let others = NAMES.iter().any(|name| hooks.join(name).is_file());
    hooks.parent().filter(|_| others).map(Path::to_owned)
}

fn same(a: &Path, b: &Path) -> bool {
    a == b
        || a.canonicalize()
            .is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}
