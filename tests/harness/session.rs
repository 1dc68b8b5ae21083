//! A session's transcript, told in short steps and written as the host writes it.
//!
//! The shapes are those of Claude Code 2.1.197 and Codex CLI 0.171, cut down to the keys that carry meaning; the
//! recorded sessions under `fixtures/` hold whole lines. A line that must be exactly so is given as it is.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::{Value, json};

/// One thing that happened.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// The user typed it.
    Human(String),
    /// The assistant wrote it.
    Says(String),
    /// A shell command ran.
    Runs(Run),
    /// A file was edited.
    Edits(String),
    /// Another tool was called.
    Uses(Use),
    /// A stop hook sent the agent back with these words, which begin with `[hook-name]`.
    Feedback(String),
    /// A line of the file, whatever the host.
    Line(Value),
    /// The end of a file that the host is still writing.
    Torn(String),
}

/// A shell command and what came of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    command: String,
    #[serde(default)]
    prints: String,
    #[serde(default)]
    exit: i32,
    /// So many commands in a row; `{n}` in them is the number of each.
    times: Option<usize>,
}

/// Any tool but the shell and the editor.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Use {
    tool: String,
    input: Value,
    result: String,
}

impl Step {
    /// The steps that this one stands for.
    fn each(&self) -> Vec<Self> {
        match self {
            Self::Runs(run) => (1..=run.times.unwrap_or(1))
                .map(|n| {
                    let command = run.command.replace("{n}", &n.to_string());
                    Self::Runs(Run {
                        command,
                        ..run.clone()
                    })
                })
                .collect(),
            other => vec![other.clone()],
        }
    }
}

/// The transcript of `steps` as Claude Code (`turn_id` absent) or Codex keeps it.
pub fn transcript(steps: &[Step], turn_id: Option<&str>) -> String {
    let mut text = String::new();
    for (number, step) in steps.iter().flat_map(Step::each).enumerate() {
        let lines = match (&step, turn_id) {
            (Step::Torn(end), _) => {
                text.push_str(end);
                continue;
            }
            (Step::Line(line), _) => vec![line.clone()],
            (step, Some(turn)) => codex(step, number, turn),
            (step, None) => claude(step, number),
        };
        for line in lines {
            writeln!(text, "{line}").expect("a String takes all");
        }
    }
    text
}

fn claude(step: &Step, number: usize) -> Vec<Value> {
    let uuid = format!("00000000-0000-4000-8000-{number:012}");
    let call = format!("toolu_{number:024}");
    let user = |content: Value| {
        json!({
            "type": "user", "uuid": uuid, "isSidechain": false, "userType": "external",
            "promptId": "p1", "sessionId": "s",
            "message": {"role": "user", "content": content},
        })
    };
    let assistant = |block: Value, stop_reason: &str| {
        json!({
            "type": "assistant", "uuid": uuid, "isSidechain": false, "userType": "external", "sessionId": "s",
            "message": {
                "id": format!("msg_{number:024}"), "type": "message", "role": "assistant",
                "model": "claude-opus-4-8", "content": [block], "stop_reason": stop_reason,
            },
        })
    };
    let tool = |name: &str, input: Value, content: String, failed: bool, result: Value| {
        let call_line = json!({"type": "tool_use", "id": call, "name": name, "input": input});
        let mut answer = user(
            json!([{"type": "tool_result", "tool_use_id": call, "content": content, "is_error": failed}]),
        );
        answer["toolUseResult"] = result;
        vec![assistant(call_line, "tool_use"), answer]
    };
    match step {
        Step::Human(words) => {
            let mut line = user(json!(words));
            line["origin"] = json!({"kind": "human"});
            line["promptSource"] = json!("typed");
            vec![line]
        }
        Step::Says(words) => vec![assistant(
            json!({"type": "text", "text": words}),
            "end_turn",
        )],
        Step::Runs(run) if run.exit == 0 => tool(
            "Bash",
            json!({"command": run.command, "description": "d"}),
            run.prints.clone(),
            false,
            json!({"stdout": run.prints, "stderr": "", "interrupted": false, "isImage": false}),
        ),
        Step::Runs(run) => {
            let words = format!("Exit code {}\n{}", run.exit, run.prints)
                .trim_end()
                .to_owned();
            let result = json!(format!("Error: {words}"));
            tool(
                "Bash",
                json!({"command": run.command, "description": "d"}),
                words,
                true,
                result,
            )
        }
        Step::Edits(path) => tool(
            "Edit",
            json!({"file_path": path, "old_string": "a", "new_string": "b"}),
            format!("The file {path} has been updated successfully."),
            false,
            json!({"filePath": path, "oldString": "a", "newString": "b", "userModified": false}),
        ),
        Step::Uses(it) => tool(
            &it.tool,
            it.input.clone(),
            it.result.clone(),
            false,
            json!(it.result),
        ),
        Step::Feedback(words) => {
            let hook = words
                .strip_prefix('[')
                .and_then(|w| w.split(']').next())
                .unwrap_or("another-hook");
            let mut line = user(json!(format!(
                "Stop hook feedback:\n[/home/dev/.claude/hooks/{hook}]: {words}\n"
            )));
            line["isMeta"] = json!(true);
            vec![line]
        }
        Step::Line(_) | Step::Torn(_) => unreachable!("written as they are"),
    }
}

fn codex(step: &Step, number: usize, turn: &str) -> Vec<Value> {
    let call = format!("call_{number:03}");
    let completed = |item: Value| json!({"type": "event_msg", "payload": {"type": "item_completed", "thread_id": "t", "turn_id": turn, "item": item}});
    let response = |mut payload: Value| {
        payload["internal_chat_message_metadata_passthrough"] = json!({"turn_id": turn});
        json!({"type": "response_item", "payload": payload})
    };
    let mut lines = match step {
        Step::Human(words) => {
            let mut line = response(json!({
                "type": "message", "role": "user", "content": [{"type": "input_text", "text": words}],
            }));
            line["payload"]["internal_chat_message_metadata_passthrough"]["content_item_kinds"] =
                json!(["user.text"]);
            vec![
                line,
                completed(
                    json!({"type": "UserMessage", "id": call, "content": [{"type": "text", "text": words}]}),
                ),
            ]
        }
        Step::Says(words) => vec![
            completed(
                json!({"type": "AgentMessage", "id": call, "content": [{"type": "Text", "text": words}]}),
            ),
            response(json!({
                "type": "message", "role": "assistant", "id": call,
                "content": [{"type": "output_text", "text": words, "annotations": []}],
            })),
        ],
        Step::Runs(run) => vec![
            response(json!({
                "type": "function_call", "name": "exec_command", "call_id": call,
                "arguments": json!({"cmd": run.command}).to_string(),
            })),
            completed(json!({
                "type": "CommandExecution", "id": call, "command": ["/bin/bash", "-lc", run.command],
                "status": if run.exit == 0 { "completed" } else { "failed" },
                "aggregated_output": run.prints, "exit_code": run.exit,
            })),
            response(json!({
                "type": "function_call_output", "call_id": call,
                "output": format!("Wall time: 0.1 seconds\nProcess exited with code {}\nOutput:\n{}", run.exit, run.prints),
            })),
        ],
        Step::Edits(path) => vec![
            response(json!({
                "type": "custom_tool_call", "name": "apply_patch", "call_id": call, "status": "completed",
                "input": format!("*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch\n"),
            })),
            completed(json!({
                "type": "FileChange", "id": call, "status": "completed",
                "changes": {path: {"type": "update", "unified_diff": "@@ -1 +1 @@\n-a\n+b\n"}},
            })),
            response(json!({
                "type": "custom_tool_call_output", "call_id": call,
                "output": format!("Exit code: 0\nOutput:\nSuccess. Updated the following files:\nM {path}\n"),
            })),
        ],
        Step::Uses(it) => vec![
            response(json!({
                "type": "function_call", "name": it.tool, "call_id": call,
                "arguments": it.input.to_string(),
            })),
            response(json!({
                "type": "function_call_output", "call_id": call, "output": it.result,
            })),
        ],
        Step::Feedback(words) => {
            let id = "stop:0:/home/dev/.codex/hooks.json";
            let escaped = words
                .replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;");
            let wrapped = format!("<hook_prompt hook_run_id=\"{id}\">{escaped}</hook_prompt>");
            let mut line = response(json!({
                "type": "message", "role": "user", "content": [{"type": "input_text", "text": wrapped}],
            }));
            let passthrough = &mut line["payload"]["internal_chat_message_metadata_passthrough"];
            passthrough["content_item_kinds"] = json!(["unknown"]);
            passthrough["content_item_metadata"] =
                json!([{"provenance": {"type": "harness", "hook": true}}]);
            vec![
                line,
                completed(
                    json!({"type": "HookPrompt", "id": call, "fragments": [{"text": words, "hookRunId": id}]}),
                ),
            ]
        }
        Step::Line(_) | Step::Torn(_) => unreachable!("written as they are"),
    };
    for line in &mut lines {
        line["timestamp"] = json!("2026-11-30T20:28:15.414Z");
        line["ordinal"] = json!(number);
    }
    lines
}
