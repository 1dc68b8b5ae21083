//! `stop-hooks doctor`: will the hooks fire, and if not, why not?
//!
//! Each check is a file of its own and gives findings; nothing is changed anywhere.

mod codex;
mod entries;
mod judge;
mod log;
mod others;
mod own_rules;
mod rules;
mod version;

use std::io::Write;
use std::path::{Path, PathBuf};

use common::config::Environment;
use common::input::Host;
use lexopt::Arg::Long;

use crate::error::Error;
use crate::places::Places;
use crate::settings::Settings;
use crate::settings::splice::{self, Registered};
use crate::terminal::{Ink, Style, afterwards, clean_line};

/// `stop-hooks doctor --help`.
pub const HELP: &str = "\
Checks whether the hooks will fire: programs, settings, timeouts, log, judge, and when each hook last fired. Asks the
judge once. The exit code is 1 when something is broken.

Usage: stop-hooks doctor [OPTIONS]

Options:
  --offline           ask no judge and start no client
  --claude-dir DIR    [default: CLAUDE_CONFIG_DIR, else where this tool is installed, else ~/.claude]
  --codex-dir DIR     [default: CODEX_HOME, else ~/.codex]
";

/// One line of the diagnosis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    level: Level,
    area: &'static str,
    what: String,
    /// What it holds of. Findings that say the same of several are one line.
    of: Vec<String>,
    todo: Option<String>,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// As it should be.
    Ok,
    /// It works, but perhaps not as meant.
    Warning,
    /// It doesn't work.
    Error,
}

impl Finding {
    /// All is well.
    pub fn ok(area: &'static str, what: impl Into<String>) -> Self {
        Self {
            level: Level::Ok,
            area,
            what: what.into(),
            of: Vec::new(),
            todo: None,
        }
    }

    /// The same, said of `name`.
    #[must_use]
    pub fn of(mut self, name: impl Into<String>) -> Self {
        self.of.push(name.into());
        self
    }

    /// Whether `other` says the same of something else.
    fn is_like(&self, other: &Self) -> bool {
        let told = |of: &Self| (of.level, of.area, of.what.clone(), of.todo.clone());
        !self.of.is_empty() && told(self) == told(other)
    }

    /// It works, but perhaps not as meant; `todo` says what to do.
    pub fn warning(area: &'static str, what: impl Into<String>, todo: impl Into<String>) -> Self {
        Self {
            level: Level::Warning,
            area,
            what: what.into(),
            of: Vec::new(),
            todo: Some(todo.into()),
        }
    }

    /// It doesn't work; `todo` says what to do.
    pub fn error(area: &'static str, what: impl Into<String>, todo: impl Into<String>) -> Self {
        Self {
            level: Level::Error,
            area,
            what: what.into(),
            of: Vec::new(),
            todo: Some(todo.into()),
        }
    }
}

/// A settings file of a client, as the checks look at it.
struct File {
    settings: Settings,
    /// As a person writes its path.
    shown: String,
    /// The command hooks in it; none where it is no JSON.
    registered: Vec<Registered>,
}

impl File {
    /// Reads the file at `path`, if there is one. A file that can't be read is a finding.
    fn read(path: &Path, places: &Places, findings: &mut Vec<Finding>) -> Option<Self> {
        match Settings::read(path) {
            Ok(settings) => settings.exists().then(|| Self {
                registered: splice::registered(settings.text()).unwrap_or_default(),
                shown: places.shown(path),
                settings,
            }),
            Err(e) => {
                let todo = "the client ignores the whole file; correct it";
                findings.push(Finding::error("settings", e.to_string(), todo));
                None
            }
        }
    }
}

/// Carries out `stop-hooks doctor`.
///
/// # Errors
/// When something is broken.
pub fn run(args: &mut lexopt::Parser, out: &mut dyn Write) -> Result<(), Error> {
    let (mut offline, mut claude_dir, mut codex_dir) = (false, None, None);
    while let Some(arg) = args.next()? {
        match arg {
            Long("offline") => offline = true,
            Long("claude-dir") => claude_dir = Some(PathBuf::from(args.value()?)),
            Long("codex-dir") => codex_dir = Some(PathBuf::from(args.value()?)),
            _ => return Err(arg.unexpected().into()),
        }
    }
    let places = Places::new(claude_dir, codex_dir)?;
    let owner = places.owner();

    let mut findings = Vec::new();
    let user = File::read(&places.claude_settings(), &places, &mut findings);
    let mut projects = Vec::new();
    for path in project_settings(&places)? {
        projects.extend(File::read(&path, &places, &mut findings));
    }
    let codex = File::read(&places.codex_hooks(), &places, &mut findings);
    let mut codex_files = Vec::from_iter(&codex);
    let codex_project = project_hooks(&places)?;
    let codex_project = codex_project.and_then(|path| File::read(&path, &places, &mut findings));
    codex_files.extend(&codex_project);
    let claude: Vec<&File> = user.iter().chain(&projects).collect();

    findings.extend(entries::programs(&owner, &places));
    findings.extend(claude.iter().flat_map(|file| rules::check(file, &owner)));
    findings.extend(entries::registered(user.as_ref(), &owner, &places));
    let all: Vec<&File> = claude.iter().chain(&codex_files).copied().collect();
    for file in &all {
        findings.extend(entries::elsewhere(file, &owner));
        findings.extend(entries::muffled(file, &owner));
    }
    findings.extend(entries::doubles(Host::ClaudeCode, &claude, &owner));
    findings.extend(entries::doubles(Host::Codex, &codex_files, &owner));
    let given = Environment::read().timeout();
    let of_settings = claude
        .iter()
        .rev()
        .find_map(|file| entries::deadline_of(file));
    let for_claude = claude.iter().map(|file| (*file, of_settings.or(given)));
    let for_codex = codex_files.iter().map(|file| (*file, given));
    let timed: Vec<_> = for_claude.chain(for_codex).collect();
    findings.extend(entries::timeouts(&timed, &owner));
    if let (Some(why), true) = (places.elsewhere(), user.is_some()) {
        findings.push(Finding::warning("entries", why, places.elsewhere_todo()));
    }
    findings.extend(own_rules::check(&owner, &places));
    findings.extend(others::check(&all, &owner));
    let commands: Vec<_> = all.iter().flat_map(|file| &file.registered).collect();
    let of_claude = claude.iter().flat_map(|file| &file.registered);
    let of_codex = codex_files.iter().flat_map(|file| &file.registered);
    let by_host = of_claude
        .map(|registered| (Host::ClaudeCode, registered))
        .chain(of_codex.map(|registered| (Host::Codex, registered)));
    findings.extend(log::check(by_host, &owner, &places));
    findings.extend(judge::check(&commands, &owner, offline));
    if let Some(file) = &codex {
        findings.extend(codex::check(file, &owner, &places, offline));
    }
    afterwards(out, |out| {
        print(&together(findings), Ink::for_stdout(), out)
    })
}

/// `findings` with those that are alike in one, where the first of them was.
fn together(findings: Vec<Finding>) -> Vec<Finding> {
    let mut all: Vec<Finding> = Vec::new();
    for finding in findings {
        match all.iter_mut().find(|earlier| earlier.is_like(&finding)) {
            Some(earlier) => earlier.of.extend(finding.of),
            None => all.push(finding),
        }
    }
    all
}

/// The settings of the project that this runs in.
fn project_settings(places: &Places) -> Result<Vec<PathBuf>, Error> {
    let directory = std::env::current_dir()?.join(".claude");
    let is_users = directory.canonicalize().ok() == places.claude.canonicalize().ok();
    let names = ["settings.json", "settings.local.json"];
    let skip = usize::from(is_users);
    Ok(names
        .iter()
        .skip(skip)
        .map(|name| directory.join(name))
        .collect())
}

/// Codex's hooks of the project that this runs in.
fn project_hooks(places: &Places) -> Result<Option<PathBuf>, Error> {
    let directory = std::env::current_dir()?.join(".codex");
    let is_users = directory.canonicalize().ok() == places.codex.canonicalize().ok();
    Ok((!is_users).then(|| directory.join("hooks.json")))
}

fn print(findings: &[Finding], ink: Ink, out: &mut dyn Write) -> Result<(), Error> {
    let mut errors = 0;
    for finding in findings {
        let (word, style) = match finding.level {
            Level::Ok => ("ok", Style::Green),
            Level::Warning => ("warning", Style::Yellow),
            Level::Error => {
                errors += 1;
                ("error", Style::Red)
            }
        };
        let what = match finding.of.as_slice() {
            [] => finding.what.clone(),
            of => format!("{}: {}", finding.what, of.join(", ")),
        };
        writeln!(
            out,
            "{} {:<9} {}",
            ink.paint(style, format_args!("{word:<8}")),
            finding.area,
            clean_line(&what)
        )?;
        if let Some(todo) = &finding.todo {
            writeln!(out, "{:<18} → {}", "", clean_line(todo))?;
        }
    }
    if errors == 0 {
        Ok(())
    } else {
        Err(Error::Unsound(errors))
    }
}
