//! Other Stop hooks that push the opposite way.
//!
//! A hook that tells the agent to commit at the end of each turn, or to end it, and one that sends it back for doing so
//! make it turn in circles until a budget is spent. What a command will say can't be known; what its script says can be
//! read.

use std::fs::File as Script;
use std::io::Read as _;
use std::path::Path;

use super::{File, Finding};
use crate::registration::{Owner, Whose};
use crate::settings::json::{self, Node};
use crate::shell;
use crate::terminal::clean_line;

const AREA: &str = "others";

/// A script is read up to here.
const SCRIPT_MAX_BYTES: u64 = 64 << 10;

/// Words that tell an agent to do what a hook of ours sends it back for.
const OPPOSITE: [(&str, &str); 4] = [
    ("git commit", "commit-before-verify"),
    ("git push", "commit-before-verify"),
    ("commit your changes", "commit-before-verify"),
    ("uncommitted changes", "commit-before-verify"),
];

/// Looks through the Stop hooks of `files` that aren't ours.
pub fn check(files: &[&File], owner: &Owner) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        for told in told(file, owner) {
            let said = format!("{}\n{}", told, script(&told)).to_lowercase();
            let shown = clean_line(&told);
            let shown: String = shown.chars().take(80).collect();
            let against = OPPOSITE.iter().find(|(words, _)| said.contains(words));
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

/// The command or prompt of every other Stop hook of `file`.
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
        .filter(|text| owner.whose(text) == Whose::Other)
        .map(str::to_owned)
        .collect()
}

/// What the first file that a command names says.
fn script(command: &str) -> String {
    let words = shell::words(command).unwrap_or_default();
    let path = words
        .iter()
        .map(Path::new)
        .find(|path| path.is_absolute() && path.is_file());
    let mut bytes = Vec::new();
    if let Some(file) = path.and_then(|path| Script::open(path).ok()) {
        // What can't be read says nothing.
        let _ = file.take(SCRIPT_MAX_BYTES).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
