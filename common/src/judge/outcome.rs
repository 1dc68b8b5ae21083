//! How an attempt ended: one word for the log, one line of help for a person.

use std::borrow::Cow;

use serde_json::Value;

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

/// What a refusal means. Statuses and messages differ by vendor, plan and client, and the same 400 stands for an
/// unknown model or a schema that isn't liked, so the words decide before the number does.
pub(super) fn refusal(status: Option<u16>, message: &str) -> Outcome {
    let message = message.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    match status {
        Some(401 | 403) => return Outcome::NotLoggedIn,
        Some(429) => return Outcome::RateLimited,
        Some(500..) => return Outcome::Http(status.unwrap_or_default()),
        _ => {}
    }
    if says(&[
        "invalid_json_schema",
        "json_schema",
        "response_format",
        "invalid schema",
    ]) {
        Outcome::SchemaRefused
    } else if message.contains("model")
        && says(&[
            "not supported",
            "not exist",
            "not found",
            "not_found",
            "have access",
            "unsupported model",
            "unknown model",
            "invalid model",
        ])
    {
        Outcome::ModelRefused
    } else if says(&[
        "unauthorized",
        "authenticat",
        "not logged in",
        "log in",
        "sign in",
        "/login",
        "api key",
        "403 forbidden",
    ]) {
        Outcome::NotLoggedIn
    } else if says(&[
        "rate limit",
        "usage limit",
        "quota",
        "too many requests",
        "429",
    ]) {
        Outcome::RateLimited
    } else if says(&["timed out", "timeout"]) {
        Outcome::Timeout
    } else if says(&["connection refused", "connectionrefused", "econnrefused"]) {
        Outcome::ConnectRefused
    } else if says(&[
        "stream disconnected",
        "econnreset",
        "connection closed",
        "connection reset",
    ]) {
        Outcome::ConnectionLost
    } else if says(&[
        "connection failed",
        "unable to connect",
        "error sending request",
        "enotfound",
    ]) {
        Outcome::Unreachable
    } else {
        status.map_or(Outcome::BackendError, Outcome::Http)
    }
}

/// The message in an error body. Vendors put it in different places: `error.message`, `error`, `detail`, `message`.
pub(super) fn message_in(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(body) else {
        return body.to_owned();
    };
    ["/error/message", "/error", "/detail", "/message"]
        .iter()
        .find_map(|place| value.pointer(place)?.as_str())
        .map_or_else(|| body.to_owned(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(status: Option<u16>, message: &str, expected: Outcome) {
        assert_eq!(refusal(status, message), expected, "{status:?} {message}");
    }

    /// Messages as the clients and vendors word them.
    #[test]
    fn a_refusal_is_named_by_its_words() {
        let plan = "The 'gpt-5.3-codex-spark' model is not supported when using Codex with a ChatGPT account.";
        check(None, plan, Outcome::ModelRefused);
        check(Some(400), plan, Outcome::ModelRefused);
        check(
            Some(404),
            "The model `x` does not exist or you do not have access to it.",
            Outcome::ModelRefused,
        );
        check(Some(404), "model 'llama9' not found", Outcome::ModelRefused);
        check(Some(404), "404 page not found", Outcome::Http(404));
        check(
            Some(400),
            r#"{"code":"invalid_json_schema","message":"Invalid schema for response_format"}"#,
            Outcome::SchemaRefused,
        );
        check(Some(400), "bad request", Outcome::Http(400));
        check(
            None,
            "unexpected status 401 Unauthorized: Missing bearer",
            Outcome::NotLoggedIn,
        );
        check(
            None,
            "Not logged in · Please run /login",
            Outcome::NotLoggedIn,
        );
        check(Some(403), "", Outcome::NotLoggedIn);
        check(Some(429), "", Outcome::RateLimited);
        check(
            None,
            "exceeded retry limit, last status: 429 Too Many Requests",
            Outcome::RateLimited,
        );
        check(None, "You’ve hit your usage limit.", Outcome::RateLimited);
        check(Some(503), "model not found", Outcome::Http(503));
        check(Some(529), "Overloaded", Outcome::Http(529));
        check(None, "Request timed out", Outcome::Timeout);
        check(
            None,
            "Connection failed: error sending request",
            Outcome::Unreachable,
        );
        check(
            None,
            "API Error: Unable to connect to API (ConnectionRefused)",
            Outcome::ConnectRefused,
        );
        check(
            None,
            "API Error: Unable to connect to API (ECONNRESET)",
            Outcome::ConnectionLost,
        );
        check(
            None,
            "stream disconnected before completion",
            Outcome::ConnectionLost,
        );
        check(
            None,
            "We’re currently experiencing high demand",
            Outcome::BackendError,
        );
    }

    #[test]
    fn the_message_is_found_in_every_vendors_place() {
        for body in [
            r#"{"error":{"message":"no","type":"x"}}"#,
            r#"{"error":"no"}"#,
            r#"{"detail":"no"}"#,
            r#"{"message":"no"}"#,
            "no",
        ] {
            assert_eq!(message_in(body), "no", "{body}");
        }
    }
}
