//! Files of `{"text":…}` lines: labelled corpora, exported marks, texts of one's own.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::turns::Turn;
use crate::error::Error;

/// What counts of a text, as for a hook.
const TEXT_MAX_BYTES: usize = 4000;

#[derive(Debug, Deserialize)]
struct Row {
    text: String,
    id: Option<Value>,
    label: Option<String>,
    lang: Option<String>,
    hook: Option<String>,
}

/// Hands every row of the file at `path` to `take`; lines that are none are passed over.
///
/// # Errors
/// When the file can't be read, or `take` fails.
pub fn each(path: &Path, mut take: impl FnMut(Turn<'_>) -> Result<(), Error>) -> Result<(), Error> {
    let source = path.display().to_string();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let named_after = hooks::ALL
        .iter()
        .map(|hook| hook.name)
        .find(|name| stem == *name);
    let file = File::open(path).map_err(|e| Error::file(path, e))?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let (mut bytes, mut line) = (Vec::new(), 0);
    loop {
        bytes.clear();
        if reader
            .read_until(b'\n', &mut bytes)
            .map_err(|e| Error::file(path, e))?
            == 0
        {
            return Ok(());
        }
        line += 1;
        let Ok(row) = serde_json::from_slice::<Row>(&bytes) else {
            continue;
        };
        take(Turn {
            source: &source,
            line,
            id: row.id.map(|id| match id {
                Value::String(id) => id,
                other => other.to_string(),
            }),
            text: last_bytes(row.text, TEXT_MAX_BYTES),
            blocked_stops: 0,
            label: row.label,
            label_of: row.hook.or_else(|| named_after.map(str::to_owned)),
            lang: row.lang,
        })?;
    }
}

fn last_bytes(mut text: String, max: usize) -> String {
    let mut from = text.len().saturating_sub(max);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text.drain(..from);
    text
}
