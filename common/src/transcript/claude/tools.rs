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
            .then(|| behind(started(text)?, ": "))
            .flatten(),
    }
}

/// The words that say that a call goes on in the background, with its name behind a colon. What it printed before may
/// stand before them: the host says it in a line of its own, an agent's start in the first.
fn started(text: &str) -> Option<&str> {
    if text.starts_with("Async agent launched") {
        return text.get(text.find("agentId: ")?..);
    }
    let mut lines = text.split_inclusive('\n').scan(0, |at, line| {
        let from = *at;
        *at += line.len();
        Some((from, line))
    });
    let (from, name) = lines.find_map(|(from, line)| {
        let name = line.strip_prefix("Command ")?.find(" with ID: ")? + "Command ".len();
        let words = line.get(..name)?;
        let ways = [
            "running in background",
            "backgrounded by user",
            "moved to the background",
        ];
        let says = ways.iter().any(|way| words.ends_with(way));
        says.then_some((from, name))
    })?;
    text.get(from + name..)
}

fn success(text: &str) -> Status {
    if started(text).is_some() || text.starts_with("Async agent launched") {
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
        // It ran until then.
        _ if text.starts_with("Command timed out after") => Status::Failed,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_goes_on_in_the_background() {
        for text in [
            "Command running in background with ID: b1. Output is being written to: /tmp/b1.output",
            "Command was manually backgrounded by user with ID: b1. Output is being written to: /tmp/b1.output",
            "Command exceeded the timeout (120s) and was moved to the background with ID: b1. It is still running.",
            "running 300 tests\n\nCommand running in background with ID: b1. Output is being written to: /tmp/b1",
        ] {
            let outcome = outcome("t", false, text);
            assert_eq!(outcome.status, Status::Running, "{text}");
            assert_eq!(outcome.task.as_deref(), Some("b1"), "{text}");
        }
        for text in [
            "test x ... ok, Command running in background with ID: b1",
            "Command not found",
        ] {
            assert_eq!(outcome("t", false, text).status, Status::Ok, "{text}");
        }
        let agent = outcome(
            "t",
            false,
            "Async agent launched successfully.\nagentId: a7 (internal)",
        );
        assert_eq!(
            (agent.status, agent.task.as_deref()),
            (Status::Running, Some("a7"))
        );
    }

    #[test]
    fn a_command_that_ran_out_of_time_ran() {
        let status = |text| outcome("t", true, text).status;
        assert_eq!(status("Command timed out after 2m 0.0s\nx"), Status::Failed);
        assert_eq!(status("Error: Command timed out after 2m"), Status::Failed);
        assert_eq!(
            status("Exit code 143\nCommand timed out after 2m"),
            Status::Exit(143)
        );
        assert_eq!(status("The user doesn't want to proceed"), Status::Denied);
    }
}
