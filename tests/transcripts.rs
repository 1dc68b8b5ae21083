//! The recorded sessions of both hosts, through the reader that the hooks use.
//!
//! A fixture under `fixtures/` is a file as the real client left it (`at-hook`, `stop.at-hook-time`: as it stood when
//! the hook started); only paths and names were made neutral.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::string_slice,
    reason = "what fails here fails the test"
)]

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use common::input::{HookInput, Host};
use common::transcript::{self, Turn, Turns};

/// As they stand in every block of ours.
const HOOKS: [&str; 2] = ["commit-before-verify", "scope-check"];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/fixtures")
        .join(name)
}

/// The input `stdin`, with its paths bent to where the fixtures lie.
fn input(stdin: &str, transcript: &Path) -> HookInput {
    let bytes = fs::read(fixture(stdin)).expect("the fixture is there");
    let mut input = HookInput::parse(&bytes).expect("the fixture is a hook input");
    input.transcript_path = Some(transcript.to_owned());
    input.agent_transcript_path = Some(transcript.to_owned());
    input
}

/// The input `stdin` with `transcript`: what was said before the last feedback, after it, and by the user.
#[track_caller]
fn check(stdin: &str, transcript: &str, [earlier, latest, user]: [&str; 3]) {
    let input = input(stdin, &fixture(transcript));
    let turn = transcript::read(&input, &HOOKS);
    let turn = turn.expect("there is a transcript");
    assert_eq!(turn.earlier, earlier, "{transcript}: earlier");
    assert_eq!(turn.latest, latest, "{transcript}: latest");
    assert_eq!(turn.user_text.as_deref(), Some(user), "{transcript}: user");
    assert_eq!(
        turn.blocked_stops, 0,
        "{transcript}: another hook's blocks aren't ours"
    );
    assert!(turn.from_transcript && !turn.truncated, "{transcript}");
    // Where a hook already blocked, the message in the file might be the one before, said again.
    let in_doubt = input.stop_hook_active && input.host() == Host::ClaudeCode;
    let waited = if in_doubt { 150..250 } else { 0..1 };
    assert!(
        waited.contains(&turn.waited.as_millis()),
        "{transcript}: waited {:?}",
        turn.waited
    );
}

#[test]
fn claude_code_as_the_hook_saw_it() {
    let check = |stdin: &str, transcript: &str, expected| {
        check(
            &format!("claude-code/stdin-at-hook-{stdin}.json"),
            &format!("claude-code/at-hook-{transcript}.jsonl"),
            expected,
        );
    };
    // A task notification wakes the agent in the same turn.
    let told = "Start.\n\nStarted, waiting.\n\nIt is done.";
    check(
        "background-shell-2",
        "background-shell-2",
        ["", told, "Start it"],
    );
    let told = "I'll look first.\n\nNow I write.\n\nFirst part.\n\nSecond part, committed.";
    check("blocks", "blocks", ["", told, "Fix the parser bug"]);
    let told = ["First answer.", "Second answer.", "Fix it"];
    check("interactive-active", "interactive-active", told);
    check("two-blocks-active", "two-blocks-active", told);
    check(
        "resume-active",
        "resume-active",
        ["B1.", "B2.", "Second prompt"],
    );
    // Typed while the assistant worked: a boundary of its own.
    check(
        "interactive-queued",
        "interactive-queued",
        ["", "Both seen.", "queued text"],
    );
    check(
        "subagent",
        "subagent.agent",
        ["", "Main final.", "SUBTASK-MARK do it"],
    );
    check(
        "race-short",
        "race-short.settled",
        ["", "FINALMARK done.", "Go"],
    );
    let told = "Let me look.\n\nAgain.\n\nFINALMARK done.";
    check("race-tools", "race-tools.settled", ["", told, "Go"]);
}

#[test]
fn claude_code_before_its_last_lines_are_written() {
    let read = |stdin: &str, transcript: &str| {
        let transcript = fixture(&format!("claude-code/at-hook-{transcript}.start.jsonl"));
        let input = input(
            &format!("claude-code/stdin-at-hook-{stdin}.json"),
            &transcript,
        );
        let turn = transcript::read(&input, &HOOKS).expect("there is a transcript");
        let waited = turn.waited.as_millis();
        assert!((280..1000).contains(&waited), "{stdin}: waited {waited} ms");
        turn
    };
    // The file is empty, and stays so.
    assert_eq!(read("race-short", "race-short").latest, "FINALMARK done.");
    assert_eq!(
        read("race-tools", "race-tools").latest,
        "Let me look.\n\nFINALMARK done."
    );
    let big = read("race-big", "race-big");
    assert!(
        big.latest.starts_with("Let me look.\n\nword word"),
        "{}",
        big.latest
    );
}

/// A stubborn agent: its third answer is the second over again, and both that answer and the block before it come late.
#[test]
fn claude_code_says_the_same_again() {
    let said = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"I will commit it."}]}}"#;
    let blocked = r#"{"type":"user","isMeta":true,"message":{"content":"Stop hook feedback:\n[/h/commit-before-verify]: [commit-before-verify] no"}}"#;
    let human = r#"{"type":"user","message":{"content":"Do it"}}"#;
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let append = |lines: &[&str]| {
        let mut to = OpenOptions::new().append(true).open(file.path())?;
        to.write_all((lines.join("\n") + "\n").as_bytes())
    };
    append(&[human, said, blocked, said]).expect("it is written");
    let mut input = HookInput::parse(
        br#"{"hook_event_name":"Stop","stop_hook_active":true,"last_assistant_message":"I will commit it."}"#,
    )
    .expect("a hook input");
    input.transcript_path = Some(file.path().to_owned());
    let turn = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(100));
            append(&[blocked, said]).expect("it is written");
        });
        transcript::read(&input, &HOOKS).expect("there is a transcript")
    });
    assert_eq!(turn.blocked_stops, 2);
}

#[test]
fn codex_as_the_hook_saw_it() {
    let check = |name: &str, event: &str, expected| {
        check(
            &format!("codex/{name}.{event}.stdin.json"),
            &format!("codex/{name}.{event}.at-hook-time.jsonl"),
            expected,
        );
    };
    let task = "Please do the task.";
    check("plain", "003-stop", ["", "It should work now.", task]);
    check(
        "apply_patch_tool",
        "005-stop",
        ["", "Patching.\n\nPatched.", task],
    );
    let told = "I will probably run a command.\n\nNow a patch.\n\nFinal: it should work.";
    check("tools", "006-stop", ["", told, task]);
    let told = "First message of the response.\n\nSecond message of the response.";
    check("two_messages_last_response", "003-stop", ["", told, task]);
    check("no_final_message", "003-stop", ["", "", task]);
    check(
        "pretooluse_denied",
        "004-stop",
        ["", "Running.\n\nIt was denied.", task],
    );
    // The summary in between was never shown.
    let told = "Working, probably.\n\nAfter compaction: should be done.";
    check("compacted", "008-stop", ["", told, task]);
    let [first, second] = ["It should work now.", "I guess it works."];
    check("blocked_twice", "003-stop", ["", first, task]);
    check("blocked_twice", "004-stop", [first, second, task]);
    let both = format!("{first}\n\n{second}");
    check(
        "blocked_twice",
        "005-stop",
        [&both, "I ran it: exit code 0.", task],
    );
    check("two_hooks_block", "003-stop", ["", "A", task]);
    check("two_hooks_block", "005-stop", ["A", "B", task]);
    let told = ["", "First turn answer: probably fine.", "First request."];
    check("two_turns_agents_md", "003-stop", told);
    let asked = "Second request with <angle> & \"quotes\".";
    check(
        "two_turns_agents_md",
        "007-stop",
        ["", "Second turn answer: all tests ran.", asked],
    );
    check(
        "subagent",
        "011-stop",
        ["", "Spawning.\n\nParent done.", "Delegate this."],
    );
}

#[test]
fn codex_subagent_in_its_own_file() {
    let check = |event: &str, expected| {
        check(
            &format!("codex/subagent.{event}.stdin.json"),
            &format!("codex/subagent.{event}.agent_at-hook-time.jsonl"),
            expected,
        );
    };
    check(
        "008-subagentstop",
        ["", "Child: it should be fine.", "CHILD TASK"],
    );
    let told = [
        "Child: it should be fine.",
        "Child second: exit code 0.",
        "CHILD TASK",
    ];
    check("009-subagentstop", told);
}

#[test]
fn without_a_transcript_the_message_alone_counts() {
    let read = |stdin: &str| {
        let bytes = fs::read(fixture(stdin)).expect("the fixture is there");
        transcript::read(&HookInput::parse(&bytes).expect("a hook input"), &HOOKS)
    };
    // `transcript_path` is null.
    let turn = read("codex/ephemeral.003-stop.stdin.json").expect("there is a message");
    assert_eq!((turn.from_transcript, turn.waited), (false, Duration::ZERO));
    assert!(!turn.latest.is_empty());
    // It names a file that never exists.
    let turn = read("claude-code/stdin-stop-transcript-never-exists.json").expect("a message");
    assert!(!turn.latest.is_empty() && !turn.from_transcript);
    let waited = turn.waited.as_millis();
    assert!((150..1000).contains(&waited), "waited {waited} ms");
    // Neither.
    assert_eq!(read("claude-code/stdin-stop-no-text.json"), None);
}

/// Every session file under `fixtures/`, in order.
fn sessions() -> Vec<String> {
    let mut names = Vec::new();
    for host in ["claude-code", "codex"] {
        for entry in fs::read_dir(fixture(host)).expect("the fixtures are there") {
            let path = entry.expect("an entry").path();
            if path
                .extension()
                .is_some_and(|extension| extension == "jsonl")
            {
                let name = path
                    .file_name()
                    .and_then(|name| name.to_str())
                    .expect("UTF-8");
                names.push(format!("{host}/{name}"));
            }
        }
    }
    names.sort();
    names
}

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
        let text = serde_json::to_string(text).expect("a string");
        format!(
            r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"{id}","content":{text}}}]}}}}"#
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
        ("BashOutput", "bash_id", "<status>killed</status>", "failed"),
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

/// The turns of all recorded sessions, to be read by a person and compared with `fixtures/turns.txt`.
#[test]
fn every_turn_of_every_recorded_session() {
    let mut told = String::new();
    for name in sessions() {
        writeln!(told, "== {name}").expect("a String takes all");
        for past in Turns::open(&fixture(&name), &HOOKS).expect("a file") {
            let Turn {
                earlier,
                latest,
                blocked_stops,
                user_text,
                activity,
                ..
            } = past.turn;
            write!(told, "line {}", past.line).expect("a String takes all");
            if blocked_stops > 0 {
                write!(told, ", {blocked_stops} blocked").expect("a String takes all");
            }
            writeln!(
                told,
                "\n  user:    {}",
                shown(&user_text.unwrap_or_default())
            )
            .expect("a String takes all");
            if !earlier.is_empty() {
                writeln!(told, "  earlier: {}", shown(&earlier)).expect("a String takes all");
            }
            writeln!(told, "  latest:  {}", shown(&latest)).expect("a String takes all");
            for line in activity.digest().lines() {
                writeln!(told, "    {line}").expect("a String takes all");
            }
        }
    }
    let expected = fs::read_to_string(fixture("turns.txt")).expect("the fixture is there");
    if told != expected {
        let actual = std::env::temp_dir().join("turns.txt");
        fs::write(&actual, &told).expect("it is written");
        panic!(
            "the turns differ from tests/fixtures/turns.txt; they are in {}",
            actual.display()
        );
    }
}

fn shown(text: &str) -> String {
    let line = text.replace("\n\n", " ¶ ").replace('\n', " ⏎ ");
    match line.char_indices().nth(160) {
        Some((at, _)) => format!("{}… ({} bytes)", &line[..at], text.len()),
        None => line,
    }
}

/// A fixture in which the feedback is ours: of every pair the first becomes the second wherever it stands.
fn with_feedback(name: &str, pairs: &[[&str; 2]]) -> tempfile::NamedTempFile {
    let mut text = fs::read_to_string(fixture(name)).expect("the fixture is there");
    for [from, to] in pairs {
        assert!(text.contains(from), "{name} holds no {from}");
        text = text.replace(from, to);
    }
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::write(&file, text).expect("it is written");
    file
}

#[track_caller]
fn check_budget(stdin: &str, name: &str, pairs: &[[&str; 2]], blocked_stops: usize) {
    let file = with_feedback(name, pairs);
    let turn = transcript::read(&input(stdin, file.path()), &HOOKS).expect("there is a transcript");
    assert_eq!(turn.blocked_stops, blocked_stops, "{name}: {pairs:?}");
}

#[test]
fn only_our_own_feedback_spends_the_budget() {
    let stop = "claude-code/stdin-at-hook-two-blocks-active.json";
    let two = "claude-code/at-hook-two-blocks-active.jsonl";
    let check = |pairs: &[[&str; 2]], blocked| check_budget(stop, two, pairs, blocked);
    let program = ["bin/hook ", "bin/scope-check "];
    // Two hooks blocked one stop.
    check(&[program, ["]: ", "]: [scope-check] "]], 1);
    check(
        &[
            ["bin/hook b", "bin/commit-before-verify b"],
            ["]: B says", "]: [commit-before-verify] says"],
        ],
        1,
    );
    // A command line may hold any bracket.
    for command in [
        "bin/scope-check --url http://[::1]:80 ] ",
        "bin]x/scope-check ",
        "b[in/[x/scope-check ",
        "my hooks'/scope-check ",
        "bin/timeout 30 '/h/scope-check' ",
    ] {
        check(&[["bin/hook ", command], ["]: ", "]: [scope-check] "]], 1);
    }
    // Another program said it, in our name, in a quotation of ours, or with ours for an argument.
    check(&[["]: ", "]: [scope-check] "]], 0);
    check(&[["]: ", "]: see [/h/scope-check]: [scope-check] "]], 0);
    check(
        &[
            ["bin/hook ", "bin/no-scope-check "],
            ["]: ", "]: [scope-check] "],
        ],
        0,
    );
    check(
        &[
            ["bin/hook ", "bin/scope-check.sh "],
            ["]: ", "]: [scope-check] "],
        ],
        0,
    );
    check(&[program, ["]: ", "]: [commit-before-verify] "]], 0);
    // Their words quote ours, or name a hook that isn't of the family.
    check(
        &[program, ["says verify\"}", "says [scope-check] verify\"}"]],
        0,
    );
    check(&[program, ["]: ", "]: [another-check] "]], 0);
    check(&[program, ["]: ", "]: he said: [scope-check] "]], 0);
    // `{"decision":"block"}`: no command line before the reason.
    let json = "claude-code/stop-decision-block.jsonl";
    check_budget(stop, json, &[["\\nREASON", "\\n[scope-check] REASON"]], 1);

    check_budget(
        stop,
        json,
        &[[
            "\\nREASON",
            "\\n[other] It saw [/h/scope-check]: [scope-check] R",
        ]],
        0,
    );

    let stop = "codex/blocked_twice.005-stop.stdin.json";
    let twice = "codex/blocked_twice.005-stop.at-hook-time.jsonl";
    check_budget(stop, twice, &[["Feedback: ", "[scope-check] "]], 2);
    check_budget(stop, twice, &[["Feedback: ", "It said: [scope-check] "]], 0);
    let stop = "codex/two_hooks_block.005-stop.stdin.json";
    let two = "codex/two_hooks_block.005-stop.at-hook-time.jsonl";
    check_budget(
        stop,
        two,
        &[["Feedback from hook", "[scope-check] from hook"]],
        1,
    );
    check_budget(stop, two, &[["Feedback from hook two", "[scope-check]"]], 1);
}

/// The host is in the middle of a write: half a line at the end changes nothing, digest included.
#[test]
fn a_torn_tail_changes_nothing() {
    let torn = tempfile::NamedTempFile::new().expect("a temporary file");
    for name in sessions() {
        let bytes = fs::read(fixture(&name)).expect("the fixture is there");
        let turns = |path: &Path| {
            Turns::open(path, &HOOKS)
                .expect("a file")
                .collect::<Vec<_>>()
        };
        let whole = turns(&fixture(&name));
        let lines = bytes
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        for line in lines.rev().take(6) {
            for cut in [1, line.len() / 3, line.len() - 1] {
                fs::write(torn.path(), [&bytes, line.split_at(cut).0].concat())
                    .expect("it is written");
                assert_eq!(turns(torn.path()), whole, "{name}, torn after {cut} bytes");
            }
        }
    }
}
