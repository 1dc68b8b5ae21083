//! What was typed on the command line: syntax only.
//!
//! Nothing here knows of the environment or of defaults; [`config`](crate::config) resolves the three.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::config::Mode;
use crate::judge::{self, ChoiceError};
use crate::signal::Sensitivity;

/// The flag that makes a run that cannot even read its input ask instead of allow.
pub const GATE_FLAG: &str = "--gate";

/// A judge is not waited for longer than this, whatever is asked for.
pub const TIMEOUT_MAX: Duration = Duration::from_secs(600);

/// What was typed.
#[derive(Debug, Default, PartialEq)]
pub struct Args {
    /// `--judge LIST`.
    pub judge: Option<String>,
    /// `--timeout-s SECONDS`.
    pub timeout: Option<Duration>,
    /// `--url URL`.
    pub url: Option<String>,
    /// `--api-key-env NAME`.
    pub api_key_env: Option<String>,
    /// `--codex-user-config`.
    pub codex_user_config: bool,
    /// `--log-dir DIR`.
    pub log_dir: Option<PathBuf>,
    /// `--mode block|warn|shadow|off`.
    pub mode: Option<Mode>,
    /// `--sensitivity low|normal|high`.
    pub sensitivity: Option<Sensitivity>,
    /// `--gate`.
    pub gate: bool,
}

/// What a command line asks for.
#[derive(Debug, PartialEq)]
pub enum Command {
    /// Judge the stop on stdin.
    Run(Box<Args>),
    /// `--help`.
    Help,
    /// `--version`.
    Version,
}

impl Command {
    /// Reads a command line, without the program's name. A flag given twice counts as given last.
    ///
    /// # Errors
    /// On an unknown flag, a missing or unusable value, or a word too many.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Self, Error> {
        use lexopt::prelude::{Long, Short, ValueExt};

        let mut args = Args::default();
        let mut parser = lexopt::Parser::from_args(words);
        while let Some(arg) = parser.next()? {
            match arg {
                Long("judge") => args.judge = Some(parser.value()?.string()?),
                Long("timeout-s") => args.timeout = Some(timeout(&parser.value()?.string()?)?),
                Long("url") => args.url = Some(url(parser.value()?.string()?)?),
                Long("api-key-env") => args.api_key_env = Some(parser.value()?.string()?),
                Long("codex-user-config") => args.codex_user_config = true,
                Long("log-dir") => args.log_dir = Some(parser.value()?.into()),
                Long("mode") => args.mode = Some(mode(&parser.value()?.string()?)?),
                Long("sensitivity") => {
                    args.sensitivity = Some(sensitivity(&parser.value()?.string()?)?);
                }
                Long("gate") => args.gate = true,
                Long("help") | Short('h') => return Ok(Self::Help),
                Long("version") | Short('V') => return Ok(Self::Version),
                _ => return Err(arg.unexpected().into()),
            }
        }
        Ok(Self::Run(Box::new(args)))
    }
}

/// The mode on a command line that may not be understood otherwise: the last that names one.
pub fn mode_of(words: &[OsString]) -> Option<Mode> {
    let named = |at: usize| {
        let word = words.get(at)?.to_str()?;
        match word.strip_prefix("--mode")? {
            "" => words.get(at + 1)?.to_str(),
            value => value.strip_prefix('='),
        }
    };
    (0..words.len())
        .filter_map(named)
        .filter_map(|word| mode(word).ok())
        .next_back()
}

/// Reads `--timeout-s`: seconds, fractions allowed.
///
/// # Errors
/// When it is no number above 0 and at most [`TIMEOUT_MAX`].
pub fn timeout(word: &str) -> Result<Duration, Error> {
    word.parse()
        .ok()
        .filter(|s| *s > 0.0)
        .and_then(|s| Duration::try_from_secs_f64(s).ok())
        .filter(|t| *t <= TIMEOUT_MAX)
        .ok_or_else(|| {
            Error::value(
                "--timeout-s",
                word,
                "a number of seconds above 0, at most 600",
            )
        })
}

fn url(word: String) -> Result<String, Error> {
    if judge::is_url(&word) {
        Ok(word)
    } else {
        let takes = "an https address, or http to this machine";
        Err(Error::value("--url", &word, takes))
    }
}

/// Reads `--mode`.
///
/// # Errors
/// When it is none of the four.
pub fn mode(word: &str) -> Result<Mode, Error> {
    Mode::ALL
        .into_iter()
        .find(|mode| mode.name() == word)
        .ok_or_else(|| Error::value("--mode", word, "block, warn, shadow or off"))
}

fn sensitivity(word: &str) -> Result<Sensitivity, Error> {
    match word {
        "low" => Ok(Sensitivity::Low),
        "normal" => Ok(Sensitivity::Normal),
        "high" => Ok(Sensitivity::High),
        _ => Err(Error::value("--sensitivity", word, "low, normal or high")),
    }
}

/// Why a command line, or an environment variable that stands for a flag, can't be used.
#[derive(Debug)]
pub enum Error {
    /// An unknown flag, or one without its value.
    Syntax(lexopt::Error),
    /// A value that the flag doesn't take.
    Value {
        /// The flag or variable.
        name: String,
        /// What it was given.
        given: String,
        /// What it takes.
        takes: &'static str,
    },
    /// The variable named by `--api-key-env` holds nothing. Not told is what was given: it may be the key itself.
    NoKey,
    /// A list of backends that can't be read.
    Judge {
        /// The flag or variable.
        name: String,
        /// What is wrong with it.
        why: ChoiceError,
    },
}

impl Error {
    /// A flag that this hook doesn't have.
    pub fn no_flag(flag: &str) -> Self {
        Self::Syntax(lexopt::Error::UnexpectedOption(flag.to_owned()))
    }

    /// An unusable value of the flag or variable `name`.
    pub fn value(name: &str, given: &str, takes: &'static str) -> Self {
        Self::Value {
            name: name.to_owned(),
            given: given.to_owned(),
            takes,
        }
    }

    /// The same for the environment variable that stands for the flag.
    #[must_use]
    pub fn named(self, variable: &str) -> Self {
        match self {
            Self::Value { given, takes, .. } => Self::Value {
                name: variable.to_owned(),
                given,
                takes,
            },
            other => other,
        }
    }
}

impl From<lexopt::Error> for Error {
    fn from(error: lexopt::Error) -> Self {
        Self::Syntax(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => error.fmt(f),
            Self::Value { name, given, takes } => write!(f, "{name} takes {takes}, not {given:?}"),
            Self::NoKey => f.write_str(
                "--api-key-env takes the name of a variable that holds a key: no such variable is set",
            ),
            Self::Judge { name, why } => write!(f, "{name}: {why}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Syntax(error) => Some(error),
            Self::Value { .. } | Self::NoKey => None,
            Self::Judge { why, .. } => Some(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Command, Error> {
        Command::parse(words.iter().map(OsString::from))
    }

    #[track_caller]
    fn check_error(words: &[&str], expected: &str) {
        assert_eq!(parse(words).unwrap_err().to_string(), expected);
    }

    #[test]
    fn the_mode_is_read_off_a_line_that_is_wrong() {
        for (line, mode) in [
            ("--jugde x --mode shadow", Some(Mode::Shadow)),
            ("--mode=warn --jugde", Some(Mode::Warn)),
            ("--mode warn --mode=off --jugde", Some(Mode::Off)),
            ("--mode warn --mode shadwo", Some(Mode::Warn)),
            ("--jugde --mode", None),
            ("--model warn", None),
        ] {
            let words: Vec<_> = line.split(' ').map(OsString::from).collect();
            assert_eq!(mode_of(&words), mode, "{line}");
        }
    }

    #[test]
    fn all_flags() {
        let words = "--judge codex:x,claude --timeout-s 2.5 --url http://localhost/v1 --api-key-env K \
                     --codex-user-config --log-dir /l --mode warn --sensitivity=high --gate";
        let Ok(Command::Run(args)) = parse(&words.split_whitespace().collect::<Vec<_>>()) else {
            panic!("does not parse");
        };
        let expected = Args {
            judge: Some("codex:x,claude".into()),
            timeout: Some(Duration::from_millis(2500)),
            url: Some("http://localhost/v1".into()),
            api_key_env: Some("K".into()),
            codex_user_config: true,
            log_dir: Some("/l".into()),
            mode: Some(Mode::Warn),
            sensitivity: Some(Sensitivity::High),
            gate: true,
        };
        assert_eq!(*args, expected);
    }

    #[test]
    fn a_wrong_word_is_named() {
        check_error(&["--jugde", "x"], "invalid option '--jugde'");
        check_error(&["--judge"], "missing argument for option '--judge'");
        check_error(
            &["--mode", "stop"],
            "--mode takes block, warn, shadow or off, not \"stop\"",
        );
        for bad in ["0", "-1", "nan", "inf", "601", "1e40", "ten"] {
            assert!(
                parse(&["--timeout-s", bad]).is_err() || bad.starts_with('-'),
                "{bad}"
            );
        }
        for bad in ["http://judge.example/v1", "ftp://localhost", "/v1", ""] {
            let takes = "--url takes an https address, or http to this machine, not";
            check_error(&["--url", bad], &format!("{takes} {bad:?}"));
        }
        check_error(&["word"], "unexpected argument \"word\"");
    }
}
