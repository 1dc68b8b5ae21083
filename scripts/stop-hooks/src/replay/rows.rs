//! Files of `{"text":…}` lines: labelled corpora, exported marks, texts of one's own.

use std::io::BufRead;
use std::path::Path;

use common::hook::NAMES;
use common::input::HookInput;
use common::transcript;
use serde::Deserialize;
use serde_json::{Value, json};

use super::turns::{Next, Turn};
use crate::error::Error;

#[derive(Debug, Deserialize)]
struct Row {
    text: String,
    id: Option<Value>,
    label: Option<String>,
    lang: Option<String>,
    hook: Option<String>,
}

/// Whether the first line of a file, of which `block` is the beginning, is a row. No line of a session has a text at
/// its top level.
pub fn begins_as_rows(block: &[u8]) -> bool {
    let block = block.strip_prefix(b"\xef\xbb\xbf").unwrap_or(block);
    let first = block
        .split(|&b| b == b'\n')
        .find(|line| !line.trim_ascii().is_empty());
    first.is_some_and(|line| serde_json::from_slice::<Row>(line).is_ok())
}

/// Hands every row to `take`; lines that are none are passed over.
///
/// # Errors
/// When the file can't be read, or `take` fails.
pub fn each(
    mut from: impl BufRead,
    path: &Path,
    source: &str,
    take: &mut impl FnMut(Turn<'_>) -> Result<Next, Error>,
) -> Result<Next, Error> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let named_after = NAMES.into_iter().find(|name| stem == *name);
    let (mut bytes, mut line) = (Vec::new(), 0);
    loop {
        bytes.clear();
        let read = from.read_until(b'\n', &mut bytes);
        if read.map_err(|e| Error::file(path, e))? == 0 {
            return Ok(Next::Go);
        }
        line += 1;
        let row = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        let Ok(row) = serde_json::from_slice::<Row>(row) else {
            continue;
        };
        let next = take(Turn {
            source,
            line,
            id: row.id.map(|id| match id {
                Value::String(id) => id,
                other => other.to_string(),
            }),
            seen: seen(&row.text),
            label: row.label,
            label_of: row.hook.or_else(|| named_after.map(str::to_owned)),
            lang: row.lang,
        })?;
        if next == Next::Stop {
            return Ok(next);
        }
    }
}

/// What a hook makes of a turn of which only the text is known.
fn seen(text: &str) -> transcript::Turn {
    let input = json!({ "hook_event_name": "Stop", "last_assistant_message": text }).to_string();
    HookInput::parse(input.as_bytes())
        .ok()
        .and_then(|input| transcript::read(&input, &NAMES))
        .unwrap_or_default()
}
