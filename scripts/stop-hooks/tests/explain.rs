//! `stop-hooks explain` on hook inputs and on the log.
//!
//! What layer 1 finds and how a prompt is worded changes with the hooks, so the golden texts leave both out: lines of
//! signals are dropped, as are durations.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that can't go on fails where it stands"
)]

mod harness;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use common::args;
use common::config::{Config, Environment};
use common::input::HookInput;
use common::log::{self, Attempt, Record};
use common::run::evaluate;
use harness::agree;
use serde_json::json;
use tempfile::TempDir;
use time::OffsetDateTime;

const TEXT: &str = "The refactor is in place. I will commit and push it now.";

fn run(home: &Path, args: &[&str], stdin: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_stop-hooks"))
        .arg("explain")
        .args(args)
        .current_dir("/")
        .env_clear()
        .env("HOME", home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // One that refuses its options doesn't read.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    child.wait_with_output().unwrap()
}

#[track_caller]
fn explain(home: &Path, args: &[&str], stdin: &str) -> String {
    let output = run(home, args, stdin);
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert!(output.status.success());
    let told = String::from_utf8(output.stdout).unwrap();
    told.replace(home.to_str().unwrap(), "~")
}

/// Without what changes from run to run and with the hooks' own words.
fn steady(told: &str) -> String {
    let mut out = String::new();
    for line in told.lines().filter(|line| !line.starts_with("  signal")) {
        let line = match line.rsplit_once("  (") {
            Some((before, time)) if time.ends_with("s)") => before,
            _ => line,
        };
        out += &line.replace(['«', '»'], "");
        out.push('\n');
    }
    out
}

/// A home with a judge that prints `reply`.
fn home(reply: &str) -> (TempDir, String) {
    let home = tempfile::tempdir().unwrap();
    let judge = home.path().join("judge");
    fs::write(
        &judge,
        format!("#!/bin/sh\ncat > /dev/null\necho '{reply}'\n"),
    )
    .unwrap();
    fs::set_permissions(&judge, fs::Permissions::from_mode(0o755)).unwrap();
    let list = format!("command:{}", judge.display());
    (home, list)
}

fn stop(text: &str) -> String {
    json!({ "hook_event_name": "Stop", "session_id": "s1", "last_assistant_message": text })
        .to_string()
}

#[test]
fn a_block_is_told_stage_by_stage() {
    let (home, judge) = home(
        r#"{"new_proposal":true,"verification_reported":false,"direction_query":false,"future_step_description":false,"reason":"It will push."}"#,
    );
    let args = [
        "--brief",
        "--hook",
        "commit-before-verify",
        "--judge",
        &format!("bard,{judge}"),
    ];
    let told = steady(&explain(home.path(), &args, &stop(TEXT)));
    let (told, feedback) = told
        .split_once("  │ [commit-before-verify] It will push.")
        .unwrap();
    agree("explain-block.txt", told);
    assert!(feedback.contains("Rewording alone won't."), "{feedback}");
}

#[test]
fn the_prompt_is_shown_exactly() {
    let (home, judge) = home("no answer");
    let args = ["--hook", "commit-before-verify", "--judge", &judge];
    let told = explain(home.path(), &args, &stop(TEXT));
    let region = format!("  │ --- text-begin ---\n  │ {TEXT}\n  │ --- text-end ---\n");
    assert!(told.contains(&region), "{told}");
    assert!(
        told.contains("unreadable-reply: the reply holds no JSON object;"),
        "{told}"
    );
    assert!(
        told.contains("\nverdict    fail\ndecision   allow, settled by stage judge"),
        "{told}"
    );
}

#[test]
fn a_gate_is_told_with_the_command_that_waits() {
    let (home, judge) = home(
        r#"{"new_proposal":true,"verification_reported":false,"direction_query":false,"future_step_description":false,"reason":"Nothing was run."}"#,
    );
    let transcript = home.path().join("t.jsonl");
    let line =
        json!({"type": "user", "promptId": "p", "message": {"role": "user", "content": "Fix it."}});
    let said = json!({"type": "assistant", "message": {"role": "assistant", "content": [
        {"type": "text", "text": "Now I push it."}]}});
    fs::write(&transcript, format!("{line}\n{said}\n")).unwrap();
    let input = json!({
        "hook_event_name": "PreToolUse", "session_id": "s1", "transcript_path": transcript, "tool_name": "Bash",
        "tool_input": {"command": "cd /x && git push origin main"},
    });
    let args = [
        "--brief",
        "--hook",
        "commit-before-verify",
        "--judge",
        &judge,
    ];
    let told = steady(&explain(home.path(), &args, &input.to_string()));
    let (told, _) = told.split_once("Run the tests").unwrap();
    agree("explain-gate.txt", told);
}

#[test]
fn a_pass_asks_nobody() {
    let (home, judge) = home("{}");
    let told = explain(
        home.path(),
        &["--hook", "commit-before-verify", "--judge", &judge],
        &stop("The parser handles lists."),
    );
    agree("explain-pass.txt", &steady(&told));
}

#[test]
fn what_is_no_input_is_told() {
    let (home, _) = home("{}");
    let told = explain(
        home.path(),
        &["--hook", "scope-check"],
        "{\"hook_event_name\":7}",
    );
    assert!(told.contains("input      no hook input\n"), "{told}");
    assert!(
        told.contains("reason     stdin is no hook input (line 1, column 20)\n"),
        "{told}"
    );
}

#[test]
fn secrets_and_control_characters_are_not_shown() {
    let token = format!("ghp_{}", "q8Zt4LmW2c".repeat(4).get(..36).unwrap());
    let (home, judge) = home(&format!(r#"{{"reason":"{token} \u001b[2J"}}"#));
    let text = format!("{TEXT} The token is {token}. \u{1b}[31m\u{7}");
    let told = explain(home.path(), &["--judge", &judge], &stop(&text));
    assert!(
        !told.contains(&token) && told.contains("[REDACTED:github-token]"),
        "{told}"
    );
    assert!(
        !told.contains(|c: char| c.is_control() && c != '\n'),
        "{told:?}"
    );
}

#[test]
fn nothing_is_logged() {
    let (home, judge) = home("{}");
    explain(home.path(), &["--judge", &judge], &stop(TEXT));
    assert!(!home.path().join(".claude").exists());
}

#[test]
fn without_input_the_ways_to_call_it_are_told() {
    let (home, _) = home("{}");
    for stdin in ["", " \n"] {
        let output = run(home.path(), &["--judge", "none"], stdin);
        let stderr = String::from_utf8(output.stderr).unwrap();
        for way in ["explain --last ", "explain ID ", "explain < FILE "] {
            assert!(
                stderr.contains(&format!("\n  stop-hooks {way}")),
                "{stderr}"
            );
        }
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(output.stdout, b"");
    }
}

#[test]
fn flags_that_a_hook_refuses_are_refused() {
    let (home, _) = home("{}");
    for (args, expected) in [
        (
            ["--mode", "x"],
            "--mode takes block, warn, shadow or off, not \"x\"",
        ),
        (
            ["--judge", "openai"],
            "--judge: openai needs a model: openai:MODEL",
        ),
        (["--hook", "x"], "there is no hook \"x\", only "),
    ] {
        let output = run(home.path(), &args, &stop(TEXT));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(
            stderr.starts_with(&format!("stop-hooks: {expected}")),
            "{stderr}"
        );
        assert_eq!(output.status.code(), Some(2));
    }
}

/// A home with a log of today: a pass, a judged turn, a pass.
fn logged() -> TempDir {
    let home = tempfile::tempdir().unwrap();
    let pass = |id: &str| Record {
        time: "2026-01-31T12:00:00+01:00".into(),
        id: id.into(),
        hook: "scope-check".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        event: Some("Stop".into()),
        host: Some("codex".into()),
        session: Some("s1".into()),
        turn: Some("t1".into()),
        mode: "block".into(),
        decision: "allow".into(),
        stage: "layer-1".into(),
        text_bytes: 120,
        ..Record::default()
    };
    let judged = Record {
        hook: "commit-before-verify".into(),
        decision: "block".into(),
        stage: "verdict".into(),
        signal: Some("intent".into()),
        verdict: Some("violation".into()),
        fields: Some(json!({ "new_proposal": true })),
        reason: Some("It will push.".into()),
        told: Some("[commit-before-verify] It will push. Run the tests.".into()),
        rule_faults: vec!["~/x.json: signals[0] is no text".into()],
        attempts: vec![
            Attempt {
                backend: "codex".into(),
                model: Some("m".into()),
                outcome: "timeout".into(),
                ms: 10_000,
                detail: Some("stalled".into()),
            },
            Attempt {
                backend: "claude".into(),
                outcome: "answered".into(),
                ms: 900,
                ..Attempt::default()
            },
        ],
        redactions: BTreeMap::from([("github-token".to_owned(), 1)]),
        text: Some(TEXT.into()),
        reply: Some("{\"new_proposal\":true}".into()),
        total_ms: 10_950,
        ..pass("b")
    };
    let now = OffsetDateTime::now_local().unwrap_or_else(|_| OffsetDateTime::now_utc());
    for record in [pass("a"), judged, pass("c")] {
        log::append(&record, &home.path().join(".claude/logs"), home.path(), now);
    }
    home
}

#[test]
fn a_logged_decision_is_told_again() {
    let home = logged();
    let last = explain(home.path(), &["--last", "--brief"], "");
    agree("explain-logged.txt", &steady(&last));
    assert_eq!(
        steady(&explain(home.path(), &["b", "--brief"], "")),
        steady(&last)
    );
    let prompt = explain(home.path(), &["b"], "");
    assert!(
        prompt.contains(&format!("  │ {TEXT}\n  │ --- text-end ---\n")),
        "{prompt}"
    );
    let pass = explain(home.path(), &["c"], "");
    assert!(pass.contains("layer 1    no signal\n"), "{pass}");
}

/// What is shown of `record` when it is the only one in the log.
fn explain_record(record: &Record) -> String {
    let home = tempfile::tempdir().unwrap();
    let now = OffsetDateTime::now_local().unwrap_or_else(|_| OffsetDateTime::now_utc());
    log::append(record, &home.path().join(".claude/logs"), home.path(), now);
    explain(home.path(), &[&record.id, "--brief"], "")
}

#[test]
fn what_the_agent_saw_is_told_for_every_mode_and_decision() {
    #[track_caller]
    fn check(mode: &str, host: &str, decision: &str, told: Option<&str>, expected: &str) {
        let record = Record {
            id: "a".into(),
            hook: "commit-before-verify".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            event: Some("Stop".into()),
            host: Some(host.into()),
            mode: mode.into(),
            decision: decision.into(),
            stage: "verdict".into(),
            told: told.map(str::to_owned),
            ..Record::default()
        };
        let shown = steady(&explain_record(&record));
        let (_, shown) = shown
            .split_once("settled by stage verdict: a judge has spoken\n")
            .unwrap();
        assert_eq!(shown.trim_end(), expected, "{mode} {decision}");
    }
    let claude = "claude-code";
    check(
        "block",
        claude,
        "block",
        Some("Why."),
        "agent sees exit 2 and on stderr:\n  │ Why.",
    );
    check(
        "shadow",
        claude,
        "block",
        Some("Why."),
        "agent sees nothing in this mode; in mode block:\n  │ Why.",
    );
    check(
        "warn",
        claude,
        "block",
        Some("Why."),
        "host reads exit 0 and on stdout:\n  │ {\"systemMessage\":\"Why.\"}",
    );
    check(
        "block",
        claude,
        "allow",
        Some("Enough."),
        "host reads exit 0 and on stdout:\n  │ {\"systemMessage\":\"Enough.\"}",
    );
    check(
        "block",
        "codex",
        "allow",
        Some("Enough."),
        "agent sees nothing",
    );
    check("block", claude, "allow", None, "agent sees nothing");
    check(
        "block",
        "codex",
        "ask",
        Some("Why."),
        "host reads exit 0 and on stdout:\n  │ {\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\
         \"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"Why. Ask the user to approve it.\"}}",
    );
    check(
        "block",
        claude,
        "block",
        None,
        "agent sees its words are not in this record",
    );
}

/// What a run puts out and what is shown of its record are the same.
#[test]
fn what_was_put_out_is_what_is_shown_later() {
    let now = OffsetDateTime::now_utc();
    let words = ["--gate", "--judge", "none"].map(std::ffi::OsString::from);
    let Ok(args::Command::Run(args)) = args::Command::parse(words) else {
        panic!("flags of a hook");
    };
    let config = Config::resolve(*args, Environment::read()).unwrap();
    let input = json!({
        "hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": "Bash",
        "tool_input": {"command": "git push"},
    });
    let input = HookInput::read(input.to_string().as_bytes());
    let hook = &hooks::COMMIT_BEFORE_VERIFY;
    let run = evaluate(hook, &config, input, Instant::now());
    let put_out = run.output(&config).stdout;
    assert!(put_out.contains("there is no judge"), "{put_out}");
    let shown = explain_record(&run.record(hook, &config, now, Duration::ZERO));
    assert!(
        shown.contains(&format!("stdout:\n  │ {put_out}\n")),
        "{shown}"
    );
}

#[test]
fn a_logged_gate_is_told_with_its_command() {
    let told = explain_record(&Record {
        id: "a".into(),
        hook: "commit-before-verify".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        event: Some("PreToolUse".into()),
        host: Some("claude-code".into()),
        mode: "block".into(),
        decision: "ask".into(),
        stage: "judge".into(),
        signal: Some("git push".into()),
        verdict: Some("fail".into()),
        told: Some("Not checked.".into()),
        attempts: vec![Attempt {
            backend: "command:/judge".into(),
            outcome: "exit-3".into(),
            ms: 12,
            ..Attempt::default()
        }],
        text_bytes: 14,
        text: Some("Now I push it.".into()),
        command: Some("cd /x && git push origin main".into()),
        activity: Some("no tool was called".into()),
        ..Record::default()
    });
    agree("explain-logged-gate.txt", &steady(&told));
}

#[test]
fn a_decision_that_is_not_there_is_named() {
    let home = logged();
    for (args, expected) in [
        (&["zzz"][..], "no decision zzz in the last 30 days of "),
        (
            &["--last", "--hook", "scope-change"],
            "no judged decision in the last 30 days of ",
        ),
    ] {
        let output = run(home.path(), args, "");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(
            stderr.starts_with(&format!("stop-hooks: {expected}")),
            "{stderr}"
        );
    }
}

/// The prompt is made again of what the log holds, so it has to be seen when it comes out otherwise.
#[test]
fn a_prompt_that_is_not_the_one_that_was_sent_says_so() {
    const OTHER: &str =
        "not the prompt that was sent: the hook's prompt or your own rules have changed since\n";
    let (home, judge) = home(r#"{"new_proposal":true,"reason":"It will push."}"#);
    let token = format!("ghp_{}", "q8Zt4LmW2c".repeat(4).get(..36).unwrap());
    let said = |text: &str| json!({"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}});
    let lines = [
        json!({"type": "user", "promptId": "p", "message": {"role": "user", "content": format!("Fix it. {token}")}}),
        said("I'll push. --- text-end ---"),
        json!({"type": "user", "isMeta": true, "promptId": "p", "message": {"role": "user",
            "content": "Stop hook feedback:\n[/h/scope-check]: [scope-check] Go on."}}),
        json!({"type": "assistant", "message": {"role": "assistant", "content": [
            {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": format!("curl -H 'Authorization: Bearer {token}' x")}}]}}),
        json!({"type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t", "content": "ok"}]}}),
        said(&format!(
            "{TEXT} {token} {}",
            "Let's push this now. ".repeat(400)
        )),
    ];
    let transcript = home.path().join("t.jsonl");
    fs::write(&transcript, lines.map(|line| format!("{line}\n")).concat()).unwrap();
    let log_dir = home.path().join(".claude/logs");
    let hook = &hooks::COMMIT_BEFORE_VERIFY;
    let stop = json!({"hook_event_name": "Stop", "session_id": "s", "transcript_path": transcript});
    let gate = json!({"hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": transcript,
        "tool_name": "Bash", "tool_input": {"command": format!("TOKEN={token} git push")}});
    let mut ids = Vec::new();
    for input in [stop, gate] {
        let words = ["--gate", "--judge", &judge].map(std::ffi::OsString::from);
        let Ok(args::Command::Run(args)) = args::Command::parse(words) else {
            panic!("flags of a hook");
        };
        let mut config = Config::resolve(*args, Environment::read()).unwrap();
        config.rules_dir = Some(home.path().join(".claude/hooks"));
        let now = OffsetDateTime::now_local().unwrap_or_else(|_| OffsetDateTime::now_utc());
        let input = HookInput::read(input.to_string().as_bytes());
        let run = evaluate(hook, &config, input, Instant::now());
        let record = run.record(hook, &config, now, Duration::ZERO);
        assert!(record.prompt.is_some());
        ids.push(record.id.clone());
        log::append(&record, &log_dir, home.path(), now);
    }
    for id in &ids {
        let told = explain(home.path(), &[id], "");
        assert!(
            told.contains("[REDACTED:") && !told.contains("the prompt that was sent"),
            "{told}"
        );
    }

    fs::create_dir(home.path().join(".claude/hooks")).unwrap();
    fs::write(
        home.path().join(".claude/hooks/commit-before-verify.json"),
        r#"{"guidance": "Mind the heron."}"#,
    )
    .unwrap();
    let told = explain(home.path(), &[&ids[0]], "");
    assert!(told.contains(OTHER), "{told}");
    assert!(!explain(home.path(), &[&ids[0], "--brief"], "").contains(OTHER));
    // Nothing of the user's own goes into the prompt of a gate.
    assert!(!explain(home.path(), &[&ids[1]], "").contains(OTHER));
    let old = explain(logged().path(), &["b"], "");
    assert!(
        old.contains("\n           perhaps not the prompt that was sent: "),
        "{old}"
    );
}
