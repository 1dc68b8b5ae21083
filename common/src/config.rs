//! Flags over environment over defaults, resolved once. The only reader of the environment.
//!
//! The environment may choose little. A project's settings can set it, so a repository could otherwise aim a judge, and
//! the text and key that go to it, at a host of its own: programs, addresses, key names and the log directory come from
//! flags alone. What is left to it is a backend by name, a deadline and a mode.

#![allow(
    clippy::disallowed_methods,
    reason = "this is the place where the environment is read"
)]

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::args::{self, Args, Error};
use crate::guard::JUDGE_ACTIVE;
use crate::input::Host;
use crate::judge::{self, Choice, Secret};
use crate::project::Project;
use crate::rules::Rules;
use crate::signal::Sensitivity;

/// How long the judges have together unless told otherwise. Below the 30 s after which the installed entry is cancelled.
pub const TIMEOUT: Duration = Duration::from_secs(20);

const BACKEND: &str = "STOP_HOOK_LLM_JUDGE_BACKEND";
/// The variable that stands for `--timeout-s`.
pub const TIMEOUT_S: &str = "STOP_HOOK_LLM_JUDGE_TIMEOUT_S";
const MODE: &str = "STOP_HOOK_LLM_JUDGE_MODE";

/// What a decision leads to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// It is carried out.
    #[default]
    Block,
    /// The user is told, the stop passes.
    Warn,
    /// It is logged only.
    Shadow,
    /// Nothing is read, nothing is logged.
    Off,
}

impl Mode {
    /// All of them, strongest first.
    pub const ALL: [Self; 4] = [Self::Block, Self::Warn, Self::Shadow, Self::Off];

    /// As typed and logged.
    pub fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Warn => "warn",
            Self::Shadow => "shadow",
            Self::Off => "off",
        }
    }
}

/// The part of the environment that a run looks at.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    home: Option<PathBuf>,
    claude_config_dir: Option<PathBuf>,
    codex_home: Option<PathBuf>,
    project_dir: Option<PathBuf>,
    search_path: Vec<PathBuf>,
    certificates: Vec<PathBuf>,
    temp_dir: PathBuf,
    backend: Option<String>,
    timeout_s: Option<String>,
    mode: Option<String>,
    judge_active: bool,
    /// Codex, as npm installs it, is this process's ancestor. Looked for only where `project_dir` says otherwise.
    codex_above: bool,
}

impl Environment {
    /// Reads it. A variable that is empty or no UTF-8 counts as unset.
    pub fn read() -> Self {
        let path = |name| {
            env::var_os(name)
                .filter(|v| !v.is_empty())
                .map(PathBuf::from)
        };
        let word = |name| env::var(name).ok().filter(|v| !v.is_empty());
        let project_dir = path("CLAUDE_PROJECT_DIR");
        let is_codex = |name: &OsStr| name.as_encoded_bytes().starts_with(b"CODEX_MANAGED_");
        Self {
            home: path("HOME"),
            claude_config_dir: path("CLAUDE_CONFIG_DIR"),
            codex_home: path("CODEX_HOME"),
            codex_above: project_dir.is_some() && env::vars_os().any(|(name, _)| is_codex(&name)),
            project_dir,
            search_path: env::var_os("PATH")
                .map(|path| env::split_paths(&path).collect())
                .unwrap_or_default(),
            certificates: ["SSL_CERT_FILE", "SSL_CERT_DIR"]
                .into_iter()
                .filter_map(env::var_os)
                .flat_map(|paths| env::split_paths(&paths).collect::<Vec<_>>())
                .filter(|path| !path.as_os_str().is_empty())
                .collect(),
            temp_dir: env::temp_dir(),
            backend: word(BACKEND),
            timeout_s: word(TIMEOUT_S),
            mode: word(MODE),
            judge_active: env::var_os(JUDGE_ACTIVE).is_some_and(|v| v == "1"),
        }
    }

    /// What a decision leads to, as far as the environment tells.
    pub fn mode(&self) -> Option<Mode> {
        args::mode(self.mode.as_deref()?).ok()
    }

    /// Whether this process runs inside a judge.
    pub fn judge_active(&self) -> bool {
        self.judge_active
    }

    /// Who runs us, as far as the environment tells: for a run that can't read its input.
    ///
    /// Claude Code sets `CLAUDE_PROJECT_DIR` for a hook; `CLAUDECODE` it sets for its agent's commands too, and a Codex
    /// that one of them starts hands it on to hooks of its own. Codex sets nothing for a hook. Where the environment
    /// speaks of both, or of none, it counts as Codex's: to be denied without being asked is a nuisance, but Codex runs
    /// what a hook asks about.
    pub fn host(&self) -> Host {
        if self.project_dir.is_some() && !self.codex_above {
            Host::ClaudeCode
        } else {
            Host::Codex
        }
    }

    /// The user's home.
    pub fn home(&self) -> Option<&PathBuf> {
        self.home.as_ref()
    }

    /// Claude Code's own directory: `CLAUDE_CONFIG_DIR`, or `.claude` in the home.
    pub fn claude_dir(&self) -> Option<PathBuf> {
        self.claude_config_dir
            .clone()
            .or_else(|| Some(self.home.as_ref()?.join(".claude")))
    }

    /// The deadline that it sets.
    pub fn timeout(&self) -> Option<Duration> {
        args::timeout(self.timeout_s.as_deref()?).ok()
    }

    /// Whether it says itself where Claude Code's directory is.
    pub fn names_claude_dir(&self) -> bool {
        self.claude_config_dir.is_some()
    }

    /// Codex's own directory: `CODEX_HOME`, or `.codex` in the home.
    pub fn codex_dir(&self) -> Option<PathBuf> {
        self.codex_home
            .clone()
            .or_else(|| Some(self.home.as_ref()?.join(".codex")))
    }

    /// Where the session works, as far as the environment tells.
    fn project(&self) -> Project {
        let cwd = env::current_dir().ok();
        let project = Project::new(cwd.clone().into_iter().chain(self.project_dir.clone()));
        match cwd {
            Some(cwd) => project.with_tree_of(&cwd, self.home.as_deref()),
            None => project,
        }
    }

    /// Where the user's own rules may be: beside the installed hooks.
    fn rules_dir(&self) -> Option<PathBuf> {
        let own = self.claude_dir().filter(|dir| dir.is_absolute())?;
        Some(own.join("hooks"))
    }

    /// Where the log is, unless a variable that a project can set moves it into the project.
    fn log_dir(&self, project: &Project) -> Option<PathBuf> {
        let own = self.claude_dir()?;
        let logs = own.join("logs");
        let moved_in = self.claude_config_dir.is_some()
            && project.holds(&logs)
            && !holds_this(&own.join("hooks"));
        (!moved_in).then_some(logs)
    }
}

/// Whether the program that runs stands in `dir`.
fn holds_this(dir: &Path) -> bool {
    let this = env::current_exe().and_then(|this| this.canonicalize());
    this.is_ok_and(|this| {
        dir.canonicalize()
            .is_ok_and(|dir| this.parent() == Some(&dir))
    })
}

/// All that a run was told.
#[derive(Debug)]
pub struct Config {
    /// What a decision leads to.
    pub mode: Mode,
    /// A run that can't read its input asks.
    pub gate: bool,
    /// Who runs us, as far as the environment tells; the input tells it better.
    pub host: Host,
    /// How much layer 1 lets through.
    pub sensitivity: Sensitivity,
    /// Where the user's own rules may be ([`Config::rules`] tells); none without a home.
    pub rules_dir: Option<PathBuf>,
    /// Where decisions are logged; none without a home, and none in a project that it was moved into.
    pub log_dir: Option<PathBuf>,
    /// Whose files the log may be.
    pub home: Option<PathBuf>,
    /// Who is asked, how, for how long.
    pub judge: judge::Settings,
}

impl Config {
    /// Flags over environment over defaults.
    ///
    /// # Errors
    /// When a flag or variable has a value that it doesn't take.
    pub fn resolve(args: Args, environment: Environment) -> Result<Self, Error> {
        let host = environment.host();
        let project = environment.project();
        let rules_dir = environment.rules_dir();
        let log_dir = args.log_dir.or_else(|| environment.log_dir(&project));
        let timeout = match (args.timeout, environment.timeout_s) {
            (Some(timeout), _) => timeout,
            (None, Some(word)) => args::timeout(&word).map_err(|e| e.named(TIMEOUT_S))?,
            (None, None) => TIMEOUT,
        };
        let mode = match (args.mode, environment.mode) {
            (Some(mode), _) => mode,
            (None, Some(word)) => args::mode(&word).map_err(|e| e.named(MODE))?,
            (None, None) => Mode::default(),
        };
        let judges = match (args.judge, &environment.backend) {
            (Some(list), _) => choices("--judge", &list)?,
            (None, Some(list)) => by_environment(list)?,
            (None, None) => vec![Choice::Auto],
        };
        let api_key = match &args.api_key_env {
            Some(name) => Some(key(name).ok_or(Error::NoKey)?),
            None => None,
        };
        Ok(Self {
            mode,
            gate: args.gate,
            host,
            sensitivity: args.sensitivity.unwrap_or_default(),
            rules_dir,
            log_dir,
            home: environment.home,
            judge: judge::Settings {
                judges,
                timeout,
                url: args.url,
                api_key,
                openai_key: key("OPENAI_API_KEY"),
                anthropic_key: key("ANTHROPIC_API_KEY"),
                codex_user_config: args.codex_user_config,
                search_path: environment.search_path,
                project,
                certificates: environment.certificates,
                temp_dir: environment.temp_dir,
            },
        })
    }

    /// The user's own rules for `hook`: none out of the project, unless the hook that runs is installed right there.
    pub fn rules(&self, hook: &str) -> Rules {
        let Some(dir) = self.rules_dir.as_deref() else {
            return Rules::default();
        };
        let file = Rules::file(dir, hook);
        // Most have none, and need not be asked whose they are.
        if file.symlink_metadata().is_err() || self.judge.project.holds(dir) && !holds_this(dir) {
            return Rules::default();
        }
        Rules::read(&file)
    }
}

/// A variable that holds a key.
fn key(name: &str) -> Option<Secret> {
    env::var(name)
        .ok()
        .filter(|v| !v.is_empty())
        .map(Secret::new)
}

/// Reads a list of backends given as `name`.
fn choices(name: &str, list: &str) -> Result<Vec<Choice>, Error> {
    judge::choices(list).map_err(|why| Error::Judge {
        name: name.to_owned(),
        why,
    })
}

/// Backends that the environment may choose: those that send a text nowhere but to the user's own logins.
fn by_environment(list: &str) -> Result<Vec<Choice>, Error> {
    let choices = choices(BACKEND, list)?;
    let allowed = |choice: &Choice| {
        matches!(
            choice,
            Choice::Auto | Choice::None | Choice::Codex { .. } | Choice::Claude { .. }
        )
    };
    if choices.iter().all(allowed) {
        Ok(choices)
    } else {
        Err(Error::value(BACKEND, list, "auto, codex, claude or none"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_that_was_moved_into_the_project_has_no_rules() {
        let dir = tempfile::tempdir().unwrap();
        let hooks = |home: &str| dir.path().join(home).join(".claude/hooks");
        for home in ["project", "home"] {
            std::fs::create_dir_all(hooks(home)).unwrap();
            std::fs::write(hooks(home).join("a-hook.json"), r#"{"signals": [1]}"#).unwrap();
        }
        let faults = |home: &str| {
            let environment = Environment {
                home: Some(dir.path().join(home)),
                ..Environment::default()
            };
            let mut config = Config::resolve(Args::default(), environment).unwrap();
            config.judge.project = Project::new([dir.path().join("project")]);
            config.rules("a-hook").faults.len()
        };
        assert_eq!(faults("project"), 0);
        assert_eq!(faults("home"), 1);
    }
}
