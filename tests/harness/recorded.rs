//! Every `Stop` and `SubagentStop` that was recorded from the real clients, through every hook.
//!
//! What the hooks decide there is the business of layer 1 and of the judge; here they only have to get through:
//! a decision, no stray word, one record of a run that found its text.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use super::run;

/// One recorded stop.
struct Stop {
    name: String,
    /// The bytes of stdin but for the paths, which lead to the recorded files.
    stdin: String,
    event: String,
}

/// A test for every recorded stop.
pub fn trials(fixtures: &Path, program: &Path) -> Vec<Trial> {
    let stops = files(fixtures)
        .into_iter()
        .filter_map(|file| Stop::read(fixtures, &file));
    stops
        .map(|stop| {
            let program = program.to_owned();
            Trial::test(format!("recorded {}", stop.name), move || {
                stop.run(&program)
            })
        })
        .collect()
}

impl Stop {
    fn read(fixtures: &Path, file: &Path) -> Option<Self> {
        let text = fs::read_to_string(file).expect("a fixture");
        let input: Value = serde_json::from_str(&text).ok()?;
        let event = input["hook_event_name"].as_str()?.to_owned();
        if event != "Stop" && event != "SubagentStop" {
            return None;
        }
        let mut stdin = text.clone();
        for (key, found) in [
            ("transcript_path", transcript(file, false)),
            ("agent_transcript_path", transcript(file, true)),
        ] {
            if let (Some(path), Some(found)) = (input[key].as_str(), found) {
                stdin = stdin.replace(&json!(path).to_string(), &json!(found).to_string());
            }
        }
        let name = file
            .strip_prefix(fixtures)
            .expect("a file below")
            .display()
            .to_string();
        Some(Self { name, stdin, event })
    }

    fn run(&self, program: &Path) -> Result<(), Failed> {
        let dir = tempfile::tempdir_in(program.parent().expect("a directory"))?;
        let judge = dir.path().join("judge");
        fs::hard_link(program, &judge)?;
        let answer = json!({
            "new_proposal": true, "verification_reported": false, "direction_query": false,
            "future_step_description": false, "retraction_or_quote": false, "reason": "recorded",
        });
        fs::write(dir.path().join("reply"), answer.to_string())?;
        for hook in hooks::ALL {
            let home = dir.path().join(hook.name);
            fs::create_dir(&home)?;
            let mut command = run::command(hook.name, &home);
            command
                .arg("--judge")
                .arg(format!("command:{}", judge.display()));
            let mut child = command.spawn()?;
            child
                .stdin
                .take()
                .expect("a pipe")
                .write_all(self.stdin.as_bytes())?;
            let output = child.wait_with_output()?;
            let records = run::log(&home);
            let [record] = &records[..] else {
                return Err(format!("{} records", records.len()).into());
            };
            assert_eq!(
                record["event"],
                self.event.as_str(),
                "{}: {record}",
                hook.name
            );
            assert_ne!(record["stage"], "panic", "{}: {record}", hook.name);
            let blocked = record["decision"] == "block";
            assert_eq!(
                output.status.code(),
                Some(if blocked { 2 } else { 0 }),
                "{}: {record}",
                hook.name
            );
            let words = String::from_utf8(output.stderr)?;
            assert_eq!(
                words.starts_with(&format!("[{}] recorded", hook.name)),
                blocked,
                "{words}"
            );
        }
        Ok(())
    }
}

/// The transcript that was recorded with a stdin, beside it or in the folder for those.
fn transcript(stdin: &Path, agent: bool) -> Option<PathBuf> {
    let name = stdin.file_name()?.to_str()?;
    let candidates = if let Some(codex) = name.strip_suffix(".stdin.json") {
        let kind = if agent {
            "agent_at-hook-time"
        } else {
            "at-hook-time"
        };
        vec![stdin.with_file_name(format!("{codex}.{kind}.jsonl"))]
    } else {
        let name = name.strip_prefix("at-hook-")?.strip_suffix(".json")?;
        let folder = stdin.parent()?.with_file_name("transcripts-at-hook");
        let endings: &[&str] = if agent {
            &[".agent.jsonl"]
        } else {
            &[".jsonl", ".start.jsonl"]
        };
        endings
            .iter()
            .map(|ending| folder.join(format!("{name}{ending}")))
            .collect()
    };
    candidates.into_iter().find(|path| path.exists())
}

/// All files below `dir`, sorted.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.retain(|path| path.extension().is_some_and(|e| e == "json"));
    found.sort();
    found
}
