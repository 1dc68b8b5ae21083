//! `install.sh` and `scripts/try.sh` with stand-ins for cargo and the C compiler: what they check, pass on and say.

#![allow(
    clippy::unwrap_used,
    reason = "a test that can't go on fails where it stands"
)]

mod harness;

use std::fs;

use harness::checkout::Checkout;

const INSTALL: &str = "install.sh";

fn settings(checkout: &Checkout) -> String {
    fs::read_to_string(checkout.path("home/.claude/settings.json")).unwrap()
}

#[test]
fn it_builds_locked_into_target_installs_and_says_what_is_next() {
    let checkout = Checkout::new("1.95.0");
    let said = checkout.succeed(INSTALL, &[]);
    assert_eq!(
        fs::read_to_string(checkout.path("cargo-calls")).unwrap(),
        "build --release --locked --target-dir target -p hooks -p stop-hooks\n"
    );
    assert_eq!(
        said.matches("added to ~/.claude/settings.json: Stop ")
            .count(),
        5
    );
    assert!(said.contains("\nNo judge found: "), "{said}");
    assert!(said.ends_with("\nNow restart Claude Code.\n"), "{said}");

    let first = settings(&checkout);
    assert!(
        checkout
            .succeed(INSTALL, &[])
            .starts_with("Nothing to change.\n")
    );
    assert_eq!(settings(&checkout), first);
}

#[test]
fn flags_of_the_hooks_are_passed_on_whole() {
    let checkout = Checkout::new("1.88.0");
    let said = checkout.succeed(
        INSTALL,
        &["--judge", "command:/opt/a b", "--mode", "shadow"],
    );
    let tail = "/scope-check --judge 'command:/opt/a b' --mode shadow";
    assert!(
        settings(&checkout).contains(tail),
        "{}",
        settings(&checkout)
    );
    assert!(
        said.contains("\nJudge: command:/opt/a b, as you chose.\n"),
        "{said}"
    );
}

#[test]
fn the_judges_that_are_there_are_named() {
    let checkout = Checkout::new("1.95.0");
    checkout.program("claude", "exit 1");
    assert!(
        checkout
            .succeed(INSTALL, &["--dry-run"])
            .contains("\nJudge found: claude.\n")
    );
    checkout.program("codex", "exit 1");
    let said = checkout.succeed(INSTALL, &["--dry-run"]);
    assert!(
        said.contains("\nJudge found: codex, then claude.\n"),
        "{said}"
    );
    assert!(!checkout.path("home").exists(), "a dry run");
}

#[test]
fn a_judge_that_was_chosen_before_is_told_and_none_of_hooks_that_are_off() {
    let checkout = Checkout::new("1.95.0");
    let url = ["--url", "http://localhost:1/v1"];
    checkout.succeed(INSTALL, &["--judge", "openai:m", url[0], url[1]]);
    let said = checkout.succeed(INSTALL, &["--mode", "block", "--codex"]);
    let told = "\nJudge: openai:m, as you chose.\nNow restart Claude Code.\n";
    assert!(said.ends_with(told), "{said}");
    assert_eq!(said.matches("\nJudge").count(), 1, "{said}");
    let said = checkout.succeed(INSTALL, &[]);
    assert_eq!(said, "Nothing to change.\nJudge: openai:m, as you chose.\n");

    let said = checkout.succeed(INSTALL, &["--mode", "off"]);
    assert!(
        !said.contains("\nJudge") && !said.contains("No judge"),
        "{said}"
    );
    let said = checkout.succeed(INSTALL, &["--uninstall"]);
    assert!(said.ends_with("\nNow restart Claude Code.\n"), "{said}");
    assert_eq!(
        checkout.succeed(INSTALL, &["--uninstall"]),
        "Nothing to remove.\n"
    );
}

#[test]
fn uninstalling_leaves_no_trace() {
    let checkout = Checkout::new("1.95.0");
    let dir = checkout.path("a dir");
    let dir = dir.to_str().unwrap();
    checkout.succeed(INSTALL, &["--claude-dir", dir]);
    fs::remove_dir_all(checkout.path("target")).unwrap();
    checkout.succeed(INSTALL, &["--uninstall", "--claude-dir", dir]);
    assert_eq!(fs::read_dir(dir).unwrap().count(), 0);
    assert!(!checkout.path("home").exists());
    assert!(
        !checkout.path("target").exists(),
        "the installed tool did it"
    );
}

#[test]
fn what_is_missing_is_named_in_one_sentence() {
    #[track_caller]
    fn check(checkout: &Checkout, expected: &str) {
        let output = checkout.run(INSTALL, &[]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(
            stderr.starts_with(&format!("install.sh: {expected}")),
            "{stderr}"
        );
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(!checkout.path("home").exists() && !checkout.path("target").exists());
    }
    let checkout = Checkout::new("1.70.1");
    check(
        &checkout,
        "cargo 1.70 is too old: Rust 1.88 or newer is needed",
    );

    let checkout = Checkout::new("1.88.0");
    fs::remove_file(checkout.bin().join("cc")).unwrap();
    check(&checkout, "no C compiler (cc) is on PATH");

    fs::remove_file(checkout.bin().join("cargo")).unwrap();
    check(
        &checkout,
        "cargo is not on PATH: install Rust 1.88 or newer",
    );
}

#[test]
fn every_sample_is_judged_as_expected_and_nothing_outside_is_touched() {
    let checkout = Checkout::new("1.95.0");
    let said = checkout.succeed("scripts/try.sh", &[]);
    assert!(said.starts_with("The judge here is a stand-in"), "{said}");
    assert!(said.ends_with("\n10 of 10 as expected.\n"), "{said}");
    assert_eq!(said.matches("\n== block expected\n").count(), 5);
    assert_eq!(
        said.matches("\nagent sees exit 2 and on stderr:\n").count(),
        5
    );
    assert_eq!(
        fs::read_to_string(checkout.path("cargo-calls")).unwrap(),
        "build --quiet --locked --target-dir target -p stop-hooks\n"
    );
    assert!(!checkout.path("home").exists());
}

#[test]
fn a_real_judge_is_asked_only_after_saying_how_often() {
    let checkout = Checkout::new("1.95.0");
    let judge = format!("command:{}", checkout.path("judge").display());
    fs::copy(
        checkout.path("scripts/stand-in-judge.sh"),
        checkout.path("judge"),
    )
    .unwrap();
    let said = checkout.succeed("scripts/try.sh", &["--judge", &judge, "--timeout-s", "5"]);
    let calls = said.matches("\njudge      command:").count();
    assert!(
        said.starts_with(&format!("This asks the judge {calls} times.\n")),
        "{said}"
    );
    assert!(calls >= 5, "{said}");
}
