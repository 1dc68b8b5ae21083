//! `stop-hooks replay` and `redact` on files of text lines.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that can't go on fails where it stands"
)]

mod harness;

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use harness::agree;
use serde_json::{Value, json};

fn run(directory: &Path, args: &[&str], stdin: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_stop-hooks"))
        .args(args)
        .current_dir(directory)
        .env_clear()
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
fn succeed(directory: &Path, args: &[&str], stdin: &str) -> String {
    let output = run(directory, args, stdin);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");
    String::from_utf8(output.stdout).unwrap()
}

const ROWS: &str = concat!(
    r#"{"id":"a","text":"All done. Let's push this now.","label":"block","lang":"en"}"#,
    "\n",
    r#"{"id":7,"text":"The parser handles nested lists.","label":"allow"}"#,
    "\n\nno row\n",
    r#"{"text":"Nothing to see.","label":"block"}"#,
    "\n",
);

/// What the first row is like decides nothing for those behind it.
#[test]
fn rows_behind_a_first_one_that_is_long_torn_or_none() {
    let directory = tempfile::tempdir().unwrap();
    let last = r#"{"text":"All done. Let's push this now."}"#;
    let long = json!({ "text": "word ".repeat(80_000) }).to_string();
    for (first, turns) in [
        (long.as_str(), 2),
        (r#"{"text":"tor"#, 1),
        (r#"{"id":1}"#, 1),
        ("no row", 1),
    ] {
        let path = directory.path().join("rows.jsonl");
        fs::write(path, format!("{first}\n{last}\n")).unwrap();
        let args = ["replay", "--format", "json", "rows.jsonl"];
        let output = run(directory.path(), &args, "");
        let lines = String::from_utf8(output.stdout).unwrap().lines().count();
        assert_eq!(lines, turns * 5, "{first:.40}");
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(told.contains("line without a text"), turns == 1, "{told}");
    }
}

#[test]
fn every_row_is_a_turn_for_every_hook() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("rows.jsonl"), ROWS).unwrap();
    let printed = succeed(
        directory.path(),
        &["replay", "--format", "json", "rows.jsonl"],
        "",
    );
    let lines: Vec<Value> = printed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3 * 5);
    let mut first = lines.first().unwrap().clone();
    assert!(
        first
            .as_object_mut()
            .unwrap()
            .remove("signal")
            .unwrap()
            .is_string()
    );
    assert_eq!(
        first,
        json!({
            "source": "rows.jsonl", "line": 1, "id": "a", "hook": "commit-before-verify",
            "turn_text": "All done. Let's push this now.", "turn_bytes": 30, "blocked_stops": 0,
            "outcome": "hit", "bypass": null, "label": "block", "lang": "en",
        })
    );
    let places: Vec<_> = lines.iter().map(|l| (&l["line"], &l["id"])).collect();
    let (seven, null) = (json!("7"), Value::Null);
    assert_eq!(places.get(5), Some(&(&json!(2), &seven)));
    assert_eq!(places.get(10), Some(&(&json!(5), &null)));
}

#[test]
fn what_is_no_row_or_no_label_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let rows = concat!(
        r#"{"text":"Let's push this now \ud83d","label":"maybe"}"#,
        "\n\n",
        r#"{"text":"Done.","label":7,"lang":["en"],"hook":{}}"#,
        "\nno row\n",
        r#"{"text":["Done."]}"#,
        "\n",
        r#"{"text":"Done.","label":null}"#,
        "\n",
        r#"{"text":"Done.","label":"allow"}"#,
    );
    fs::write(directory.path().join("rows.jsonl"), rows).unwrap();
    let args = [
        "replay",
        "--hook",
        "scope-check",
        "--format",
        "json",
        "rows.jsonl",
    ];
    let output = run(directory.path(), &args, "");
    let stdout = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let told: Vec<_> = lines
        .iter()
        .map(|l| (l["line"].as_u64().unwrap(), l["label"].as_str()))
        .collect();
    assert_eq!(told, [(1, None), (3, None), (6, None), (7, Some("allow"))]);
    assert_eq!(
        lines.first().unwrap()["turn_text"],
        "Let's push this now \u{fffd}"
    );
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "stop-hooks: 2 lines without a text were left out, the first is rows.jsonl:4\n\
         stop-hooks: 2 labels are neither block nor allow and don't count, the first is rows.jsonl:1\n"
    );
}

#[test]
fn labels_give_recall_and_pass_rate() {
    let directory = tempfile::tempdir().unwrap();
    let one = ["replay", "--hook", "commit-before-verify", "rows.jsonl"];
    fs::write(directory.path().join("rows.jsonl"), ROWS).unwrap();
    assert_eq!(
        succeed(directory.path(), &one, ""),
        "1 file, 3 turns\n\n\
         hook                           hits  hit rate  bypasses             recall          pass rate\n\
         commit-before-verify              1    33.3 %         0        1/2  50.0 %        1/1 100.0 %\n\n\
         A judge would be asked 1 time.\n\n\
         The last hits\n\
         commit-before-verify rows.jsonl:1\n  Let's push this now.\n"
    );
}

#[test]
fn labels_in_a_file_named_after_a_hook_are_about_that_hook() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("corpus")).unwrap();
    fs::write(directory.path().join("corpus/scope-check.jsonl"), ROWS).unwrap();
    fs::write(directory.path().join("corpus/notes.txt"), ROWS).unwrap();
    let printed = succeed(directory.path(), &["replay", "corpus"], "");
    let row = |name| printed.lines().find(|line| line.starts_with(name)).unwrap();
    assert!(row("scope-check ").contains("/2 "), "{printed}");
    assert!(
        row("scope-change ").ends_with("-                  -"),
        "{printed}"
    );
}

#[test]
fn only_the_end_of_a_long_text_counts() {
    let directory = tempfile::tempdir().unwrap();
    let text = format!("Let's push this now. {}", "é".repeat(2000));
    fs::write(
        directory.path().join("rows.jsonl"),
        json!({ "text": text }).to_string(),
    )
    .unwrap();
    let printed = succeed(
        directory.path(),
        &[
            "replay",
            "--format",
            "json",
            "--hook",
            "scope-check",
            "rows.jsonl",
        ],
        "",
    );
    let line: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(line["turn_text"], "é".repeat(2000));
    assert_eq!(line["turn_bytes"], 4000);
}

/// A session of two turns, the second of which was sent back once, as Claude Code writes it.
fn session() -> String {
    let user = |text: &str, prompt: &str, stamp: &str| {
        json!({"type": "user", "promptId": prompt, "timestamp": stamp, "uuid": "u",
            "message": {"role": "user", "content": text}})
    };
    let assistant = |text: &str, stamp: &str| {
        json!({"type": "assistant", "timestamp": stamp, "uuid": "a",
            "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}})
    };
    let feedback = "Stop hook feedback:\n[/h/scope-check]: [scope-check] Go on.";
    let mut sent_back = user(feedback, "p2", "2026-01-31T09:02:00Z");
    sent_back["isMeta"] = json!(true);
    [
        user("Add a parser.", "p1", "2026-01-30T09:00:00Z"),
        assistant("The parser is in.", "2026-01-30T09:01:00Z"),
        user("And a printer.", "p2", "2026-01-31T09:00:00Z"),
        assistant("I'll stop here.", "2026-01-31T09:01:00Z"),
        sent_back,
        assistant(
            "The printer is in too. Let's push this now.",
            "2026-01-31T09:03:00Z",
        ),
    ]
    .map(|line| format!("{line}\n"))
    .concat()
}

#[test]
fn a_session_is_walked_turn_by_turn() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir_all(directory.path().join("a/b")).unwrap();
    fs::write(directory.path().join("a/b/s.jsonl"), session()).unwrap();
    let printed = succeed(
        directory.path(),
        &[
            "replay",
            "--format",
            "json",
            "--hook",
            "commit-before-verify",
            "a",
        ],
        "",
    );
    let turns: Vec<Value> = printed
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    let told: Vec<_> = turns
        .iter()
        .map(|t| {
            (
                &t["source"],
                &t["line"],
                &t["id"],
                &t["turn_text"],
                &t["blocked_stops"],
            )
        })
        .collect();
    let (source, p1, p2) = (json!("a/b/s.jsonl"), json!("p1"), json!("p2"));
    let (first, second) = (
        json!("The parser is in."),
        json!("The printer is in too. Let's push this now."),
    );
    assert_eq!(
        told,
        [
            (&source, &json!(2), &p1, &first, &json!(0)),
            (&source, &json!(6), &p2, &second, &json!(1)),
        ]
    );
    let summary = succeed(directory.path(), &["replay", "a"], "");
    assert!(summary.starts_with("1 file, 2 turns\n"), "{summary}");
    assert!(
        summary.contains(" times a day on the 2 days from 2026-01-30 to 2026-01-31.\n"),
        "{summary}"
    );
}

/// A program that answers every prompt with a violation and counts its calls.
fn judge(directory: &Path) -> String {
    let judge = directory.join("judge");
    let calls = directory.join("calls");
    fs::write(
        &judge,
        format!(
            "#!/bin/sh\ncat > /dev/null\necho x >> {}\n\
             echo '{{\"new_proposal\":true,\"verification_reported\":false,\"reason\":\"It will push.\"}}'\n",
            calls.display()
        ),
    )
    .unwrap();
    fs::set_permissions(&judge, fs::Permissions::from_mode(0o755)).unwrap();
    format!("command:{}", judge.display())
}

#[test]
fn a_judge_is_asked_about_hits_alone_and_no_more_often_than_allowed() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("rows.jsonl"), ROWS.repeat(3)).unwrap();
    let judge = judge(directory.path());
    let args = |extra: &[&'static str]| {
        let mut args = vec!["replay", "--with-judge", "--judge", &judge, "--hook"];
        args.extend(["commit-before-verify", "rows.jsonl"]);
        args.extend(extra);
        args.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let run = |extra: &[&'static str]| {
        let args = args(extra);
        let args: Vec<_> = args.iter().map(String::as_str).collect();
        succeed(directory.path(), &args, "")
    };
    let calls = || {
        fs::read_to_string(directory.path().join("calls"))
            .unwrap()
            .lines()
            .count()
    };

    let told = run(&["--limit", "2"]);
    assert_eq!(calls(), 2);
    assert!(told.contains("It was asked 2 times and took "), "{told}");
    assert!(
        told.contains(
            "commit-before-verify rows.jsonl:1\n  Let's push this now.\n  judge: It will push.\n"
        ),
        "{told}"
    );

    let told = run(&["--format", "json"]);
    assert_eq!(calls(), 2 + 3);
    assert_eq!(
        told.matches("\"verdict\":\"violation\",\"reason\":\"It will push.\"")
            .count(),
        3
    );
    assert_eq!(told.lines().count(), 9);
}

#[test]
fn a_summary_tells_what_would_be_blocked_and_what_it_costs() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("sessions")).unwrap();
    fs::write(directory.path().join("sessions/s.jsonl"), session()).unwrap();
    let judge = judge(directory.path());
    let args = ["replay", "--with-judge", "--judge", &judge, "sessions"];
    let told = succeed(directory.path(), &args, "");
    let (before, time) = told.split_once(" and took ").unwrap();
    let (_, after) = time.split_once(" each.").unwrap();
    agree(
        "replay.txt",
        &format!("{before} and took some time.{after}"),
    );
}

/// Starts a replay of 200 rows with a hit each and a judge that never answers, and interrupts it once it is asked.
fn interrupted(directory: &Path, args: &[&str], signals: &[&str]) -> Output {
    fs::write(directory.join("rows.jsonl"), ROWS.repeat(200)).unwrap();
    let calls = directory.join("calls");
    let script = format!(
        "#!/bin/sh\ncat > /dev/null\necho x >> {}\nexec sleep 60\n",
        calls.display()
    );
    fs::write(directory.join("judge"), script).unwrap();
    fs::set_permissions(directory.join("judge"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(directory.join("tmp")).unwrap();
    let judge = format!("command:{}", directory.join("judge").display());
    let child = Command::new(env!("CARGO_BIN_EXE_stop-hooks"))
        .args(["replay", "--with-judge", "--judge", &judge, "--hook"])
        .args(["commit-before-verify", "rows.jsonl"])
        .args(args)
        .current_dir(directory)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("TMPDIR", directory.join("tmp"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !calls.exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let asked = Instant::now();
    for signal in signals {
        let sent = Command::new("kill")
            .args([*signal, &child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
    }
    let output = child.wait_with_output().unwrap();
    assert!(
        asked.elapsed() < Duration::from_secs(5),
        "the judge was waited for"
    );
    // Its reaper takes a moment.
    let left = || fs::read_dir(directory.join("tmp")).unwrap().count();
    while left() > 0 && asked.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(left(), 0);
    output
}

#[test]
fn an_interruption_ends_the_judge_and_gives_what_there_is() {
    let directory = tempfile::tempdir().unwrap();
    let output = interrupted(directory.path(), &[], &["-INT"]);
    assert_eq!(output.status.code(), Some(0));
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(
        told.starts_with(
            "10 calls to the judge, the first of 200: --limit N makes it more.\n\
             Interrupted after 0 of 10 calls.\n1 file, 600 turns\n"
        ),
        "{told}"
    );

    let directory = tempfile::tempdir().unwrap();
    let output = interrupted(directory.path(), &["--format", "json"], &["-INT"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.starts_with(
            "stop-hooks: 10 calls to the judge, the first of 200: --limit N makes it more.\n\
             stop-hooks: Interrupted after 0 of 10 calls.\n"
        ),
        "{told}"
    );
    let lines = String::from_utf8(output.stdout).unwrap();
    assert_eq!(lines.lines().count(), 600);
}

#[test]
fn whatever_ends_a_replay_leaves_no_judge_behind() {
    for (signals, code) in [(&["-TERM"][..], None), (&["-INT", "-INT"], Some(130))] {
        let directory = tempfile::tempdir().unwrap();
        let output = interrupted(directory.path(), &[], signals);
        // The second may come when the first has done its work.
        let ended = output.status.code();
        assert!(ended == code || (code.is_some() && ended == Some(0)));
    }
}

#[test]
fn an_interruption_of_the_walk_tells_how_far_it_came() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("rows.jsonl"), ROWS.repeat(2000)).unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_stop-hooks"))
        .args(["replay", "--format", "json", "rows.jsonl"])
        .current_dir(directory.path())
        .env_clear()
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // By then it waits for somebody to read on.
    std::thread::sleep(Duration::from_millis(300));
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    let turns = String::from_utf8(output.stdout).unwrap().lines().count() / 5;
    assert!(turns < 6000);
    let expected = format!("stop-hooks: Interrupted after {turns} turns, in file 1 of 1.\n");
    assert!(told.starts_with(&expected), "{told}");
}

#[test]
fn where_sessions_are_is_told_to_who_looks_elsewhere() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join(".codex/sessions")).unwrap();
    for (paths, expected) in [
        (&["x", "/nowhere"][..], "there is no /nowhere."),
        (&[], "which files?"),
        (&["x"], "no file in x or below ends in .jsonl."),
    ] {
        fs::create_dir_all(home.path().join("x")).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_stop-hooks"))
            .arg("replay")
            .args(paths)
            .current_dir(home.path())
            .env_clear()
            .env("HOME", home.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            format!(
                "stop-hooks: {expected} Claude Code keeps its sessions in ~/.claude/projects (not there), Codex in \
                 ~/.codex/sessions (there).\n"
            )
        );
    }
}

#[test]
fn what_makes_no_sense_is_named() {
    #[track_caller]
    fn check(args: &[&str], expected: &str) {
        let output = run(Path::new("/"), args, "");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success());
        assert!(
            stderr.starts_with(&format!("stop-hooks: {expected}")),
            "{stderr}"
        );
    }
    check(&["replay"], "which files?");
    check(&["replay", "--limit", "x", "/"], "--limit is a number");
    check(
        &["replay", "/nowhere.jsonl"],
        "there is no /nowhere.jsonl. ",
    );
    check(
        &["replay", "--hook", "x", "/"],
        "there is no hook \"x\", only commit-before-verify, ",
    );
    check(
        &["replay", "--sensitivity", "x", "/"],
        "--sensitivity takes low, normal or high, not",
    );
    check(
        &["replay", "--format", "x", "/"],
        "--format is text or json",
    );
    check(&["redact", "x"], "unexpected argument \"x\"");
}

#[test]
fn secrets_are_taken_out_of_lines() {
    // Made here, so that no token stands in the source.
    let token = format!("ghp_{}", "q8Zt4LmW2c".repeat(4).get(..36).unwrap());
    let rows = format!(
        "{}\n\n{}\n",
        json!({ "id": 1, "text": format!("the token is {token}.") }),
        json!({ "id": "b", "text": "no\u{1b} \u{9b}secret\n", "label": "allow" })
    );
    let printed = succeed(Path::new("/"), &["redact"], &rows);
    agree("redact.jsonl", &printed);
    let output = run(Path::new("/"), &["redact"], "{\"id\":1}\n");
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "stop-hooks: stdin: line 1 is no JSON object with a text\n"
    );
}

/// What was read, and perhaps paid for, is told whatever else can't be read.
#[test]
fn what_cannot_be_read_costs_itself_alone() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::create_dir_all(at("sessions/closed")).unwrap();
    fs::write(at("sessions/closed/x.jsonl"), session()).unwrap();
    fs::write(at("sessions/z.jsonl"), session()).unwrap();
    symlink("loop.jsonl", at("loop.jsonl")).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(at("pipe.jsonl"))
            .status()
            .unwrap()
            .success()
    );
    let output = run(
        directory.path(),
        &["replay", "loop.jsonl", "pipe.jsonl", "sessions/z.jsonl"],
        "",
    );
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stdout.starts_with("1 file, 2 turns\n"), "{stdout}");
    let told: Vec<_> = stderr.lines().collect();
    assert!(
        told[0].starts_with("stop-hooks: loop.jsonl: Too many levels of symbolic links"),
        "{stderr}"
    );
    assert_eq!(
        told[1..],
        [
            "stop-hooks: pipe.jsonl: not a regular file",
            "stop-hooks: 2 files or directories could not be read"
        ]
    );

    fs::set_permissions(at("sessions/closed"), fs::Permissions::from_mode(0o000)).unwrap();
    // Root reads everything.
    if fs::read_dir(at("sessions/closed")).is_err() {
        let output = run(directory.path(), &["replay", "sessions"], "");
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(stdout.starts_with("1 file, 2 turns\n"), "{stdout}");
    }
    fs::set_permissions(at("sessions/closed"), fs::Permissions::from_mode(0o700)).unwrap();
}
