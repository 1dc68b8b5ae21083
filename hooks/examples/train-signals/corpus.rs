//! The texts to learn from, and those to measure on.

use std::fs;
use std::path::{Path, PathBuf};

use common::Hook;
use common::signal::reading::Reading;
use common::signal::wording::{self, Windows};
use common::signal::{self, Signal};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Result;

/// In no hook's file.
pub const NO_HOOK: usize = usize::MAX;

/// A labelled text.
#[derive(Clone, Deserialize)]
pub struct Row {
    #[serde(default)]
    pub id: String,
    pub text: String,
    #[serde(default)]
    pub label: String,
    #[serde(default)]
    pub lang: String,
    #[serde(default)]
    pub phenomenon: String,
    #[serde(default)]
    pub author: String,
    /// Which hook's file it stands in.
    #[serde(skip)]
    pub hook: usize,
    #[serde(skip)]
    pub kind: Kind,
    /// For each hook: what a reader found in this real turn.
    #[serde(skip)]
    pub found: [Option<Verdict>; hooks::ALL.len()],
    #[serde(skip)]
    pub windows: Windows,
    /// For each hook: it wakes no judge, whatever the sum.
    #[serde(skip)]
    pub settled: [bool; hooks::ALL.len()],
}

/// Where a text comes from.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    /// Written to show one thing.
    #[default]
    Written,
    /// Such a text set between ordinary accounts.
    Within,
    /// An invented report of work that is done.
    Narration,
    /// Written in a few words, a violation or an answer.
    Short,
    /// What an agent said in a real session.
    Turn,
}

/// What a reader found in a real turn.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// A violation.
    Block,
    /// It is for a judge to say.
    Unsure,
}

impl Row {
    pub fn is_violation(&self, hook: usize) -> bool {
        self.hook == hook && self.label == "block" || self.found[hook].is_some()
    }

    /// The same between ordinary accounts in its language: real turns are longer than what is written to show one thing.
    fn within(&self, accounts: &[Row], at: usize) -> Option<Self> {
        let alike: Vec<&Row> = accounts.iter().filter(|a| a.lang == self.lang).collect();
        let account = |step: usize| Some(alike.get(at * step % alike.len().max(1))?.text.as_str());
        let before = account(7919)?;
        let after = account(104_729).filter(|_| at.is_multiple_of(3));
        let text = [Some(before), Some(&self.text), after];
        let text: Vec<&str> = text.into_iter().flatten().collect();
        let row = Self {
            text: text.join("\n\n"),
            kind: Kind::Within,
            ..self.clone()
        };
        Some(row.read())
    }

    /// Looks at the text.
    fn read(mut self) -> Self {
        let reading = Reading::of(signal::end_of(&self.text));
        let settles = |hook: &Hook| {
            let finds = |signal: &Signal| signal.settles(&reading).is_some();
            hook.bypasses.iter().any(finds)
                || !hook.signals.iter().any(finds) && !signal::says_something(&reading)
        };
        self.settled = hooks::ALL.map(settles);
        self.windows = wording::features(&reading);
        self
    }

    /// Is it something to learn a hook from?
    pub fn concerns(&self, hook: usize) -> bool {
        self.hook == hook || self.phenomenon.starts_with("ordinary")
    }
}

/// A line of the file that tells what a reader found in real turns.
#[derive(Deserialize)]
struct Found {
    /// Which turn.
    id: String,
    hook: String,
    label: Verdict,
}

/// The labelled texts in `folder` and all below it, in the files that are named after a hook.
pub fn labelled(folder: &Path) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let folders = folders(folder)?;
    for (at, hook) in hooks::ALL.iter().enumerate() {
        let files = folders
            .iter()
            .map(|f| f.join(format!("{}.jsonl", hook.name)));
        for file in files.filter(|file| file.exists()) {
            let is_short = file.parent().is_some_and(|f| f.ends_with("short"));
            let kind = if is_short { Kind::Short } else { Kind::Written };
            rows.extend(texts(&file, at, kind)?);
        }
    }
    let accounts = texts(&folder.join("narration.jsonl"), NO_HOOK, Kind::Narration)?;
    let within = rows.iter().enumerate();
    let within: Vec<Row> = within
        .filter_map(|(at, row)| row.within(&accounts, at))
        .collect();
    rows.extend(accounts);
    rows.extend(within);
    rows.extend(texts(
        &folder.join("short/answers.jsonl"),
        NO_HOOK,
        Kind::Short,
    )?);
    Ok(rows)
}

/// `folder` and those below it, always in the same order.
fn folders(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = vec![folder.to_owned()];
    let mut entries = fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::path);
    for entry in entries {
        if entry.file_type()?.is_dir() {
            found.extend(folders(&entry.path())?);
        }
    }
    Ok(found)
}

/// The real turns of the file `turns`, with what a reader found in them by the file `findings`.
pub fn turns(turns: &Path, findings: &Path) -> Result<Vec<Row>> {
    let mut rows = texts(turns, NO_HOOK, Kind::Turn)?;
    let findings: Vec<Found> = lines(findings)?;
    for row in &mut rows {
        row.found = hooks::ALL.map(|hook| {
            let mut findings = findings.iter();
            let finding = findings.find(|f| f.id == row.id && f.hook == hook.name)?;
            Some(finding.label)
        });
    }
    Ok(rows)
}

fn texts(file: &Path, hook: usize, kind: Kind) -> Result<Vec<Row>> {
    let rows: Vec<Row> = lines(file)?;
    let rows = rows.into_iter().map(|row| Row { hook, kind, ..row }.read());
    Ok(rows.collect())
}

fn lines<T: DeserializeOwned>(file: &Path) -> Result<Vec<T>> {
    let text = fs::read_to_string(file)?;
    let lines: serde_json::Result<Vec<T>> = text.lines().map(serde_json::from_str).collect();
    Ok(lines?)
}
