//! Claude Code as judge: `claude -p`, stripped of all that makes it an agent.
//!
//! Facts measured with 2.1.197 and 2.1.332. `--safe-mode` switches off hooks, MCP servers and memory files and keeps the
//! login. Attachments are off because `@path` in a prompt makes the client read that file and send it. Only
//! `structured_output` is an answer: the exit code and `subtype` say "success" of errors too.

use std::ffi::OsString;

use serde_json::{Map, Value};

use super::outcome::{Failure, Outcome};
use super::process::{self, Job};
use super::refusal::refusal;
use super::scratch::Scratch;
use super::{Answer, Attempts, Call};
use crate::surrogates;

pub(super) const PROGRAM: &str = "claude";

const MODEL: &str = "haiku";

/// How the user's own hooks, servers and memory are kept out.
#[derive(Clone, Copy)]
enum Isolation {
    SafeMode,
    /// For clients that don't know it. An `apiKeyHelper` of the user's settings is lost by this.
    NoSettings,
}

impl Isolation {
    fn args(self) -> &'static [&'static str] {
        match self {
            Self::SafeMode => &["--safe-mode"],
            Self::NoSettings => &[
                "--setting-sources",
                "",
                "--settings",
                r#"{"disableAllHooks":true}"#,
            ],
        }
    }
}

pub(super) fn ask(call: Call<'_>, model: Option<&str>, attempts: &mut Attempts) -> Option<Answer> {
    let model = model.unwrap_or(MODEL);
    let mut ask =
        |isolation| attempts.record(PROGRAM, Some(model), || request(call, model, isolation));
    match ask(Isolation::SafeMode) {
        Err(Outcome::ClientTooOld) => ask(Isolation::NoSettings).ok(),
        result => result.ok(),
    }
}

fn request(call: Call<'_>, model: &str, isolation: Isolation) -> Result<Answer, Failure> {
    let program = call.programs.find(PROGRAM)?;
    let model = format!("--model={model}");
    let mut args = vec!["-p", &model];
    args.extend(isolation.args());
    args.extend([
        "--tools",
        "",
        "--strict-mcp-config",
        "--disable-slash-commands",
    ]);
    args.extend(["--no-session-persistence", "--output-format", "json"]);
    args.extend(["--system-prompt", call.prompt.system()]);
    args.extend(["--json-schema", call.prompt.schema()]);
    let job = Job {
        program: &program,
        path: call.programs.variable(),
        args: args.into_iter().map(OsString::from).collect(),
        env: vec![
            ("CLAUDE_CODE_DISABLE_ATTACHMENTS", "1".to_owned()),
            // Each of the three is the one that counts for some version and model.
            ("MAX_THINKING_TOKENS", "0".to_owned()),
            ("CLAUDE_CODE_DISABLE_THINKING", "1".to_owned()),
            ("CLAUDE_CODE_EFFORT_LEVEL", "low".to_owned()),
            ("CLAUDE_CODE_MAX_RETRIES", "1".to_owned()),
            ("API_TIMEOUT_MS", call.left().as_millis().to_string()),
            // Without it every call makes a second one, for a title of the session, and leaves a telemetry file.
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ],
        stdin: call.prompt.user(),
    };
    let scratch = Scratch::of(call)?;
    let output = process::run(&job, &scratch, call.until)?;
    match output.failed() {
        Some(_) if output.stderr.contains("unknown option") => {
            Err(Failure::new(Outcome::ClientTooOld, output.stderr))
        }
        failed => read(&output.stdout, failed),
    }
}

/// Reads the one `result` line.
fn read(stdout: &[u8], failed: Option<Failure>) -> Result<Answer, Failure> {
    let stdout = surrogates::mended(stdout);
    let result = stdout
        .split(|byte| *byte == b'\n')
        .rev()
        .filter_map(|line| serde_json::from_slice::<Map<String, Value>>(line).ok())
        .find(|line| line.get("type").and_then(Value::as_str) == Some("result"));
    let Some(mut result) = result else {
        let outcome = if stdout.trim_ascii().is_empty() {
            Outcome::EmptyReply
        } else {
            Outcome::UnreadableReply
        };
        return Err(failed.unwrap_or_else(|| outcome.into()));
    };
    let is_error = result.get("is_error").and_then(Value::as_bool) != Some(false);
    if !is_error && let Some(Value::Object(object)) = result.remove("structured_output") {
        let reply = Value::Object(object.clone()).to_string();
        return Ok(Answer::new(object, &reply));
    }
    let words = match (result.get("result"), result.get("errors")) {
        (Some(Value::String(words)), _) => words.clone(),
        (_, Some(errors)) => errors.to_string(),
        _ => String::new(),
    };
    let subtype = result.get("subtype").and_then(Value::as_str);
    let status = result.get("api_error_status").and_then(Value::as_u64);
    let outcome = if !is_error || subtype.is_some_and(|s| s.contains("structured_output")) {
        Outcome::SchemaIgnored
    } else {
        refusal(status.and_then(|status| status.try_into().ok()), &words)
    };
    Err(Failure::new(outcome, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_failure(
        stdout: &str,
        failed: Option<Failure>,
        expected: Outcome,
        detail: Option<&str>,
    ) {
        let failure = read(stdout.as_bytes(), failed).unwrap_err();
        assert_eq!(
            (failure.outcome, failure.detail.as_deref()),
            (expected, detail),
            "{stdout}"
        );
    }

    fn exit_1() -> Failure {
        Failure::new(Outcome::Exited(1), "stderr")
    }

    #[test]
    fn structured_output_alone_is_the_answer() {
        let reply = br#"{"type":"result","subtype":"success","is_error":false,"result":"{\"a\":false}","structured_output":{"a":true}}"#;
        let answer = read(reply, None).unwrap();
        assert_eq!(answer.raw, r#"{"a":true}"#);
        assert_eq!(Value::Object(answer.object).to_string(), answer.raw);
    }

    /// As 2.1.197 gives them.
    #[test]
    fn success_without_structured_output_is_none() {
        let said =
            r#"{"type":"result","subtype":"success","is_error":false,"result":"{\"a\":true}"}"#;
        check_failure(said, None, Outcome::SchemaIgnored, Some(r#"{"a":true}"#));
        let slash = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":0,"result":"/help isn't available in this environment."}"#;
        check_failure(
            slash,
            None,
            Outcome::SchemaIgnored,
            Some("/help isn't available in this environment."),
        );
        let retries = r#"{"type":"result","subtype":"error_max_structured_output_retries","is_error":true,"errors":["Failed"]}"#;
        check_failure(
            retries,
            Some(exit_1()),
            Outcome::SchemaIgnored,
            Some(r#"["Failed"]"#),
        );
        let error = r#"{"type":"result","subtype":"success","is_error":true,"result":"no","structured_output":{"a":true}}"#;
        check_failure(error, None, Outcome::BackendError, Some("no"));
    }

    #[test]
    fn an_error_is_named_by_status_and_words() {
        let error = |status: &str, words: &str| {
            format!(
                r#"{{"type":"result","subtype":"success","is_error":true,"api_error_status":{status},"result":{}}}"#,
                Value::from(words)
            )
        };
        for (status, words, expected) in [
            ("400", "API Error: 400 bad", Outcome::Http(400)),
            (
                "401",
                "Failed to authenticate. API Error: 401",
                Outcome::NotLoggedIn,
            ),
            (
                "404",
                "There's an issue with the selected model (x). It may not exist or you may not have access to it.",
                Outcome::ModelRefused,
            ),
            (
                "429",
                "API Error: Request rejected (429)",
                Outcome::RateLimited,
            ),
            (
                "529",
                "API Error: 529. This is a server-side issue",
                Outcome::Http(529),
            ),
            (
                "null",
                "API Error: Unable to connect to API (ECONNRESET)",
                Outcome::ConnectionLost,
            ),
            ("null", "Request timed out", Outcome::Timeout),
            (
                "null",
                "Not logged in · Please run /login",
                Outcome::NotLoggedIn,
            ),
        ] {
            check_failure(&error(status, words), Some(exit_1()), expected, Some(words));
        }
    }

    #[test]
    fn what_is_no_result_is_none() {
        check_failure("", Some(exit_1()), Outcome::Exited(1), Some("stderr"));
        check_failure("", None, Outcome::EmptyReply, None);
        check_failure("{\"a\":true}", None, Outcome::UnreadableReply, None);
        check_failure(
            "{\"type\":\"result\",\"is_err",
            None,
            Outcome::UnreadableReply,
            None,
        );
    }
}
