//! Generated sessions through the reader: what it sees is what was put in, in every format, whatever happened to the
//! file.

#![allow(
    clippy::cast_possible_truncation,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    reason = "what fails here fails the test"
)]

mod generator;

use std::fs;
use std::path::Path;
use std::time::Duration;

use common::input::HookInput;
use common::transcript::{self, Turn, Turns};
use generator::{Expected, FORMATS, Format, HOOKS, Session};

/// Sessions of each format in an everyday run; the long run reads 10,000 in all.
const EVERYDAY: u64 = 150;
const LONG: u64 = 1_667;

#[test]
fn what_was_put_in_comes_out() {
    sessions(0..EVERYDAY);
}

#[test]
#[ignore = "10,000 sessions: the long run"]
fn what_was_put_in_comes_out_10_000_times() {
    sessions(0..LONG);
}

fn sessions(seeds: std::ops::Range<u64>) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let path = dir.path().join("session.jsonl");
    for format in FORMATS {
        for seed in seeds.clone() {
            let session = Session::new(seed * 6 + format as u64, format);
            fs::write(&path, &session.bytes).expect("it is written");
            let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated.jsonl");
            let name = format!("session {seed} of {format:?}, kept as {}", kept.display());
            let keep = || fs::copy(&path, &kept).expect("it is kept");
            if let Err(difference) = check(&path, &session, format) {
                keep();
                panic!("{name}\n{difference}");
            }
        }
    }
}

fn check(path: &Path, session: &Session, format: Format) -> Result<(), String> {
    let expected = session.turns.last().expect("there is one");
    let event = if format == Format::ClaudeAgent {
        "SubagentStop"
    } else {
        "Stop"
    };
    let input = serde_json::json!({"hook_event_name": event, "transcript_path": path, "agent_transcript_path": path,
        "last_assistant_message": session.last_message});
    let input = HookInput::parse(input.to_string().as_bytes()).expect("a hook input");
    let turn = transcript::read(&input, &HOOKS).ok_or("no turn")?;
    if turn.waited > Duration::ZERO {
        return Err(format!("waited for {:?}", session.last_message));
    }
    compare("the last turn", turn, expected)?;

    let past: Vec<_> = Turns::open(path, &HOOKS).expect("a file").collect();
    let worked: Vec<_> = session.turns.iter().filter(|turn| turn.worked).collect();
    if past.len() != worked.len() {
        return Err(format!("{} turns instead of {}", past.len(), worked.len()));
    }
    for (number, (past, expected)) in past.into_iter().zip(worked).enumerate() {
        compare(&format!("turn {number}"), past.turn, expected)?;
    }
    Ok(())
}

/// A human message as far as it counts.
fn both_ends(text: &str) -> String {
    let (first, last) = (250 + 8192, 500 + 8192);
    if text.len() <= first + "\n…\n".len() + last {
        return text.to_owned();
    }
    let mut at = first;
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let beginning = text.split_at(at).0;
    format!("{beginning}\n…\n{}", generator::last_bytes(text, last))
}

fn compare(name: &str, turn: Turn, expected: &Expected) -> Result<(), String> {
    // Without a human message nobody knows whether there was more before.
    let begun = turn.user_text.is_some();
    let found = Expected {
        user: turn.user_text,
        blocked_stops: turn.blocked_stops,
        did: turn
            .activity
            .digest()
            .lines()
            .map(without_marks)
            .filter(|l| l != "no tool was called")
            .filter(|l| begun || l != "… earlier calls are not known")
            .collect(),
        worked: expected.worked,
        // Where the cut falls between two messages, the blank line is on neither side.
        earlier: turn.earlier.trim_start_matches('\n').to_owned(),
        latest: turn.latest.trim_start_matches('\n').to_owned(),
    };
    let wanted = Expected {
        user: expected.user.as_deref().map(both_ends),
        earlier: expected.earlier.trim_start_matches('\n').to_owned(),
        latest: expected.latest.trim_start_matches('\n').to_owned(),
        ..expected.clone()
    };
    if found == wanted {
        return Ok(());
    }
    Err(format!(
        "{name}: {}\ninstead of {}",
        short(&found),
        short(&wanted)
    ))
}

fn short(turn: &Expected) -> String {
    let end = |text: &str| {
        format!(
            "{} bytes, …{:?}",
            text.len(),
            generator::last_bytes(text, 60)
        )
    };
    let Expected {
        user,
        earlier,
        latest,
        blocked_stops,
        did,
        ..
    } = turn;
    let user = user.as_deref().map(end);
    format!(
        "{user:?}\n  earlier {}\n  latest {}\n  {blocked_stops} blocked, {did:?}",
        end(earlier),
        end(latest)
    )
}

fn without_marks(line: &str) -> String {
    line.split(" [").next().unwrap_or_default().to_owned()
}
