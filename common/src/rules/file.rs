//! What a rule file holds, and what in it is none of the kind.
//!
//! It is read key by key: one that isn't known, or whose value is of another kind, costs only itself.

use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use serde::Deserializer as _;
use serde::de::{Error as _, MapAccess, Visitor};
use serde_json::Value;

use super::Fault;

/// A larger file is no rule file.
const FILE_MAX_BYTES: u64 = 64 << 10;

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// One with more keys isn't either.
const KEYS_MAX: usize = 20;

/// The keys and values of a rule file.
#[derive(Debug, Default)]
pub struct File {
    /// Patterns, each with its place: `signals[2]`.
    pub signals: Vec<(String, String)>,
    /// The same.
    pub bypasses: Vec<(String, String)>,
    /// Words for the judge.
    pub guidance: Option<String>,
}

/// Reads `path`; what can't be used goes to `faults`. One that isn't there holds nothing.
pub fn read(path: &Path, faults: &mut Vec<Fault>) -> File {
    let text = match bytes(path) {
        Ok(Some(text)) => text,
        Ok(None) => return File::default(),
        Err(source) => {
            let file = path.to_owned();
            faults.push(Fault::Unreadable { file, source });
            return File::default();
        }
    };
    let malformed = |source| Fault::Malformed {
        file: path.to_owned(),
        source,
    };
    let mut file = File::default();
    let entries = match entries(&text, None) {
        Ok(entries) => entries,
        Err(error) => {
            faults.push(malformed(error));
            return file;
        }
    };
    for (nth, (key, value)) in entries.iter().enumerate() {
        let twice = entries.iter().take(nth).any(|(before, _)| before == key);
        let wrong = match (key.as_str(), value) {
            _ if twice => "stands there a second time",
            ("signals", Value::Array(items)) => {
                file.signals = patterns(path, key, items, faults);
                continue;
            }
            ("bypasses", Value::Array(items)) => {
                file.bypasses = patterns(path, key, items, faults);
                continue;
            }
            ("guidance", Value::String(words)) => {
                file.guidance = Some(words.clone());
                continue;
            }
            ("signals" | "bypasses", _) => "is no list of texts",
            ("guidance", Value::Null) => continue,
            ("guidance", _) => "is no text",
            _ => "is no key of a rule file: those are signals, bypasses and guidance",
        };
        // Read once more up to there: the parser knows the line and column.
        faults.extend(entries_until(&text, nth, wrong).map(malformed));
    }
    file
}

fn bytes(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::metadata(path) {
        // Opening a pipe would wait for its writer.
        Ok(found) if !found.is_file() => return Err(io::Error::other("it is no regular file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        _ => {}
    }
    let mut text = Vec::new();
    fs::File::open(path)?
        .take(FILE_MAX_BYTES + 1)
        .read_to_end(&mut text)?;
    if text.len() as u64 > FILE_MAX_BYTES {
        return Err(io::Error::other("it is larger than 64 kB"));
    }
    // Some editors put one there.
    if text.starts_with(BYTE_ORDER_MARK) {
        text.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(Some(text))
}

fn patterns(
    path: &Path,
    list: &str,
    items: &[Value],
    faults: &mut Vec<Fault>,
) -> Vec<(String, String)> {
    let mut patterns = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let place = format!("{list}[{index}]");
        match item {
            Value::String(pattern) => patterns.push((place, pattern.clone())),
            _ => faults.push(Fault::NoText {
                file: path.to_owned(),
                place,
            }),
        }
    }
    patterns
}

/// All entries of the object that `text` is, in their order.
fn entries(text: &[u8], stop: Option<(usize, &str)>) -> serde_json::Result<Vec<(String, Value)>> {
    let mut parser = serde_json::Deserializer::from_slice(text);
    let entries = parser.deserialize_map(Entries { stop })?;
    parser.end()?;
    Ok(entries)
}

/// The error `wrong` at the key number `nth`.
fn entries_until(text: &[u8], nth: usize, wrong: &str) -> Option<serde_json::Error> {
    entries(text, Some((nth, wrong))).err()
}

/// Reads entries, or up to the key of one that is wrong.
struct Entries<'a> {
    stop: Option<(usize, &'a str)>,
}

impl<'de> Visitor<'de> for Entries<'_> {
    type Value = Vec<(String, Value)>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            match self.stop {
                Some((nth, wrong)) if nth == entries.len() => {
                    return Err(A::Error::custom(format_args!("\"{key}\" {wrong}")));
                }
                _ if entries.len() == KEYS_MAX => {
                    return Err(A::Error::custom("too many keys for a rule file"));
                }
                _ => entries.push((key, map.next_value()?)),
            }
        }
        Ok(entries)
    }
}
