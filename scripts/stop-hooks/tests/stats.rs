//! `stop-hooks stats` on generated logs: the figures, their layouts, the page, and the time for 100,000 records.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that can't go on fails where it stands"
)]

mod harness;

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use common::hook::NAMES as HOOKS;
use harness::agree;
use serde_json::{Value, json};

#[track_caller]
fn stats(directory: &Path, args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_stop-hooks"))
        .args(["stats", "--until", "2026-01-31", "--log-dir", "logs"])
        .args(args)
        .current_dir(directory)
        .env_clear()
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// A week of work with up to `stops` a day, the same every time: of a hundred decisions some three go to a judge.
fn week(directory: &Path, stops: u64) {
    fs::create_dir(directory.join("logs")).unwrap();
    let mut nth = 0;
    for day in 25..=31 {
        let mut log = String::new();
        for stop in 0..stops * (day % 7 + 1) / 7 {
            for hook in HOOKS {
                nth += 1;
                writeln!(log, "{}", record(nth, day, stop, hook)).unwrap();
            }
        }
        let name = format!("logs/stop-hook-llm-decisions-2026-01-{day}.log");
        fs::write(directory.join(name), log).unwrap();
    }
}

fn record(nth: u64, day: u64, stop: u64, hook: &str) -> Value {
    let mut record = json!({
        "time": format!("2026-01-{day}T12:{:02}:{:02}+01:00", stop / 60 % 60, stop % 60),
        "id": format!("{nth:x}"), "hook": hook, "version": "0.1.0", "event": "Stop", "host": "claude-code",
        "session": format!("s{day}"), "turn": format!("t{}", stop / 2), "mode": "block", "decision": "allow",
        "stage": "layer-1", "signal": null, "bypass": null, "verdict": null, "fields": null, "reason": null,
        "attempts": [], "judge_ms": 0, "total_ms": 1 + nth % 3, "transcript_wait_ms": 0, "redactions": {},
        "text_bytes": 900, "truncated": false,
    });
    if nth.is_multiple_of(31) {
        let ms = 400 + nth * 7 % 3000;
        let (decision, verdict, outcome) = match nth % 4 {
            0 => ("block", "violation", "answered"),
            1 => ("allow", "fail", "timeout"),
            _ => ("allow", "allow", "answered"),
        };
        record["signal"] = json!(if nth.is_multiple_of(2) {
            "intent"
        } else {
            "hedge"
        });
        record["decision"] = json!(decision);
        record["verdict"] = json!(verdict);
        record["stage"] = json!("verdict");
        record["attempts"] =
            json!([{"backend": "codex", "model": null, "outcome": outcome, "ms": ms}]);
        record["judge_ms"] = json!(ms);
        record["total_ms"] = json!(ms + 2);
        record["redactions"] = json!({"github-token": 1});
        record["fields"] = json!({"new_proposal": true});
        record["reason"] = json!("It says \"I will push\" <now> & reports nothing.");
        record["text"] =
            json!(format!("<b>Turn {nth}</b>\u{1b}[31m: I will push now. ").repeat(20));
        record["reply"] = json!("{}");
    }
    record
}

#[test]
fn the_text_is_as_agreed() {
    let directory = tempfile::tempdir().unwrap();
    week(directory.path(), 40);
    agree("stats.txt", &stats(directory.path(), &[]));
}

#[test]
fn the_json_holds_the_same_figures() {
    let directory = tempfile::tempdir().unwrap();
    week(directory.path(), 40);
    agree(
        "stats.json",
        &stats(directory.path(), &["--format", "json"]),
    );
}

#[test]
fn days_outside_and_other_files_do_not_count() {
    let directory = tempfile::tempdir().unwrap();
    week(directory.path(), 7);
    fs::write(directory.path().join("logs/notes.log"), "x\n").unwrap();
    let mut log = fs::read_to_string(
        directory
            .path()
            .join("logs/stop-hook-llm-decisions-2026-01-31.log"),
    )
    .unwrap();
    log.push_str("\n{\"hook\":\"sco");
    fs::write(
        directory
            .path()
            .join("logs/stop-hook-llm-decisions-2026-01-31.log"),
        log,
    )
    .unwrap();
    let last: Value = serde_json::from_str(&stats(
        directory.path(),
        &["--days", "1", "--format", "json"],
    ))
    .unwrap();
    assert_eq!(
        (&last["first"], &last["total"]["decisions"]),
        (&json!("2026-01-31"), &json!(20))
    );
    assert_eq!(last["unreadable_lines"], 1);
}

#[test]
fn no_log_is_no_error() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(
        stats(directory.path(), &["--days", "2"]),
        "2026-01-30 to 2026-01-31: 0 decisions at 0 stops, 0 by a judge, 0 blocked.\n\
         Looked in logs; `stop-hooks doctor` tells whether the hooks fire.\n"
    );
}

/// What people look at before they switch to block.
#[test]
fn a_trial_tells_what_would_have_been_blocked() {
    let directory = tempfile::tempdir().unwrap();
    week(directory.path(), 40);
    let in_mode = |day: u8, mode: &str| {
        let name = format!("logs/stop-hook-llm-decisions-2026-01-{day}.log");
        let path = directory.path().join(name);
        let log = fs::read_to_string(&path).unwrap();
        let log = log.replace("\"mode\":\"block\"", &format!("\"mode\":\"{mode}\""));
        fs::write(path, log).unwrap();
    };
    in_mode(26, "shadow");
    in_mode(27, "warn");
    let told = stats(directory.path(), &[]);
    for part in [
        " 25 by a judge, 3 blocked, 3 would have been.\n",
        " 1 judged, 0 blocked\n",
        " 6 judged, 1 would have been blocked (scope-change 1)\n",
        "\n3 of 6 blocks would have been: in mode warn or shadow the stop passes.\n",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
    let page = stats(directory.path(), &["--html", "-"]);
    for part in [
        "<b>3</b>blocks<",
        "<b>3</b>blocks that passed in mode warn or shadow<",
        "<summary><b>would block</b>",
        "of them blocked or would have been<",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    for day in [25, 28, 29, 30, 31] {
        in_mode(day, "shadow");
    }
    let told = stats(directory.path(), &[]);
    assert!(
        told.contains(" by a judge, 6 would have been blocked.\n"),
        "{told}"
    );
}

#[test]
fn the_page_is_private_loads_nothing_and_runs_nothing() {
    let directory = tempfile::tempdir().unwrap();
    week(directory.path(), 40);
    assert_eq!(
        stats(directory.path(), &["--html", "page.html"]),
        "Written to page.html.\n"
    );
    let page = fs::read_to_string(directory.path().join("page.html")).unwrap();
    assert!(page.contains("default-src 'none'"));
    assert!(page.contains("&lt;b&gt;Turn"));
    for part in [
        "<b>Turn", "\u{1b}", "<script", "src=", "href=", "url(", "@import", "http",
    ] {
        // The policy's own header is the one exception.
        let found = page.replace("http-equiv", "").contains(part);
        assert!(!found, "{part}");
    }
    let mode = fs::metadata(directory.path().join("page.html"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_hundred_thousand_records_are_counted_within_a_second() {
    let directory = tempfile::tempdir().unwrap();
    week(directory.path(), 7);
    for log in fs::read_dir(directory.path().join("logs")).unwrap() {
        let path = log.unwrap().path();
        fs::write(&path, fs::read_to_string(&path).unwrap().repeat(720)).unwrap();
    }
    let started = Instant::now();
    let stats: Value =
        serde_json::from_str(&stats(directory.path(), &["--format", "json"])).unwrap();
    // What a debug build does slowly is no fault; what is installed is a release build.
    let most = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 1 });
    assert!(started.elapsed() < most, "{:?}", started.elapsed());
    assert_eq!(stats["total"]["decisions"], 28 * 5 * 720);
    assert_eq!(stats["total"]["judged"], 28 * 5 / 31 * 720);
    assert_eq!(stats["stops"], 28 * 720);
}

/// What stands at the path stays what it is.
#[test]
fn a_page_is_written_through_links_and_pipes() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    week(directory.path(), 7);
    fs::create_dir(at("public")).unwrap();
    symlink("public/page.html", at("link.html")).unwrap();
    for _ in 0..2 {
        stats(directory.path(), &["--html", "link.html"]);
    }
    assert!(at("link.html").is_symlink());
    let page = fs::read_to_string(at("public/page.html")).unwrap();
    assert!(page.ends_with("</html>\n"));

    symlink("loop.html", at("loop.html")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_stop-hooks"))
        .args(["stats", "--log-dir", "logs", "--html", "loop.html"])
        .current_dir(directory.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(at("loop.html").is_symlink());

    for stdout in ["-", "/dev/stdout", "/dev/fd/1"] {
        assert_eq!(
            stats(directory.path(), &["--html", stdout]),
            page,
            "{stdout}"
        );
    }
    assert!(!at("-").exists());

    assert!(
        Command::new("mkfifo")
            .arg(at("pipe"))
            .status()
            .unwrap()
            .success()
    );
    let pipe = at("pipe");
    let reader = std::thread::spawn(move || fs::read_to_string(pipe).unwrap());
    stats(directory.path(), &["--html", "pipe"]);
    assert!(
        fs::symlink_metadata(at("pipe"))
            .unwrap()
            .file_type()
            .is_fifo()
    );
    assert_eq!(reader.join().unwrap(), page);

    // To a file of stdout, where the name that leads to it is a link.
    let file = fs::File::create(at("redirected")).unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_stop-hooks"))
        .args([
            "stats",
            "--until",
            "2026-01-31",
            "--log-dir",
            "logs",
            "--html",
            "/dev/stdout",
        ])
        .current_dir(directory.path())
        .env_clear()
        .stdout(file)
        .status();
    assert!(status.unwrap().success());
    assert_eq!(fs::read_to_string(at("redirected")).unwrap(), page);
}

/// Written in another time zone, or before the clock was set back.
#[test]
fn a_day_that_is_yet_to_come_counts() {
    let directory = tempfile::tempdir().unwrap();
    let logs = directory.path().join("logs");
    fs::create_dir(&logs).unwrap();
    let mut logged = record(31, 25, 0, "scope-check");
    logged["id"] = json!("later");
    fs::write(
        logs.join("stop-hook-llm-decisions-2999-01-02.log"),
        format!("{logged}\n"),
    )
    .unwrap();
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stop-hooks"));
        command
            .args(args)
            .args(["--log-dir", "logs", "--claude-dir", "c"]);
        let output = command
            .current_dir(directory.path())
            .env_clear()
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    for (args, expected) in [
        (&["stats"][..], " to 2999-01-02: 1 decision at 1 stop"),
        (&["explain", "later"], "\nrecord     later, "),
        (&["mark", "later", "right"], "later, scope-check of "),
        (&["export-marked", "-"], "\"id\":\"later\""),
        (&["rejudge", "--judge", "none"], "1 text for the judge"),
    ] {
        let told = run(args);
        assert!(told.contains(expected), "{told}");
    }
    assert!(run(&["stats", "--until", "2998-01-01"]).contains(": 0 decisions at "));
}

#[test]
fn what_is_no_file_is_named_and_costs_itself_alone() {
    let directory = tempfile::tempdir().unwrap();
    week(directory.path(), 7);
    let at = |day: u8| {
        let name = format!("logs/stop-hook-llm-decisions-2026-01-{day}.log");
        directory.path().join(name)
    };
    for day in [26, 29] {
        fs::remove_file(at(day)).unwrap();
    }
    fs::create_dir(at(26)).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(at(29))
            .status()
            .unwrap()
            .success()
    );
    let named = "stop-hooks: logs/stop-hook-llm-decisions-2026-01-26.log: not a regular file\n\
                 stop-hooks: logs/stop-hook-llm-decisions-2026-01-29.log: not a regular file\n";
    for (args, expected) in [
        (
            &["stats", "--until", "2026-01-31"][..],
            " 100 decisions at 20 stops",
        ),
        (&["explain", "--last", "--days", "9999"], "\nrecord     "),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_stop-hooks"))
            .args(args)
            .args(["--log-dir", "logs"])
            .current_dir(directory.path())
            .env_clear()
            .output()
            .unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert!(stdout.contains(expected), "{stdout}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), named);
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn a_page_in_json_is_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_stop-hooks"))
        .args(["stats", "--format", "json", "--html", "x", "--log-dir", "/"])
        .current_dir("/")
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "stop-hooks: --format json or --html FILE, not both\n"
    );
    assert_eq!(output.status.code(), Some(2));
}
