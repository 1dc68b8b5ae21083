//! Claude Code's tool calls and what came of them.

use serde::Deserialize;

use crate::activity::{Call, Outcome, Status, What, short_path, tail};
use crate::transcript::line::Loose;

/// What a tool is called with: as much as is told of a call. Any tool may call anything by these names.
#[derive(Default, Deserialize)]
pub struct Input<'a> {
    #[serde(borrow)]
    command: Option<Loose<'a>>,
    #[serde(borrow)]
    file_path: Option<Loose<'a>>,
    #[serde(borrow)]
    notebook_path: Option<Loose<'a>>,
    #[serde(borrow)]
    pattern: Option<Loose<'a>>,
    #[serde(borrow)]
    description: Option<Loose<'a>>,
}

/// The call of the tool `name`.
pub fn call(id: &str, name: &str, input: Input<'_>) -> Call {
    let text = |field: Option<Loose<'_>>| {
        field
            .and_then(|loose| loose.0)
            .unwrap_or_default()
            .into_owned()
    };
    let path = || text(input.file_path.or(input.notebook_path));
    let what = match name {
        "Bash" => What::run(&text(input.command)),
        "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => What::Edit(vec![path()]),
        "Read" => What::other(&format!("read {}", short_path(&path()))),
        "Grep" | "Glob" => What::other(&format!("search for {}", text(input.pattern))),
        "Agent" | "Task" => What::other(&format!("agent: {}", text(input.description))),
        "AskUserQuestion" => What::other("put a question to the user"),
        "ExitPlanMode" => What::other("put a plan to the user"),
        _ => What::other(name),
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
    }
}

fn success(text: &str) -> Status {
    let running = [
        "Command running in background with ID",
        "Async agent launched",
    ];
    if running.iter().any(|words| text.starts_with(words)) {
        Status::Running
    } else {
        Status::Ok
    }
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

/// How a call ended that went on in the background, where the host tells the agent of it.
pub fn notice(text: &str) -> Option<Outcome> {
    let part = |tag: &str| {
        let (_, rest) = text.split_once(&format!("<{tag}>"))?;
        Some(rest.split_once(&format!("</{tag}>"))?.0.trim())
    };
    if !text.trim_start().starts_with("<task-notification>") {
        return None;
    }
    let id = part("tool-use-id")?.to_owned();
    let code = part("summary").and_then(|summary| {
        summary
            .rsplit_once("exit code ")?
            .1
            .trim_end_matches(')')
            .parse()
            .ok()
    });
    let status = match (part("status")?, code) {
        ("running", _) => Status::Running,
        (_, Some(code)) if code != 0 => Status::Exit(code),
        ("completed", _) => Status::Ok,
        _ => Status::Failed,
    };
    Some(Outcome {
        id,
        status,
        tail: String::new(),
        what: None,
    })
}
