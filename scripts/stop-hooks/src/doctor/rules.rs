//! Is a settings file valid by Claude Code's own rules?
//!
//! One entry that its schema rejects, and the client drops the whole file: all hooks, permissions and environment, in
//! `claude -p` without a word. What it rejects was tried with version 2.1.197: comments, trailing commas, a hook of
//! an unknown type, a timeout that is 0 or a string, a hook outside of an entry's `hooks`, permissions that are no list.
//! Harmless there: a byte order mark, unknown keys, unknown events.

use super::{File, Finding};
use crate::registration::{Owner, Whose};
use crate::settings::json::{self, Kind, Node};

const AREA: &str = "settings";

/// Types of hooks that the client knows.
const TYPES: [&str; 5] = ["command", "prompt", "agent", "http", "mcp_tool"];

/// Checks one file.
pub fn check(file: &File, owner: &Owner) -> Vec<Finding> {
    let text = file.settings.text();
    let root = match json::parse(text) {
        Ok(root) => root,
        Err(e @ json::Error::Deep) => {
            let what = format!("{}: {e}", file.shown);
            return vec![Finding::error(AREA, what, "make it flatter")];
        }
        Err(json::Error::Syntax(e)) => {
            let what = format!("{} is not JSON: {e}", file.shown);
            let todo =
                "the client ignores the whole file; comments and trailing commas aren't allowed";
            return vec![Finding::error(AREA, what, todo)];
        }
    };
    let problems = problems(text, &root);
    let mut findings: Vec<_> = problems
        .iter()
        .map(|problem| {
            let what = format!("{}: {problem}", file.shown);
            Finding::error(
                AREA,
                what,
                "the client ignores the whole file because of it; correct it",
            )
        })
        .collect();
    if problems.is_empty() {
        findings.push(Finding::ok(AREA, format!("{} is valid", file.shown)));
    }
    findings.extend(switched_off(text, &root, &file.shown));
    findings.extend(toothless(text, &root, &file.shown, owner));
    findings
}

/// What the client's schema rejects.
fn problems(text: &str, root: &Node) -> Vec<String> {
    let mut problems = Vec::new();
    if root.members().is_none() {
        return vec!["it is no object".to_owned()];
    }
    for list in ["allow", "deny", "ask"] {
        let found = root
            .get("permissions")
            .and_then(|permissions| permissions.get(list));
        if found.is_some_and(|found| found.items().is_none()) {
            problems.push(format!("permissions.{list} is no list"));
        }
    }
    let Some(hooks) = root.get("hooks") else {
        return problems;
    };
    let Some(events) = hooks.members() else {
        problems.push("hooks is no object".to_owned());
        return problems;
    };
    for event in events {
        let path = format!("hooks.{}", event.key);
        let Some(groups) = event.value.items() else {
            problems.push(format!("{path} is no list"));
            continue;
        };
        for (at, group) in groups.iter().enumerate() {
            let path = format!("{path}[{at}]");
            match group.get("hooks").map(Node::items) {
                Some(Some(entries)) => {
                    for (at, entry) in entries.iter().enumerate() {
                        hook(text, entry, &format!("{path}.hooks[{at}]"), &mut problems);
                    }
                }
                Some(None) => problems.push(format!("{path}.hooks is no list")),
                None if group.get("command").is_some() => problems.push(format!(
                    "{path} is a hook where an entry belongs: {{\"hooks\":[…]}} is missing around it"
                )),
                None => problems.push(format!("{path} has no hooks")),
            }
        }
    }
    problems
}

fn hook(text: &str, entry: &Node, path: &str, problems: &mut Vec<String>) {
    let kind = entry.get("type").and_then(Node::text);
    match kind {
        None => problems.push(format!("{path} has no type")),
        Some(kind) if !TYPES.contains(&kind) => {
            problems.push(format!("{path} is of the unknown type \"{kind}\""));
        }
        Some("command") if entry.get("command").and_then(Node::text).is_none() => {
            problems.push(format!("{path} has no command"));
        }
        Some(_) => {}
    }
    if let Some(timeout) = entry.get("timeout") {
        let raw = text.get(timeout.span.clone()).unwrap_or_default();
        let positive = raw.parse::<f64>().is_ok_and(|seconds| seconds > 0.0);
        if !matches!(timeout.kind, Kind::Other) || !positive {
            problems.push(format!(
                "{path}.timeout is {raw}, but has to be a number above 0"
            ));
        }
    }
}

/// What is valid and keeps the hooks from running all the same.
fn switched_off(text: &str, root: &Node, shown: &str) -> Vec<Finding> {
    let raw = |node: &Node| text.get(node.span.clone()).unwrap_or_default().to_owned();
    let mut findings = Vec::new();
    if root.get("disableAllHooks").map(raw).as_deref() == Some("true") {
        let what = format!("{shown} switches all hooks off: disableAllHooks");
        findings.push(Finding::error(
            AREA,
            what,
            "remove it if the hooks shall run",
        ));
    }
    let env = root.get("env").and_then(Node::members).unwrap_or_default();
    for member in env
        .iter()
        .filter(|member| member.key.starts_with("STOP_HOOK_LLM_JUDGE_"))
    {
        let what = format!("{shown} sets {} to {}", member.key, raw(&member.value));
        findings.push(Finding::warning(
            AREA,
            what,
            "it holds for all hooks; remove it if it isn't meant",
        ));
    }
    findings
}

/// Keys of an entry that are valid and take the teeth out of a Stop hook.
const TOOTHLESS: [(&str, &str); 3] = [
    ("if", "with \"if\" at Stop, so never run"),
    ("async", "async, so never blocking"),
    ("asyncRewake", "async, so never blocking"),
];

/// Our entries that can't send the agent back.
fn toothless(text: &str, root: &Node, shown: &str, owner: &Owner) -> Vec<Finding> {
    let mut findings = Vec::new();
    let groups = root
        .get("hooks")
        .and_then(|hooks| hooks.get("Stop"))
        .and_then(Node::items);
    let entries = groups
        .unwrap_or_default()
        .iter()
        .filter_map(|group| group.get("hooks")?.items());
    for entry in entries.flatten() {
        let command = entry.get("command").and_then(Node::text);
        let whose = owner.whose(command.unwrap_or_default());
        let (Whose::Ours { hook, .. } | Whose::Wrapped { hook, .. }) = whose else {
            continue;
        };
        for (key, what) in TOOTHLESS {
            let value = entry.get(key).and_then(|node| text.get(node.span.clone()));
            if value.is_some_and(|value| value != "false") {
                let what = format!("{shown}: {what}");
                let todo = format!("take \"{key}\" out of the entry");
                findings.push(Finding::error(AREA, what, todo).of(hook));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(
            problems(text, &json::parse(text).unwrap()),
            expected,
            "{text}"
        );
    }

    #[test]
    fn what_the_client_rejects_is_named_with_its_place() {
        check("[]", &["it is no object"]);
        check(
            r#"{"permissions":{"allow":"Bash"}}"#,
            &["permissions.allow is no list"],
        );
        check(r#"{"hooks":[]}"#, &["hooks is no object"]);
        check(r#"{"hooks":{"Stop":{}}}"#, &["hooks.Stop is no list"]);
        check(
            r#"{"hooks":{"Stop":[{"hooks":[]},{"type":"command","command":"x"}]}}"#,
            &[
                "hooks.Stop[1] is a hook where an entry belongs: {\"hooks\":[…]} is missing around it",
            ],
        );
        check(
            r#"{"hooks":{"Stop":[{"matcher":"x"}]}}"#,
            &["hooks.Stop[0] has no hooks"],
        );
        check(
            r#"{"hooks":{"Stop":[{"hooks":{}}]}}"#,
            &["hooks.Stop[0].hooks is no list"],
        );
        check(
            r#"{"hooks":{"Stop":[{"hooks":[{"type":"shell","command":"x"},{"command":"x"},{"type":"command"}]}]}}"#,
            &[
                "hooks.Stop[0].hooks[0] is of the unknown type \"shell\"",
                "hooks.Stop[0].hooks[1] has no type",
                "hooks.Stop[0].hooks[2] has no command",
            ],
        );
        for timeout in ["0", "-1", "\"30\"", "true"] {
            let text = format!(
                r#"{{"hooks":{{"Stop":[{{"hooks":[{{"type":"command","command":"x","timeout":{timeout}}}]}}]}}}}"#
            );
            let expected = format!(
                "hooks.Stop[0].hooks[0].timeout is {timeout}, but has to be a number above 0"
            );
            check(&text, &[&expected]);
        }
    }

    #[test]
    fn what_the_client_bears_is_no_problem() {
        check(
            r#"{"x":1,"hooks":{"Nonsense":[],"Stop":[{"matcher":"","hooks":[{"type":"command","command":"x","timeout":0.5,"z":0},{"type":"prompt","prompt":"p"}]}]},"permissions":{"allow":[]}}"#,
            &[],
        );
    }
}
