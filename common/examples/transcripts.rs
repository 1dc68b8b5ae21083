//! What reading a turn costs against the size of its file: `scripts/bench-transcripts.sh` prints the table.
//!
//! Every reading is done in a process of its own, as in a hook run, so that its peak memory can be told.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a bench stops where it can't go on, and prints what it measured"
)]

use std::env;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use common::input::HookInput;
use common::transcript::{self, Turns};

const RUNS: usize = 15;

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["read", path] => read(path),
        ["walk", path] => walk(path),
        _ => table(),
    }
}

/// One reading, as a hook does it: milliseconds, peak memory in kB.
fn read(path: &str) {
    let before = peak_kb();
    let stdin = format!(r#"{{"hook_event_name":"Stop","transcript_path":"{path}"}}"#);
    let input = HookInput::parse(stdin.as_bytes()).expect("a hook input");
    let started = Instant::now();
    let turn = transcript::read(&input, &[]).expect("a transcript");
    let elapsed = started.elapsed();
    assert!(turn.latest.ends_with("All done."), "{:?}", turn.latest);
    println!("{} {}", elapsed.as_micros(), peak_kb() - before);
}

/// All turns of a file: how many, MB a second of processor time, peak memory in kB.
fn walk(path: &str) {
    let started = Instant::now();
    let turns = Turns::open(Path::new(path), &[])
        .expect("a transcript")
        .count();
    // Other programs may share the core.
    let seconds = cpu_seconds().unwrap_or_else(|| started.elapsed().as_secs_f64());
    let size = fs::metadata(path).expect("a file").len();
    println!("{turns} {:.0} {}", to_mb(size) / seconds, peak_kb());
}

/// Processor time of this process so far, where the system tells it in hundredths of a second.
fn cpu_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let (_, behind_name) = stat.rsplit_once(')')?;
    let times = behind_name.split_whitespace().skip(11).take(2);
    let ticks: f64 = times.filter_map(|time| time.parse::<f64>().ok()).sum();
    (ticks > 0.0).then_some(ticks / 100.0)
}

fn table() {
    let dir = env::temp_dir().join(format!("bench-transcripts-{}", std::process::id()));
    fs::create_dir_all(&dir).expect("a temporary directory");
    let (kb, mb) = (1 << 10, 1 << 20);
    let last_turn = 40 * kb;
    println!(
        "{:<34} {:>9} {:>9} {:>10}",
        "file", "median", "worst", "peak"
    );
    for host in ["claude-code", "codex"] {
        for size in [100 * kb, mb, 10 * mb, 100 * mb, 1 << 30] {
            let path = dir.join("session.jsonl");
            session(&path, host, size, last_turn, 0);
            row(&format!("{host}, {}", size_name(size)), &path);
        }
        let path = dir.join("session.jsonl");
        session(&path, host, 20 * mb, 3 * mb + mb / 2, 2 * mb + 300 * kb);
        row(&format!("{host}, 3.5 MB turn, 2.3 MB line"), &path);
        session(&path, host, 100 * mb, 60 * mb, 40 * mb);
        row(&format!("{host}, 60 MB turn, 40 MB line"), &path);
        session(&path, host, 200 * mb, last_turn, 0);
        let [turns, rate, peak] = measure("walk", &path)[..] else {
            panic!("three numbers")
        };
        println!("{host}, walk of 200 MB, {turns} turns: {rate} MB/s, peak {peak} kB");
    }
    fs::remove_dir_all(&dir).expect("it is removed");
}

fn row(name: &str, path: &Path) {
    let mut times = Vec::new();
    let mut peak = 0;
    for _ in 0..RUNS {
        let [micros, kb] = measure("read", path)[..] else {
            panic!("two numbers")
        };
        times.push(micros);
        peak = peak.max(kb);
    }
    times.sort_unstable();
    let ms = |micros: u64| format!("{}.{:02} ms", micros / 1000, micros % 1000 / 10);
    let (median, worst) = (times[RUNS / 2], times[RUNS - 1]);
    println!(
        "{name:<34} {:>9} {:>9} {:>7} kB",
        ms(median),
        ms(worst),
        peak
    );
}

fn measure(what: &str, path: &Path) -> Vec<u64> {
    let program = env::current_exe().expect("this program");
    let output = Command::new(program)
        .arg(what)
        .arg(path)
        .output()
        .expect("it runs");
    let text = String::from_utf8(output.stdout).expect("text");
    text.split_whitespace()
        .map(|word| word.parse().expect("a number"))
        .collect()
}

/// A session of `size` bytes whose last turn is `last_turn` long and holds a tool result of `image` bytes.
fn session(path: &Path, host: &str, size: u64, last_turn: u64, image: u64) {
    let mut out = BufWriter::new(File::create(path).expect("a file"));
    let mut written = 0;
    let mut put = |line: String| {
        written += line.len() as u64 + 1;
        out.write_all(line.as_bytes())
            .and_then(|()| out.write_all(b"\n"))
            .expect("it is written");
        written
    };
    let human = |text: &str| match host {
        "codex" => format!(
            r#"{{"timestamp":"2026-11-30T20:28:15.611Z","ordinal":8,"type":"event_msg","payload":{{"type":"item_completed","thread_id":"01a22e24","turn_id":"01a22e24","item":{{"type":"UserMessage","id":"u","content":[{{"type":"text","text":"{text}","text_elements":[]}}]}}}}}}"#
        ),
        _ => format!(
            r#"{{"parentUuid":"742fade3","isSidechain":false,"promptId":"86882f70","type":"user","message":{{"role":"user","content":"{text}"}},"uuid":"742fade3","permissionMode":"default"}}"#
        ),
    };
    let said = |text: &str| match host {
        "codex" => format!(
            r#"{{"timestamp":"2026-11-30T20:28:15.611Z","ordinal":9,"type":"event_msg","payload":{{"type":"item_completed","thread_id":"01a22e24","turn_id":"01a22e24","item":{{"type":"AgentMessage","id":"m","content":[{{"type":"Text","text":"{text}"}}]}}}}}}"#
        ),
        _ => format!(
            r#"{{"parentUuid":"4f5f7a12","isSidechain":false,"message":{{"id":"msg_35721","type":"message","role":"assistant","model":"claude-opus-4-8","content":[{{"type":"text","text":"{text}"}}],"stop_reason":"end_turn"}},"requestId":"req_901e","type":"assistant","uuid":"4f5f7a12"}}"#
        ),
    };
    let result = |text: &str| match host {
        "codex" => format!(
            r#"{{"timestamp":"2026-11-30T20:28:15.611Z","ordinal":10,"type":"response_item","payload":{{"type":"function_call_output","id":"fco","call_id":"call_1","output":"Process exited with code 0\nOutput:\n{text}"}}}}"#
        ),
        _ => format!(
            r#"{{"parentUuid":"4f5f7a12","isSidechain":false,"promptId":"86882f70","type":"user","message":{{"role":"user","content":[{{"tool_use_id":"toolu_0e35","type":"tool_result","content":"{text}","is_error":false}}]}},"uuid":"742fade3","toolUseResult":{{"stdout":"{text}","stderr":""}}}}"#
        ),
    };
    let output = r#"fn main() {\n    println!(\"hello\");\n}\n"#.repeat(40);
    let before = size - last_turn;
    let mut turn = 0;
    let mut at = put(human("Begin."));
    while at + 8000 < before {
        turn += 1;
        if turn % 12 == 0 {
            put(human("Go on, please."));
        }
        put(said("I look at the next file."));
        at = put(result(&output));
    }
    put(human("Now the last part."));
    if image > 0 {
        let half = usize::try_from(image / if host == "codex" { 1 } else { 2 }).expect("it fits");
        put(result(&"iVBORw0KGgoAAAANSUhEUgAA".repeat(half / 24)));
    }
    loop {
        put(said("I look at the next file."));
        if put(result(&output)) + 4000 > size {
            break;
        }
    }
    put(said("All done."));
}

fn size_name(size: u64) -> String {
    match size {
        0..0x10_0000 => format!("{} kB", size >> 10),
        0x10_0000..0x4000_0000 => format!("{} MB", size >> 20),
        _ => format!("{} GB", size >> 30),
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a rate is printed in whole MB/s"
)]
fn to_mb(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// Peak resident memory of this process in kB, where the system tells it.
fn peak_kb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or_default()
}
