//! Codex's tool calls and what came of them.

use serde::Deserialize;

use crate::activity::{Call, Outcome, Status, What, tail};
use crate::transcript::line::{Loose, Text, TextOr};

/// The command of an executed item: words, of which a shell's last holds the line.
pub fn command_line(words: &TextOr<'_, Text<'_>>) -> String {
    match words {
        TextOr::Text(line) => line.as_str().to_owned(),
        TextOr::List(words) => match words.as_slice() {
            [_shell, flag, line] if matches!(flag.as_str(), "-c" | "-lc") => {
                line.as_str().to_owned()
            }
            words => words.iter().map(Text::as_str).collect::<Vec<_>>().join(" "),
        },
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
    #[derive(Default, Deserialize)]
    struct Arguments<'a> {
        #[serde(borrow)]
        cmd: Option<Loose<'a>>,
        #[serde(borrow)]
        command: Option<TextOr<'a, Text<'a>>>,
        #[serde(borrow)]
        input: Option<Loose<'a>>,
        #[serde(borrow)]
        chars: Option<Loose<'a>>,
    }
    let given: Arguments<'_> = serde_json::from_str(arguments).unwrap_or_default();
    let what = match name {
        "exec_command" | "shell" | "local_shell" | "shell_command" | "container.exec" => {
            let line = match (&given.command, &given.cmd) {
                (Some(command), _) => command_line(command),
                (None, Some(Loose(Some(line)))) => line.to_string(),
                (None, _) => String::new(),
            };
            run(&line)
        }
        "apply_patch" => {
            let patch = given.input.and_then(|input| input.0);
            What::Edit(patched(patch.as_deref().unwrap_or(arguments)))
        }
        "write_stdin" => match given.chars {
            Some(Loose(Some(chars))) if !chars.is_empty() => What::other("typed into a command"),
            _ => What::Poll,
        },
        "request_user_input" => What::other("put a question to the user"),
        _ => What::other(name),
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
/// JSON, `{"output":"…","metadata":{"exit_code":0,…}}`, of which the middle may be gone. Within its string the quotes
/// of another `"exit_code":` would be escaped.
pub fn outcome(id: &str, output: &str) -> Outcome {
    let code = output.strip_prefix('{').and_then(|json| {
        let (_, behind) = json.rsplit_once(r#""exit_code":"#)?;
        behind.split([',', '}']).next()?.trim().parse().ok()
    });
    match code {
        Some(code) => new(id, ended(code), &output.replace("\\n", "\n"), None),
        None => new(id, status(output), output, None),
    }
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
    }
}
