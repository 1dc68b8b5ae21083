//! How an attempt ended: one word for the log, one line of help for a person.

use std::borrow::Cow;

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It answered with one JSON object.
    Answered,

    /// The word names no backend.
    UnknownBackend,
    /// `auto` found neither client.
    NoneFound,
    /// The endpoint needs a key and there is none.
    KeyMissing,
    /// The address is no https address, nor http to this machine.
    UrlRefused,

    /// No such program.
    ProgramMissing,
    /// There is one, but inside the project.
    ProgramInProject,
    /// It can't be executed.
    NotExecutable,
    /// It was not started for want of a directory, a process or memory.
    NotStarted,
    /// It exited with this code.
    Exited(i32),
    /// It died of this signal.
    Killed(i32),
    /// The client doesn't know an option.
    ClientTooOld,

    /// No login, or the key was refused.
    NotLoggedIn,
    /// The model doesn't exist or isn't allowed for this account.
    ModelRefused,
    /// Too many requests, or the quota is used up.
    RateLimited,
    /// The JSON schema was refused.
    SchemaRefused,
    /// Another HTTP status than 200.
    Http(u16),
    /// The model's side failed without saying how.
    BackendError,

    /// Nobody listens there.
    ConnectRefused,
    /// The host's name leads nowhere.
    Dns,
    /// No secure connection could be made.
    Tls,
    /// The host can't be reached.
    Unreachable,
    /// The connection broke before the reply was complete.
    ConnectionLost,
    /// No complete reply in time.
    Timeout,

    /// Nothing was said.
    EmptyReply,
    /// More than 4 MiB were said.
    TooLarge,
    /// No JSON object was said.
    UnreadableReply,
    /// Several different JSON objects were said.
    AmbiguousReply,
    /// The model did not use the schema.
    SchemaIgnored,
    /// The reply was cut at the token limit.
    TokenLimit,
    /// The model declined to answer.
    Declined,
}

impl Outcome {
    /// Those without a number.
    const PLAIN: [Self; 28] = [
        Self::Answered,
        Self::UnknownBackend,
        Self::NoneFound,
        Self::KeyMissing,
        Self::UrlRefused,
        Self::ProgramMissing,
        Self::ProgramInProject,
        Self::NotExecutable,
        Self::NotStarted,
        Self::ClientTooOld,
        Self::NotLoggedIn,
        Self::ModelRefused,
        Self::RateLimited,
        Self::SchemaRefused,
        Self::BackendError,
        Self::ConnectRefused,
        Self::Dns,
        Self::Tls,
        Self::Unreachable,
        Self::ConnectionLost,
        Self::Timeout,
        Self::EmptyReply,
        Self::TooLarge,
        Self::UnreadableReply,
        Self::AmbiguousReply,
        Self::SchemaIgnored,
        Self::TokenLimit,
        Self::Declined,
    ];

    /// The outcome that the log calls `word`.
    pub fn named(word: &str) -> Option<Self> {
        let number = |of: &str| word.strip_prefix(of)?.parse().ok();
        number("exit-")
            .map(Self::Exited)
            .or_else(|| number("killed-").map(Self::Killed))
            .or_else(|| word.strip_prefix("http-")?.parse().ok().map(Self::Http))
            .or_else(|| Self::PLAIN.into_iter().find(|plain| plain.word() == word))
    }

    /// The word in the log.
    pub fn word(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Answered => "answered",
            Self::UnknownBackend => "unknown-backend",
            Self::NoneFound => "none-found",
            Self::KeyMissing => "key-missing",
            Self::UrlRefused => "url-refused",
            Self::ProgramMissing => "program-missing",
            Self::ProgramInProject => "program-in-project",
            Self::NotExecutable => "not-executable",
            Self::NotStarted => "not-started",
            Self::Exited(code) => return Cow::Owned(format!("exit-{code}")),
            Self::Killed(signal) => return Cow::Owned(format!("killed-{signal}")),
            Self::ClientTooOld => "client-too-old",
            Self::NotLoggedIn => "not-logged-in",
            Self::ModelRefused => "model-refused",
            Self::RateLimited => "rate-limited",
            Self::SchemaRefused => "schema-refused",
            Self::Http(status) => return Cow::Owned(format!("http-{status}")),
            Self::BackendError => "backend-error",
            Self::ConnectRefused => "connect-refused",
            Self::Dns => "dns",
            Self::Tls => "tls",
            Self::Unreachable => "unreachable",
            Self::ConnectionLost => "connection-lost",
            Self::Timeout => "timeout",
            Self::EmptyReply => "empty-reply",
            Self::TooLarge => "too-large",
            Self::UnreadableReply => "unreadable-reply",
            Self::AmbiguousReply => "ambiguous-reply",
            Self::SchemaIgnored => "schema-ignored",
            Self::TokenLimit => "token-limit",
            Self::Declined => "declined",
        })
    }

    /// What a person can do about it, in one line.
    pub fn help(self) -> &'static str {
        match self {
            Self::Answered => "the judge answered",
            Self::UnknownBackend => {
                "no such backend: codex, claude, openai:MODEL, anthropic:MODEL, command:PROGRAM, auto or none"
            }
            Self::NoneFound => {
                "neither codex nor claude is on PATH outside the project; install one or name another judge"
            }
            Self::KeyMissing => {
                "set OPENAI_API_KEY or ANTHROPIC_API_KEY, or name a variable with --api-key-env"
            }
            Self::UrlRefused => {
                "--url has to be https://…, or http://… to this machine, and include /v1"
            }
            Self::ProgramMissing => {
                "no such program in an absolute PATH entry; install it or give command: an absolute path"
            }
            Self::ProgramInProject => {
                "the program lies inside the project, where the agent could replace it; install it elsewhere"
            }
            Self::NotExecutable => {
                "the file is no executable for this machine: check its mode and its first line"
            }
            Self::NotStarted => {
                "the system could not start it: check free processes, memory and the temporary directory"
            }
            Self::Exited(_) => {
                "the program gave up; run it by hand with the same prompt to see why"
            }
            Self::Killed(_) => {
                "the program was killed by a signal; it crashed or ran out of memory"
            }
            Self::ClientTooOld => {
                "the client doesn't know an option that keeps the call isolated; update it"
            }
            Self::NotLoggedIn => "log in (codex login, or claude and /login), or check the API key",
            Self::ModelRefused => {
                "the model doesn't exist or isn't in your plan; name another one, as in codex:MODEL"
            }
            Self::RateLimited => {
                "too many requests or the quota is used up; wait, or put another judge into the list"
            }
            Self::SchemaRefused => {
                "the endpoint doesn't take the JSON schema; name another model or backend"
            }
            Self::Http(_) => {
                "the endpoint answered with this status; check the address, model and key"
            }
            Self::BackendError => {
                "the model's side failed; if it goes on, put another judge into the list"
            }
            Self::ConnectRefused => {
                "nothing listens at the address; start the server or check --url"
            }
            Self::Dns => "the host's name can't be resolved; check --url and the network",
            Self::Tls => {
                "no secure connection: check https, the certificate and the system's trust store"
            }
            Self::Unreachable => "the host can't be reached; check the network and the proxy",
            Self::ConnectionLost => "the connection broke in the middle of the reply; try again",
            Self::Timeout => "no answer in time; name a faster model or raise --timeout-s",
            Self::EmptyReply => "the judge said nothing; try it by hand",
            Self::TooLarge => "more than 4 MiB came back; this is no judge",
            Self::UnreadableReply => {
                "the reply holds no JSON object; name a model that can answer in JSON"
            }
            Self::AmbiguousReply => {
                "the reply holds different JSON objects; name a model that gives one answer"
            }
            Self::SchemaIgnored => "the model didn't use the schema; name another model",
            Self::TokenLimit => {
                "the reply was cut at 300 tokens; name a model that doesn't think aloud"
            }
            Self::Declined => "the model declined to judge the text; name another model",
        }
    }
}

/// An attempt without an answer.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) outcome: Outcome,
    /// The backend's own words. Not redacted.
    pub(super) detail: Option<String>,
}

impl Failure {
    pub(super) fn new(outcome: Outcome, detail: impl Into<String>) -> Self {
        Self {
            outcome,
            detail: Some(detail.into()),
        }
    }
}

impl From<Outcome> for Failure {
    fn from(outcome: Outcome) -> Self {
        Self {
            outcome,
            detail: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_the_log_leads_back_to_its_outcome() {
        let numbered = [Outcome::Exited(3), Outcome::Killed(9), Outcome::Http(429)];
        let all = Outcome::PLAIN.into_iter().chain(numbered);
        for outcome in all.clone() {
            assert_eq!(Outcome::named(&outcome.word()), Some(outcome));
        }
        assert_eq!(Outcome::named("x"), None);
        // None is left out: the source names each of them.
        let name = regex::Regex::new(r"Self::([A-Z][a-z]\w+)").unwrap();
        for found in name.captures_iter(include_str!("outcome.rs")) {
            let name = &found[1];
            let known = |outcome: Outcome| format!("{outcome:?}").split('(').next() == Some(name);
            assert!(all.clone().any(known), "{name}");
        }
    }
}
