//! Who is asked, and how: the words of `--judge` and what goes with them.
//!
//! Values only. Where they come from, and who may choose them, is the config module's business.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use super::Secret;
use crate::project::Project;

/// All that asking depends on.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Tried in this order.
    pub judges: Vec<Choice>,
    /// For all of them together.
    pub timeout: Duration,
    /// Where the HTTP backends send to, `/v1` included, instead of the vendor's own address.
    pub url: Option<String>,
    /// The key that was named on the command line: it goes wherever the HTTP backends send to.
    pub api_key: Option<Secret>,
    /// The user's `OPENAI_API_KEY`: it goes to `OpenAI`'s own address and nowhere else.
    pub openai_key: Option<Secret>,
    /// The user's `ANTHROPIC_API_KEY`: it goes to Anthropic's own address and nowhere else.
    pub anthropic_key: Option<Secret>,
    /// `codex` reads the user's config, for those who need their own `model_provider`.
    pub codex_user_config: bool,
    /// The entries of `PATH`.
    pub search_path: Vec<PathBuf>,
    /// No program of it is started but one that a flag names by its whole path.
    pub project: Project,
    /// Certificates that the environment has trusted besides or instead of the system's.
    pub certificates: Vec<PathBuf>,
    /// Where a judge's empty directory is made.
    pub temp_dir: PathBuf,
}

/// One word of `--judge`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// The Codex CLI.
    Codex {
        /// Instead of the default model.
        model: Option<String>,
    },
    /// Claude Code.
    Claude {
        /// Instead of the default model.
        model: Option<String>,
    },
    /// An OpenAI-compatible chat endpoint.
    OpenAi {
        /// As the endpoint names it.
        model: String,
    },
    /// The Anthropic Messages API.
    Anthropic {
        /// As the endpoint names it.
        model: String,
    },
    /// A program that reads the prompt on stdin and prints the JSON.
    Command {
        /// An absolute path, or a name to be looked up.
        program: PathBuf,
    },
    /// Codex, then Claude Code, whichever are found.
    Auto,
    /// Nobody.
    None,
    /// A word that names no backend: it fails, and the next one is tried.
    Unknown(String),
}

/// Why a list of backends can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChoiceError {
    /// Nothing between two commas, or nothing at all.
    Empty,
    /// The backend has no default model.
    NeedsModel(&'static str),
    /// Nothing after the colon.
    EmptyModel(String),
    /// The word takes nothing after a colon.
    TakesNoModel(&'static str),
    /// The program is missing, or named by a path that depends on where the hook runs.
    Program(PathBuf),
}

/// Reads a comma-separated list.
///
/// # Errors
/// When one of its words is incomplete. A word that names no backend is none: see [`Choice::Unknown`].
pub fn choices(list: &str) -> Result<Vec<Choice>, ChoiceError> {
    list.split(',').map(str::parse).collect()
}

impl FromStr for Choice {
    type Err = ChoiceError;

    /// `BACKEND[:MODEL]`; the model is all behind the first colon.
    fn from_str(word: &str) -> Result<Self, ChoiceError> {
        let word = word.trim();
        let (backend, model) = match word.split_once(':') {
            Some((backend, model)) => (backend, Some(model.to_owned())),
            None => (word, None),
        };
        let choice = match backend {
            "" => return Err(ChoiceError::Empty),
            "codex" => Self::Codex { model },
            "claude" => Self::Claude { model },
            "openai" => Self::OpenAi {
                model: model.ok_or(ChoiceError::NeedsModel("openai"))?,
            },
            "anthropic" => Self::Anthropic {
                model: model.ok_or(ChoiceError::NeedsModel("anthropic"))?,
            },
            "command" => Self::Command {
                program: program(model.unwrap_or_default())?,
            },
            "auto" if model.is_some() => return Err(ChoiceError::TakesNoModel("auto")),
            "auto" => Self::Auto,
            "none" if model.is_some() => return Err(ChoiceError::TakesNoModel("none")),
            "none" => Self::None,
            _ => Self::Unknown(word.to_owned()),
        };
        match &choice {
            Self::Codex { model: Some(model) }
            | Self::Claude { model: Some(model) }
            | Self::OpenAi { model }
            | Self::Anthropic { model }
                if model.is_empty() =>
            {
                Err(ChoiceError::EmptyModel(backend.to_owned()))
            }
            _ => Ok(choice),
        }
    }
}

/// A path with a slash that isn't absolute would be looked for in the project that the hook happens to run in.
fn program(word: String) -> Result<PathBuf, ChoiceError> {
    let program = PathBuf::from(word);
    let is_name = program.file_name() == Some(program.as_os_str());
    if program.is_absolute() || is_name {
        Ok(program)
    } else {
        Err(ChoiceError::Program(program))
    }
}

impl fmt::Display for ChoiceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("a backend is missing"),
            Self::NeedsModel(backend) => write!(f, "{backend} needs a model: {backend}:MODEL"),
            Self::EmptyModel(backend) => write!(f, "no model follows '{backend}:'"),
            Self::TakesNoModel(word) => write!(f, "{word} takes no model"),
            Self::Program(program) if program == Path::new("") => {
                f.write_str("command needs a program: command:PROGRAM")
            }
            Self::Program(program) => write!(
                f,
                "command needs an absolute path or a name on PATH, not '{}'",
                program.display()
            ),
        }
    }
}

impl std::error::Error for ChoiceError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(name: &str) -> String {
        name.to_owned()
    }

    #[track_caller]
    fn check(list: &str, expected: &[Choice]) {
        assert_eq!(choices(list).as_deref(), Ok(expected), "{list}");
    }

    #[track_caller]
    fn check_error(list: &str, expected: &str) {
        assert_eq!(choices(list).unwrap_err().to_string(), expected, "{list}");
    }

    #[test]
    fn a_list_is_read_in_order() {
        check("auto", &[Choice::Auto]);
        check("none", &[Choice::None]);
        check(
            "codex, claude:sonnet",
            &[
                Choice::Codex { model: None },
                Choice::Claude {
                    model: Some(model("sonnet")),
                },
            ],
        );
        check(
            "openai:qwen3:8b",
            &[Choice::OpenAi {
                model: model("qwen3:8b"),
            }],
        );
        check(
            "anthropic:claude-haiku-4-5",
            &[Choice::Anthropic {
                model: model("claude-haiku-4-5"),
            }],
        );
        check(
            "command:/opt/judge",
            &[Choice::Command {
                program: "/opt/judge".into(),
            }],
        );
        check(
            "command:judge",
            &[Choice::Command {
                program: "judge".into(),
            }],
        );
        check(
            "gemini:pro,Codex",
            &[
                Choice::Unknown(model("gemini:pro")),
                Choice::Unknown(model("Codex")),
            ],
        );
    }

    #[test]
    fn an_incomplete_word_is_told() {
        check_error("", "a backend is missing");
        check_error("codex,,claude", "a backend is missing");
        check_error("openai", "openai needs a model: openai:MODEL");
        check_error("anthropic:", "no model follows 'anthropic:'");
        check_error("codex:", "no model follows 'codex:'");
        check_error("auto:haiku", "auto takes no model");
        check_error("none:x", "none takes no model");
        check_error("command", "command needs a program: command:PROGRAM");
        check_error(
            "command:./judge",
            "command needs an absolute path or a name on PATH, not './judge'",
        );
        check_error(
            "command:bin/judge",
            "command needs an absolute path or a name on PATH, not 'bin/judge'",
        );
        check_error(
            "command:..",
            "command needs an absolute path or a name on PATH, not '..'",
        );
    }
}
