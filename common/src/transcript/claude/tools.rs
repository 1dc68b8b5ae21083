//! Claude Code's tool calls and what came of them.

use std::borrow::Cow;

use crate::activity::{Call, Outcome, Status, What, behind, short_path, tail};
use crate::transcript::given::Given;

/// The call of the tool `name`.
pub fn call(id: &str, name: &str, given: Given<'_>) -> Call {
    let text = |field: Option<Cow<'_, str>>| field.unwrap_or_default().into_owned();
    let path = || given.paths.first().map(Cow::as_ref).unwrap_or_default();
    let what = match name {
        "Bash" => What::run(&given.command.join(" ")),
        "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => What::Edit(vec![path().to_owned()]),
        "Read" => What::other(&format!("read {}", short_path(path()))),
        "Grep" | "Glob" => What::other(&format!("search for {}", text(given.pattern))),
        "Agent" | "Task" => What::other(&format!("agent: {}", text(given.description))),
        "TaskOutput" | "BashOutput" | "AgentOutputTool" | "TaskStop" | "KillShell" | "KillBash" => {
            What::Poll(given.task)
        }
        "AskUserQuestion" => What::other("put a question to the user"),
        "ExitPlanMode" => What::other("put a plan to the user"),
        _ => given.unknown(name),
    };
    Call::new(id, what)
}

/// What came of the call `id`. The host says how a command ended in the first words of its output.
pub fn outcome(id: &str, is_error: bool, text: &str) -> Outcome {
    let status = if is_error {
        failure(text)
    } else {
        success(text)
    };
    Outcome {
        id: id.to_owned(),
        status,
        tail: tail(text).to_owned(),
        what: None,
        task: (status == Status::Running)
            .then(|| STARTED.iter().find_map(|(_, name)| behind(text, name)))
            .flatten(),
    }
}

/// How an output begins whose call goes on in the background, and what its name follows.
const STARTED: [(&str, &str); 2] = [
    ("Command running in background with ID", "with ID: "),
    ("Async agent launched", "agentId: "),
];

fn success(text: &str) -> Status {
    if STARTED.iter().any(|(words, _)| text.starts_with(words)) {
        return Status::Running;
    }
    // A look at such a call, or its end.
    let stopped = ["Successfully killed shell", "Successfully stopped task"];
    let message = text.trim_start_matches(r#"{"message":""#);
    if stopped.iter().any(|words| message.starts_with(words)) {
        return Status::Stopped;
    }
    if ["<retrieval_status>", "<status>"]
        .iter()
        .any(|tag| text.starts_with(tag))
        && let Some(status) = in_tag(text, "status")
    {
        let code = in_tag(text, "exit_code").and_then(|code| code.parse().ok());
        return ended(status, code);
    }
    Status::Ok
}

/// How a call in the background stands, in the host's word for it.
fn ended(status: &str, code: Option<i32>) -> Status {
    match (status, code) {
        ("running" | "pending", _) => Status::Running,
        ("killed" | "stopped", _) => Status::Stopped,
        (_, Some(code)) if code != 0 => Status::Exit(code),
        ("completed", _) => Status::Ok,
        _ => Status::Failed,
    }
}

fn in_tag<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    Some(rest.split_once(&format!("</{tag}>"))?.0.trim())
}

fn failure(text: &str) -> Status {
    let refused = [
        "The user doesn't want to",
        "[Request interrupted by user",
        "Permission to use",
        "Claude requested permissions",
        "This command requires approval",
        "PreToolUse:",
    ];
    let text = text.strip_prefix("Error: ").unwrap_or(text);
    let code = text.strip_prefix("Exit code ").map(|rest| {
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        rest.get(..end).and_then(|digits| digits.parse().ok())
    });
    match code {
        Some(Some(code)) => Status::Exit(code),
        _ if refused.iter().any(|words| text.starts_with(words)) => Status::Denied,
        _ => Status::Error,
    }
}

/// The tag of a notice.
pub const NOTICE: &str = "task-notification";

/// How a call ended that went on in the background, where the host tells the agent of it.
pub fn notice(text: &str) -> Option<Outcome> {
    if !text.trim_start().starts_with("<task-notification>") {
        return None;
    }
    let id = in_tag(text, "tool-use-id")?.to_owned();
    let code = in_tag(text, "summary").and_then(|summary| {
        summary
            .rsplit_once("exit code ")?
            .1
            .trim_end_matches(')')
            .parse()
            .ok()
    });
    let status = ended(in_tag(text, "status")?, code);
    Some(Outcome {
        id,
        status,
        tail: String::new(),
        what: None,
        task: None,
    })
}
