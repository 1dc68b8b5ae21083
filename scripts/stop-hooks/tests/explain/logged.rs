//! What the log says of a decision.

use super::*;

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
