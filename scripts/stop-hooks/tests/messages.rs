//! What `stop-hooks` says beside what it was asked for, and what becomes of it when nobody reads on.

#![allow(
    clippy::unwrap_used,
    reason = "a test that can't go on fails where it stands"
)]

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

fn command(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stop-hooks"));
    command
        .args(args)
        .current_dir(home)
        .env_clear()
        .env("HOME", home)
        .env("PATH", "/usr/bin:/bin");
    command
}

/// `… | head` must not hide that something is broken, nor cut short what changes something.
#[test]
fn who_reads_no_further_changes_no_exit_code() {
    let home = tempfile::tempdir().unwrap();
    let logs = home.path().join(".claude/logs");
    fs::create_dir_all(&logs).unwrap();
    let record =
        json!({"id": "a", "hook": "scope-check", "text": "I stop here.", "decision": "block"});
    fs::write(
        logs.join("stop-hook-llm-decisions-2999-01-31.log"),
        format!("{record}\n"),
    )
    .unwrap();
    fs::write(home.path().join("rows.jsonl"), "{\"text\":\"x\"}\n").unwrap();
    symlink("loop.jsonl", home.path().join("loop.jsonl")).unwrap();
    for (args, code) in [
        (&["doctor", "--offline"][..], 1),
        (&["mark", "a", "right"], 0),
        (&["stats"], 0),
        (&["replay", "rows.jsonl", "loop.jsonl"], 1),
    ] {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let output = command(home.path(), args)
            .stdout(writer)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
        assert_eq!(stderr.is_empty(), code == 0, "{stderr}");
    }
}

#[test]
fn a_name_of_several_lines_is_one_message() {
    let home = tempfile::tempdir().unwrap();
    let name = "a\nstop-hooks: all is well.jsonl";
    symlink(name, home.path().join(name)).unwrap();
    fs::write(home.path().join("b.jsonl"), "").unwrap();
    let output = command(home.path(), &["replay", name, "b.jsonl"])
        .output()
        .unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.starts_with("stop-hooks: astop-hooks: all is well.jsonl: "),
        "{told}"
    );
    assert_eq!(told.lines().count(), 2, "{told}");
}

#[test]
fn only_a_flag_that_there_is_is_named() {
    for args in [
        &["stats"][..],
        &["explain", "--last"],
        &["mark", "last", "right"],
    ] {
        let output = command(Path::new("/"), args)
            .env_remove("HOME")
            .output()
            .unwrap();
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            "stop-hooks: there is no home directory; give --claude-dir\n"
        );
    }
}

/// Names of files and what stands in a log are somebody else's words.
#[test]
fn no_message_drives_the_terminal() {
    const HOSTILE: &str = "x\u{1b}[2J\u{9b}31m\u{202e}y";
    let home = tempfile::tempdir().unwrap();
    let logs = home.path().join(".claude/logs");
    fs::create_dir_all(&logs).unwrap();
    let record = json!({"id": HOSTILE, "hook": HOSTILE, "text": HOSTILE, "decision": "block", "time": HOSTILE});
    fs::write(
        logs.join("stop-hook-llm-decisions-2999-01-31.log"),
        format!("{record}\n"),
    )
    .unwrap();
    fs::write(home.path().join(format!("{HOSTILE}.jsonl")), "").unwrap();
    fs::write(
        home.path().join("rows.jsonl"),
        format!("{}\nno row\n", json!({"text": HOSTILE, "id": HOSTILE})),
    )
    .unwrap();
    let row = json!({"text": HOSTILE}).to_string();
    for args in [
        &[HOSTILE][..],
        &["stats"],
        &["stats", "--until", HOSTILE],
        &["stats", "--format", "json"],
        &["explain", HOSTILE],
        &["explain", "--last", "--hook", HOSTILE],
        &["mark", HOSTILE, "right"],
        &["mark", HOSTILE, HOSTILE],
        &["export-marked", "-"],
        &["replay", HOSTILE],
        &["replay", "--format", "json", "rows.jsonl"],
        &["replay", &format!("{HOSTILE}.jsonl")],
        &["rejudge", "--judge", HOSTILE],
        &["redact"],
        &["doctor", "--offline", "--claude-dir", HOSTILE],
    ] {
        let stdin = home.path().join("stdin");
        fs::write(&stdin, &row).unwrap();
        let output = command(home.path(), args)
            .stdin(fs::File::open(stdin).unwrap())
            .output()
            .unwrap();
        for said in [output.stdout, output.stderr] {
            let said = String::from_utf8(said).unwrap();
            let drives = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
            assert!(!said.contains(drives), "{args:?}: {said:?}");
        }
    }
}
