//! Whose a command line is: ours, somebody's own around one of our programs, or nothing to do with us.

use std::path::{Path, PathBuf};

use common::command;
use common::hook::NAMES;

use super::Flags;
use crate::executables;
use crate::settings;
use crate::settings::splice::{self, Registered};
use crate::shell;

/// Programs that people put behind a command to see or to swallow what it says.
const TRIMMINGS: [&str; 5] = ["tee", "cat", "true", ":", "exit"];

/// Where the executables are, which tells our entries from others.
#[derive(Debug)]
pub struct Owner {
    /// The directory of the executables, absolute.
    pub executables: PathBuf,
    /// What `~` and `$HOME` stand for in a command that was written by hand.
    pub home: Option<PathBuf>,
}

/// Whose a command is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Whose {
    /// One of our executables and its flags.
    Ours {
        /// The hook.
        hook: &'static str,
        /// What follows it.
        flags: Flags,
    },
    /// Somebody's own command line that runs one of our executables.
    Wrapped {
        /// The hook.
        hook: &'static str,
        /// It runs nothing else of any use.
        alone: bool,
        /// It ends with it, so that its exit code is the line's.
        last: bool,
    },
    /// Nothing to do with us.
    Other,
}

impl Owner {
    /// Whose `command` is.
    pub fn whose(&self, command: &str) -> Whose {
        let command = self.expanded(command);
        if let Some(words) = shell::words(&command)
            && let Some((program, rest)) = words.split_first()
            && let Some(hook) = self.hook_at(Path::new(program))
        {
            return Whose::Ours {
                hook,
                flags: Flags::parse(rest),
            };
        }
        let runs = command::runs(&command);
        let hook_of = |run: &Vec<String>| self.hook_at(Path::new(run.first()?));
        match runs.iter().find_map(hook_of) {
            Some(hook) => Whose::Wrapped {
                hook,
                last: runs.last().is_some_and(|run| hook_of(run).is_some())
                    && !command.trim_end().ends_with('&'),
                alone: runs.iter().all(|run| {
                    let program = run.first().map(String::as_str).unwrap_or_default();
                    hook_of(run).is_some() || TRIMMINGS.contains(&program)
                }),
            },
            None => Whose::Other,
        }
    }

    /// Whether uninstalling takes `command` out.
    pub fn takes_out(&self, command: &str) -> bool {
        match self.whose(command) {
            Whose::Ours { .. } => true,
            Whose::Wrapped { alone, .. } => alone,
            Whose::Other => false,
        }
    }

    /// Whether `command` is an entry like ours, of this installation or another.
    pub fn is_like_ours(&self, command: &str) -> bool {
        let words = shell::words(&self.expanded(command)).unwrap_or_default();
        let program = words.first().map_or(Path::new(""), Path::new);
        let directory = program.parent().and_then(Path::file_name);
        self.takes_out(command)
            || (directory.is_some_and(|name| name == "hooks")
                && NAMES.iter().any(|hook| program.ends_with(hook)))
    }

    /// Whether a program of ours is named anywhere in `text`.
    pub fn is_named_in(&self, text: &str) -> bool {
        let text = self.expanded(text);
        let mut pieces = text.split(|c: char| c.is_whitespace() || "'\"`;|&<>()=".contains(c));
        let goes_on = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        pieces.any(|piece| self.hook_at(Path::new(piece)).is_some())
            || executables::names().any(|name| {
                let path = self.executable(name).display().to_string();
                let mut found = text.match_indices(&path);
                found.any(|(at, _)| {
                    let after = text.get(at + path.len()..).unwrap_or_default();
                    !after.starts_with(goes_on)
                })
            })
    }

    /// Whether the file at `path`, which can't be read as settings, may hold an entry of ours.
    pub fn may_be_named_in(&self, path: &Path) -> bool {
        match settings::read_file(path) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                self.executables.exists() && NAMES.iter().any(|hook| text.contains(hook))
            }
            Err(_) => path.is_file(),
        }
    }

    /// The path of one executable.
    pub fn executable(&self, name: &str) -> PathBuf {
        self.executables.join(name)
    }

    /// The flags that `hook` has in an entry of any event: a gate added later asks the same judge in the same mode.
    pub(super) fn flags_of(&self, text: &str, hook: &str) -> Result<Option<Flags>, splice::Error> {
        let there = splice::registered(text)?;
        let of_hook = |r: &Registered| match self.whose(&r.command) {
            Whose::Ours { hook: name, flags } if name == hook => Some(flags),
            _ => None,
        };
        Ok(there.iter().find_map(of_hook))
    }

    fn hook_at(&self, program: &Path) -> Option<&'static str> {
        let name = program.file_name()?;
        let hook = NAMES.into_iter().find(|hook| name == *hook)?;
        let directory = program.parent()?;
        let same = directory == self.executables
            || directory.is_absolute()
                && directory
                    .canonicalize()
                    .is_ok_and(|real| self.executables.canonicalize().is_ok_and(|e| e == real));
        same.then_some(hook)
    }

    /// `command` with the home directory where it stands for it.
    pub fn expanded(&self, command: &str) -> String {
        let Some(home) = self.home.as_deref().and_then(Path::to_str) else {
            return command.to_owned();
        };
        let stands_first = |c: char| c.is_whitespace() || ";|&(".contains(c);
        let (mut expanded, mut rest) = (String::new(), command);
        while let Some((before, after)) = rest.split_once("~/") {
            expanded += before;
            let first = expanded.chars().next_back().is_none_or(stands_first);
            expanded += &if first {
                shell::quote(home)
            } else {
                "~".to_owned()
            };
            expanded.push('/');
            rest = after;
        }
        expanded += rest;
        expanded.replace("${HOME}", home).replace("$HOME", home)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner() -> Owner {
        Owner {
            executables: PathBuf::from("/home/u/.claude/hooks"),
            home: Some(PathBuf::from("/home/u")),
        }
    }

    #[test]
    fn our_entries_are_told_from_others() {
        #[track_caller]
        fn check(command: &str, expected: &str) {
            let told = match owner().whose(command) {
                Whose::Ours { hook, flags } => format!("{hook} {}", flags.words().join(" ")),
                Whose::Wrapped {
                    hook, alone: true, ..
                } => format!("around {hook}"),
                Whose::Wrapped { hook, .. } => format!("with {hook}"),
                Whose::Other => "other".to_owned(),
            };
            assert_eq!(told.trim_end(), expected, "{command}");
        }
        check("/home/u/.claude/hooks/scope-check", "scope-check");
        check(
            "'/home/u/.claude/hooks/scope-check' --judge=codex --x --mode  warn",
            "scope-check --judge codex --mode warn --x",
        );
        check("~/.claude/hooks/scope-change", "scope-change");
        check("\"$HOME/.claude/hooks/scope-change\"", "scope-change");
        check("$HOME/.claude/hooks/scope-change", "scope-change");
        check(
            "A=1 /home/u/.claude/hooks/scope-check | tee /tmp/x",
            "around scope-check",
        );
        check(
            "env A=1 ~/.claude/hooks/scope-check --mode warn",
            "around scope-check",
        );
        check(
            "bash -c '$HOME/.claude/hooks/scope-check || true'",
            "around scope-check",
        );
        check(
            "my-lint.sh && ~/.claude/hooks/scope-check",
            "with scope-check",
        );
        check(
            "/home/u/.claude/hooks/scope-check; say done",
            "with scope-check",
        );
        check("sha256sum ~/.claude/hooks/scope-check > x", "other");
        check("/home/u/.claude/hooks/scope-check.sh", "other");
        check("/opt/scope-check", "other");
        check("scope-check", "other");
        check("", "other");
    }
}
