//! A prompt taken apart: its frame, which is ours, and its regions, which hold what others wrote.

use std::collections::BTreeMap;

/// A prompt in two parts. Put together again they are every byte of it.
#[derive(Debug, PartialEq, Eq)]
pub struct Parts {
    /// All lines outside of the regions, with the marker lines.
    pub frame: String,
    /// What stands between the marker lines, by the region's name.
    pub regions: BTreeMap<String, String>,
}

impl Parts {
    /// Takes a prompt apart at the lines that are exactly `--- NAME-begin ---` and `--- NAME-end ---`.
    ///
    /// # Errors
    /// When a region is opened twice, inside another, or not closed: the text has got out.
    pub fn of(prompt: &str) -> Result<Self, String> {
        let mut parts = Self {
            frame: String::new(),
            regions: BTreeMap::new(),
        };
        let mut open: Option<(&str, String)> = None;
        for line in prompt.split_inclusive('\n') {
            match (marker(line), &mut open) {
                (Some((name, true)), None) => {
                    if parts.regions.contains_key(name) {
                        return Err(format!("the region {name} is opened twice"));
                    }
                    parts.frame.push_str(line);
                    open = Some((name, String::new()));
                }
                (Some((name, false)), Some((opened, content))) if name == *opened => {
                    parts.frame.push_str(line);
                    let content = content.strip_suffix('\n').unwrap_or(content);
                    parts.regions.insert(name.to_owned(), content.to_owned());
                    open = None;
                }
                (Some(_), _) => return Err(format!("a marker out of place: {line:?}")),
                (None, Some((_, content))) => content.push_str(line),
                (None, None) => parts.frame.push_str(line),
            }
        }
        match open {
            Some((name, _)) => Err(format!("the region {name} is not closed")),
            None => Ok(parts),
        }
    }
}

/// The region that a line opens (true) or closes (false).
fn marker(line: &str) -> Option<(&str, bool)> {
    let name = line
        .trim_end_matches('\n')
        .strip_prefix("--- ")?
        .strip_suffix(" ---")?;
    let begin = name.strip_suffix("-begin").map(|name| (name, true));
    begin.or_else(|| name.strip_suffix("-end").map(|name| (name, false)))
}
