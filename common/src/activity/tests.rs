//! Calls and outcomes, as a host's lines tell them, to a digest and to what follows from it.

use proptest::prelude::*;

use super::*;
use crate::redact::redact;

/// What was called, how it ended, what was printed.
type Row<'a> = (What, Option<Status>, &'a str);

/// A turn, oldest first.
fn turn(calls: &[Row<'_>]) -> Activity {
    let mut log = Log::default();
    for (at, (what, status, tail)) in calls.iter().enumerate().rev() {
        let id = format!("call {at}");
        if let Some(status) = *status {
            log.outcome(Outcome {
                id: id.clone(),
                status,
                tail: (*tail).to_owned(),
                what: None,
                task: None,
            });
        }
        log.call(Call::new(id, what.clone()));
    }
    log.finish()
}

fn ran(command: &str, code: i32, output: &'static str) -> Row<'static> {
    let status = if code == 0 {
        Status::Ok
    } else {
        Status::Exit(code)
    };
    (What::run(command), Some(status), output)
}

fn edited(file: &str) -> Row<'static> {
    (What::Edit(vec![file.to_owned()]), Some(Status::Ok), "")
}

const PASSES: &str = "running 3 tests\n\ntest result: ok. 3 passed; 0 failed; 0 ignored\n";
const FAILS: &str = "test result: FAILED. 2 passed; 1 failed; 0 ignored\nerror: test failed\n";

/// Has edit, contradicts a claim of passing tests, passed after the last edit, failing run before the first edit.
#[track_caller]
fn check(calls: &[Row<'_>], digest: &str, facts: [bool; 4]) {
    let activity = turn(calls);
    assert!(activity.is_known());
    assert_eq!(activity.digest(), digest);
    let found = [
        activity.has_edit(),
        activity.contradicts_a_claim(),
        activity.passed_after_last_edit(),
        activity.failing_run_before_first_edit(),
    ];
    assert_eq!(found, facts, "{digest}");
}

#[test]
fn a_fix_with_a_reproduction_and_a_test() {
    check(
        &[
            (
                What::Other("read src/lib.rs".to_owned()),
                Some(Status::Ok),
                "",
            ),
            ran("cargo test -p app", 101, FAILS),
            edited("/home/dev/project/src/lib.rs"),
            ran("cargo test -p app", 0, PASSES),
            ran("git status", 0, ""),
        ],
        "read src/lib.rs\n\
         $ cargo test -p app => exit 101: test result: FAILED. 2 passed; 1 failed; 0 ignored [failed before the first edit]\n\
         edit …/project/src/lib.rs [last edit]\n\
         $ cargo test -p app => ok: test result: ok. 3 passed; 0 failed; 0 ignored [last test after the last edit]\n\
         $ git status => ok",
        [true, false, true, true],
    );
}

#[test]
fn a_path_says_where_it_is_cut() {
    for (path, told) in [
        ("/tmp/brk/a.rs", "/tmp/brk/a.rs"),
        ("/a.rs", "/a.rs"),
        ("a.rs", "a.rs"),
        ("./src/a.rs", "./src/a.rs"),
        ("../a.rs", "../a.rs"),
        ("~/src/a.rs", "~/src/a.rs"),
        ("/home/dev/project/src/a.rs", "…/project/src/a.rs"),
        ("app/src/main/a.rs", "…/src/main/a.rs"),
        ("C:\\work\\src\\main\\a.rs", "…/src/main/a.rs"),
        ("C:\\work\\a.rs", "C:\\work\\a.rs"),
        ("", ""),
    ] {
        assert_eq!(short_path(path), told);
    }
}

#[test]
fn a_claim_without_a_run() {
    check(
        &[
            ran("cargo test", 0, PASSES),
            edited("src/a.rs"),
            ran("git add -A", 0, ""),
        ],
        "$ cargo test => ok: test result: ok. 3 passed; 0 failed; 0 ignored\n\
         edit src/a.rs [last edit]\n\
         $ git add -A => ok",
        [true, true, false, false],
    );
    check(
        &[edited("a.rs")],
        "edit a.rs [last edit]",
        [true, true, false, false],
    );
    check(&[], "no tool was called", [false, true, false, false]);
}

#[test]
fn a_claim_stands_on_a_passing_run_after_the_last_edit() {
    let edit = || edited("a.rs");
    let left = |status| (What::run("cargo test"), status, "");
    let none: &[Row<'_>] = &[];
    let rows: &[(&str, &[Row<'_>], bool)] = &[
        ("passed", &[edit(), ran("cargo test", 0, PASSES)], false),
        ("in another way", &[edit(), ran("pnpm test", 0, "")], false),
        ("no edit", &[ran("cargo test", 0, PASSES)], false),
        (
            "edited before in one line",
            &[ran("sed -i s/a/b/ a.rs && cargo test", 0, PASSES)],
            false,
        ),
        ("nothing", none, true),
        ("only reading", &[ran("git status", 0, "")], true),
        ("no run", &[edit()], true),
        ("failed", &[edit(), ran("cargo test", 101, FAILS)], true),
        (
            "failed in a pipe",
            &[edit(), ran("cargo test | tail -3", 0, FAILS)],
            true,
        ),
        (
            "edited after",
            &[ran("cargo test", 0, PASSES), edit()],
            true,
        ),
        (
            "edited after in one line",
            &[ran("cargo test && sed -i s/a/b/ a.rs", 0, PASSES)],
            true,
        ),
        (
            "edited by the shell",
            &[
                ran("cargo test", 0, PASSES),
                ran("jq .a=1 x > t && mv t x", 0, ""),
            ],
            true,
        ),
        ("denied", &[edit(), left(Some(Status::Denied))], true),
        ("running", &[edit(), left(Some(Status::Running))], true),
        ("stopped", &[edit(), left(Some(Status::Stopped))], true),
        ("no result", &[edit(), left(None)], true),
        (
            "a version",
            &[edit(), ran("pytest --version", 0, "pytest 8.0")],
            true,
        ),
    ];
    for (name, calls, contradicted) in rows {
        assert_eq!(turn(calls).contradicts_a_claim(), *contradicted, "{name}");
    }
    // Who knows what ran before.
    let cut = |calls| Activity {
        cut: true,
        ..turn(calls)
    };
    assert!(!cut(none).contradicts_a_claim());
    assert!(cut(&[edit()]).contradicts_a_claim());
    assert!(!Activity::default().contradicts_a_claim());
}

#[test]
fn an_edit_and_a_test_in_one_command_stand_in_their_order() {
    check(
        &[ran(
            "cat > t.py <<EOF\nx\nEOF\npython -m pytest t.py",
            0,
            "2 passed",
        )],
        "$ cat > t.py <<EOF … => ok: 2 passed [last edit] [last test after the last edit]",
        [true, false, true, false],
    );
    check(
        &[ran("cargo test && sed -i s/a/b/ a.rs", 0, PASSES)],
        "$ cargo test && sed -i s/a/b/ a.rs => ok: test result: ok. 3 passed; 0 failed; 0 ignored [last edit]",
        [true, true, false, false],
    );
}

#[test]
fn a_pipe_hides_the_exit_status_but_not_the_words() {
    check(
        &[edited("a.rs"), ran("cargo test 2>&1 | tail -5", 0, FAILS)],
        "edit a.rs [last edit]\n\
         $ cargo test 2>&1 | tail -5 => ok: test result: FAILED. 2 passed; 1 failed; 0 ignored [last test after the last edit]",
        [true, true, false, false],
    );
}

#[test]
fn what_did_not_run_proves_nothing() {
    check(
        &[
            (
                What::run("cargo test"),
                Some(Status::Denied),
                "The user doesn't want to proceed",
            ),
            (
                What::Edit(vec!["a.rs".to_owned()]),
                Some(Status::Error),
                "String to replace not found",
            ),
            (
                What::Edit(vec!["b.rs".to_owned()]),
                Some(Status::Exit(1)),
                "the patch doesn't apply",
            ),
            (
                What::Edit(vec!["c.rs".to_owned()]),
                Some(Status::Failed),
                "",
            ),
            (What::run("cargo build"), Some(Status::Error), "REASON"),
            (What::run("npm run dev"), Some(Status::Running), ""),
            (What::run("make"), None, ""),
        ],
        "$ cargo test => denied\n\
         edit a.rs => error\n\
         edit b.rs => exit 1\n\
         edit c.rs => failed\n\
         $ cargo build => denied\n\
         $ npm run dev => still running\n\
         $ make => no result known",
        [false, true, false, false],
    );
}

#[test]
fn a_search_that_finds_nothing_is_no_reproduction() {
    let digest = "$ grep -rn frobnicate src => exit 1\nedit a.rs [last edit]";
    check(
        &[ran("grep -rn frobnicate src", 1, ""), edited("a.rs")],
        digest,
        [true, true, false, false],
    );
    // Nor is a test that fails afterwards.
    let calls = [
        edited("a.rs"),
        ran("pytest", 1, "=== 1 failed, 3 passed in 0.12s ==="),
    ];
    let digest = "edit a.rs [last edit]\n\
         $ pytest => exit 1: === 1 failed, 3 passed in 0.12s === [last test after the last edit]";
    check(&calls, digest, [true, true, false, false]);
}

#[test]
fn a_command_left_running_ends_with_a_later_look() {
    let poll = (What::Poll(None), Some(Status::Ok), PASSES);
    check(
        &[(What::run("cargo test"), Some(Status::Running), ""), poll],
        "$ cargo test => ok: test result: ok. 3 passed; 0 failed; 0 ignored",
        [false, false, true, false],
    );
}

#[test]
fn an_outcome_without_a_call_is_one() {
    let mut log = Log::default();
    let done = |id: &str, what: What| Outcome {
        id: id.to_owned(),
        status: Status::Ok,
        tail: String::new(),
        what: Some(what),
        task: None,
    };
    // Newest first.
    log.outcome(done("c", What::run("cargo test")));
    log.call(Call::new("x", What::Other("exec".to_owned())));
    log.outcome(done("b", What::Edit(vec!["b.rs".to_owned()])));
    log.outcome(done("a", What::run("ls")));
    let digest = "$ ls => ok\nedit b.rs [last edit]\nexec => no result known\n\
                  $ cargo test => ok [last test after the last edit]";
    assert_eq!(log.finish().digest(), digest);
}

#[test]
fn work_that_still_runs_is_told_without_a_transcript_too() {
    let task = |kind: &str, command: Option<&str>, description: &str| BackgroundTask {
        r#type: Some(kind.to_owned()),
        status: Some("running".to_owned()),
        description: Some(description.to_owned()),
        command: command.map(str::to_owned),
    };
    let tasks = [
        task("shell", Some("npm run e2e\nexit"), "tests"),
        task("subagent", None, "review"),
    ];
    let activity = Activity::default().with_background(&tasks);
    assert!(!activity.is_known());
    let running = "in the background, running: shell npm run e2e …\nin the background, running: subagent review";
    assert_eq!(
        activity.digest(),
        format!("… the calls are not known\n{running}")
    );
    assert_eq!(Activity::default().digest(), "");
}

#[test]
fn a_turn_without_its_end_may_hold_more() {
    let mut log = Log::default();
    log.lacks_end();
    let activity = log.finish();
    assert!(!activity.is_none() && !activity.contradicts_a_claim());
    assert_eq!(activity.digest(), "");

    let mut log = Log::default();
    log.lacks_end();
    log.call(Call::new("a", What::run("ls")));
    let digest = "$ ls => no result known\n… later calls are not known";
    assert_eq!(log.finish().digest(), digest);
}

#[test]
fn the_middle_of_a_long_turn_gives_way() {
    let mut calls = vec![ran("python repro.py", 1, ""), edited("src/a.rs")];
    calls.extend((0..100).map(|n| ran(&format!("ls dir-{n}"), 0, "")));
    let told = turn(&calls).digest();
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), DIGEST_MAX_LINES);
    assert_eq!(
        lines[0],
        "$ python repro.py => exit 1 [failed before the first edit]"
    );
    assert_eq!(lines[1], "edit src/a.rs [last edit]");
    assert_eq!(lines[39], "$ ls dir-99 => ok");
    assert!(told.contains(" more calls\n"), "{told}");
}

/// Whether a program that printed this failed, by these words alone.
fn failed(output: &str) -> Option<bool> {
    let told = result::result(output);
    told.failed.map(|_| true).or(told.passed.map(|_| false))
}

#[test]
fn a_status_that_is_not_hidden_goes_before_words() {
    let mocha = "  ✗ reports 2 failures when x\n  5 passing (10ms)";
    let logged = "2 errors handled\n5 passed in 1s";
    check(
        &[
            ran("npx mocha", 0, mocha),
            edited("a.js"),
            ran("pytest", 0, logged),
        ],
        "$ npx mocha => ok: 5 passing (10ms)\n\
         edit a.js [last edit]\n\
         $ pytest => ok: 5 passed in 1s [last test after the last edit]",
        [true, false, true, false],
    );
    check(
        &[ran("npx mocha | tail", 0, mocha), edited("a.js")],
        "$ npx mocha | tail => ok: ✗ reports 2 failures when x [failed before the first edit]\n\
         edit a.js [last edit]",
        [true, true, false, true],
    );
    check(
        &[ran(
            "python repro.py",
            0,
            "Traceback (most recent call last):",
        )],
        "$ python repro.py => ok",
        [false, true, false, false],
    );
    check(
        &[ran(
            "pytest",
            1,
            "5 passed in 1s\nTraceback (most recent call last):",
        )],
        "$ pytest => exit 1: Traceback (most recent call last):",
        [false, true, false, true],
    );
}

#[test]
fn results_are_found_as_programs_tell_them() {
    for row in include_str!("../../../tests/results.tsv").lines() {
        let Some((expected, output)) = row.split_once('\t') else {
            assert!(row.is_empty() || row.starts_with('#'), "{row}");
            continue;
        };
        let output = output
            .replace('⏎', "\n")
            .replace('⇥', "\t")
            .replace('␛', "\u{1b}");
        let found = match failed(&format!("some output\n{output}\n")) {
            Some(true) => "failed",
            Some(false) => "passed",
            None => "nothing",
        };
        assert_eq!(found, expected, "{output}");
    }
    // The tests of the documentation come last, and there are none.
    let told = result::result(
        "test result: ok. 12 passed; 0 failed\n\ntest result: ok. 0 passed; 0 failed\n",
    );
    assert!(told.passed.is_some_and(|line| line.contains("12 passed")));
    let told = "test result: FAILED. 1 passed; 1 failed\ntest result: ok. 2 passed; 0 failed\n";
    assert_eq!(failed(told), Some(true));
}

#[test]
fn no_half_of_a_secret_is_left_by_the_cut() {
    let letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".chars();
    let drawn = (1..=36).map(|n: usize| letters.clone().nth(n * n * 7919 % 62).expect("one of 62"));
    let secret: String = "ghp_".chars().chain(drawn).collect();
    let header = format!("Authorization: Bearer {secret}");
    for before in 0..140 {
        let filler = "x".repeat(before);
        let calls = [
            ran(
                &format!("curl {filler} -H '{header}' https://example.com"),
                0,
                "",
            ),
            (
                What::other(&format!("fetch {filler} {secret}")),
                Some(Status::Ok),
                "",
            ),
        ];
        let told = redact(&turn(&calls).digest());
        assert!(
            !told.as_str().contains(secret.split_at(12).0),
            "{before}: {}",
            told.as_str()
        );
    }
}

fn any_call() -> impl Strategy<Value = (What, Option<Status>, String)> {
    let what = prop_oneof![
        "\\PC{0,400}".prop_map(|command| What::run(&command)),
        "[a-z ./&|;>'\"$()-]{0,80}".prop_map(|command| What::run(&command)),
        Just(What::run("cargo test")),
        prop::collection::vec("\\PC{0,200}", 0..3).prop_map(What::Edit),
        "\\PC{0,300}".prop_map(|words| What::other(&words)),
        Just(What::Poll(None)),
    ];
    let status = prop_oneof![
        Just(None),
        Just(Some(Status::Ok)),
        any::<i32>().prop_map(|code| Some(Status::Exit(code))),
        Just(Some(Status::Denied)),
        Just(Some(Status::Error)),
        Just(Some(Status::Running)),
    ];
    (
        what,
        status,
        "(\\PC{0,60}\n){0,4}[0-9]{0,2} (passed|failed)?\\PC{0,500}",
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_digest_stays_in_bounds_and_keeps_the_newest(
        calls in prop::collection::vec(any_call(), 0..120),
        tasks in prop::collection::vec(("\\PC{0,9}", "\\PC{0,300}"), 0..60),
    ) {
        let calls: Vec<_> = calls.iter().map(|(w, s, t)| (w.clone(), *s, t.as_str())).collect();
        let tasks: Vec<_> = tasks
            .into_iter()
            .map(|(kind, command)| BackgroundTask {
                r#type: Some(kind),
                command: Some(command),
                ..BackgroundTask::default()
            })
            .collect();
        let activity = turn(&calls).with_background(&tasks);
        let told = activity.digest();
        prop_assert!(told.len() <= DIGEST_MAX_BYTES, "{} bytes", told.len());
        prop_assert!(told.lines().count() <= DIGEST_MAX_LINES);
        prop_assert!(!told.chars().any(|c| c.is_control() && c != '\n'), "{told:?}");
        if let Some(newest) = activity.lines().last() {
            prop_assert!(told.ends_with(&newest.text), "{told}\n--\n{}", newest.text);
        }
    }
}

/// A secret across a cut would be told in half, and half a secret is not known for one.
#[test]
fn a_cut_splits_no_word() {
    let token = format!("{}{}", "ghp_", "q8Zt4LmW2cR7vK9xB3nD5hJ6sF1pG0yTq8Zt");
    for before in 60..125 {
        let command = format!("curl {} -H {token} x", "a".repeat(before));
        let output = format!("{} {token}: 3 tests failed", "b".repeat(before));
        let told = turn(&[
            ran(&command, 1, ""),
            (What::Other(command.clone()), None, ""),
        ])
        .digest();
        let result = result::result(&output).failed;
        for told in [Some(told), result].into_iter().flatten() {
            let half = token.split_at(12).0;
            let halved = told.contains(half) && !told.contains(&token);
            assert!(!halved, "{told}");
        }
    }
}
