//! Which entries the hooks need, and which entries of a settings file are theirs.
//!
//! An entry is known by its command: the first word is one of our executables' paths. Flags that are given replace the
//! same flags of an entry and leave the others, so that `--mode block` after a trial doesn't silently send texts to
//! another judge, and an update without flags keeps what was chosen.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf, absolute};
use std::time::Duration;

use common::args;
use common::command;
use common::config;
use common::hook::NAMES;
use lexopt::ValueExt as _;

use crate::executables;
use crate::settings;
use crate::settings::splice::{self, Entry, Registered};
use crate::shell;

/// A flag of the hooks, without its dashes, and whether a value follows.
pub type Flag = (&'static str, bool);

/// The flags that an installation passes on.
const FLAGS: [Flag; 8] = [
    ("judge", true),
    ("url", true),
    ("api-key-env", true),
    ("mode", true),
    ("timeout-s", true),
    ("sensitivity", true),
    ("log-dir", true),
    ("codex-user-config", false),
];

/// Programs that people put behind a command to see or to swallow what it says.
const TRIMMINGS: [&str; 5] = ["tee", "cat", "true", ":", "exit"];

/// How much an entry's timeout, in seconds, stays above the hook's own deadline.
const TIMEOUT_MARGIN_S: u64 = 10;

/// The flag of the hooks that was typed.
///
/// # Errors
/// When it is none.
pub fn flag(arg: lexopt::Arg<'_>) -> Result<Flag, lexopt::Error> {
    let known = match arg {
        lexopt::Arg::Long(name) => FLAGS.into_iter().find(|(known, _)| *known == name),
        _ => None,
    };
    known.ok_or_else(|| arg.unexpected())
}

/// Flags of one hook command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Flags {
    /// By name; an empty value for a flag that takes none.
    known: BTreeMap<usize, String>,
    /// Words that are none of ours, kept as they are.
    other: Vec<String>,
}

impl Flags {
    /// Sets one flag. `name` is without dashes; false when it is none of [`FLAGS`].
    pub fn set(&mut self, name: &str, value: &str) -> bool {
        match FLAGS.iter().position(|(known, _)| *known == name) {
            Some(at) => {
                self.known.insert(at, value.to_owned());
                true
            }
            None => false,
        }
    }

    /// Reads the value of `flag` from `args`, if it takes one.
    ///
    /// # Errors
    /// When the value is missing or no UTF-8.
    pub fn read(&mut self, flag: Flag, args: &mut lexopt::Parser) -> Result<(), lexopt::Error> {
        let (name, takes_value) = flag;
        let value = match (takes_value, name) {
            (false, _) => String::new(),
            // A hook runs in the session's directory: a relative path would lead into the project.
            (true, "log-dir") => {
                let directory = absolute(args.value()?).map_err(|e| e.to_string())?;
                directory.to_string_lossy().into_owned()
            }
            (true, _) => args.value()?.string()?,
        };
        self.set(name, &value);
        Ok(())
    }

    fn parse(words: &[String]) -> Self {
        let mut flags = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let name = word.strip_prefix("--").unwrap_or_default();
            let (name, value) = match name.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (name, None),
            };
            let takes_value = FLAGS.iter().find(|(known, _)| *known == name);
            let value = match (takes_value, value) {
                (Some((_, true)), None) => words.next().map(String::as_str),
                (_, value) => value,
            };
            if !flags.set(name, value.unwrap_or_default()) && word != args::GATE_FLAG {
                flags.other.push(word.clone());
            }
        }
        flags
    }

    /// `self`, and where it is silent `older`.
    fn over(&self, older: &Self) -> Self {
        let mut merged = older.clone();
        merged.known.extend(self.known.clone());
        merged
    }

    /// As typed.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        for (at, value) in &self.known {
            if let Some((name, takes_value)) = FLAGS.get(*at) {
                words.push(format!("--{name}"));
                words.extend(takes_value.then(|| value.clone()));
            }
        }
        words.extend(self.other.iter().cloned());
        words
    }

    /// The value of a flag, if it is given.
    pub fn get(&self, name: &str) -> Option<&str> {
        let at = FLAGS.iter().position(|(known, _)| *known == name)?;
        self.known.get(&at).map(String::as_str)
    }

    /// The hook's own deadline.
    pub fn deadline(&self) -> Duration {
        let asked = self
            .get("timeout-s")
            .and_then(|word| args::timeout(word).ok());
        asked.unwrap_or(config::TIMEOUT)
    }

    /// The timeout of an entry, in seconds.
    fn timeout_s(&self) -> u64 {
        let deadline = self.deadline().max(config::TIMEOUT);
        deadline.as_secs() + u64::from(deadline.subsec_nanos() > 0) + TIMEOUT_MARGIN_S
    }
}

/// One of the three places where a hook can be registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The end of a turn: what the hooks are for.
    Stop,
    /// The end of a subagent's work.
    Subagents,
    /// Before a command that changes shared state.
    Gate,
}

impl Part {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Stop, Self::Subagents, Self::Gate];

    fn event(self) -> &'static str {
        match self {
            Self::Stop => "Stop",
            Self::Subagents => "SubagentStop",
            Self::Gate => "PreToolUse",
        }
    }

    fn matcher(self) -> Option<&'static str> {
        (self == Self::Gate).then_some("Bash")
    }

    /// The hooks that serve it.
    fn hooks(self) -> &'static [&'static str] {
        match self {
            Self::Stop | Self::Subagents => &NAMES,
            Self::Gate => &["commit-before-verify"],
        }
    }
}

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
    fn flags_of(&self, text: &str, hook: &str) -> Result<Option<Flags>, splice::Error> {
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

/// What an installation did to one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The event.
    pub event: &'static str,
    /// What it was before; none for a new entry.
    pub before: Option<String>,
    /// What it is now.
    pub after: String,
}

/// `text` with the entries of `parts`, and the changes that this took. Entries of other parts change, none is added. A new entry takes
/// the flags that its hook has in `text`, else in `other`, the file of the other client: after a trial in mode shadow no
/// client begins to block unasked.
///
/// # Errors
/// When the text is not JSON of the expected shape.
pub fn install(
    text: &str,
    owner: &Owner,
    parts: &[Part],
    flags: &Flags,
    other: &str,
) -> Result<(String, Vec<Change>), splice::Error> {
    let mut text = text.to_owned();
    let mut changes = Vec::new();
    for part in Part::ALL {
        let there = splice::registered(&text)?;
        let ours: Vec<_> = there.iter().filter_map(|r| part.entry(owner, r)).collect();
        if ours.is_empty() && !parts.contains(&part) {
            continue;
        }
        for hook in part.hooks() {
            let mut found = false;
            for (registered, _, whose) in ours.iter().filter(|(_, name, _)| name == hook) {
                found = true;
                let Whose::Ours { flags: older, .. } = whose else {
                    continue;
                };
                let entry = part.wanted(owner, hook, &flags.over(older));
                let new = splice::replace(&text, &registered.command, &entry)?;
                if new != text {
                    changes.push(Change {
                        event: part.event(),
                        before: Some(registered.command.clone()),
                        after: entry.command,
                    });
                    text = new;
                }
            }
            if !found && parts.contains(&part) {
                let older = match owner.flags_of(&text, hook)? {
                    Some(flags) => flags,
                    None => owner.flags_of(other, hook)?.unwrap_or_default(),
                };
                let entry = part.wanted(owner, hook, &flags.over(&older));
                text = splice::append(&text, &entry)?;
                changes.push(Change {
                    event: part.event(),
                    before: None,
                    after: entry.command,
                });
            }
        }
    }
    Ok((text, changes))
}

/// The entries of `text` whose commands `of` picks; none where the text can't be read.
pub fn entries(text: &str, of: impl Fn(&str) -> bool) -> Vec<Registered> {
    let mut all = splice::registered(text).unwrap_or_default();
    all.retain(|r| of(&r.command));
    all
}

impl Part {
    /// `registered` with its hook, if it is an entry of this part.
    fn entry<'a>(
        self,
        owner: &Owner,
        registered: &'a Registered,
    ) -> Option<(&'a Registered, &'static str, Whose)> {
        if !self.covers(&registered.event) {
            return None;
        }
        let whose = owner.whose(&registered.command);
        let hook = match &whose {
            Whose::Ours { hook, .. } | Whose::Wrapped { hook, .. } => *hook,
            Whose::Other => return None,
        };
        Some((registered, hook, whose))
    }

    /// Whether entries under `event` are this part's.
    pub fn covers(self, event: &str) -> bool {
        self.event() == event
    }

    fn wanted(self, owner: &Owner, hook: &str, flags: &Flags) -> Entry {
        let mut words = vec![shell::quote(&owner.executable(hook).to_string_lossy())];
        words.extend((self == Self::Gate).then(|| args::GATE_FLAG.to_owned()));
        words.extend(flags.words().iter().map(|word| shell::quote(word)));
        Entry {
            event: self.event(),
            matcher: self.matcher(),
            command: words.join(" "),
            timeout_s: flags.timeout_s(),
        }
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

    fn flags(given: &[(&str, &str)]) -> Flags {
        let mut flags = Flags::default();
        for (name, value) in given {
            assert!(flags.set(name, value), "{name}");
        }
        flags
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

    #[test]
    fn given_flags_replace_and_others_stay() {
        let first = flags(&[("judge", "openai:m"), ("url", "http://localhost:1/v1")]);
        let parts = [Part::Stop];
        let (text, changes) = install("{}", &owner(), &parts, &first, "").unwrap();
        assert_eq!(changes.len(), 5);

        let shadow = flags(&[("mode", "shadow"), ("timeout-s", "60")]);
        let (text, changes) = install(&text, &owner(), &parts, &shadow, "").unwrap();
        assert_eq!(changes.len(), 5);
        assert!(text.contains(
            "scope-check --judge openai:m --url http://localhost:1/v1 --mode shadow --timeout-s 60\",\"timeout\":70}"
        ));

        let (again, changes) = install(&text, &owner(), &parts, &Flags::default(), "").unwrap();
        assert_eq!((again, changes), (text, Vec::new()));
    }

    #[test]
    fn a_part_added_later_takes_the_flags_of_the_hook() {
        let shadow = flags(&[("judge", "openai:m"), ("mode", "shadow")]);
        let (text, _) = install("", &owner(), &[Part::Stop], &shadow, "").unwrap();
        let (_, changes) = install(&text, &owner(), &[Part::Gate], &Flags::default(), "").unwrap();
        let added: Vec<_> = changes.iter().map(|change| change.after.as_str()).collect();
        assert_eq!(added.len(), 1, "{added:?}");
        assert!(
            added[0].contains("--judge openai:m --mode shadow"),
            "{added:?}"
        );
    }

    #[test]
    fn parts_that_are_there_are_kept_up() {
        let parts = [Part::Stop, Part::Subagents, Part::Gate];
        let (text, changes) = install("{}", &owner(), &parts, &Flags::default(), "").unwrap();
        assert_eq!(changes.len(), 11);
        assert!(text.contains(
            r#"{"matcher":"Bash","hooks":[{"type":"command","command":"/home/u/.claude/hooks/commit-before-verify --gate","timeout":30}]}"#
        ));
        let warn = flags(&[("mode", "warn")]);
        let (text, changes) = install(&text, &owner(), &[Part::Stop], &warn, "").unwrap();
        assert_eq!(changes.len(), 11);
        assert_eq!(text.matches("--mode warn").count(), 11);
        assert_eq!(text.matches("--gate --mode warn").count(), 1);
    }

    #[test]
    fn a_wrapped_hook_is_not_registered_a_second_time() {
        let text = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"nice /home/u/.claude/hooks/scope-check"}]}]}}"#;
        let (text, changes) = install(
            text,
            &owner(),
            &[Part::Stop],
            &flags(&[("mode", "warn")]),
            "",
        )
        .unwrap();
        assert_eq!(changes.len(), 4);
        assert_eq!(text.matches("scope-check").count(), 1);
    }
}
