//! Words that several commands take: a hook's name, its flags, days, a format.

use std::path::Path;

use common::Hook;
use common::args::Command;
use common::config::{Config, Environment};
use common::project::Project;
use time::Date;

use crate::error::Error;
use crate::places::Places;
use crate::registration::Flags;
use crate::terminal::clean_line;

/// What a hook with these flags would run with, and with Claude Code's directory where it is given.
///
/// # Errors
/// When a hook would refuse them.
pub fn config(flags: &Flags, claude_dir: Option<&Path>) -> Result<Config, Error> {
    let usage = |e: common::args::Error| Error::Usage(e.to_string());
    match Command::parse(flags.words().into_iter().map(Into::into)).map_err(usage)? {
        Command::Run(args) => {
            let mut config = Config::resolve(*args, Environment::read()).map_err(usage)?;
            // A hook starts no program and reads no rules out of the directory that the agent works in. A person's
            // shell may stand anywhere: in the home, for one, below which their programs are.
            config.judge.project = Project::default();
            let places = Places::new(claude_dir.map(Path::to_owned), None);
            config.rules_dir = places.ok().map(|places| places.owner().executables);
            Ok(config)
        }
        Command::Help | Command::Version => Err(Error::Usage("no flag of a hook".to_owned())),
    }
}

/// The hook called `name`.
///
/// # Errors
/// When there is none.
pub fn hook(name: &str) -> Result<&'static Hook, Error> {
    hooks::ALL
        .into_iter()
        .find(|hook| hook.name == name)
        .ok_or_else(|| {
            let all = hooks::ALL.map(|hook| hook.name).join(", ");
            let name = clean_line(name);
            Error::Usage(format!("there is no hook \"{name}\", only {all}"))
        })
}

/// Reads `2026-01-31`.
///
/// # Errors
/// When it is no such day.
pub fn day(word: &str) -> Result<Date, Error> {
    let parse = || {
        let mut parts = word.splitn(3, '-');
        let year = parts.next()?.parse().ok()?;
        let month: u8 = parts.next()?.parse().ok()?;
        let day = parts.next()?.parse().ok()?;
        Date::from_calendar_date(year, month.try_into().ok()?, day).ok()
    };
    parse().ok_or_else(|| Error::Usage(format!("a day is like 2026-01-31, not \"{word}\"")))
}

/// Reads `--days`.
///
/// # Errors
/// When it is no number above 0.
pub fn days(word: &str) -> Result<u32, Error> {
    let days = word.parse().ok().filter(|&days| days > 0);
    days.ok_or_else(|| Error::Usage(format!("--days is a number of days, not \"{word}\"")))
}

/// Reads the value of `flag`.
///
/// # Errors
/// When it is no number.
pub fn number(flag: &str, word: &str) -> Result<usize, Error> {
    let number = word.parse();
    number.map_err(|_| Error::Usage(format!("{flag} is a number, not \"{word}\"")))
}

/// Reads `--format`.
///
/// # Errors
/// When it is neither text nor json.
pub fn is_json(word: &str) -> Result<bool, Error> {
    match word {
        "json" => Ok(true),
        "text" => Ok(false),
        _ => Err(Error::Usage(format!(
            "--format is text or json, not \"{word}\""
        ))),
    }
}
