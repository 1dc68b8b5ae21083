//! Other Stop hooks that push the opposite way.
//!
//! A hook that tells the agent to commit at the end of each turn, or to end it, and one that sends it back for doing so
//! make it turn in circles until a budget is spent. What a command will say can't be known; what its line and its scripts
//! say can be read.

use std::fs::File as Script;
use std::io::Read as _;
use std::path::Path;

use common::command;

use super::{File, Finding};
use crate::registration::{Owner, Whose};
use crate::settings::json::{self, Node};
use crate::terminal::clean_line;

const AREA: &str = "others";

/// A script is read up to here.
const SCRIPT_MAX_BYTES: u64 = 64 << 10;

/// Words that tell an agent to do what a hook of ours sends it back for.
const OPPOSITE: [(&str, &[&str]); 3] = [
    (
        "commit-before-verify",
        &[
            "git commit",
            "git push",
            "uncommitted changes",
            "uncommitted",
            "not committed",
            "unpushed",
            "commit all",
            "commit and push",
            "commit before",
            "commit everything",
            "commit it",
            "commit the",
            "commit them",
            "commit your",
            "push your",
        ],
    ),
    (
        "scope-check",
        &[
            "new session",
            "fresh session",
            "next session",
            "hand over",
            "handover",
            "hand off",
            "handoff",
            "hand-off",
            "running low",
            "wrap up",
        ],
    ),
    (
        "scope-change",
        &[
            "follow-up pr",
            "follow-up issue",
            "leave the rest",
            "defer the rest",
        ],
    ),
];

/// Looks through the Stop hooks of `files` that aren't ours.
pub fn check(files: &[&File], owner: &Owner) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        for told in told(file, owner) {
            let said = format!("{told}\n{}", scripts(&owner.expanded(&told))).to_lowercase();
            let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
            let shown = clean_line(&told);
            let shown: String = shown.chars().take(80).collect();
            let against = OPPOSITE.iter().find_map(|(hook, all)| {
                let words = all.iter().find(|words| says(&said, words))?;
                Some((words, hook))
            });
            findings.push(match against {
                Some((words, hook)) => Finding::warning(
                    AREA,
                    format!(
                        "{}: the Stop hook \"{shown}\" speaks of \"{words}\"",
                        file.shown
                    ),
                    format!(
                        "it may tell the agent what {hook} sends it back for; keep one of them"
                    ),
                ),
                None => Finding::ok(
                    AREA,
                    format!("{}: another Stop hook: \"{shown}\"", file.shown),
                ),
            });
        }
    }
    findings
}

/// Whether `words` begin a word in `text`.
fn says(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        !before.is_some_and(char::is_alphanumeric)
    })
}

/// The command or prompt of every Stop hook of `file` that isn't ours alone.
fn told(file: &File, owner: &Owner) -> Vec<String> {
    let Ok(root) = json::parse(file.settings.text()) else {
        return Vec::new();
    };
    let groups = root
        .get("hooks")
        .and_then(|hooks| hooks.get("Stop"))
        .and_then(Node::items);
    let hooks = groups
        .unwrap_or_default()
        .iter()
        .filter_map(|group| group.get("hooks")?.items());
    hooks
        .flatten()
        .filter_map(|hook| hook.get("command").or_else(|| hook.get("prompt"))?.text())
        .filter(|text| {
            !matches!(
                owner.whose(text),
                Whose::Ours { .. } | Whose::Wrapped { alone: true, .. }
            )
        })
        .map(str::to_owned)
        .collect()
}

/// What the files say that a command line names, from the directory on in which this runs.
fn scripts(line: &str) -> String {
    let mut directory = std::env::current_dir().unwrap_or_default();
    let here = directory.display().to_string();
    let line = line.replace("${CLAUDE_PROJECT_DIR}", &here);
    let line = line.replace("$CLAUDE_PROJECT_DIR", &here);
    let mut all = String::new();
    for run in command::runs(&line) {
        if let [program, to, ..] = run.as_slice()
            && program == "cd"
        {
            directory.push(to);
        }
        for path in run.iter().map(|word| directory.join(word)) {
            all += &script(&path);
            all.push('\n');
        }
    }
    all
}

/// What a file says; nothing where it is no text.
fn script(path: &Path) -> String {
    let mut bytes = Vec::new();
    if path.is_file()
        && let Ok(file) = Script::open(path)
    {
        // What can't be read says nothing.
        let _ = file.take(SCRIPT_MAX_BYTES).read_to_end(&mut bytes);
    }
    if bytes.contains(&0) {
        return String::new();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
