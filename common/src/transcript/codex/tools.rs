//! Codex's tool calls and what came of them.

use std::borrow::Cow;

use serde::Deserialize;

use crate::activity::{Call, Outcome, Status, What, behind, tail};
use crate::transcript::given::Given;

/// The command of an executed item: words, of which a shell's last holds the line.
pub fn command_line(words: &[Cow<'_, str>]) -> String {
    match words {
        [_shell, flag, line] if matches!(flag.as_ref(), "-c" | "-lc") => line.to_string(),
        words => words.join(" "),
    }
}

/// The files that a patch names.
pub fn patched(patch: &str) -> Vec<String> {
    let heads = ["*** Add File: ", "*** Update File: ", "*** Delete File: "];
    let file = |line: &str| {
        heads
            .iter()
            .find_map(|head| line.trim_start().strip_prefix(head))
            .map(str::to_owned)
    };
    patch.lines().filter_map(file).collect()
}

/// The call of the function `name` with `arguments`, which are JSON for functions and a text for custom tools.
pub fn call(id: &str, name: &str, arguments: &str) -> Call {
    let given: Given<'_> = serde_json::from_str(arguments).unwrap_or_default();
    let what = match name {
        "exec_command" | "shell" | "local_shell" | "shell_command" | "container.exec" => {
            run(&match given.command.as_slice() {
                [] => given.cmd.unwrap_or_default().into_owned(),
                words => command_line(words),
            })
        }
        "apply_patch" => What::Edit(patched(given.input.as_deref().unwrap_or(arguments))),
        "write_stdin" => match given.chars {
            Some(chars) if !chars.is_empty() => What::other("typed into a command"),
            _ => What::Poll(given.task),
        },
        "request_user_input" => What::other("put a question to the user"),
        _ => given.unknown(name),
    };
    Call::new(id, what)
}

/// A shell command; one that only applies a patch is an edit.
pub fn run(line: &str) -> What {
    let line = line.trim();
    if line.starts_with("apply_patch") || line.starts_with("applypatch") {
        What::Edit(patched(line))
    } else {
        What::run(line)
    }
}

/// What came of the call `id`. Exit status and the like stand in the first lines of the output; in 2025 the output was
/// JSON, `{"output":"…","metadata":{"exit_code":0,…}}`.
pub fn outcome(id: &str, output: &str) -> Outcome {
    match in_json(output) {
        Some((code, printed)) => new(id, ended(code), &printed, None),
        None => new(id, status(output), output, None),
    }
}

/// The exit status and what was printed, of an output that is JSON. Of a long one the middle is gone, so it doesn't
/// parse; within its string the quotes of another `"exit_code":` would be escaped.
fn in_json(output: &str) -> Option<(i32, String)> {
    #[derive(Deserialize)]
    struct Whole {
        output: String,
        metadata: Metadata,
    }
    #[derive(Deserialize)]
    struct Metadata {
        exit_code: i32,
    }
    if !output.starts_with('{') {
        return None;
    }
    if let Ok(whole) = serde_json::from_str::<Whole>(output) {
        return Some((whole.metadata.exit_code, whole.output));
    }
    let (before, code) = output.rsplit_once(r#""exit_code":"#)?;
    let code = code.split([',', '}']).next()?.trim().parse().ok()?;
    let (printed, _) = before
        .rsplit_once(r#"","metadata""#)
        .unwrap_or((before, ""));
    let printed = printed.replace(r"\n", "\n").replace(r#"\""#, "\"");
    Some((code, printed))
}

fn status(output: &str) -> Status {
    let refused = [
        "Command blocked by",
        "exec command rejected",
        "patch rejected",
        "rejected by user",
    ];
    if refused.iter().any(|words| output.starts_with(words)) {
        return Status::Denied;
    }
    // What it would have come to isn't known.
    if output.starts_with("aborted by user") {
        return Status::Stopped;
    }
    for line in output.lines().take(6) {
        if line.starts_with("Process running with session ID") {
            return Status::Running;
        }
        let code = ["Process exited with code ", "Exit code: "];
        let code = code
            .iter()
            .find_map(|words| line.strip_prefix(words))
            .and_then(|c| c.trim().parse().ok());
        if let Some(code) = code {
            return ended(code);
        }
    }
    if output.starts_with("command timed out after") {
        return Status::Failed;
    }
    let failed = [
        "execution error",
        "failed to",
        "exec_command failed",
        "apply_patch verification failed",
    ];
    if failed.iter().any(|words| output.starts_with(words)) {
        Status::Error
    } else {
        Status::Ok
    }
}

/// What came of the call `id`, as an executed item tells it.
pub fn executed(
    id: &str,
    what: What,
    status: Option<&str>,
    code: Option<i32>,
    output: &str,
) -> Outcome {
    let status = match (status, code) {
        (Some("in_progress"), _) => Status::Running,
        (Some("declined"), _) => Status::Denied,
        (_, Some(code)) => ended(code),
        (Some("failed"), None) => Status::Failed,
        (_, None) => Status::Ok,
    };
    new(id, status, output, Some(what))
}

fn ended(code: i32) -> Status {
    if code == 0 {
        Status::Ok
    } else {
        Status::Exit(code)
    }
}

fn new(id: &str, status: Status, output: &str, what: Option<What>) -> Outcome {
    Outcome {
        id: id.to_owned(),
        status,
        tail: tail(output).to_owned(),
        what,
        task: (status == Status::Running)
            .then(|| behind(output, "running with session ID "))
            .flatten(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_call_ended() {
        for (output, status) in [
            ("aborted by user after 3.2s", Status::Stopped),
            (
                "command timed out after 10000 milliseconds\nExit code: 124",
                Status::Exit(124),
            ),
            ("command timed out after 10000 milliseconds", Status::Failed),
            ("exec command rejected by user", Status::Denied),
            (
                "Process exited with code 0\nOutput:\naborted by user",
                Status::Ok,
            ),
        ] {
            assert_eq!(outcome("c", output).status, status, "{output}");
        }
    }
}
