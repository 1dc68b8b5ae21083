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

#[path = "../harness/mod.rs"]
mod harness;
mod live;
mod logged;

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
