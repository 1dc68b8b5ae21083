//! One case through one real executable, and what came of it against what was expected.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::redact::redact;
use common::wrap::{Material, wrap};
use serde_json::{Value, json};

use super::canned::{Canned, Way};
use super::case::{Case, Expect, Failure, Judge, Stdin, Words};
use super::region::Parts;
use super::session;

/// What came of a run.
#[derive(Debug)]
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// The decision log.
    pub records: Vec<Value>,
    /// How often the judge was asked.
    pub calls: usize,
    /// What it was asked.
    pub prompt: Option<String>,
}

/// The executable of a hook: all stand side by side.
pub fn executable(hook: &str) -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_scope-check")).with_file_name(hook)
}

/// A hook in a home of its own: nothing of the user's environment reaches it.
pub fn command(hook: &str, home: &Path) -> Command {
    let mut command = Command::new(executable(hook));
    command
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", home)
        .current_dir(home);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs a case. `program` is the canned judge's file; all else lives in a directory beside it while the run lasts.
pub fn run(hook: &str, case: &Case, way: Way, program: &Path) -> Outcome {
    let dir = tempfile::tempdir_in(program.parent().expect("a directory")).expect("a directory");
    let make = |name: &str| {
        let path = dir.path().join(name);
        fs::create_dir_all(&path).expect("a directory");
        path
    };
    let (home, project, beside) = (make("home"), make("project"), make("judge"));
    let judge = Canned::new(way, case.judge.as_ref(), program, &beside);

    if let Some(rules) = &case.rules {
        let dir = make("home/.claude/hooks");
        fs::write(dir.join(format!("{hook}.json")), rules.to_string()).expect("a rule file");
    }
    let mut command = command(hook, &home);
    command.current_dir(&project).envs(&case.env);
    // A case that aims the hook by the environment shows what comes of that alone.
    if !case.env.contains_key("STOP_HOOK_LLM_JUDGE_BACKEND") {
        command.args(judge.flags());
    }
    command.args(&case.args);
    let mut child = command.spawn().expect("the hook starts");
    // A hook may leave without reading.
    let _ = child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(&stdin(case, &home));
    let output = child.wait_with_output().expect("the hook ends");
    Outcome {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("UTF-8 on stdout"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8 on stderr"),
        records: log(&home),
        calls: judge.calls(),
        prompt: judge.prompt(),
    }
}

/// The bytes that the hook reads; a transcript is written and named in them.
fn stdin(case: &Case, home: &Path) -> Vec<u8> {
    let mut input = match &case.stdin {
        Stdin::Text(text) => return text.clone().into_bytes(),
        Stdin::Bytes(bytes) => return bytes.clone(),
        Stdin::Input(input) => input.clone(),
    };
    if let Some(steps) = &case.transcript {
        let path = home.join("session.jsonl");
        let turn_id = input.get("turn_id").and_then(Value::as_str);
        fs::write(&path, session::transcript(steps, turn_id)).expect("the transcript is written");
        let key = match input.get("hook_event_name").and_then(Value::as_str) {
            Some("SubagentStop") => "agent_transcript_path",
            _ => "transcript_path",
        };
        input.insert(key.into(), json!(path));
    }
    Value::from(input).to_string().into_bytes()
}

/// Every record below `home`, in private files of private directories.
pub fn log(home: &Path) -> Vec<Value> {
    let dir = home.join(".claude/logs");
    let files: Vec<PathBuf> = fs::read_dir(&dir)
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("an entry").path())
        .collect();
    let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    let mut records = Vec::new();
    for file in files {
        assert_eq!(
            (mode(&dir), mode(&file)),
            (0o700, 0o600),
            "{}",
            file.display()
        );
        let text = fs::read_to_string(&file).expect("a log");
        assert!(text.ends_with('\n'), "a torn record");
        records.extend(
            text.lines()
                .map(|line| serde_json::from_str::<Value>(line).expect("a record")),
        );
    }
    records
}

/// Compares. All that differs is told at once.
///
/// # Errors
/// With what differs.
pub fn check(hook: &str, case: &Case, found: &Outcome) -> Result<(), String> {
    let expect = &case.expect;
    let mut wrong = Vec::new();
    if found.code != Some(expect.exit) {
        wrong.push(format!("exit {:?}, not {}", found.code, expect.exit));
    }
    let blocked = expect.exit == 2;
    let (stdout, stderr) = if blocked {
        (
            Words::All(".".into()),
            Words::Some(vec![format!("[{hook}] ")]),
        )
    } else {
        (Words::All(String::new()), Words::All(String::new()))
    };
    wrong.extend(differs(
        "stdout",
        expect.stdout.as_ref().unwrap_or(&stdout),
        &found.stdout,
    ));
    wrong.extend(differs(
        "stderr",
        expect.stderr.as_ref().unwrap_or(&stderr),
        &found.stderr,
    ));
    let calls = expect.judge_calls.unwrap_or(match case.judge {
        None
        | Some(Judge::Fails {
            fails: Failure::Missing,
        }) => 0,
        Some(_) => 1,
    });
    if found.calls != calls {
        wrong.push(format!("{} judge calls, not {calls}", found.calls));
    }
    wrong.extend(log_differs(expect, &found.records));
    wrong.extend(prompt_differs(hook, case, found.prompt.as_deref()));
    if wrong.is_empty() {
        return Ok(());
    }
    let mut report = String::new();
    for line in wrong {
        let _ = writeln!(report, "- {line}");
    }
    let _ = write!(
        report,
        "\nstdout: {}\nstderr: {}",
        found.stdout, found.stderr
    );
    for record in &found.records {
        let _ = write!(report, "\nlog: {record}");
    }
    if let Some(prompt) = &found.prompt {
        let _ = write!(report, "\nprompt:\n{prompt}");
    }
    Err(report)
}

fn differs(stream: &str, expected: &Words, found: &str) -> Vec<String> {
    match expected {
        Words::All(all) if all == found => Vec::new(),
        Words::All(all) => vec![format!("{stream} is not {all:?}")],
        Words::Some(words) => words
            .iter()
            .filter(|word| !found.contains(word.as_str()))
            .map(|word| format!("{stream} lacks {word:?}"))
            .collect(),
        Words::Json(object) => match serde_json::from_str(found) {
            Ok(value) => lacks(stream, &Value::from(object.clone()), &value),
            Err(error) => vec![format!("{stream} is no JSON: {error}")],
        },
    }
}

fn log_differs(expect: &Expect, records: &[Value]) -> Vec<String> {
    if records.len() != expect.log_records {
        return vec![format!(
            "{} log records, not {}",
            records.len(),
            expect.log_records
        )];
    }
    let part = Value::from(expect.log.clone());
    records
        .iter()
        .flat_map(|record| lacks("log", &part, record))
        .collect()
}

fn prompt_differs(hook: &str, case: &Case, prompt: Option<&str>) -> Vec<String> {
    let expect = &case.expect;
    let Some(prompt) = prompt else {
        let wanted = expect.regions.is_some() || !expect.prompt.contains.is_empty();
        return if wanted {
            vec!["no prompt was received".into()]
        } else {
            Vec::new()
        };
    };
    let mut wrong = Vec::new();
    let parts = match Parts::of(prompt) {
        Ok(parts) => parts,
        Err(error) => return vec![error],
    };
    if let Some(regions) = &expect.regions
        && *regions != parts.regions
    {
        wrong.push(format!(
            "regions differ\n  expected: {}\n  received: {}",
            json!(regions),
            json!(parts.regions)
        ));
    }
    // The user's own guidance stands in the frame.
    if case.rules.is_none() && parts.frame != frame(hook, &parts) {
        wrong.push("the frame is not the one that is put around a harmless text".into());
    }
    wrong.extend(
        expect
            .prompt
            .contains
            .iter()
            .filter(|w| !prompt.contains(*w))
            .map(|w| format!("the prompt lacks {w:?}")),
    );
    wrong.extend(
        expect
            .prompt
            .lacks
            .iter()
            .filter(|w| prompt.contains(*w))
            .map(|w| format!("the prompt holds {w:?}")),
    );
    wrong
}

/// The frame that a hook puts around harmless regions of the same names.
fn frame(hook: &str, parts: &Parts) -> String {
    let hook = hooks::ALL
        .into_iter()
        .find(|known| known.name == hook)
        .expect("a hook");
    let harmless = redact("harmless");
    let region = |name: &str| parts.regions.contains_key(name).then_some(&harmless);
    let material = Material {
        earlier: region("earlier"),
        latest: &harmless,
        activity: region("activity"),
        user: region("user"),
        command: region("command"),
    };
    let instructions = match (&hook.gate, material.command) {
        (Some(gate), Some(_)) => gate.prompt,
        _ => hook.prompt,
    };
    let prompt = wrap(instructions, hook.fields, &material);
    Parts::of(prompt.user()).expect("regions of our own").frame
}

/// What `found` lacks of `expected`: objects may hold more, all else must be equal. Null stands for a missing key too.
fn lacks(path: &str, expected: &Value, found: &Value) -> Vec<String> {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => expected
            .iter()
            .flat_map(|(key, value)| {
                lacks(
                    &format!("{path}.{key}"),
                    value,
                    found.get(key).unwrap_or(&Value::Null),
                )
            })
            .collect(),
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => expected
            .iter()
            .zip(found)
            .enumerate()
            .flat_map(|(at, (expected, found))| lacks(&format!("{path}[{at}]"), expected, found))
            .collect(),
        _ if expected == found => Vec::new(),
        _ => vec![format!("{path} is {found}, not {expected}")],
    }
}
