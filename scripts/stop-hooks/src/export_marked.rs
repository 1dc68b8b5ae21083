//! `stop-hooks export-marked`: makes labelled texts of marked decisions.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use common::log::Record;
use lexopt::Arg::{Long, Value};
use lexopt::ValueExt as _;
use serde_json::json;

use crate::decisions::Window;
use crate::error::Error;
use crate::file;
use crate::logged;
use crate::marks;
use crate::places::Told;
use crate::terminal::{count_of, escaped, tell};
use crate::typed;

/// `stop-hooks export-marked --help`.
pub const HELP: &str = "\
Writes the texts of marked decisions as labelled JSON lines, one a decision: id, hook, text, label, phenomenon, and
the judge's fields where its verdict is the label. Secrets were taken out when they were logged. `stop-hooks replay FILE`
tells what layer 1 makes of them. Decisions of a gate are left out: they are about a command, and a row is a text.

Usage: stop-hooks export-marked FILE|DIR/ [OPTIONS]

FILE may be - for stdout. A directory gets a file for each hook, named after it, as in tests/corpus. scripts/eval.sh
counts those below tests/corpus/wide with the others: stop-hooks export-marked tests/corpus/wide/marked/

Options:
  --days N         how far back to look [default: 90]
  --claude-dir DIR where the log is [default: CLAUDE_CONFIG_DIR, else where this tool is installed, else ~/.claude]
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
    let is_marked = |record: &Record| marks.contains_key(&record.id);
    let records = logged::records(&log_dir, Window::new(days, None), is_marked)?;
    let is_directory = to.is_dir() || to.as_os_str().as_encoded_bytes().ends_with(b"/");
    let mut files = BTreeMap::<PathBuf, String>::new();
    if !is_directory {
        files.insert(to.clone(), String::new());
    }
    let (mut written, mut gates, mut foreign) = (0, 0, 0);
    for record in &records {
        let (Some(mark), Some(text)) = (marks.get(&record.id), &record.text) else {
            continue;
        };
        if logged::is_gate(record) {
            gates += 1;
            continue;
        }
        let (Ok(hook), Some(blocked)) = (typed::hook(&record.hook), logged::blocked(record)) else {
            foreign += 1;
            continue;
        };
        let label = mark.label(blocked);
        // Fields that led to another verdict are no truth about the text.
        let agrees = match record.verdict.as_deref() {
            Some("violation") => label == "block",
            Some("allow") => label == "allow",
            _ => false,
        };
        let row = json!({
            "id": record.id,
            "hook": hook.name,
            "text": text,
            "label": label,
            "phenomenon": format!("marked {}", mark.name()),
            "fields": record.fields.as_ref().filter(|_| agrees),
        });
        let file = if is_directory {
            to.join(format!("{}.jsonl", hook.name))
        } else {
            to.clone()
        };
        let rows = files.entry(file).or_default();
        *rows += &escaped(row.to_string());
        rows.push('\n');
        written += 1;
    }
    for (file, rows) in &files {
        file::put(file, rows, out)?;
    }
    let mut told = vec![format!(
        "{} written to {}.",
        count_of(written, "text"),
        to.display()
    )];
    let without = marks.len().saturating_sub(written + gates + foreign);
    for (number, what) in [
        (gates, "Left out, being about a command and no text"),
        (foreign, "Left out, being of no hook of this version"),
        (without, "No logged text"),
    ] {
        if number > 0 {
            let days = count_of(days, "day");
            told.push(format!(
                "{what}: {} of the last {days}.",
                count_of(number, "mark")
            ));
        }
    }
    for sentence in told {
        if file::is_stdout(&to) {
            tell(sentence);
        } else {
            writeln!(out, "{sentence}")?;
        }
    }
    Ok(())
}
