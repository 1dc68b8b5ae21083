//! The flags that an installation passes on to the hooks.

use std::collections::BTreeMap;
use std::path::absolute;
use std::time::Duration;

use common::args;
use common::config;
use lexopt::ValueExt as _;

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

    pub(super) fn parse(words: &[String]) -> Self {
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
    pub(super) fn over(&self, older: &Self) -> Self {
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
    pub(super) fn timeout_s(&self) -> u64 {
        let deadline = self.deadline().max(config::TIMEOUT);
        deadline.as_secs() + u64::from(deadline.subsec_nanos() > 0) + TIMEOUT_MARGIN_S
    }
}
