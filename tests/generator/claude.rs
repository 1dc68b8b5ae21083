//! Deeds as Claude Code writes them.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Deed;
use super::random::Random;

pub fn lines(deed: &Deed, agent: bool, random: &mut Random, lines: &mut Vec<String>) {
    let mut random = Random(random.next());
    let mut add = |line: Value| {
        let number = lines.len();
        lines.push(common(line, agent, number));
    };
    match deed {
        Deed::Human(text) => add(human(text, agent, &mut random)),
        Deed::Says(text) => {
            if random.one_in(4) {
                add(assistant(
                    &json!([{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}]),
                    "end_turn",
                ));
            }
            let content = match random.below(6) {
                0 => json!(text),
                _ => json!([{"type": "text", "text": text}]),
            };
            add(assistant(&content, "end_turn"));
        }
        Deed::SaysInTwo(first, second) => {
            add(assistant(
                &json!([{"type": "text", "text": first}]),
                "max_tokens",
            ));
            add(assistant(
                &json!([{"type": "text", "text": second}]),
                "end_turn",
            ));
        }
        Deed::Thinks => add(match random.below(3) {
            0 => assistant(&json!([{"type": "text", "text": " \n"}]), "end_turn"),
            _ => assistant(
                &json!([{"type": "thinking", "thinking": "Let me think.", "signature": "c2ln"}]),
                "tool_use",
            ),
        }),
        Deed::Runs { command, exit } => {
            let id = super::id("toolu", &mut random);
            add(assistant(
                &json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command, "description": "d", "timeout": 1000}}]),
                "tool_use",
            ));
            let output = output(&mut random);
            let text = if *exit == 0 {
                output.clone()
            } else {
                format!("Exit code {exit}\n{output}")
            };
            let content = match random.below(3) {
                0 => json!([{"type": "text", "text": text}]),
                1 => {
                    json!([{"type": "text", "text": text}, {"type": "image", "source": {"type": "base64", "data": "iVBORw0KGgo".repeat(50)}}])
                }
                _ => json!(text),
            };
            add(
                json!({"type": "user", "promptId": "p", "message": {"role": "user", "content": [
                {"tool_use_id": id, "type": "tool_result", "content": content, "is_error": *exit != 0}]},
                "toolUseResult": {"stdout": output, "stderr": "", "interrupted": false}}),
            );
        }
        Deed::Edits(file) => {
            let id = super::id("toolu", &mut random);
            let name = random.pick(&["Edit", "Write", "MultiEdit"]);
            let input = json!({"file_path": file, "old_string": "{\"type\":\"user\"}", "new_string": "b", "command": 7});
            add(assistant(
                &json!([{"type": "tool_use", "id": id, "name": name, "input": input}]),
                "tool_use",
            ));
            add(
                json!({"type": "user", "promptId": "p", "message": {"role": "user", "content": [
                {"tool_use_id": id, "type": "tool_result", "content": "The file was updated."}]},
                "toolUseResult": {"type": "update", "filePath": file, "structuredPatch": []}}),
            );
        }
        Deed::Feedback(all) => {
            for words in all {
                let text = &words.text;
                let named = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
                let hook = named.map_or("hook", |(name, _)| name);
                let content = match random.below(3) {
                    0 => format!("Stop hook feedback:\n{text}"),
                    1 => {
                        format!(
                            "Stop hook feedback:\n[/home/dev/b]n/{hook} --flag 'a\nb]']: {text}"
                        )
                    }
                    _ => format!(
                        "Stop hook feedback:\n[~/.claude/hooks/{hook} --url http://[::1]:80]: {text}"
                    ),
                };
                add(json!({"type": "user", "promptId": "p", "isMeta": true,
                    "message": {"role": "user", "content": content}}));
            }
        }
        Deed::Noise(kind) => add(noise(*kind, agent)),
    }
}

fn human(text: &str, agent: bool, random: &mut Random) -> Value {
    let message = |content: Value| json!({"role": "user", "content": content});
    let opened = "<ide_opened_file>The user opened /a.rs in the IDE.</ide_opened_file>";
    match random.below(if agent { 2 } else { 7 }) {
        0 => {
            json!({"type": "user", "promptId": "p", "message": message(json!([{"type": "text", "text": text}]))})
        }
        2 => {
            json!({"type": "user", "promptId": "p", "message": message(json!([{"type": "text", "text": opened}, {"type": "text", "text": text}]))})
        }
        3 => {
            json!({"type": "attachment", "attachment": {"type": "queued_command", "prompt": text, "commandMode": "prompt", "origin": {"kind": "human"}}})
        }
        4 => {
            json!({"type": "attachment", "attachment": {"type": "queued_command", "prompt": [{"type": "text", "text": text}], "commandMode": "prompt"}})
        }
        5 => {
            json!({"type": "user", "promptId": "p", "origin": {"kind": "human"}, "promptSource": "typed", "message": message(json!(text))})
        }
        6 => {
            json!({"type": "user", "promptId": "p", "message": message(json!([{"type": "text", "text": text}, {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGVsbG8".repeat(99)}}]))})
        }
        _ => {
            json!({"type": "user", "promptId": "p", "promptSource": "sdk", "message": message(json!(text))})
        }
    }
}

fn assistant(content: &Value, stop_reason: &str) -> Value {
    json!({"type": "assistant", "requestId": "req_1", "message": {"id": "msg_1", "type": "message", "role": "assistant",
        "model": "claude-opus-4-8", "content": content, "stop_reason": stop_reason, "usage": {"input_tokens": 1}}})
}

fn output(random: &mut Random) -> String {
    match random.below(9) {
        0 => String::new(),
        1 => "x\u{1b}[0m {\"type\":\"user\"} \n".repeat(40),
        // Longer than a block of the reader.
        2 if random.one_in(20) => "0123456789abcdef".repeat(20_000),
        _ => "done\n".to_owned(),
    }
}

/// Lines that are nobody's, one of each kind: what the host keeps for itself, and what it says in another's name. Those
/// that are marked as a sidechain stand in a session's own file only; in a subagent's every line is one.
const NOISE: &str = include_str!("claude-noise.jsonl");

fn noise(kind: u64, agent: bool) -> Value {
    let lines: Vec<&str> = NOISE
        .lines()
        .filter(|line| !(agent && line.contains("isSidechain")))
        .collect();
    let line = Random(kind).pick(&lines);
    serde_json::from_str(line).expect("a line of noise is JSON")
}

/// The line with what stands on nearly all of them, in the order of the host: a message comes before its `type`.
fn common(line: Value, agent: bool, number: usize) -> String {
    let Value::Object(own) = line else {
        unreachable!("a line is an object")
    };
    let bare = [
        "queue-operation",
        "mode",
        "permission-mode",
        "file-history-snapshot",
        "last-prompt",
        "summary",
    ];
    if own
        .get("type")
        .and_then(Value::as_str)
        .is_some_and(|kind| bare.contains(&kind))
    {
        return Value::Object(own).to_string();
    }
    let mut text = format!(r#"{{"parentUuid":"{number:x}","isSidechain":"#);
    let sidechain = own.get("isSidechain").cloned().unwrap_or(json!(agent));
    text.push_str(&sidechain.to_string());
    let early: &[&str] = match own.get("type").and_then(Value::as_str) {
        Some("user") => &["promptId", "type", "message"],
        Some("system" | "progress") => &["type", "subtype"],
        _ => &["attachment", "message", "requestId", "type"],
    };
    let mut rest = own;
    rest.remove("isSidechain");
    for key in early {
        if let Some(value) = rest.remove(*key) {
            let _ = write!(text, ",\"{key}\":{value}");
        }
    }
    for (key, value) in rest {
        let _ = write!(text, ",\"{key}\":{value}");
    }
    text.push_str(r#","uuid":"742fade3","timestamp":"2026-11-30T20:33:33.067Z","cwd":"/home/dev/project","version":"2.1.197"}"#);
    text
}
