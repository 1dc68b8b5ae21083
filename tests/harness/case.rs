//! A case file: what is shown, what goes in, what the judge says, what must come out.
//!
//! ```json
//! {
//!   "why": "one sentence",
//!   "args": ["--mode", "warn"],              (flags besides --judge and --url, which name the canned judge)
//!   "env": {"NAME": "value"},                (nothing else is set but PATH and HOME)
//!   "rules": {"signals": ["ship it"]},       (the user's own rules for the hook)
//!   "transcript": [{"human": "…"}, …],       (steps, see `session`; its path goes into stdin)
//!   "stdin": {"hook_event_name": "Stop"},    (or a string or a list of bytes, written as it is)
//!   "judge": {"new_proposal": true},         (or raw text, {"fails": "…"}, or null: a call fails the test)
//!   "expect": {"exit": 2, …}
//! }
//! ```
//!
//! `{token}` anywhere in a file stands for something that looks like a GitHub token.
//!
//! The folder says what a case shows, and one that shows something else fails: `blocks`, `allows`, `fails-open`;
//! `evades`, a text that works against the judge, and `paired`, a text with what was done, both with the bytes that the
//! judge received; `gate`, a command that waits.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::session::Step;

/// One case.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What it shows.
    pub why: String,
    #[serde(default)]
    pub args: Vec<String>,
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    pub rules: Option<Value>,
    pub transcript: Option<Vec<Step>>,
    pub stdin: Stdin,
    pub judge: Option<Judge>,
    pub expect: Expect,
}

/// What the hook reads.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Stdin {
    Text(String),
    Bytes(Vec<u8>),
    Input(Map<String, Value>),
}

/// What the canned judge does.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Judge {
    /// It replies with this text.
    Text(String),
    /// It gives no reply.
    Fails { fails: Failure },
    /// It replies with this object.
    Answer(Map<String, Value>),
}

/// Why there is no reply, over either way to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// No such program; nobody listens.
    Missing,
    /// Exit 1 with words on stderr; HTTP 500.
    Breaks,
    /// No reply before the deadline.
    Hangs,
    /// Success without a word.
    Silent,
}

/// What must come out.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    pub exit: i32,
    /// All of stderr, or some of its words. Absent: nothing, or `[hook-name] …` with a block.
    pub stderr: Option<Words>,
    /// Absent: nothing, or the one byte that goes with a block.
    pub stdout: Option<Words>,
    /// How often the judge is asked. Absent: once if it has something to say or to break.
    pub judge_calls: Option<usize>,
    /// Part of the one log record.
    #[serde(default)]
    pub log: Map<String, Value>,
    /// How many log records there are.
    #[serde(default = "one")]
    pub log_records: usize,
    /// Whole regions of what the judge received, byte for byte, by name.
    pub regions: Option<BTreeMap<String, String>>,
    /// Words that it received, and words that it did not.
    #[serde(default)]
    pub prompt: Prompt,
}

/// Words in the prompt.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prompt {
    #[serde(default)]
    pub contains: Vec<String>,
    #[serde(default)]
    pub lacks: Vec<String>,
}

/// What a stream must hold.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Words {
    /// Exactly this.
    All(String),
    /// Each of these.
    Some(Vec<String>),
    /// A JSON object with at least this.
    Json(Map<String, Value>),
}

/// A token of no use to anybody, put together here so that none stands in the repository.
fn token() -> String {
    [
        "ghp_", "R7dK2mQz", "v9XbT4hL", "pW6nYcJ8", "sG3fEaU5", "tH1o",
    ]
    .concat()
}

fn one() -> usize {
    1
}

impl Case {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|e| e.to_string())?;
        let text = text.replace("{token}", &token());
        let case: Self = serde_json::from_str(&text).map_err(|e| e.to_string())?;
        let folder = path
            .parent()
            .and_then(Path::file_name)
            .unwrap_or_default()
            .to_string_lossy();
        let expect = &case.expect;
        let fits = match folder.as_ref() {
            "blocks" => expect.exit == 2,
            "allows" => expect.exit == 0 && expect.stderr.is_none(),
            "evades" | "paired" => expect.regions.is_some(),
            "fails-open" => expect.exit != 2,
            "gate" => expect.exit == 0,
            _ => false,
        };
        if fits {
            Ok(case)
        } else {
            Err(format!("does not show what {folder}/ is for"))
        }
    }

    /// Every file below `root/<hook>/<folder>/`, sorted, as (hook, file).
    pub fn files(root: &Path) -> Vec<(String, PathBuf)> {
        let mut files = Vec::new();
        for hook in entries(root) {
            for folder in entries(&hook) {
                let name = hook
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                files.extend(
                    entries(&folder)
                        .into_iter()
                        .map(|file| (name.clone(), file)),
                );
            }
        }
        files
    }
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(dir)
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("a directory entry").path())
        .collect();
    entries.sort();
    entries
}
