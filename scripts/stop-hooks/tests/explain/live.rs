//! What a hook would make of an input.

use super::*;

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
