//! Files of `{"text":…}` lines: labelled corpora, exported marks, texts of one's own.

use std::cell::Cell;
use std::fmt;
use std::io::BufRead;
use std::path::Path;
use std::rc::Rc;

use common::hook::NAMES;
use common::input::HookInput;
use common::{surrogates, transcript};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Value, json};

use super::turns::{Next, Turn};
use crate::error::Error;
use crate::terminal::count as number;

/// A line, of which only the text has to be there.
#[derive(Debug, Deserialize)]
struct Row {
    text: String,
    id: Option<Value>,
    label: Option<Value>,
    lang: Option<Value>,
    hook: Option<Value>,
}

impl Row {
    /// Half a character in it costs that character alone.
    fn parse(line: &[u8]) -> Option<Self> {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        serde_json::from_slice(line)
            .ok()
            .or_else(|| serde_json::from_slice(&surrogates::as_text(line)?).ok())
    }
}

fn text(value: Option<Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// What of files of rows could not be used.
#[derive(Debug, Default)]
pub struct LeftOut {
    lines: Places,
    labels: Places,
}

#[derive(Debug, Default)]
struct Places {
    count: u64,
    first: String,
}

impl Places {
    fn add(&mut self, source: &str, line: u64) {
        if self.count == 0 {
            self.first = format!("{source}:{line}");
        }
        self.count += 1;
    }
}

impl LeftOut {
    /// One sentence for each kind.
    pub fn sentences(&self) -> impl Iterator<Item = String> {
        let told = |places: &Places, one: &str, many: &str| {
            let Places { count, first } = places;
            match count {
                0 => None,
                1 => Some(format!("1 {one}: {first}")),
                _ => Some(format!("{} {many}, the first is {first}", number(*count))),
            }
        };
        let lines = told(
            &self.lines,
            "line without a text was left out",
            "lines without a text were left out",
        );
        let labels = told(
            &self.labels,
            "label is neither block nor allow and doesn't count",
            "labels are neither block nor allow and don't count",
        );
        lines.into_iter().chain(labels)
    }
}

/// Whether a file, of which `block` is the beginning, holds rows: the first line that tells has a text at its top level,
/// as no line of a session has. It may be torn, or longer than the block.
pub fn begins_as_rows(block: &[u8]) -> bool {
    let block = block.strip_prefix(b"\xef\xbb\xbf").unwrap_or(block);
    let told = block.split(|&b| b == b'\n').find_map(|line| {
        let keys = Keys::default();
        // Where it breaks off, it has told what it holds so far.
        let _ = keys.deserialize(&mut serde_json::Deserializer::from_slice(line));
        let has_text = keys.text.get();
        (has_text || keys.kind.get()).then_some(has_text)
    });
    told == Some(true)
}

/// Which keys an object has at its top level, as far as it can be read.
#[derive(Default)]
struct Keys {
    text: Cell<bool>,
    /// As every line of a session.
    kind: Cell<bool>,
}

impl<'de> DeserializeSeed<'de> for &Keys {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &Keys {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        while let Some(key) = object.next_key::<String>()? {
            match key.as_str() {
                "text" => self.text.set(true),
                "type" => self.kind.set(true),
                _ => {}
            }
            object.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

/// Hands every row to `take`; what is none is noted in `left_out`.
///
/// # Errors
/// When the file can't be read, or `take` fails.
pub fn each(
    mut from: impl BufRead,
    path: &Path,
    source: &Rc<str>,
    left_out: &mut LeftOut,
    take: &mut impl FnMut(Turn) -> Result<Next, Error>,
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
        let Some(row) = Row::parse(&bytes) else {
            if !bytes.trim_ascii().is_empty() {
                left_out.lines.add(source, line);
            }
            continue;
        };
        let labelled = row.label.is_some();
        let label = text(row.label).filter(|label| matches!(label.as_str(), "block" | "allow"));
        if labelled && label.is_none() {
            left_out.labels.add(source, line);
        }
        let next = take(Turn {
            source: Rc::clone(source),
            line,
            id: row.id.map(|id| match id {
                Value::String(id) => id,
                other => other.to_string(),
            }),
            seen: seen(&row.text),
            label,
            label_of: text(row.hook).or_else(|| named_after.map(str::to_owned)),
            lang: text(row.lang),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_as_rows() {
        let long = format!(r#"{{"id":7,"text":"{}"#, "x".repeat(1 << 18));
        for block in [
            r#"{"text":"Done."}"#,
            "\u{feff}\n \n{\"label\":\"allow\",\"text\":\"Done.\"}\n",
            r#"{"type":"note","text":"Done."}"#,
            "{\"id\":1}\n{\"text\":\"Done.\"}\n",
            "no row\n{\"id\":\n{\"text\":\"Done.\"}\n",
            "{\"text\":\"torn\n{\"type\":\"user\"}\n",
            r#"{"text":["Done."]}"#,
            r#"{"a":"\ud83d","text":"half \ud83d"}"#,
            &long,
        ] {
            assert!(begins_as_rows(block.as_bytes()), "{block:.80}");
        }
        for block in [
            "",
            "no row\n",
            r#"{"type":"user","message":{"text":"Done."}}"#,
            "{\"type\":\"summary\"}\n{\"text\":\"Done.\"}\n",
            r#"{"message":{"text":"Done."},"type":"user"}"#,
            r#"{"type":"event_msg","payl"#,
            r#"["text","Done."]"#,
        ] {
            assert!(!begins_as_rows(block.as_bytes()), "{block}");
        }
    }
}
