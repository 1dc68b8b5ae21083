//! The feedback loop: `mark`, `export-marked` and `rejudge`, and `replay` on what was exported.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that can't go on fails where it stands"
)]

mod harness;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use common::log::{self, Record};
use harness::agree;
use serde_json::{Value, json};
use tempfile::TempDir;
use time::OffsetDateTime;

/// A home with a log of today: a block, a pass by a judge, a pass by layer 1 and a turn without an answer.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        let record = |id: &str, decision: &str, verdict: Option<&str>, text: Option<&str>| Record {
            time: "2026-01-31T12:00:00+01:00".into(),
            id: id.into(),
            hook: "scope-check".into(),
            event: Some("Stop".into()),
            decision: decision.into(),
            verdict: verdict.map(str::to_owned),
            fields: verdict.map(|_| json!({ "new_proposal": decision == "block" })),
            reason: verdict.map(|_| format!("The old reason of {id}.")),
            text: text.map(str::to_owned),
            earlier: (id == "a").then(|| "Said before.".to_owned()),
            ..Record::default()
        };
        for record in [
            record(
                "a",
                "block",
                Some("violation"),
                Some("I'll stop here, the context is low."),
            ),
            record(
                "b",
                "allow",
                Some("allow"),
                Some("The heron is done, I stop here."),
            ),
            record("c", "allow", None, None),
            record(
                "d",
                "allow",
                Some("fail"),
                Some("Parking the zebra for now."),
            ),
        ] {
            let now = OffsetDateTime::now_local().unwrap_or_else(|_| OffsetDateTime::now_utc());
            log::append(&record, &home.path(".claude/logs"), home.0.path(), now);
        }
        home
    }

    /// The same, with everything in a directory that has to be named.
    fn elsewhere() -> Self {
        let home = Self::new();
        fs::rename(home.path(".claude"), home.path("other")).unwrap();
        home
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.0.path().join(relative)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stop-hooks"));
        command
            .args(args)
            .current_dir(self.0.path())
            .env_clear()
            .env("HOME", self.0.path())
            .env("PATH", "/usr/bin:/bin");
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    #[track_caller]
    fn succeed(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    }

    #[track_caller]
    fn fail(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    }

    /// A judge that keeps the prompts and runs `answer`, a shell command that has the prompt in `$prompt`.
    fn judge(&self, answer: &str) -> String {
        let (path, prompts) = (self.path("judge"), self.path("prompts"));
        let script = format!(
            "#!/bin/sh\nprompt=$(cat)\necho \"$prompt\" >> {}\n{answer}\n",
            prompts.display()
        );
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        format!("command:{}", path.display())
    }
}

#[test]
fn a_mark_is_kept_and_the_last_one_counts() {
    let home = Home::new();
    let told = [
        ["mark", "a", "right"],
        ["mark", "last", "wrong"],
        ["mark", "c", "wrong"],
    ];
    agree("mark.txt", &told.map(|args| home.succeed(&args)).concat());
    assert_eq!(
        home.succeed(&["mark", "a", "right"]),
        "a, scope-check of 2026-01-31T12:00:00+01:00: block (The old reason of a.): marked right.\n"
    );
    assert!(
        home.succeed(&["mark", "a", "wrong"])
            .ends_with(": marked wrong.\n")
    );
    assert!(
        home.succeed(&["mark", "last", "right"])
            .starts_with("d, scope-check ")
    );
    assert!(
        home.succeed(&["mark", "c", "wrong"])
            .ends_with("can't be exported.\n")
    );
    let marks = home.path(".claude/logs/stop-hook-marks.jsonl");
    assert_eq!(
        fs::metadata(marks).unwrap().permissions().mode() & 0o777,
        0o600
    );

    assert!(
        home.fail(&["mark", "zz", "right"])
            .contains("no decision zz in the last 90 days of ")
    );
    assert!(
        home.fail(&["mark", "a", "maybe"])
            .contains("stop-hooks mark ID|last right|wrong")
    );
    assert!(
        home.fail(&["mark", "a"])
            .contains("stop-hooks mark ID|last right|wrong")
    );
}

#[test]
fn the_last_stop_may_be_of_several_hooks() {
    let home = Home::new();
    let now = OffsetDateTime::now_local().unwrap_or_else(|_| OffsetDateTime::now_utc());
    for (id, hook, decision, judged) in [
        ("e", "scope-check", "block", true),
        ("f", "scope-change", "allow", true),
        ("g", "shallow-bugfix", "allow", false),
        ("h", "scope-check", "block", true),
        ("i", "shallow-bugfix", "allow", false),
        ("j", "scope-change", "allow", true),
        // The stop after it, which no judge read.
        ("k", "scope-change", "allow", false),
    ] {
        let record = Record {
            time: "2026-01-31T12:00:00+01:00".into(),
            id: id.into(),
            hook: hook.into(),
            session: Some("s".into()),
            decision: decision.into(),
            reason: judged.then(|| format!("Why {id}.")),
            text: judged.then(|| "I'll stop here.".to_owned()),
            ..Record::default()
        };
        log::append(&record, &home.path(".claude/logs"), home.0.path(), now);
    }
    assert_eq!(
        home.fail(&["mark", "last", "wrong"]),
        "stop-hooks: 2 hooks judged the last stop; say which one with --hook NAME, or by its ID:\n  \
         h, scope-check of 2026-01-31T12:00:00+01:00: block (Why h.)\n  \
         j, scope-change of 2026-01-31T12:00:00+01:00: allow (Why j.)\n"
    );
    let told = home.succeed(&["explain", "--last", "--brief"]);
    assert!(told.starts_with("scope-check\nrecord     h, "), "{told}");
    assert!(told.contains("\n\nscope-change\nrecord     j, "), "{told}");
    assert_eq!(told.matches("\nrecord ").count(), 2, "{told}");
    assert!(
        home.succeed(&["mark", "last", "wrong", "--hook", "scope-change"])
            .starts_with("j, scope-change of ")
    );
    assert!(
        home.fail(&["mark", "last", "wrong", "--hook", "shallow-bugfix"])
            .contains("no judged decision of shallow-bugfix in the last 90 days of ")
    );
}

#[test]
fn every_reader_of_the_log_takes_the_directory_of_claude_code() {
    let home = Home::elsewhere();
    fs::create_dir(home.path("other/hooks")).unwrap();
    fs::write(
        home.path("other/hooks/scope-check.json"),
        r#"{"guidance": "Mind the heron."}"#,
    )
    .unwrap();
    let judge = home.judge("echo '{\"new_proposal\":false,\"reason\":\"x\"}'");
    for (args, expected) in [
        (&["stats"][..], " 4 decisions at "),
        (&["mark", "a", "right"], ": marked right."),
        (&["export-marked", "rows.jsonl"], "1 text written to "),
        (&["explain", "--last"], "Mind the heron."),
        (&["rejudge", "--judge", &judge], "\n3 texts judged again: "),
        (&["replay", "rows.jsonl"], "1 file, 1 turn\n"),
    ] {
        let told = home.succeed(&[args, &["--claude-dir", "other"]].concat());
        assert!(told.contains(expected), "{told}");
        let variable = home
            .command(args)
            .env("CLAUDE_CONFIG_DIR", home.path("other"))
            .output()
            .unwrap();
        let told = String::from_utf8(variable.stdout).unwrap();
        assert!(told.contains(expected), "{told}");
    }
    let prompts = fs::read_to_string(home.path("prompts")).unwrap();
    assert!(prompts.contains("Mind the heron."), "{prompts}");
    assert!(!home.path(".claude").exists());
}

#[test]
fn the_log_is_looked_for_where_the_entries_say() {
    let home = Home::elsewhere();
    let logs = home.path("other/logs").display().to_string();
    let program = home.path(".claude/hooks/scope-check").display().to_string();
    let settings = json!({"hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": format!("{program} --log-dir {logs}")}]}]}});
    fs::create_dir(home.path(".claude")).unwrap();
    fs::write(home.path(".claude/settings.json"), settings.to_string()).unwrap();
    assert!(home.succeed(&["stats"]).contains(" 4 decisions at "));
}

#[test]
fn marked_texts_become_rows_that_replay_takes() {
    let home = Home::new();
    for (id, mark) in [("a", "right"), ("b", "wrong"), ("c", "wrong")] {
        home.succeed(&["mark", id, mark]);
    }
    assert_eq!(
        home.succeed(&["export-marked", "rows.jsonl"]),
        "2 texts written to rows.jsonl.\nNo logged text: 1 mark of the last 90 days.\n"
    );
    let rows = fs::read_to_string(home.path("rows.jsonl")).unwrap();
    agree("export-marked.jsonl", &rows);
    let mode = fs::metadata(home.path("rows.jsonl"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let replayed = home.succeed(&["replay", "--format", "json", "rows.jsonl"]);
    assert_eq!(
        replayed.matches("\"label\":\"block\"").count(),
        2,
        "of scope-check alone"
    );
    assert!(
        Home::new()
            .fail(&["export-marked", "rows.jsonl"])
            .contains("nothing is marked yet")
    );
    assert!(
        home.fail(&["export-marked"])
            .contains("to which file or directory?")
    );
}

/// A mark that was told is there, whatever happened to the file before.
#[test]
fn what_is_broken_in_the_file_of_marks_costs_itself_alone() {
    let home = Home::new();
    let marks = home.path(".claude/logs/stop-hook-marks.jsonl");
    home.succeed(&["mark", "a", "right"]);
    let torn = [
        &fs::read(&marks).unwrap()[..],
        b"\xff\xfe\n{\"id\":\"b\",\"ma",
    ]
    .concat();
    fs::write(&marks, torn).unwrap();
    home.succeed(&["mark", "b", "wrong"]);
    assert!(
        home.succeed(&["export-marked", "rows.jsonl"])
            .starts_with("2 texts written ")
    );
    assert!(
        home.succeed(&["rejudge", "--marked", "--judge", "none"])
            .starts_with("2 texts for the judge")
    );

    let elsewhere = home.path("elsewhere");
    fs::rename(&marks, &elsewhere).unwrap();
    symlink(&elsewhere, &marks).unwrap();
    let before = fs::read(&elsewhere).unwrap();
    assert!(
        home.fail(&["mark", "d", "wrong"])
            .ends_with("stop-hook-marks.jsonl: a link, or no regular file\n")
    );
    assert_eq!(fs::read(&elsewhere).unwrap(), before);
}

/// Adds a decision of a gate on `git push`, and one of a hook of another version.
fn add_gate_and_foreign(home: &Home, decision: &str) {
    let now = OffsetDateTime::now_local().unwrap_or_else(|_| OffsetDateTime::now_utc());
    let gate = Record {
        id: "gate".into(),
        hook: "commit-before-verify".into(),
        event: Some("PreToolUse".into()),
        decision: decision.into(),
        verdict: Some("violation".into()),
        text: Some(String::new()),
        command: Some("git push origin heron".into()),
        ..Record::default()
    };
    let foreign = Record {
        id: "foreign".into(),
        hook: "no-such-hook\u{1b}[2J".into(),
        event: Some("Stop".into()),
        decision: "block".into(),
        text: Some("A text.".into()),
        ..Record::default()
    };
    for record in [gate, foreign] {
        log::append(&record, &home.path(".claude/logs"), home.0.path(), now);
    }
}

#[test]
fn commands_and_other_hooks_are_no_rows() {
    let home = Home::new();
    add_gate_and_foreign(&home, "ask");
    for id in ["a", "foreign"] {
        home.succeed(&["mark", id, "right"]);
    }
    let told = home.succeed(&["mark", "gate", "right"]);
    assert!(
        told.ends_with("It is about a command and no text, so it can't be exported.\n"),
        "{told}"
    );
    for to in ["rows.jsonl", "rows/"] {
        assert_eq!(
            home.succeed(&["export-marked", to]),
            format!(
                "1 text written to {to}.\n\
                 Left out, being about a command and no text: 1 mark of the last 90 days.\n\
                 Left out, being of no hook of this version: 1 mark of the last 90 days.\n"
            )
        );
    }
    let output = home.run(&["export-marked", "-"]);
    let rows = fs::read(home.path("rows.jsonl")).unwrap();
    assert_eq!(output.stdout, rows);
    assert!(
        output
            .stderr
            .starts_with(b"stop-hooks: 1 text written to -.\n")
    );

    // That it asked was right, whatever a judge says of the command: nothing to agree with, and no change.
    let judge = home.judge("echo '{\"new_proposal\":true,\"reason\":\"x\"}'");
    let told = home.succeed(&[
        "rejudge",
        "--marked",
        "--judge",
        &judge,
        "--hook",
        "commit-before-verify",
    ]);
    assert!(
        told.ends_with("1 text judged again: 0 changes (allow → block 0, block → allow 0), 0 without an answer.\n"),
        "{told}"
    );
}

#[test]
fn the_page_shows_the_command_that_a_gate_judged() {
    let home = Home::new();
    add_gate_and_foreign(&home, "deny");
    home.succeed(&["stats", "--html", "page.html"]);
    let page = fs::read_to_string(home.path("page.html")).unwrap();
    assert!(
        page.contains("<pre>git push origin heron</pre>\n</details>"),
        "{page}"
    );
    assert!(!page.contains("<pre></pre>"));
}

#[test]
fn who_was_not_asked_disagrees_with_nobody() {
    let home = Home::new();
    for id in ["a", "b"] {
        home.succeed(&["mark", id, "wrong"]);
    }
    let told = home.succeed(&["rejudge", "--judge", "none"]);
    assert!(
        told.ends_with("Of 2 marks the log agrees with 0, this run has no answer for them.\n"),
        "{told}"
    );
}

/// scripts/eval.sh takes rows by the name of their file.
#[test]
fn a_directory_gets_a_file_for_each_hook() {
    let home = Home::new();
    for (id, mark) in [("a", "right"), ("b", "wrong")] {
        home.succeed(&["mark", id, mark]);
    }
    home.succeed(&["export-marked", "corpus/marked/"]);
    home.succeed(&["export-marked", "corpus/marked"]);
    let told = home.succeed(&["replay", "--format", "json", "corpus"]);
    let counted: Vec<Value> = told
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|row: &Value| row["source"] == "corpus/marked/scope-check.jsonl")
        .filter(|row| row["hook"] == "scope-check" && row["label"] == "block")
        .collect();
    assert_eq!(counted.len(), 2, "{told}");
}

#[test]
fn changed_decisions_are_listed() {
    let home = Home::new();
    home.succeed(&["mark", "a", "wrong"]);
    home.succeed(&["mark", "b", "right"]);
    // Says the opposite of what was logged, and nothing about the last text.
    let judge = home.judge(
        "case $prompt in *zebra*) exit 1;; *heron*) new=true;; *) new=false;; esac\n\
         echo \"{\\\"new_proposal\\\":$new,\\\"retraction_or_quote\\\":false,\\\"reason\\\":\\\"A new one.\\\"}\"",
    );
    agree(
        "rejudge.txt",
        &home.succeed(&["rejudge", "--judge", &judge]),
    );
    let prompts = fs::read_to_string(home.path("prompts")).unwrap();
    assert_eq!(
        prompts
            .matches("--- text-begin ---\nI'll stop here")
            .count(),
        1,
        "{prompts}"
    );
    assert!(
        prompts.contains("--- earlier-begin ---\nSaid before.\n"),
        "{prompts}"
    );
}

#[test]
fn only_what_was_asked_for_is_judged_again() {
    let home = Home::new();
    home.succeed(&["mark", "b", "right"]);
    let judge = home.judge("echo '{\"new_proposal\":false,\"reason\":\"x\"}'");
    let count = |args: &[&str]| {
        let mut all = vec!["rejudge", "--judge", &judge];
        all.extend(args);
        let told = home.succeed(&all);
        let (calls, rest) = told.split_once(" for the judge").unwrap();
        let judged = format!("\n{calls} judged again: ");
        assert!(rest.contains(&judged), "{told}");
        calls.to_owned()
    };
    assert_eq!(count(&[]), "3 texts");
    assert_eq!(count(&["--marked"]), "1 text");
    assert_eq!(count(&["--limit", "2"]), "2 texts");
    let told = home.succeed(&["rejudge", "--judge", &judge, "--limit", "2"]);
    assert!(
        told.starts_with(
            "2 texts for the judge, the newest of 3: one call each, --limit N makes fewer.\n"
        ),
        "{told}"
    );
    let told = home.succeed(&["rejudge", "--hook", "scope-change"]);
    assert!(
        told.starts_with("Nothing to judge again in the last 7 days of "),
        "{told}"
    );
}

#[test]
fn an_interruption_gives_what_there_is() {
    let home = Home::new();
    let judge = home.judge("sleep 60; echo '{\"new_proposal\":false,\"reason\":\"x\"}'");
    let child = home
        .command(&["rejudge", "--judge", &judge])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    while !home.path("prompts").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let interrupt = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(interrupt.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("\nInterrupted after 0 texts.\n"), "{told}");
    assert!(told.contains("\n0 texts judged again: "), "{told}");
}
