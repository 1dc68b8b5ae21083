//! `stop-hooks export-marked`: makes labelled texts of marked decisions.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use lexopt::Arg::{Long, Value};
use lexopt::ValueExt as _;
use serde_json::json;

use crate::decisions::Window;
use crate::error::Error;
use crate::file;
use crate::logged;
use crate::marks;
use crate::places::Told;
use crate::terminal::count_of;
use crate::typed;

/// `stop-hooks export-marked --help`.
pub const HELP: &str = "\
Writes the texts of marked decisions as labelled JSON lines, one a decision: id, hook, text, label, phenomenon, fields.
Secrets were taken out when they were logged. `stop-hooks replay FILE` tells what layer 1 makes of them.

Usage: stop-hooks export-marked FILE|DIR/ [OPTIONS]

A directory gets a file for each hook, named after it, as in tests/corpus. scripts/eval.sh counts those below
tests/corpus/wide with the others: stop-hooks export-marked tests/corpus/wide/marked/

Options:
  --days N         how far back to look [default: 90]
  --claude-dir DIR where the log is [default: CLAUDE_CONFIG_DIR, else ~/.claude]
  --log-dir DIR    where the log is [default: where the installed hooks log]
";

/// Carries out `stop-hooks export-marked`.
///
/// # Errors
/// When the log can't be read or the file not written.
pub fn run(args: &mut lexopt::Parser, out: &mut dyn Write) -> Result<(), Error> {
    let (mut to, mut days, mut told) = (None, 90, Told::default());
    while let Some(arg) = args.next()? {
        match arg {
            Value(path) if to.is_none() => to = Some(PathBuf::from(path)),
            Long("days") => days = typed::days(&args.value()?.string()?)?,
            Long("claude-dir") => told.claude_dir = Some(args.value()?.into()),
            Long("log-dir") => told.log_dir = Some(args.value()?.into()),
            _ => return Err(arg.unexpected().into()),
        }
    }
    let to = to.ok_or_else(|| Error::Usage("to which file or directory?".to_owned()))?;
    let log_dir = told.logs()?;
    let marks = marks::read(&log_dir)?;
    if marks.is_empty() {
        let text = "nothing is marked yet: stop-hooks mark ID|last right|wrong";
        return Err(Error::Usage(text.to_owned()));
    }
    let marked = |id: &str| marks.get(id).copied();
    let records = logged::records(&log_dir, Window::new(days, None), |record| {
        record.text.is_some() && marks.contains_key(&record.id)
    })?;
    let is_directory = to.is_dir() || to.as_os_str().as_encoded_bytes().ends_with(b"/");
    let mut files = BTreeMap::<PathBuf, String>::new();
    if !is_directory {
        files.insert(to.clone(), String::new());
    }
    for record in &records {
        let Some(mark) = marked(&record.id) else {
            continue;
        };
        let row = json!({
            "id": record.id,
            "hook": record.hook,
            "text": record.text,
            "label": mark.label(logged::blocked(record)),
            "phenomenon": format!("marked {}", mark.name()),
            "fields": record.fields,
        });
        let file = if is_directory {
            to.join(format!("{}.jsonl", typed::hook(&record.hook)?.name))
        } else {
            to.clone()
        };
        let rows = files.entry(file).or_default();
        *rows += &row.to_string();
        rows.push('\n');
    }
    for (file, rows) in &files {
        // They hold what was said in sessions.
        let mode = Permissions::from_mode(0o600);
        file::replace(file, rows.as_bytes(), Some(&mode)).map_err(|e| Error::file(file, e))?;
    }
    writeln!(
        out,
        "{} written to {}.",
        count_of(records.len(), "text"),
        to.display()
    )?;
    let without = marks.len().saturating_sub(records.len());
    if without > 0 {
        writeln!(
            out,
            "No logged text in the last {} for {}.",
            count_of(days, "day"),
            count_of(without, "more mark")
        )?;
    }
    Ok(())
}
