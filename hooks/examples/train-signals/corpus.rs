//! The texts to learn from, and those to measure on.

use std::fs;
use std::path::Path;

use common::signal::reading::Reading;
use common::signal::wording::{self, Windows};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Result;

/// In no hook's file.
pub const NO_HOOK: usize = usize::MAX;

/// A labelled text.
#[derive(Deserialize)]
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
    pub windows: Windows,
}

impl Row {
    pub fn is_violation(&self, hook: usize) -> bool {
        self.hook == hook && self.label == "block"
    }

    /// Is it something to learn a hook from?
    pub fn concerns(&self, hook: usize) -> bool {
        self.hook == hook || self.phenomenon.starts_with("ordinary")
    }
}

/// What a reader found in a real turn.
#[derive(Deserialize)]
pub struct Read {
    /// Which turn.
    pub id: String,
    pub hook: String,
    /// `block`, or `unsure` where it is for a judge to say.
    pub label: String,
}

/// The labelled texts under `folder`.
pub fn labelled(folder: &Path) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (at, hook) in hooks::ALL.iter().enumerate() {
        for folder in [folder.to_owned(), folder.join("wide")] {
            rows.extend(texts(&folder.join(format!("{}.jsonl", hook.name)), at)?);
        }
    }
    rows.extend(texts(&folder.join("narration.jsonl"), NO_HOOK)?);
    Ok(rows)
}

/// The texts of `file`, read.
pub fn texts(file: &Path, hook: usize) -> Result<Vec<Row>> {
    let mut rows: Vec<Row> = lines(file)?;
    for row in &mut rows {
        row.hook = hook;
        row.windows = wording::features(&Reading::of(common::signal::end_of(&row.text)));
    }
    Ok(rows)
}

/// The JSON lines of `file`.
pub fn lines<T: DeserializeOwned>(file: &Path) -> Result<Vec<T>> {
    let text = fs::read_to_string(file)?;
    let lines: serde_json::Result<Vec<T>> = text.lines().map(serde_json::from_str).collect();
    Ok(lines?)
}
