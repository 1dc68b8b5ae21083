//! The recorded sessions of both hosts, through the reader that the hooks use.
//!
//! A fixture under `fixtures/` is a file as the real client left it (`at-hook`, `stop.at-hook-time`: as it stood when
//! the hook started); only paths and names were made neutral.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::string_slice,
    reason = "what fails here fails the test"
)]

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use common::input::{HookInput, Host};
use common::transcript::{self, Turn, Turns};

/// As they stand in every block of ours.
const HOOKS: [&str; 2] = ["commit-before-verify", "scope-check"];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/fixtures")
        .join(name)
}

/// The input `stdin`, with its paths bent to where the fixtures lie.
fn input(stdin: &str, transcript: &Path) -> HookInput {
    let bytes = fs::read(fixture(stdin)).expect("the fixture is there");
    let mut input = HookInput::parse(&bytes).expect("the fixture is a hook input");
    input.transcript_path = Some(transcript.to_owned());
    input.agent_transcript_path = Some(transcript.to_owned());
    input
}

/// The input `stdin` with `transcript`: what was said before the last feedback, after it, and by the user.
#[track_caller]
fn check(stdin: &str, transcript: &str, [earlier, latest, user]: [&str; 3]) {
    let input = input(stdin, &fixture(transcript));
    let turn = transcript::read(&input, &HOOKS);
    let turn = turn.expect("there is a transcript");
    assert_eq!(turn.earlier, earlier, "{transcript}: earlier");
    assert_eq!(turn.latest, latest, "{transcript}: latest");
    assert_eq!(turn.user_text.as_deref(), Some(user), "{transcript}: user");
    assert_eq!(
        turn.blocked_stops, 0,
        "{transcript}: another hook's blocks aren't ours"
    );
    assert!(turn.from_transcript && !turn.truncated, "{transcript}");
    // Where a hook already blocked, the message in the file might be the one before, said again.
    let in_doubt = input.stop_hook_active && input.host() == Host::ClaudeCode;
    let waited = if in_doubt { 150..250 } else { 0..1 };
    assert!(
        waited.contains(&turn.waited.as_millis()),
        "{transcript}: waited {:?}",
        turn.waited
    );
}

#[test]
fn claude_code_as_the_hook_saw_it() {
    let check = |stdin: &str, transcript: &str, expected| {
        check(
            &format!("claude-code/stdin-at-hook-{stdin}.json"),
            &format!("claude-code/at-hook-{transcript}.jsonl"),
            expected,
        );
    };
    // A task notification wakes the agent in the same turn.
    let told = "Start.\n\nStarted, waiting.\n\nIt is done.";
    check(
        "background-shell-2",
        "background-shell-2",
        ["", told, "Start it"],
    );
    let told = "I'll look first.\n\nNow I write.\n\nFirst part.\n\nSecond part, committed.";
    check("blocks", "blocks", ["", told, "Fix the parser bug"]);
    let told = ["First answer.", "Second answer.", "Fix it"];
    check("interactive-active", "interactive-active", told);
    check("two-blocks-active", "two-blocks-active", told);
    check(
        "resume-active",
        "resume-active",
        ["B1.", "B2.", "Second prompt"],
    );
    // Typed while the assistant worked: a boundary of its own.
    check(
        "interactive-queued",
        "interactive-queued",
        ["", "Both seen.", "queued text"],
    );
    check(
        "subagent",
        "subagent.agent",
        ["", "Main final.", "SUBTASK-MARK do it"],
    );
    check(
        "race-short",
        "race-short.settled",
        ["", "FINALMARK done.", "Go"],
    );
    let told = "Let me look.\n\nAgain.\n\nFINALMARK done.";
    check("race-tools", "race-tools.settled", ["", told, "Go"]);
}

#[test]
fn claude_code_before_its_last_lines_are_written() {
    let read = |stdin: &str, transcript: &str| {
        let transcript = fixture(&format!("claude-code/at-hook-{transcript}.start.jsonl"));
        let input = input(
            &format!("claude-code/stdin-at-hook-{stdin}.json"),
            &transcript,
        );
        let turn = transcript::read(&input, &HOOKS).expect("there is a transcript");
        let waited = turn.waited.as_millis();
        assert!((280..1000).contains(&waited), "{stdin}: waited {waited} ms");
        turn
    };
    // The file is empty, and stays so.
    assert_eq!(read("race-short", "race-short").latest, "FINALMARK done.");
    assert_eq!(
        read("race-tools", "race-tools").latest,
        "Let me look.\n\nFINALMARK done."
    );
    let big = read("race-big", "race-big");
    assert!(
        big.latest.starts_with("Let me look.\n\nword word"),
        "{}",
        big.latest
    );
}

/// A stubborn agent: its third answer is the second over again, and both that answer and the block before it come late.
#[test]
fn claude_code_says_the_same_again() {
    let said = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"I will commit it."}]}}"#;
    let blocked = r#"{"type":"user","isMeta":true,"message":{"content":"Stop hook feedback:\n[/h/commit-before-verify]: [commit-before-verify] no"}}"#;
    let human = r#"{"type":"user","message":{"content":"Do it"}}"#;
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let append = |lines: &[&str]| {
        let mut to = OpenOptions::new().append(true).open(file.path())?;
        to.write_all((lines.join("\n") + "\n").as_bytes())
    };
    append(&[human, said, blocked, said]).expect("it is written");
    let mut input = HookInput::parse(
        br#"{"hook_event_name":"Stop","stop_hook_active":true,"last_assistant_message":"I will commit it."}"#,
    )
    .expect("a hook input");
    input.transcript_path = Some(file.path().to_owned());
    let turn = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(100));
            append(&[blocked, said]).expect("it is written");
        });
        transcript::read(&input, &HOOKS).expect("there is a transcript")
    });
    assert_eq!(turn.blocked_stops, 2);
}

/// The file ends with the turn before: its order is none for this one, and its tests prove nothing.
#[test]
fn the_turn_before_is_another() {
    let prompt = |id: &str, text: &str| {
        format!(
            r#"{{"type":"user","promptId":"{id}","promptSource":"sdk","message":{{"content":"{text}"}}}}"#
        ) + "\n"
    };
    let said =
        r#"{"type":"assistant","message":{"content":[{"type":"text","text":"I will push it."}]}}"#
            .to_owned()
            + "\n";
    let before = prompt("p0", "Just push it, no tests.") + &said;
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let input = |event: &str, rest: &str| {
        let text = format!(
            r#"{{"hook_event_name":"{event}","prompt_id":"p1","transcript_path":"{}"{rest}}}"#,
            file.path().display()
        );
        HookInput::parse(text.as_bytes()).expect("a hook input")
    };
    let stop = input("Stop", r#","last_assistant_message":"I will push it.""#);
    let gate = input("PreToolUse", "");
    let read = |input| transcript::read(input, &HOOKS).expect("there is a transcript");
    for input in [&stop, &gate] {
        fs::write(file.path(), &before).expect("it is written");
        let turn = read(input);
        assert!(
            turn.waited >= Duration::from_millis(280),
            "{:?}",
            turn.waited
        );
        assert_eq!((turn.user_text, turn.from_transcript), (None, false));
        assert!(!turn.activity.is_known());
        assert_eq!(
            turn.latest.is_empty(),
            input.last_assistant_message.is_none()
        );

        // It catches up.
        let turn = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(60));
                let mut to = OpenOptions::new()
                    .append(true)
                    .open(file.path())
                    .expect("a file");
                to.write_all((prompt("p1", "Now the other") + &said).as_bytes())
                    .expect("it is written");
            });
            read(input)
        });
        assert_eq!(turn.user_text.as_deref(), Some("Now the other"));
        assert!(
            turn.waited < Duration::from_millis(250),
            "{:?}",
            turn.waited
        );
    }

    // Not every line has a name, and a notice that woke the agent brings its own, told or not.
    let unnamed = r#"{"type":"user","message":{"content":"Push it"}}"#.to_owned() + "\n" + &said;
    let notice = "<task-notification><task-id>b</task-id></task-notification>";
    let attached = format!(
        r#"{{"type":"attachment","attachment":{{"type":"queued_command","commandMode":"task-notification","prompt":"{notice}"}}}}"#
    ) + "\n";
    let line = format!(
        r#"{{"type":"user","promptId":"p1","origin":{{"kind":"task-notification"}},"message":{{"content":"{notice}"}}}}"#
    ) + "\n";
    for (lines, user) in [
        (unnamed, "Push it"),
        (
            before.clone() + &attached + &said,
            "Just push it, no tests.",
        ),
        (before.clone() + &line + &said, "Just push it, no tests."),
    ] {
        fs::write(file.path(), &lines).expect("it is written");
        let turn = read(&stop);
        assert_eq!(turn.user_text.as_deref(), Some(user), "{lines}");
        assert_eq!(turn.waited, Duration::ZERO, "{lines}");
    }
}

#[test]
fn codex_as_the_hook_saw_it() {
    let check = |name: &str, event: &str, expected| {
        check(
            &format!("codex/{name}.{event}.stdin.json"),
            &format!("codex/{name}.{event}.at-hook-time.jsonl"),
            expected,
        );
    };
    let task = "Please do the task.";
    check("plain", "003-stop", ["", "It should work now.", task]);
    check(
        "apply_patch_tool",
        "005-stop",
        ["", "Patching.\n\nPatched.", task],
    );
    let told = "I will probably run a command.\n\nNow a patch.\n\nFinal: it should work.";
    check("tools", "006-stop", ["", told, task]);
    let told = "First message of the response.\n\nSecond message of the response.";
    check("two_messages_last_response", "003-stop", ["", told, task]);
    check("no_final_message", "003-stop", ["", "", task]);
    check(
        "pretooluse_denied",
        "004-stop",
        ["", "Running.\n\nIt was denied.", task],
    );
    // The summary in between was never shown.
    let told = "Working, probably.\n\nAfter compaction: should be done.";
    check("compacted", "008-stop", ["", told, task]);
    let [first, second] = ["It should work now.", "I guess it works."];
    check("blocked_twice", "003-stop", ["", first, task]);
    check("blocked_twice", "004-stop", [first, second, task]);
    let both = format!("{first}\n\n{second}");
    check(
        "blocked_twice",
        "005-stop",
        [&both, "I ran it: exit code 0.", task],
    );
    check("two_hooks_block", "003-stop", ["", "A", task]);
    check("two_hooks_block", "005-stop", ["A", "B", task]);
    let told = ["", "First turn answer: probably fine.", "First request."];
    check("two_turns_agents_md", "003-stop", told);
    let asked = "Second request with <angle> & \"quotes\".";
    check(
        "two_turns_agents_md",
        "007-stop",
        ["", "Second turn answer: all tests ran.", asked],
    );
    check(
        "subagent",
        "011-stop",
        ["", "Spawning.\n\nParent done.", "Delegate this."],
    );
}

#[test]
fn codex_subagent_in_its_own_file() {
    let check = |event: &str, expected| {
        check(
            &format!("codex/subagent.{event}.stdin.json"),
            &format!("codex/subagent.{event}.agent_at-hook-time.jsonl"),
            expected,
        );
    };
    check(
        "008-subagentstop",
        ["", "Child: it should be fine.", "CHILD TASK"],
    );
    let told = [
        "Child: it should be fine.",
        "Child second: exit code 0.",
        "CHILD TASK",
    ];
    check("009-subagentstop", told);
}

#[test]
fn without_a_transcript_the_message_alone_counts() {
    let read = |stdin: &str| {
        let bytes = fs::read(fixture(stdin)).expect("the fixture is there");
        transcript::read(&HookInput::parse(&bytes).expect("a hook input"), &HOOKS)
    };
    // `transcript_path` is null.
    let turn = read("codex/ephemeral.003-stop.stdin.json").expect("there is a message");
    assert_eq!((turn.from_transcript, turn.waited), (false, Duration::ZERO));
    assert!(!turn.latest.is_empty());
    // It names a file that never exists.
    let turn = read("claude-code/stdin-stop-transcript-never-exists.json").expect("a message");
    assert!(!turn.latest.is_empty() && !turn.from_transcript);
    let waited = turn.waited.as_millis();
    assert!((150..1000).contains(&waited), "waited {waited} ms");
    // Neither.
    assert_eq!(read("claude-code/stdin-stop-no-text.json"), None);
}

/// Every session file under `fixtures/`, in order.
fn sessions() -> Vec<String> {
    let mut names = Vec::new();
    for host in ["claude-code", "codex"] {
        for entry in fs::read_dir(fixture(host)).expect("the fixtures are there") {
            let path = entry.expect("an entry").path();
            if path
                .extension()
                .is_some_and(|extension| extension == "jsonl")
            {
                let name = path
                    .file_name()
                    .and_then(|name| name.to_str())
                    .expect("UTF-8");
                names.push(format!("{host}/{name}"));
            }
        }
    }
    names.sort();
    names
}

/// The turns of all recorded sessions, to be read by a person and compared with `fixtures/turns.txt`.
#[test]
fn every_turn_of_every_recorded_session() {
    let mut told = String::new();
    for name in sessions() {
        writeln!(told, "== {name}").expect("a String takes all");
        for past in Turns::open(&fixture(&name), &HOOKS).expect("a file") {
            let Turn {
                earlier,
                latest,
                blocked_stops,
                user_text,
                activity,
                ..
            } = past.turn;
            write!(told, "line {}", past.line).expect("a String takes all");
            if blocked_stops > 0 {
                write!(told, ", {blocked_stops} blocked").expect("a String takes all");
            }
            writeln!(
                told,
                "\n  user:    {}",
                shown(&user_text.unwrap_or_default())
            )
            .expect("a String takes all");
            if !earlier.is_empty() {
                writeln!(told, "  earlier: {}", shown(&earlier)).expect("a String takes all");
            }
            writeln!(told, "  latest:  {}", shown(&latest)).expect("a String takes all");
            for line in activity.digest().lines() {
                writeln!(told, "    {line}").expect("a String takes all");
            }
        }
    }
    let expected = fs::read_to_string(fixture("turns.txt")).expect("the fixture is there");
    if told != expected {
        let actual = std::env::temp_dir().join("turns.txt");
        fs::write(&actual, &told).expect("it is written");
        panic!(
            "the turns differ from tests/fixtures/turns.txt; they are in {}",
            actual.display()
        );
    }
}

fn shown(text: &str) -> String {
    let line = text.replace("\n\n", " ¶ ").replace('\n', " ⏎ ");
    match line.char_indices().nth(160) {
        Some((at, _)) => format!("{}… ({} bytes)", &line[..at], text.len()),
        None => line,
    }
}

/// A fixture in which the feedback is ours: of every pair the first becomes the second wherever it stands.
fn with_feedback(name: &str, pairs: &[[&str; 2]]) -> tempfile::NamedTempFile {
    let mut text = fs::read_to_string(fixture(name)).expect("the fixture is there");
    for [from, to] in pairs {
        assert!(text.contains(from), "{name} holds no {from}");
        text = text.replace(from, to);
    }
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::write(&file, text).expect("it is written");
    file
}

#[track_caller]
fn check_budget(stdin: &str, name: &str, pairs: &[[&str; 2]], blocked_stops: usize) {
    let file = with_feedback(name, pairs);
    let mut input = input(stdin, file.path());
    // The input is not always that of the same session.
    input.prompt_id = None;
    let turn = transcript::read(&input, &HOOKS).expect("there is a transcript");
    assert_eq!(turn.blocked_stops, blocked_stops, "{name}: {pairs:?}");
}

#[test]
fn only_our_own_feedback_spends_the_budget() {
    let stop = "claude-code/stdin-at-hook-two-blocks-active.json";
    let two = "claude-code/at-hook-two-blocks-active.jsonl";
    let check = |pairs: &[[&str; 2]], blocked| check_budget(stop, two, pairs, blocked);
    let program = ["bin/hook ", "bin/scope-check "];
    // Two hooks blocked one stop.
    check(&[program, ["]: ", "]: [scope-check] "]], 1);
    check(
        &[
            ["bin/hook b", "bin/commit-before-verify b"],
            ["]: B says", "]: [commit-before-verify] says"],
        ],
        1,
    );
    // A command line may hold any bracket.
    for command in [
        "bin/scope-check --url http://[::1]:80 ] ",
        "bin]x/scope-check ",
        "b[in/[x/scope-check ",
        "my hooks'/scope-check ",
        "bin/timeout 30 '/h/scope-check' ",
    ] {
        check(&[["bin/hook ", command], ["]: ", "]: [scope-check] "]], 1);
    }
    // Another program said it, in our name, in a quotation of ours, or with ours for an argument.
    check(&[["]: ", "]: [scope-check] "]], 0);
    check(&[["]: ", "]: see [/h/scope-check]: [scope-check] "]], 0);
    check(
        &[
            ["bin/hook ", "bin/no-scope-check "],
            ["]: ", "]: [scope-check] "],
        ],
        0,
    );
    check(
        &[
            ["bin/hook ", "bin/scope-check.sh "],
            ["]: ", "]: [scope-check] "],
        ],
        0,
    );
    check(&[program, ["]: ", "]: [commit-before-verify] "]], 0);
    // Their words quote ours, or name a hook that isn't of the family.
    check(
        &[program, ["says verify\"}", "says [scope-check] verify\"}"]],
        0,
    );
    check(&[program, ["]: ", "]: [another-check] "]], 0);
    check(&[program, ["]: ", "]: he said: [scope-check] "]], 0);
    // `{"decision":"block"}`: no command line before the reason.
    let json = "claude-code/stop-decision-block.jsonl";
    check_budget(stop, json, &[["\\nREASON", "\\n[scope-check] REASON"]], 1);

    check_budget(
        stop,
        json,
        &[[
            "\\nREASON",
            "\\n[other] It saw [/h/scope-check]: [scope-check] R",
        ]],
        0,
    );

    let stop = "codex/blocked_twice.005-stop.stdin.json";
    let twice = "codex/blocked_twice.005-stop.at-hook-time.jsonl";
    check_budget(stop, twice, &[["Feedback: ", "[scope-check] "]], 2);
    check_budget(stop, twice, &[["Feedback: ", "It said: [scope-check] "]], 0);
    let stop = "codex/two_hooks_block.005-stop.stdin.json";
    let two = "codex/two_hooks_block.005-stop.at-hook-time.jsonl";
    check_budget(
        stop,
        two,
        &[["Feedback from hook", "[scope-check] from hook"]],
        1,
    );
    check_budget(stop, two, &[["Feedback from hook two", "[scope-check]"]], 1);
}

/// The host is in the middle of a write: half a line at the end changes nothing, digest included.
#[test]
fn a_torn_tail_changes_nothing() {
    let torn = tempfile::NamedTempFile::new().expect("a temporary file");
    for name in sessions() {
        let bytes = fs::read(fixture(&name)).expect("the fixture is there");
        let turns = |path: &Path| {
            Turns::open(path, &HOOKS)
                .expect("a file")
                .collect::<Vec<_>>()
        };
        let whole = turns(&fixture(&name));
        let lines = bytes
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        for line in lines.rev().take(6) {
            for cut in [1, line.len() / 3, line.len() - 1] {
                fs::write(torn.path(), [&bytes, line.split_at(cut).0].concat())
                    .expect("it is written");
                assert_eq!(turns(torn.path()), whole, "{name}, torn after {cut} bytes");
            }
        }
    }
}
