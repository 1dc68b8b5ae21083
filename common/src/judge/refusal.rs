//! What a vendor's or client's words for a failure mean.
//!
//! Statuses and messages differ by vendor, plan and version, and the same 400 stands for an unknown model or a schema
//! that isn't liked. So the words decide wherever the number leaves it open.

use serde_json::Value;

use super::outcome::Outcome;

/// What a refusal with this status and message means.
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
