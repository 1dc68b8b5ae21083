//! Transcripts that are no transcripts, or no longer: whatever stands where the input points, the reader gives what can
//! be had of it, soon, and never an error.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "what fails here fails the test"
)]

#[path = "generator/random.rs"]
mod random;

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use common::input::HookInput;
use common::transcript::{self, Turn, Turns};
use proptest::prelude::*;
use random::Random;

/// A hook whose feedback is ours.
const HOOKS: [&str; 1] = ["scope-check"];

const MESSAGE: &str = "The work is done.";

fn read(path: &Path, message: Option<&str>) -> Option<Turn> {
    let input = serde_json::json!({"hook_event_name": "Stop", "transcript_path": path,
        "last_assistant_message": message});
    let input = HookInput::parse(input.to_string().as_bytes()).expect("a hook input");
    transcript::read(&input, &HOOKS)
}

fn human(text: &str) -> String {
    format!("{{\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n")
}

fn said(text: &str) -> String {
    format!(
        "{{\"type\":\"assistant\",\"message\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}]}}}}\n"
    )
}

/// The message alone, without waiting for what can't come.
#[track_caller]
fn check_unreadable(path: &Path) {
    let turn = read(path, Some(MESSAGE)).expect("there is a message");
    assert_eq!(
        (turn.latest.as_str(), turn.from_transcript),
        (MESSAGE, false),
        "{}",
        path.display()
    );
    assert_eq!(turn.waited, Duration::ZERO, "{}", path.display());
    assert!(!turn.activity.is_known());
    assert_eq!(read(path, None), None, "{}", path.display());
}

#[test]
fn what_is_no_file() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let at = |name: &str| dir.path().join(name);
    check_unreadable(dir.path());
    check_unreadable(Path::new("/dev/zero"));

    let status = Command::new("mkfifo")
        .arg(at("pipe"))
        .status()
        .expect("mkfifo is there");
    assert!(status.success());
    check_unreadable(&at("pipe"));

    symlink(at("b"), at("a")).expect("a link");
    symlink(at("a"), at("b")).expect("a link");
    check_unreadable(&at("a"));

    fs::write(at("locked"), said("no")).expect("a file");
    fs::set_permissions(at("locked"), fs::Permissions::from_mode(0o0)).expect("it is mine");
    // Root reads everything.
    if File::open(at("locked")).is_err() {
        check_unreadable(&at("locked"));
    }
}

#[test]
fn a_link_to_a_file_is_one() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (file, link) = (dir.path().join("file"), dir.path().join("link"));
    fs::write(&file, human("Go") + &said(MESSAGE)).expect("a file");
    symlink(&file, &link).expect("a link");
    assert!(read(&link, Some(MESSAGE)).expect("a turn").from_transcript);
}

#[test]
fn a_worktree_has_its_session_in_the_project() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let project = dir.path().join("-home-dev-project");
    fs::create_dir(&project).expect("a directory");
    fs::write(project.join("s.jsonl"), human("Go") + &said(MESSAGE)).expect("a file");
    let never = dir
        .path()
        .join("-home-dev-project--claude-worktrees-fix")
        .join("s.jsonl");
    let turn = read(&never, Some(MESSAGE)).expect("a turn");
    assert_eq!(
        (turn.user_text.as_deref(), turn.waited),
        (Some("Go"), Duration::ZERO)
    );
}

#[test]
fn nothing_of_use_in_the_file() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("s.jsonl");
    let utf_16: Vec<u8> = human("Go")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let contents: [&[u8]; 9] = [
        &utf_16,
        b"{\"type\":\"mode\",\"mode\":\"normal\"}\n",
        b"",
        b"\n",
        b"\n\n\r\n \n",
        b"{",
        b"\xef\xbb\xbf",
        &[0; 4096],
        b"\xff\xfe\x00{\"type\":\"user\"}",
    ];
    for content in contents {
        fs::write(&path, content).expect("a file");
        let turn = read(&path, None).expect("a turn");
        assert_eq!(
            (turn.latest.as_str(), turn.blocked_stops),
            ("", 0),
            "{content:?}"
        );
        // Nobody can tell from it that no tool was called, or that no stop was blocked.
        assert!(!turn.activity.is_known(), "{content:?}");
        assert!(!turn.from_transcript, "{content:?}");
        assert_eq!(
            Turns::open(&path, &HOOKS).expect("a file").count(),
            0,
            "{content:?}"
        );
    }
}

/// A file that begins in the middle of a turn, as one does that was cut or replaced.
#[test]
fn a_turn_without_its_beginning() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("s.jsonl");
    fs::write(&path, said("Half of the work is done.") + &said(MESSAGE)).expect("a file");
    let turn = read(&path, Some(MESSAGE)).expect("a turn");
    assert_eq!(turn.activity.digest(), "… earlier calls are not known");
    let past = Turns::open(&path, &HOOKS)
        .expect("a file")
        .next()
        .expect("a turn");
    assert_eq!(past.turn.activity, turn.activity);

    let command = r"<command-name>/fix</command-name><command-args></command-args>";
    fs::write(&path, human(command) + &said(MESSAGE)).expect("a file");
    let turn = read(&path, Some(MESSAGE)).expect("a turn");
    assert_eq!(turn.activity.digest(), "no tool was called");
}

/// A pasted picture of 17 MB makes a line that isn't held; it is a boundary all the same.
#[test]
fn a_line_that_is_too_long_to_be_held() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("s.jsonl");
    let picture = "iVBORw0KGgoAAAANSUhEUgAA".repeat((17 << 20) / 24);
    let rows = [
        // Whether the old text belongs to the turn.
        (
            format!(
                r#"{{"type":"user","message":{{"role":"user","content":[{{"type":"text","text":"See"}},{{"type":"image","source":"{picture}"}}]}}}}"#
            ),
            false,
        ),
        (
            format!(
                r#"{{"parentUuid":null,"type":"user","message":{{"role":"user","content":[{{"type":"image","source":"{picture}"}}]}},"uuid":"u"}}"#
            ),
            false,
        ),
        (
            format!(
                r#"{{"timestamp":"t","type":"event_msg","payload":{{"type":"item_completed","item":{{"type":"UserMessage","id":"i","content":[{{"type":"text","text":"{picture}"}}]}}}}}}"#
            ),
            false,
        ),
        (
            format!(
                r#"{{"type":"user","message":{{"role":"user","content":[{{"tool_use_id":"t","type":"tool_result","content":[{{"type":"image","source":"{picture}"}}]}}]}}}}"#
            ),
            true,
        ),
        (
            format!(
                r#"{{"type":"user","message":{{"role":"user","content":[{{"type":"document","source":"{picture}"}}]}},"isMeta":true}}"#
            ),
            true,
        ),
        (
            format!(r#"{{"type":"file-history-snapshot","snapshot":"{picture}"}}"#),
            true,
        ),
        (picture.clone(), true),
    ];
    for (line, goes_on) in rows {
        let mut file = File::create(&path).expect("a file");
        write!(
            file,
            "{}{}{line}\n{}",
            human("Go"),
            said("Old."),
            said(MESSAGE)
        )
        .expect("it is written");
        let expected = if goes_on {
            format!("Old.\n\n{MESSAGE}")
        } else {
            MESSAGE.to_owned()
        };
        let name: String = line.chars().take(90).collect();
        assert_eq!(
            read(&path, Some(MESSAGE)).expect("a turn").latest,
            expected,
            "{name}"
        );
        let last = Turns::open(&path, &HOOKS)
            .expect("a file")
            .last()
            .expect("a turn");
        assert_eq!(
            (last.turn.latest.as_str(), last.line),
            (expected.as_str(), 4),
            "{name}"
        );
    }
}

/// A turn that goes on for longer than anyone reads back is judged by its end, and says that there was more.
#[test]
fn a_turn_without_an_end_in_sight() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("s.jsonl");
    let mut file = BufWriter::new(File::create(&path).expect("a file"));
    let filler = format!(
        "{{\"type\":\"system\",\"content\":\"{}\"}}\n",
        "x".repeat(1 << 20)
    );
    let call = r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Read","input":{}}]}}"#;
    write!(file, "{}{}", human("Go"), said("Far back.")).expect("it is written");
    for _ in 0..70 {
        file.write_all(filler.as_bytes()).expect("it is written");
    }
    write!(file, "{call}\n{}", said(MESSAGE)).expect("it is written");
    drop(file);
    let turn = read(&path, Some(MESSAGE)).expect("a turn");
    assert_eq!(
        (turn.latest.as_str(), turn.user_text.as_deref()),
        (MESSAGE, None)
    );
    assert!(
        turn.activity
            .digest()
            .starts_with("… earlier calls are not known\n")
    );
    let past = Turns::open(&path, &HOOKS)
        .expect("a file")
        .last()
        .expect("a turn");
    assert_eq!(
        (past.turn.latest, past.turn.activity),
        (turn.latest, turn.activity)
    );
}

/// What lies behind the end of a turn, of no use to anyone, hides the turn and not the final message; nor is it read
/// to its beginning.
#[test]
fn more_behind_the_end_than_is_read() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("s.jsonl");
    let filler = format!(
        "{{\"type\":\"progress\",\"data\":\"{}\"}}\n",
        "x".repeat(1 << 20)
    );
    fs::write(
        &path,
        human("Go") + &said("One.") + &said(MESSAGE) + &filler.repeat(70),
    )
    .expect("a file");
    let turn = read(&path, Some(MESSAGE)).expect("a turn");
    assert_eq!(turn.latest, MESSAGE);

    // NULs without a line feed, as a file system may leave them: 8 GB, of which no byte is on the disk.
    let file = File::create(&path).expect("a file");
    (&file)
        .write_all((human("Go") + &said(MESSAGE)).as_bytes())
        .expect("it is written");
    file.set_len(8 << 30).expect("it is extended");
    let started = Instant::now();
    let turn = read(&path, Some(MESSAGE)).expect("a turn");
    assert_eq!(
        (turn.latest.as_str(), turn.from_transcript),
        (MESSAGE, false)
    );
    assert!(
        started.elapsed() < Duration::from_secs(3),
        "{:?}",
        started.elapsed()
    );
}

/// Codex writes a message twice. Whichever line is lost, it was said, and said once.
#[test]
fn a_message_that_can_be_read_in_one_of_its_two_lines() {
    let item = |role: &str, text: &str| {
        format!(
            r#"{{"type":"response_item","payload":{{"type":"message","role":"{role}","content":[{{"type":"text","text":"{text}"}}]}}}}"#
        ) + "\n"
    };
    let event = |kind: &str, text: &str| {
        format!(
            r#"{{"type":"event_msg","payload":{{"type":"item_completed","item":{{"type":"{kind}","content":[{{"type":"text","text":"{text}"}}]}}}}}}"#
        ) + "\n"
    };
    let both = |text: &str| event("AgentMessage", text) + &item("assistant", text);
    let old = |text: &str| {
        format!(r#"{{"type":"event_msg","payload":{{"type":"agent_message","message":"{text}"}}}}"#)
            + "\n"
    };
    let whole = event("AgentMessage", MESSAGE);
    let half = whole.split_at(whole.len() / 2).0;
    let history = item("assistant", MESSAGE);
    let (one, again) = (both("One."), format!("One.\n\n{MESSAGE}"));
    let rows = [
        one.clone() + &both(MESSAGE),
        one.clone() + half + "\0\0\0\0\n" + &history,
        one.clone() + half + &history,
        one.clone() + &history,
        one.clone() + &whole,
        one.clone() + &whole + history.split_at(40).0,
        item("assistant", "One.") + &both(MESSAGE),
        event("AgentMessage", "One.") + &both(MESSAGE),
        item("assistant", "One.") + &whole,
        event("AgentMessage", "One.") + &history,
        // All events of a response before its items.
        event("AgentMessage", "One.") + &whole + &item("assistant", "One.") + &history,
        old("One.") + &old(MESSAGE) + &item("assistant", "One.") + &history,
        // Neither line of the last message.
        one.clone() + half,
        one,
    ];
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("rollout.jsonl");
    for row in rows {
        let row = event("UserMessage", "Go") + &row;
        fs::write(&path, &row).expect("a file");
        let turn = read(&path, Some(MESSAGE)).expect("a turn");
        assert_eq!(turn.latest, again, "{row}");
        assert_eq!(turn.user_text.as_deref(), Some("Go"), "{row}");
    }
    // Said twice is said twice.
    fs::write(
        &path,
        event("UserMessage", "Go") + &both(MESSAGE) + &both(MESSAGE),
    )
    .expect("a file");
    let turn = read(&path, Some(MESSAGE)).expect("a turn");
    assert_eq!(turn.latest, format!("{MESSAGE}\n\n{MESSAGE}"));
}

/// Of a long message both ends are kept, with what redaction needs around them.
#[test]
fn both_ends_of_a_long_message() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("s.jsonl");
    for length in [17_000, 17_200, 100_000, 17 << 20] {
        let text = "First words. ".to_owned() + &"é".repeat(length / 2) + " Last words.";
        fs::write(&path, human(&text) + &said(MESSAGE)).expect("a file");
        let user = read(&path, Some(MESSAGE)).expect("a turn").user_text;
        let user = user.expect("a message");
        // A line that isn't held whole is a boundary without words.
        if length < 16 << 20 {
            assert!(user.starts_with("First words. ") && user.ends_with(" Last words."));
            assert_eq!(user.contains("\n…\n"), user != text, "{length}");
        }
        assert!(user.len() <= 17_139, "{length}: {}", user.len());
    }
}

/// A human's words behind what an old client put before them, and a list with members that are no blocks.
#[test]
fn a_prompt_in_one_block_with_what_the_host_put_before_it() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("s.jsonl");
    let reminder = r"<system-reminder>Be brief.</system-reminder>\n";
    let opened = r"<ide_opened_file>a.rs</ide_opened_file>";
    for (content, user) in [
        (format!(r#""{reminder}Go on""#), "Go on"),
        (
            format!(r#"[{{"type":"text","text":"{reminder}{opened}Go on"}}]"#),
            "Go on",
        ),
        (
            r#"[null,"x",{"type":"text","text":"Go on"},7]"#.to_owned(),
            "Go on",
        ),
        (format!(r#""{reminder}""#), "Before"),
        (format!(r#""{opened}{reminder}""#), "Before"),
    ] {
        let line = format!(r#"{{"type":"user","message":{{"content":{content}}}}}"#);
        fs::write(
            &path,
            human("Before") + &said("Old.") + &line + "\n" + &said(MESSAGE),
        )
        .expect("a file");
        let turn = read(&path, Some(MESSAGE)).expect("a turn");
        assert_eq!(turn.user_text.as_deref(), Some(user), "{content}");
    }
}

/// A file that never gets the final message may lack more than that.
#[test]
fn a_turn_without_its_end() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("s.jsonl");
    let call = r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}"#;
    fs::write(&path, human("Go") + &said("One.")).expect("a file");
    let turn = read(&path, Some(MESSAGE)).expect("a turn");
    assert_eq!(turn.latest, format!("One.\n\n{MESSAGE}"));
    assert_eq!(turn.activity.digest(), "");
    assert!(!turn.activity.is_none());

    fs::write(&path, human("Go") + call + "\n").expect("a file");
    let turn = read(&path, Some(MESSAGE)).expect("a turn");
    assert_eq!(turn.latest, MESSAGE);
    assert_eq!(
        turn.activity.digest(),
        "$ ls => no result known\n… later calls are not known"
    );
}

/// The process reads 100 MB of lines between 1 and 40 MB and doesn't grow by more than one of those that it holds.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_file() {
    let peak = || {
        let status = fs::read_to_string("/proc/self/status").expect("Linux tells it");
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .expect("a line");
        line.trim()
            .trim_end_matches(" kB")
            .parse::<u64>()
            .expect("a number")
    };
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("s.jsonl");
    let mut file = BufWriter::new(File::create(&path).expect("a file"));
    write!(file, "{}", human("Go")).expect("it is written");
    let megabyte = vec![b'x'; 1 << 20];
    for megabytes in [40, 1, 2, 15, 40, 1, 2] {
        write!(file, "{{\"type\":\"user\",\"message\":{{\"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":\"")
            .expect("it is written");
        for _ in 0..megabytes {
            file.write_all(&megabyte).expect("it is written");
        }
        writeln!(file, "\"}}]}}}}").expect("it is written");
    }
    write!(file, "{}", said(MESSAGE)).expect("it is written");
    drop(file);
    let before = peak();
    assert_eq!(read(&path, Some(MESSAGE)).expect("a turn").latest, MESSAGE);
    let grown = peak() - before;
    assert!(grown <= (15 + 16) << 10, "the peak grew by {grown} kB");
}

/// The host may truncate, replace and extend the file at any moment.
#[test]
fn a_file_that_changes_while_it_is_read() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("s.jsonl");
    let long = human("Go") + &said(&"word ".repeat(60_000)) + &said(MESSAGE);
    fs::write(&path, &long).expect("a file");
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let new = dir.path().join("new");
            for turn in 0_usize.. {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                match turn % 3 {
                    0 => File::options()
                        .write(true)
                        .open(&path)
                        .and_then(|file| file.set_len(1000)),
                    1 => fs::write(&new, &long).and_then(|()| fs::rename(&new, &path)),
                    _ => File::options()
                        .append(true)
                        .open(&path)
                        .and_then(|mut file| file.write_all(long.as_bytes())),
                }
                .expect("it is changed");
            }
        });
        for _ in 0..300 {
            let turn = read(&path, None).expect("a turn");
            assert!(["", MESSAGE].iter().any(|end| turn.latest.ends_with(end)));
            let _ = Turns::open(&path, &HOOKS).expect("a file").count();
        }
        stop.store(true, Ordering::Relaxed);
    });
}

/// What holds whatever is in the file.
#[track_caller]
fn check_bounds(path: &Path) {
    let started = Instant::now();
    let turn = read(path, None).expect("a file is a transcript");
    assert!(turn.latest.len() <= 12_192 && turn.earlier.len() <= 12_192);
    assert!(turn.user_text.is_none_or(|text| text.len() <= 17_139));
    let digest = turn.activity.digest();
    assert!(digest.len() <= 2000 && digest.lines().count() <= 40);
    let _ = Turns::open(path, &HOOKS).expect("a file").count();
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "{:?}",
        started.elapsed()
    );
}

fn fixtures() -> Vec<Vec<u8>> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures");
    let mut paths: Vec<PathBuf> = ["claude-code", "codex"]
        .iter()
        .flat_map(|host| fs::read_dir(fixtures.join(host)).expect("the fixtures are there"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "jsonl")
        })
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| fs::read(path).expect("a file"))
        .collect()
}

/// Cuts, doubles, flips and mixes.
fn mutate(bytes: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Random) {
    let index = |random: &mut Random, end: usize| {
        usize::try_from(random.below(end as u64 + 1)).expect("an index")
    };
    for _ in 0..=random.below(6) {
        let (a, b) = (index(random, bytes.len()), index(random, bytes.len()));
        let (from, to) = (a.min(b), a.max(b).min(a.min(b) + 3000));
        match random.below(6) {
            0 => drop(bytes.drain(from..to)),
            1 => {
                let piece = bytes[from..to].to_vec();
                bytes.splice(from..from, piece);
            }
            2 => bytes.truncate(a),
            3 => {
                let other = &others[index(random, others.len() - 1)];
                let (c, d) = (index(random, other.len()), index(random, other.len()));
                bytes.splice(from..from, other[c.min(d)..c.max(d)].iter().copied());
            }
            4 if random.one_in(2) => {
                bytes.insert(a, random.pick(&[0, b'\n', b'"', b'\\', 0xff, b'{']));
            }
            _ => {
                if let Some(byte) = bytes.get_mut(a) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
    }
}

fn mutated(count: u64) {
    let fixtures = fixtures();
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("s.jsonl");
    for seed in 0..count {
        let mut random = Random(seed);
        let at = usize::try_from(random.below(fixtures.len() as u64)).expect("an index");
        let mut bytes = fixtures[at].clone();
        mutate(&mut bytes, &fixtures, &mut random);
        fs::write(&path, &bytes).expect("a file");
        check_bounds(&path);
    }
}

#[test]
fn recorded_sessions_cut_and_mixed() {
    mutated(400);
}

#[test]
#[ignore = "20,000 files: the long run"]
fn recorded_sessions_cut_and_mixed_20_000_times() {
    mutated(20_000);
}

fn any_piece() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        "{\"type\":\"user\"",
        "\"message\":{",
        "\"content\":[",
        "\"content\":\"",
        "{\"type\":\"text\",\"text\":\"",
        "\"}",
        "]}",
        "}",
        "\n",
        "{\"type\":\"assistant\",",
        "\"isMeta\":true",
        ",",
        ":",
        "\"",
        "\\",
        "\\u",
        "\\ud83d",
        "null",
        "[",
        "{",
        "1e999",
        "-0",
        "{\"type\":\"event_msg\",\"payload\":{\"type\":\"item_completed\",\"item\":",
        "{\"type\":\"UserMessage\"",
        "\"parentUuid\":",
        "Stop hook feedback:\\n[scope-check] ",
        "<hook_prompt>",
        "\r",
        "\u{feff}",
    ]);
    prop_oneof![
        8 => known.prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..20),
        1 => "\\PC{0,20}".prop_map(String::into_bytes),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn bytes_of_any_kind(pieces in prop::collection::vec(any_piece(), 0..200)) {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        fs::write(file.path(), pieces.concat()).expect("it is written");
        check_bounds(file.path());
    }
}
