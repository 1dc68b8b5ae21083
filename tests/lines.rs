//! Sessions of a few lines, made by hand: shapes that no recording holds, and what becomes of them in the reader.

#![allow(clippy::expect_used, reason = "what fails here fails the test")]

use std::fs;

use common::input::HookInput;
use common::transcript::{self, Turns};

/// As they stand in every block of ours.
const HOOKS: [&str; 2] = ["commit-before-verify", "scope-check"];

/// The digest of the last turn in `lines`.
fn digest(lines: &[&str]) -> String {
    let turns = Turns::read(std::io::Cursor::new(lines.join("\n")), &HOOKS);
    turns
        .last()
        .expect("there is a turn")
        .turn
        .activity
        .digest()
}

/// A prompt that begins like what the host writes in the user's name is a prompt if the host says so, or if it isn't
/// made like that.
#[test]
fn claude_code_prompts_that_look_like_the_hosts_own() {
    let user = |content: &str, more: &str| {
        let content = serde_json::to_string(content).expect("a string");
        format!(r#"{{"type":"user","message":{{"content":{content}}}{more}}}"#)
    };
    let said = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Done."}]}}"#;
    let asked = |line: &str| {
        let first = user("First", "");
        let lines = [first.as_str(), said, line, said].join("\n");
        let turns = Turns::read(std::io::Cursor::new(lines), &HOOKS);
        turns
            .last()
            .expect("there is a turn")
            .turn
            .user_text
            .expect("a boundary")
    };
    let notice = "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>t1</tool-use-id>\n\
        <status>completed</status>\n<summary>s</summary>\n</task-notification>";
    let typed = [
        r#","origin":{"kind":"human"},"promptSource":"typed""#,
        r#","origin":{"kind":"human"}"#,
        r#","promptSource":"sdk""#,
    ];
    let texts = [
        "<task-notification> tells nothing of it, why?",
        "<system-reminder> shows up in my log",
        "[Request interrupted by user] is all I see",
    ];
    for text in texts
        .into_iter()
        .chain([notice, "<command-name>/x</command-name>"])
    {
        for more in typed {
            assert_eq!(asked(&user(text, more)), text, "{more}");
        }
    }
    // Older clients say nothing of where a line is from.
    for text in texts {
        assert_eq!(asked(&user(text, "")), text);
    }
    for line in [
        user(notice, ""),
        user(
            notice,
            r#","origin":{"kind":"task-notification"},"promptSource":"sdk""#,
        ),
        user(&format!("{notice}\nRead the output file."), ""),
        user("<system-reminder>be brief</system-reminder>", ""),
        user("[Request interrupted by user]", ""),
        user("<bash-input>ls</bash-input>", ""),
    ] {
        assert_eq!(asked(&line), "First", "{line}");
    }
    let queued = |prompt: &str, more: &str| {
        let prompt = serde_json::to_string(prompt).expect("a string");
        format!(
            r#"{{"type":"attachment","attachment":{{"type":"queued_command","prompt":{prompt}{more}}}}}"#
        )
    };
    assert_eq!(
        asked(&queued(notice, r#","origin":{"kind":"human"}"#)),
        notice
    );
    assert_eq!(
        asked(&queued(notice, r#","commandMode":"task-notification""#)),
        "First"
    );
}

/// In code mode the model writes a program, and the calls that it makes are told by what completed alone.
#[test]
fn codex_edits_by_a_server_of_tools_out_of_a_program() {
    let lines = [
        r#"{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[{"type":"text","text":"Go"}]}}}"#,
        r#"{"type":"response_item","payload":{"type":"custom_tool_call","name":"exec","call_id":"c1","input":"await tools.mcp__fs__edit_file()"}}"#,
        r#"{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"McpToolCall","id":"m1","server":"fs","tool":"edit_file","arguments":{"path":"src/a.rs","edits":[]},"status":"completed"}}}"#,
        r#"{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"McpToolCall","id":"m2","server":"fs","tool":"read_file","arguments":{"path":"src/a.rs"},"status":"completed"}}}"#,
        r#"{"type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c1","output":"done"}}"#,
    ];
    assert_eq!(digest(&lines), "exec\nedit src/a.rs [last edit]\nread_file");
}

/// A command that is left running ends with the look at it that finds its end, whatever else was started meanwhile.
#[test]
fn a_look_at_a_command_in_the_background() {
    let call = |id: &str, name: &str, input: &str| {
        format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"{id}","name":"{name}","input":{input}}}]}}}}"#
        )
    };
    let result = |id: &str, text: &str| {
        let error = text.starts_with("<tool_use_error>");
        let text = serde_json::to_string(text).expect("a string");
        format!(
            r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}","is_error":{error},"content":{text}}}]}}}}"#
        )
    };
    let started = |id: &str, task: &str| {
        result(
            id,
            &format!(
                "Command running in background with ID: {task}. Output is being written to: /tmp/x"
            ),
        )
    };
    let looks = [
        (
            "TaskOutput",
            "task_id",
            "<retrieval_status>success</retrieval_status>\n\n<task_id>b1</task_id>\n\n\
            <status>completed</status>\n\n<exit_code>0</exit_code>\n\n<output>\ntest result: ok. 3 passed; 0 failed\n</output>",
            "ok: test result: ok. 3 passed; 0 failed",
        ),
        (
            "TaskOutput",
            "task_id",
            "<retrieval_status>timeout</retrieval_status>\n\n<status>running</status>",
            "still running",
        ),
        (
            "BashOutput",
            "bash_id",
            "<status>failed</status>\n\n<exit_code>101</exit_code>\n\n<stdout>\n\
            test result: FAILED. 3 passed; 1 failed\n</stdout>",
            "exit 101: test result: FAILED. 3 passed; 1 failed",
        ),
        (
            "BashOutput",
            "bash_id",
            "<status>running</status>\n\n<timestamp>t</timestamp>",
            "still running",
        ),
        (
            "BashOutput",
            "bash_id",
            "<status>killed</status>",
            "stopped",
        ),
        (
            "KillShell",
            "shell_id",
            r#"{"message":"Successfully killed shell: b1 (cargo test)","shell_id":"b1"}"#,
            "stopped",
        ),
        (
            "TaskStop",
            "task_id",
            r#"{"message":"Successfully stopped task: b1 (cargo test)","task_id":"b1"}"#,
            "stopped",
        ),
        (
            "TaskStop",
            "task_id",
            "<tool_use_error>No task found with ID: b1</tool_use_error>",
            "still running",
        ),
    ];
    for (tool, key, found, told) in looks {
        let lines = [
            r#"{"type":"user","message":{"content":"Go"}}"#.to_owned(),
            call(
                "a",
                "Bash",
                r#"{"command":"cargo test","run_in_background":true}"#,
            ),
            started("a", "b1"),
            call(
                "b",
                "Bash",
                r#"{"command":"npm run dev","run_in_background":true}"#,
            ),
            started("b", "b2"),
            call("c", tool, &format!(r#"{{"{key}":"b1","block":true}}"#)),
            result("c", found),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let told = format!("$ cargo test => {told}\n$ npm run dev => still running");
        assert_eq!(digest(&lines), told, "{found}");
    }
}

#[test]
fn a_look_at_a_command_of_codex_that_was_left_running() {
    let lines = [
        r#"{"type":"message","role":"user","content":"Go"}"#,
        r#"{"type":"function_call","name":"exec_command","call_id":"a","arguments":"{\"cmd\":\"cargo test\"}"}"#,
        r#"{"type":"function_call_output","call_id":"a","output":"Chunk ID: 1\nProcess running with session ID 4\nOutput:\n"}"#,
        r#"{"type":"function_call","name":"exec_command","call_id":"b","arguments":"{\"cmd\":\"npm run dev\"}"}"#,
        r#"{"type":"function_call_output","call_id":"b","output":"Chunk ID: 2\nProcess running with session ID 5\nOutput:\n"}"#,
        r#"{"type":"function_call","name":"write_stdin","call_id":"c","arguments":"{\"session_id\":4,\"chars\":\"\"}"}"#,
        r#"{"type":"function_call_output","call_id":"c","output":"Process exited with code 1\nOutput:\n1 failed"}"#,
    ];
    let told = "$ cargo test => exit 1: 1 failed\n$ npm run dev => still running";
    assert_eq!(digest(&lines), told);
}

/// Clients of 2025 told what a command printed in JSON.
#[test]
fn codex_outputs_in_json() {
    let ran = |printed: &str| {
        let printed = serde_json::to_string(printed).expect("a string");
        let output = format!(
            r#"{{"output":{printed},"metadata":{{"exit_code":1,"duration_seconds":0.1}}}}"#
        );
        let lines = [
            serde_json::json!({"type": "message", "role": "user", "content": "Go"}),
            serde_json::json!({"type": "function_call", "name": "shell", "call_id": "c",
                "arguments": r#"{"command":["bash","-lc","npm test"]}"#}),
            serde_json::json!({"type": "function_call_output", "call_id": "c", "output": output}),
        ];
        digest(
            &lines
                .each_ref()
                .map(ToString::to_string)
                .each_ref()
                .map(String::as_str),
        )
    };
    let told = "$ npm test => exit 1: FAIL src/\"a\".test.js";
    assert_eq!(ran("FAIL src/\"a\".test.js"), told);
    assert_eq!(ran("one\nFAIL src/\"a\".test.js\nlast"), told);
    // The middle of a long output isn't kept, so what is left is no JSON.
    let long = "ok \\ \"\n".repeat(4000);
    assert_eq!(ran(&format!("{long}FAIL src/\"a\".test.js")), told);
    assert_eq!(ran(&format!("{long}FAIL src/\"a\".test.js\nlast")), told);
}

/// A gate in a subagent sees what that subagent did; Claude Code names the session's file alone.
#[test]
fn claude_code_runs_a_command_in_a_subagent() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let session = dir.path().join("s1.jsonl");
    let line = |text: &str, agent: bool| {
        format!(r#"{{"type":"user","isSidechain":{agent},"message":{{"content":"{text}"}}}}"#)
    };
    fs::write(&session, line("Go", false)).expect("it is written");
    let asked = |agent: &str| {
        let input = serde_json::json!({"hook_event_name": "PreToolUse", "transcript_path": session,
            "agent_id": agent, "tool_name": "Bash", "tool_input": {"command": "git push"}});
        let input = HookInput::parse(input.to_string().as_bytes()).expect("a hook input");
        transcript::read(&input, &HOOKS).expect("a turn").user_text
    };
    // Its file isn't there, or yet.
    assert_eq!(asked("a1").as_deref(), Some("Go"));
    let own = dir.path().join("s1/subagents");
    fs::create_dir_all(&own).expect("a directory");
    fs::write(own.join("agent-a1.jsonl"), line("Push it", true)).expect("it is written");
    assert_eq!(asked("a1").as_deref(), Some("Push it"));
    for other in ["", "../subagents/agent-a1", "a2"] {
        assert_eq!(asked(other).as_deref(), Some("Go"), "{other}");
    }
}

/// What a user of Codex types may begin like what the client sends in the user's name.
#[test]
fn codex_prompts_that_look_like_the_clients_own() {
    let asked = |line: &str| {
        let first = r#"{"type":"message","role":"user","content":"First"}"#;
        let said = r#"{"type":"message","role":"assistant","content":"Done."}"#;
        let lines = [first, said, line, said].join("\n");
        let turns = Turns::read(std::io::Cursor::new(lines), &HOOKS);
        turns
            .last()
            .expect("there is a turn")
            .turn
            .user_text
            .expect("a boundary")
    };
    let item = |text: &str| {
        serde_json::json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}).to_string()
    };
    let event = |text: &str, kind: serde_json::Value| {
        serde_json::json!({"type": "event_msg", "payload": {"type": "user_message", "message": text, "kind": kind}}).to_string()
    };
    for typed in [
        "<skill> tags are broken",
        "<environment_context is never closed",
        "<hook_prompt is what I see",
    ] {
        assert_eq!(asked(&item(typed)), typed);
        assert_eq!(asked(&event(typed, "plain".into())), typed);
        assert_eq!(asked(&event(typed, serde_json::Value::Null)), typed);
    }
    let quoted = "<skill>a</skill> is how it looks";
    assert_eq!(asked(&event(quoted, "plain".into())), quoted);
    for sent in [
        "<skill>\na\n</skill>",
        "<environment_context>\n<cwd>/</cwd>\n</environment_context>",
        "<permissions instructions>\na\n</permissions instructions>",
        "# AGENTS.md instructions for /home/dev\n\n<INSTRUCTIONS>a</INSTRUCTIONS>",
    ] {
        assert_eq!(asked(&item(sent)), "First", "{sent}");
        assert_eq!(
            asked(&event(sent, "environment_context".into())),
            "First",
            "{sent}"
        );
        assert_eq!(
            asked(&event(sent, serde_json::Value::Null)),
            "First",
            "{sent}"
        );
    }
}

/// Fields that only say something of a message may hold what they like; it costs them alone.
#[test]
fn a_field_of_another_type_costs_no_message() {
    let values = ["7", "true", r#""x""#, "[1]", r#"{"a":[]}"#, "null", "[]"];
    let expected = Some((Some("Go"), "Done.", "edit a.rs [last edit]"));
    let seen = |lines: &[String]| {
        let turns = Turns::read(std::io::Cursor::new(lines.join("\n")), &HOOKS);
        let last = turns.last()?.turn;
        Some((last.user_text, last.latest, last.activity.digest()))
    };
    let check = |lines: &[String], field: &str, value: &str| {
        let seen = seen(lines);
        let seen = seen
            .as_ref()
            .map(|(user, latest, did)| (user.as_deref(), latest.as_str(), did.as_str()));
        assert_eq!(seen, expected, "{field}: {value}");
    };
    for value in values {
        for field in [
            "promptId",
            "promptSource",
            "isApiErrorMessage",
            "requestId",
            "timestamp",
            "cwd",
        ] {
            if (field, value) == ("isApiErrorMessage", "true") {
                continue;
            }
            let lines = [
                format!(
                    r#"{{"type":"user","{field}":{value},"message":{{"content":"Go","id":{value}}}}}"#
                ),
                format!(
                    r#"{{"type":"assistant","{field}":{value},"message":{{"model":{value},"stop_reason":{value},"content":[{{"type":"text","text":"Done.","id":{value},"name":{value},"input":{value},"is_error":{value}}},{{"type":"tool_use","id":"t","name":"Edit","input":{{"file_path":"a.rs","command":{value},"description":{value}}}}}]}}}}"#
                ),
                format!(
                    r#"{{"type":"user","{field}":{value},"message":{{"content":[{{"type":"tool_result","tool_use_id":"t","is_error":null,"content":""}}]}}}}"#
                ),
            ];
            check(&lines, field, value);
        }
        for field in [
            "turn_id",
            "kind_of",
            "internal_chat_message_metadata_passthrough",
            "call_id",
            "name",
        ] {
            let lines = [
                format!(
                    r#"{{"type":"response_item","payload":{{"type":"message","role":"user","{field}":{value},"content":"Go"}}}}"#
                ),
                format!(
                    r#"{{"type":"event_msg","payload":{{"type":"item_completed","{field}":{value},"item":{{"type":"FileChange","id":{value},"status":null,"exit_code":[{value}],"changes":{{"a.rs":{value}}}}}}}}}"#
                ),
                format!(
                    r#"{{"type":"event_msg","payload":{{"type":"item_completed","{field}":{value},"item":{{"type":"AgentMessage","status":{value},"content":[{{"type":"Text","text":"Done."}}]}}}}}}"#
                ),
            ];
            check(&lines, field, value);
        }
    }
    // The kind of an origin, wherever it stands.
    for (origin, human) in [
        (r#""human""#, true),
        (r#"{"kind":"human"}"#, true),
        (r#""peer""#, false),
        ("7", true),
    ] {
        let lines = [
            r#"{"type":"user","message":{"content":"First"}}"#.to_owned(),
            format!(r#"{{"type":"user","origin":{origin},"message":{{"content":"Go"}}}}"#),
            r#"{"type":"assistant","message":{"content":"Done."}}"#.to_owned(),
        ];
        let user = seen(&lines).and_then(|(user, ..)| user);
        assert_eq!(
            user.as_deref(),
            Some(if human { "Go" } else { "First" }),
            "{origin}"
        );
    }
}

/// Half a character, as models and programs leave it where they cut, or bytes that are no text, in a place where a text
/// without them would do: they cost themselves, not the call.
#[test]
fn half_a_character_in_a_call() {
    let human = r#"{"type":"user","message":{"content":"Go"}}"#;
    let claude = |input: &str| {
        let line = format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","id":"t","name":"Edit","input":{input}}}]}}}}"#
        );
        digest(&[human, &line])
    };
    let told = "edit src/a.rs => no result known [last edit]";
    assert_eq!(
        claude(r#"{"file_path":"src/a.rs","old_string":"\ud83d"}"#),
        told
    );
    assert_eq!(
        claude(r#"{"file_path":"src/a.rs","description":"\ude00 x"}"#),
        told
    );
    assert_eq!(
        claude(r#"{"file_path":"src/\ud83d.rs"}"#),
        told.replace("a.rs", "\u{fffd}.rs")
    );
    let change = r#"{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"FileChange","id":"c","status":"completed","changes":{"src/\ud83d.rs":{}}}}}"#;
    let said = r#"{"type":"event_msg","payload":{"type":"agent_message","message":"Done"}}"#;
    assert_eq!(
        digest(&[human, change, said]),
        "edit src/\u{fffd}.rs [last edit]"
    );
}
