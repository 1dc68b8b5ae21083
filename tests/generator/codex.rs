//! Deeds as Codex writes them, in four ages.

use serde_json::{Value, json};

use super::random::Random;
use super::{Deed, Format};

pub fn lines(deed: &Deed, format: Format, random: &mut Random, lines: &mut Vec<String>) {
    let mut out = Out { format, lines };
    let mut random = Random(random.next());
    match deed {
        Deed::Human(text) => {
            out.item(&message(
                "user",
                "input_text",
                &[text],
                Some("user.text"),
                format,
            ));
            out.event(
                "UserMessage",
                &json!([{"type": "text", "text": text, "text_elements": []}]),
            );
            out.legacy("user_message", text);
        }
        Deed::Says(text) | Deed::SaysInTwo(_, text) => {
            out.event("AgentMessage", &json!([{"type": "Text", "text": text}]));
            out.legacy("agent_message", text);
            out.item(&message(
                "assistant",
                "output_text",
                &[text],
                Some("unknown"),
                format,
            ));
        }
        // A blank answer: the assistant was at work.
        Deed::Thinks => out.item(&message(
            "assistant",
            "output_text",
            &[" \n"],
            Some("unknown"),
            format,
        )),
        Deed::Runs { command, exit } => runs(command, *exit, &mut out, &mut random),
        Deed::Edits(file) => {
            let id = super::id("call", &mut random);
            let patch =
                format!("*** Begin Patch\n*** Update File: {file}\n@@\n-a\n+b\n*** End Patch\n");
            if random.one_in(2) {
                out.item(&json!({"type": "custom_tool_call", "status": "completed", "call_id": id, "name": "apply_patch", "input": patch}));
            } else {
                let arguments = match format {
                    Format::CodexBare => json!({"command": ["apply_patch", patch]}),
                    _ => json!({"cmd": format!("apply_patch <<'EOF'\n{patch}EOF")}),
                };
                out.item(&json!({"type": "function_call", "name": "shell", "arguments": arguments.to_string(), "call_id": id}));
            }
            out.completed(&json!({"type": "FileChange", "id": id, "changes": {*file: {"type": "update", "unified_diff": "x"}}, "status": "completed", "stdout": "Success."}));
            out.item(&json!({"type": "custom_tool_call_output", "call_id": id, "output": "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nSuccess."}));
        }
        Deed::Feedback(all) => {
            let escaped = |text: &str| {
                text.replace('&', "&amp;")
                    .replace('<', "&lt;")
                    .replace('>', "&gt;")
            };
            let prompts: Vec<String> = all
                .iter()
                .map(|words| {
                    format!(
                        "<hook_prompt hook_run_id=\"stop:0:/h.json\">{}</hook_prompt>",
                        escaped(&words.text)
                    )
                })
                .collect();
            let texts: Vec<String> = if random.one_in(2) {
                vec![prompts.concat()]
            } else {
                prompts
            };
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            out.item(&message(
                "user",
                "input_text",
                &texts,
                Some("unknown"),
                format,
            ));
            let fragments: Vec<Value> = all
                .iter()
                .map(|words| json!({"text": words.text, "hookRunId": "stop:0:/h.json"}))
                .collect();
            out.completed(&json!({"type": "HookPrompt", "id": "h", "fragments": fragments}));
        }
        Deed::Noise(kind) => noise(*kind, &mut out),
    }
}

fn runs(command: &str, exit: i32, out: &mut Out<'_>, random: &mut Random) {
    let id = super::id("call", random);
    match out.format {
        Format::CodexBare if random.one_in(3) => out.item(
            &json!({"type": "local_shell_call", "status": "completed", "call_id": id, "action": {"type": "exec", "command": ["bash", "-lc", command]}}),
        ),
        Format::CodexBare | Format::CodexLegacy => out.item(
            &json!({"type": "function_call", "name": "shell", "call_id": id, "arguments": json!({"command": ["bash", "-lc", command], "workdir": "."}).to_string()}),
        ),
        _ => out.item(
            &json!({"type": "function_call", "status": "completed", "name": "exec_command", "arguments": json!({"cmd": command}).to_string(), "call_id": id}),
        ),
    }
    let printed = if random.one_in(30) {
        "0123456789abcdef".repeat(20_000)
    } else {
        "done\n".to_owned()
    };
    out.completed(&json!({"type": "CommandExecution", "id": id, "command": ["/bin/bash", "-lc", command], "status": if exit == 0 { "completed" } else { "failed" },
        "aggregated_output": printed, "exit_code": exit, "duration": {"secs": 0, "nanos": 1}}));
    let output = match out.format {
        Format::CodexBare | Format::CodexLegacy => {
            json!({"output": printed, "metadata": {"exit_code": exit, "duration_seconds": 0.1}})
                .to_string()
        }
        _ => format!(
            "Chunk ID: 2dd510\nWall time: 0.0000 seconds\nProcess exited with code {exit}\nOriginal token count: 1\nOutput:\n{printed}"
        ),
    };
    out.item(&json!({"type": "function_call_output", "call_id": id, "output": output}));
}

fn message(role: &str, kind: &str, texts: &[&str], of: Option<&str>, format: Format) -> Value {
    let content: Vec<Value> = texts
        .iter()
        .map(|text| json!({"type": kind, "text": text}))
        .collect();
    let mut item = json!({"type": "message", "id": "msg_1", "role": role, "content": content});
    if let (Some(of), Format::Codex | Format::CodexItems) = (of, format) {
        let kinds = vec![of; texts.len()];
        item["internal_chat_message_metadata_passthrough"] =
            json!({"turn_id": "t", "content_item_kinds": kinds});
    }
    item
}

struct Out<'a> {
    format: Format,
    lines: &'a mut Vec<String>,
}

impl Out<'_> {
    fn line(&mut self, kind: &str, payload: &Value) {
        let (at, ordinal) = ("2026-11-30T20:28:15.414Z", self.lines.len());
        self.lines.push(format!(
            r#"{{"timestamp":"{at}","ordinal":{ordinal},"type":"{kind}","payload":{}}}"#,
            typed_first(payload)
        ));
    }

    fn item(&mut self, item: &Value) {
        if self.format == Format::CodexBare {
            self.lines.push(typed_first(item));
        } else {
            self.line("response_item", item);
        }
    }

    fn completed(&mut self, item: &Value) {
        if self.format == Format::Codex {
            let item = typed_first(item);
            self.lines.push(format!(r#"{{"timestamp":"t","ordinal":1,"type":"event_msg","payload":{{"type":"item_completed","thread_id":"01a2","turn_id":"t","item":{item},"completed_at_ms":1}}}}"#));
        }
    }

    fn event(&mut self, kind: &str, content: &Value) {
        self.completed(
            &json!({"type": kind, "id": "i", "content": content, "phase": "commentary"}),
        );
    }

    fn legacy(&mut self, kind: &str, text: &str) {
        if self.format == Format::CodexLegacy {
            self.line(
                "event_msg",
                &json!({"type": kind, "message": text, "images": []}),
            );
        }
    }
}

/// An object as the host writes it: its type comes first.
fn typed_first(value: &Value) -> String {
    let mut rest = value.clone();
    let Some(kind) = rest
        .as_object_mut()
        .and_then(|object| object.remove("type"))
    else {
        return value.to_string();
    };
    let rest = rest.to_string();
    match rest.as_str() {
        "{}" => format!(r#"{{"type":{kind}}}"#),
        rest => format!(r#"{{"type":{kind},{}"#, rest.trim_start_matches('{')),
    }
}

fn noise(kind: u64, out: &mut Out<'_>) {
    let format = out.format;
    let injected =
        |text: &str, kind: &str| message("user", "input_text", &[text], Some(kind), format);
    match kind % 20 {
        0 if format == Format::CodexBare => out.lines.push(r#"{"record_type":"state"}"#.to_owned()),
        0 => out.line("session_meta", &json!({"id": "s", "history_mode": "paginated", "base_instructions": {"type": "message"}})),
        1 if format != Format::CodexBare => out.line("turn_context", &json!({"turn_id": "t", "summary": "auto", "item": {"type": "UserMessage"}})),
        2 if format != Format::CodexBare => out.line("world_state", &json!({"full": true})),
        3 if format != Format::CodexBare => out.line("event_msg", &json!({"type": "token_count", "info": {"type": "user_message"}})),
        4 if format != Format::CodexBare => out.line("event_msg", &json!({"type": "task_started", "turn_id": "t"})),
        5 if format != Format::CodexBare => out.line("event_msg", &json!({"type": "task_complete", "last_agent_message": "All is done."})),
        6 => out.item(&json!({"type": "reasoning", "summary": [], "encrypted_content": "gAAAA".repeat(40)})),
        7 => out.item(&message("developer", "input_text", &["<permissions instructions>"], Some("permissions.instructions"), format)),
        8 => out.item(&injected("<environment_context>\n  <cwd>/p</cwd>\n</environment_context>", "environments.environment_context")),
        9 => out.item(&injected("# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>", "agents_md.instructions")),
        10 => out.item(&injected("<subagent_notification>\n{}\n</subagent_notification>", "multi_agent.subagent_notification")),
        11 => out.item(&injected("<turn_aborted>\n  <reason>interrupted</reason>\n</turn_aborted>", "unknown")),
        12 if format != Format::CodexBare => {
            // The summary was never shown.
            let summary = "SUMMARY: I will commit and push now.";
            out.item(&message("assistant", "output_text", &[summary], Some("unknown"), format));
            out.line("token_usage_record", &json!({"response_id": "r"}));
            out.line("compacted", &json!({"message": format!("Another model began:\n{summary}"),
                "replacement_history": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "old"}]}]}));
        }
        13 => out.completed(&json!({"type": "ContextCompaction", "id": "c"})),
        14 if format != Format::CodexBare => out.line("event_msg", &json!({"type": "agent_reasoning", "text": "Hm."})),
        15 if format == Format::CodexLegacy => out.line("event_msg", &json!({"type": "user_message", "message": "<environment_context>", "kind": "environment_context"})),
        16 if format == Format::CodexLegacy => out.line("event_msg", &json!({"type": "exec_command_begin", "call_id": "x", "command": ["ls"]})),
        17 => out.item(&json!({"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "q"}})),
        18 => out.item(&injected("<user_instructions>\nBe brief.\n</user_instructions>", "agents_md.instructions")),
        _ => out.lines.push(r#"{"id":"0199","timestamp":"2025-06-01T00:00:00Z","instructions":null}"#.to_owned()),
    }
}
