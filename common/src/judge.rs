//! Asks a language model whether the text breaks the hook's rule.
//!
//! Backends are tried in the order of the list until one answers, all under one deadline. Whatever a backend does, it
//! ends as an [`Attempt`] with a named [`Outcome`]: nothing in here fails, and nothing in here judges. What an answer
//! means is the verdict module's question.
//!
//! One file a backend: `codex` and `claude` start the user's own clients, with the user's own login; `command` starts
//! any program; `http` speaks with an endpoint. The first three share `process`, which promises that no process outlives
//! the call.

mod claude;
mod codex;
mod command;
mod group;
mod http;
mod outcome;
mod process;
mod program;
mod refusal;
mod reply;
mod scratch;
mod secret;
mod setting;
#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use serde_json::{Map, Value};

pub use self::http::is_url;
pub use self::outcome::Outcome;
pub use self::secret::Secret;
pub use self::setting::{Choice, ChoiceError, Settings, choices};

use self::outcome::Failure;
use self::program::SearchPath;
use crate::Field;
use crate::redact::{Redacted, clean_line};
use crate::wrap::Prompt;

/// A judge's output beyond this is no answer.
const OUTPUT_MAX_BYTES: usize = 4 << 20;

/// What is kept of a reply: enough for the log and for a secret that its cut would halve.
const RAW_MAX_BYTES: usize = 16 << 10;

/// What is kept of an error message.
const DETAIL_MAX_BYTES: usize = 300;

/// What a judge said.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The one JSON object of the reply, with whatever keys it has.
    pub object: Map<String, Value>,
    /// The beginning of the reply, on one line. Not redacted.
    pub raw: String,
}

impl Answer {
    fn new(object: Map<String, Value>, reply: &str) -> Self {
        let beginning = (0..=RAW_MAX_BYTES.min(reply.len()))
            .rev()
            .find_map(|end| reply.get(..end));
        let raw = beginning.unwrap_or_default().replace(char::is_control, " ");
        Self { object, raw }
    }
}

/// One request to one backend.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// `codex`, `claude`, `openai`, `anthropic`, `command`, `auto`; for an unknown word that word.
    pub backend: String,
    /// The model; for `command` the program.
    pub model: Option<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// How long it took.
    pub elapsed: Duration,
    /// The backend's own words for a failure, on one line.
    pub detail: Option<Redacted>,
}

/// All that came of asking.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The first answer.
    pub answer: Option<Answer>,
    /// Every request, in order. The last one is the one that answered, if one did.
    pub attempts: Vec<Attempt>,
}

/// Asks the backends of `settings` in order until one answers or `deadline` has passed.
///
/// It returns within a few hundred milliseconds of `deadline`, and then no process started here is left, unless one
/// made a session of its own.
pub fn ask(prompt: &Prompt, settings: &Settings, deadline: Instant) -> Asked {
    let programs = SearchPath::new(&settings.search_path, &settings.project);
    let backends = backends(&settings.judges, &programs);
    let mut attempts = Attempts::default();
    let mut answer = None;
    for (index, choice) in backends.iter().enumerate() {
        let until = share(deadline, Instant::now(), backends.len() - index);
        let call = Call {
            prompt,
            settings,
            programs: &programs,
            until,
        };
        answer = call.ask(choice, &mut attempts);
        if answer.is_some() {
            break;
        }
    }
    Asked {
        answer,
        attempts: attempts.0,
    }
}

/// What every backend gets.
#[derive(Clone, Copy)]
struct Call<'a> {
    prompt: &'a Prompt,
    settings: &'a Settings,
    programs: &'a SearchPath,
    until: Instant,
}

impl Call<'_> {
    fn ask(self, choice: &Choice, attempts: &mut Attempts) -> Option<Answer> {
        match choice {
            Choice::Codex { model } => codex::ask(self, model.as_deref(), attempts),
            Choice::Claude { model } => claude::ask(self, model.as_deref(), attempts),
            Choice::OpenAi { model } => http::ask(self, http::Dialect::OpenAi, model, attempts),
            Choice::Anthropic { model } => {
                http::ask(self, http::Dialect::Anthropic, model, attempts)
            }
            Choice::Command { program } => command::ask(self, program, attempts),
            // Nothing that `auto` stands for was found, or it would have been replaced.
            Choice::Auto => attempts.failed("auto", Outcome::NoneFound),
            Choice::Unknown(word) => attempts.failed(word, Outcome::UnknownBackend),
            Choice::None => None,
        }
    }

    fn left(self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }
}

/// The list with `auto` replaced by what it stands for here.
fn backends(judges: &[Choice], programs: &SearchPath) -> Vec<Choice> {
    let found = || {
        [
            (codex::PROGRAM, Choice::Codex { model: None }),
            (claude::PROGRAM, Choice::Claude { model: None }),
        ]
        .into_iter()
        .filter_map(|(name, choice)| programs.find(name).is_ok().then_some(choice))
    };
    judges
        .iter()
        .flat_map(|choice| match choice {
            Choice::Auto if found().next().is_some() => found().collect(),
            other => vec![other.clone()],
        })
        .collect()
}

/// When an attempt has to end: whoever isn't the last leaves half of the time to the others.
fn share(deadline: Instant, now: Instant, backends_left: usize) -> Instant {
    if backends_left > 1 {
        now + deadline.saturating_duration_since(now) / 2
    } else {
        deadline
    }
}

/// An answer that holds a verdict. Many an object is none: an error of the backend's, the text's own.
fn verdict(answer: Answer) -> Result<Answer, Failure> {
    if answer
        .object
        .get(Field::NewProposal.key())
        .is_some_and(Value::is_boolean)
    {
        Ok(answer)
    } else {
        Err(Failure::new(Outcome::SchemaIgnored, answer.raw))
    }
}

/// The record of what was tried.
#[derive(Default)]
struct Attempts(Vec<Attempt>);

impl Attempts {
    /// Makes one request and records how it ended.
    fn record(
        &mut self,
        backend: &str,
        model: Option<&str>,
        request: impl FnOnce() -> Result<Answer, Failure>,
    ) -> Result<Answer, Outcome> {
        let started = Instant::now();
        let result = request().and_then(verdict);
        let (outcome, detail) = match &result {
            Ok(_) => (Outcome::Answered, None),
            Err(Failure { outcome, detail }) => (
                *outcome,
                detail
                    .as_ref()
                    .map(|words| clean_line(words, DETAIL_MAX_BYTES)),
            ),
        };
        self.0.push(Attempt {
            backend: backend.to_owned(),
            model: model.map(str::to_owned),
            outcome,
            elapsed: started.elapsed(),
            detail,
        });
        result.map_err(|failure| failure.outcome)
    }

    /// Records a backend that could not even be asked.
    fn failed(&mut self, backend: &str, outcome: Outcome) -> Option<Answer> {
        self.record(backend, None, || Err(outcome.into())).ok()
    }
}
