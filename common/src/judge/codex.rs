//! The Codex CLI as judge: `codex exec`, stripped of all that makes it an agent.
//!
//! Facts measured with 0.171. The user's own login is used where it lies; nothing of it is copied. Features are switched
//! off by `-c features.X=false`, because there an unknown name is only a warning. A global `AGENTS.md` is sent along
//! whatever the flags say. `--json` is asked for because failures come as messages of their own in it, while without it
//! stderr mixes them with an echo of the prompt.

use std::ffi::OsString;

use serde_json::Value;

use super::outcome::{Failure, Outcome};
use super::process::{self, Job};
use super::refusal::{message_in, refusal};
use super::scratch::Scratch;
use super::{Answer, Attempts, Call, reply};

pub(super) const PROGRAM: &str = "codex";

/// The fastest model there is; many accounts don't have it.
const MODEL: &str = "gpt-5.3-codex-spark";

/// Fast too, and in the client's own catalogue.
const SECOND_MODEL: &str = "gpt-6-luna";

/// What a judge needs nothing of. `hooks` is what keeps it from running the user's own stop hooks; without
/// `unbounded_connection_retries` a refused connection is retried for ever.
const FEATURES_OFF: [&str; 15] = [
    "hooks",
    "shell_tool",
    "unified_exec",
    "multi_agent",
    "goals",
    "view_image",
    "apps",
    "plugins",
    "remote_plugin",
    "tool_suggest",
    "image_generation",
    "skill_search",
    "shell_snapshot",
    "memories",
    "unbounded_connection_retries",
];

const CONFIG: [&str; 18] = [
    r#"model_reasoning_effort="low""#,
    r#"model_reasoning_summary="none""#,
    r#"model_verbosity="low""#,
    r#"approval_policy="never""#,
    "project_doc_max_bytes=0",
    r#"web_search="disabled""#,
    "agents.enabled=false",
    "tools.experimental_request_user_input.enabled=false",
    "skills.include_instructions=false",
    "skills.bundled.enabled=false",
    "include_permissions_instructions=false",
    "include_environment_context=false",
    "include_apps_instructions=false",
    "include_collaboration_mode_instructions=false",
    r#"history.persistence="none""#,
    "analytics.enabled=false",
    "check_for_update_on_startup=false",
    "notify=[]",
];

/// The built-in provider under another name, because the built-in one can't be told not to retry. It uses the user's
/// login as that one does.
const PROVIDER: [&str; 2] = [
    r#"model_provider="judge""#,
    concat!(
        r#"model_providers.judge={name="OpenAI",requires_openai_auth=true,wire_api="responses","#,
        "request_max_retries=0,stream_max_retries=0,stream_idle_timeout_ms=15000,supports_websockets=false}"
    ),
];

pub(super) fn ask(call: Call<'_>, model: Option<&str>, attempts: &mut Attempts) -> Option<Answer> {
    let mut ask = |model: &str| attempts.record(PROGRAM, Some(model), || request(call, model));
    match (ask(model.unwrap_or(MODEL)), model) {
        (Err(Outcome::ModelRefused), None) => ask(SECOND_MODEL).ok(),
        (result, _) => result.ok(),
    }
}

fn request(call: Call<'_>, model: &str) -> Result<Answer, Failure> {
    let program = call.programs.find(PROGRAM)?;
    let scratch = Scratch::of(call)?;
    let job = Job {
        program: &program,
        path: call.programs.variable(),
        args: args(call, model, &scratch)?,
        env: Vec::new(),
        stdin: call.prompt.user(),
    };
    let output = process::run(&job, &scratch, call.until)?;
    match output.failed() {
        Some(_) if output.stderr.contains("unexpected argument") => {
            Err(Failure::new(Outcome::ClientTooOld, output.stderr))
        }
        failed => read(&output.stdout, failed),
    }
}

fn args(call: Call<'_>, model: &str, scratch: &Scratch) -> Result<Vec<OsString>, Failure> {
    let flags = [
        "exec",
        "--json",
        "--ephemeral",
        "--ignore-rules",
        "--skip-git-repo-check",
    ];
    let mut args: Vec<OsString> = flags.map(OsString::from).into();
    args.extend(["-s", "read-only", "--color", "never", "-C"].map(OsString::from));
    args.push(scratch.empty().into());
    args.push("--output-schema".into());
    args.push(scratch.file("schema.json", call.prompt.schema())?.into());
    args.push(format!("--model={model}").into());
    let mut config = |setting: String| args.extend(["-c".into(), setting.into()]);
    for setting in CONFIG {
        config(setting.to_owned());
    }
    for feature in FEATURES_OFF {
        config(format!("features.{feature}=false"));
    }
    let system = call.prompt.system();
    if call.settings.codex_user_config {
        // A file named in the user's config would win over `instructions`.
        let file = scratch.file("system.md", system)?;
        config(format!(
            "model_instructions_file={}",
            quoted(&file.to_string_lossy())
        ));
        config(r#"developer_instructions="""#.to_owned());
    } else {
        config(format!("instructions={}", quoted(system)));
        for setting in PROVIDER {
            config(setting.to_owned());
        }
        args.push("--ignore-user-config".into());
    }
    args.push("-".into());
    Ok(args)
}

/// A TOML string; JSON's escapes are among TOML's.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// The last message of the agent, or what the client says went wrong.
fn read(stdout: &[u8], failed: Option<Failure>) -> Result<Answer, Failure> {
    let events: Vec<Value> = stdout
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .filter(|event: &Value| event.get("type").is_some())
        .collect();
    let texts = |kind: &str, place: &str| {
        events
            .iter()
            .rev()
            .filter(move |event| event.get("type").and_then(Value::as_str) == Some(kind))
            .find_map(|event| event.pointer(place)?.as_str().map(str::to_owned))
    };
    if let Some(failure) = failed {
        return Err(
            match texts("turn.failed", "/error/message").or_else(|| texts("error", "/message")) {
                Some(message) => Failure::new(refusal(None, &message), message_in(&message)),
                None => failure,
            },
        );
    }
    let message = events
        .iter()
        .rev()
        .filter_map(|event| event.get("item"))
        .filter(|item| item.get("type").and_then(Value::as_str) == Some("agent_message"))
        .find_map(|item| item.get("text")?.as_str());
    match message {
        Some(text) => reply::read(text.as_bytes()),
        None if events.is_empty() => reply::read(stdout),
        None => Err(Outcome::EmptyReply.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STARTED: &str = r#"{"type":"thread.started","thread_id":"t"}
{"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata for `gpt-5.3-codex-spark` not found. Defaulting to fallback metadata."}}
{"type":"turn.started"}
"#;

    fn failed() -> Failure {
        Failure::new(Outcome::Exited(1), "the prompt, echoed")
    }

    #[track_caller]
    fn check_answer(events: &str) {
        let answer = read(format!("{STARTED}{events}").as_bytes(), None);
        let answer = answer.unwrap_or_else(|e| panic!("{events}: {e:?}"));
        assert_eq!(
            Value::Object(answer.object).to_string(),
            r#"{"a":true}"#,
            "{events}"
        );
    }

    #[track_caller]
    fn check_failure(
        events: &str,
        failed: Option<Failure>,
        expected: Outcome,
        detail: Option<&str>,
    ) {
        let failure = read(format!("{STARTED}{events}").as_bytes(), failed).unwrap_err();
        assert_eq!(
            (failure.outcome, failure.detail.as_deref()),
            (expected, detail),
            "{events}"
        );
    }

    #[test]
    fn the_last_message_is_the_answer() {
        let message = r#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"{\"a\":true}"}}"#;
        let first = r#"{"type":"item.completed","item":{"id":"h","type":"agent_message","text":"Let me see."}}"#;
        let end = r#"{"type":"turn.completed","usage":{"input_tokens":10}}"#;
        check_answer(&format!("{message}\n{end}\n"));
        check_answer(&format!("{first}\n{message}\n{end}\n"));
        check_failure(end, None, Outcome::EmptyReply, None);
        check_failure(
            &format!("{message}\n{first}\n"),
            None,
            Outcome::UnreadableReply,
            None,
        );
    }

    #[test]
    fn a_client_that_knows_no_events_prints_the_answer() {
        let answer = read(b"{\"a\":true}\n", None).unwrap();
        assert_eq!(answer.raw, "{\"a\":true} ");
        assert_eq!(read(b"", None).unwrap_err().outcome, Outcome::EmptyReply);
    }

    /// As 0.171 words them.
    #[test]
    fn a_failure_is_told_by_its_message() {
        let turn_failed = |message: &str| {
            format!(
                r#"{{"type":"turn.failed","error":{{"message":{}}}}}"#,
                Value::from(message)
            )
        };
        let plan = "The 'gpt-5.3-codex-spark' model is not supported when using Codex with a ChatGPT account.";
        let detail = format!(r#"{{"detail": "{plan}"}}"#);
        check_failure(
            &turn_failed(&detail),
            Some(failed()),
            Outcome::ModelRefused,
            Some(plan),
        );
        let schema = r#"{"error": {"message": "Invalid schema", "code": "invalid_json_schema"}}"#;
        check_failure(
            &turn_failed(schema),
            Some(failed()),
            Outcome::SchemaRefused,
            Some("Invalid schema"),
        );
        let login = "unexpected status 401 Unauthorized: Missing bearer";
        check_failure(
            &turn_failed(login),
            Some(failed()),
            Outcome::NotLoggedIn,
            Some(login),
        );
        check_failure(
            "",
            Some(failed()),
            Outcome::Exited(1),
            Some("the prompt, echoed"),
        );
    }
}
