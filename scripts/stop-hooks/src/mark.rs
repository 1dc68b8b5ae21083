//! `stop-hooks mark`: says of a decision that it was right or wrong.

use std::io::Write;

use common::log::Record;
use lexopt::Arg::{Long, Value};
use lexopt::ValueExt as _;

use crate::decisions::Window;
use crate::error::Error;
use crate::logged;
use crate::marks::{self, Mark};
use crate::places::Told;
use crate::terminal::{clean_line, count_of};
use crate::typed;

/// `stop-hooks mark --help`.
pub const HELP: &str = "\
Says of a decision that it was right or wrong. Marks are kept beside the log; the last one counts.
`stop-hooks export-marked` makes test data of them, and `stop-hooks rejudge` tells whether a new prompt agrees.

Usage: stop-hooks mark ID|last right|wrong [OPTIONS]

ID is that of a logged decision: `stop-hooks explain --last` and `stop-hooks stats --html` show them. last is the newest
that a judge read; where the last stop was judged by several hooks, they are listed and --hook picks one.

Options:
  --hook NAME      last: the newest decision of this hook
  --days N         how far back to look [default: 90]
  --claude-dir DIR where the log is [default: CLAUDE_CONFIG_DIR, else where this tool is installed, else ~/.claude]
  --log-dir DIR    where the log is [default: where the installed hooks log]
";

/// Carries out `stop-hooks mark`.
///
/// # Errors
/// When there is no such decision, or the mark can't be written.
pub fn run(args: &mut lexopt::Parser, out: &mut dyn Write) -> Result<(), Error> {
    let (mut words, mut hook, mut days, mut places) = (Vec::new(), None, 90, Told::default());
    while let Some(arg) = args.next()? {
        match arg {
            Value(word) => words.push(word.string()?),
            Long("hook") => hook = Some(typed::hook(&args.value()?.string()?)?.name),
            Long("days") => days = typed::days(&args.value()?.string()?)?,
            Long("claude-dir") => places.claude_dir = Some(args.value()?.into()),
            Long("log-dir") => places.log_dir = Some(args.value()?.into()),
            _ => return Err(arg.unexpected().into()),
        }
    }
    let (id, mark) = match words.as_slice() {
        [id, word] if word == "right" => (id, Mark::Right),
        [id, word] if word == "wrong" => (id, Mark::Wrong),
        _ => {
            let text = "which decision was what? stop-hooks mark ID|last right|wrong";
            return Err(Error::Usage(text.to_owned()));
        }
    };
    let log_dir = places.logs()?;
    let wanted = |record: &Record| {
        let is_it = if id == "last" {
            record.text.is_some()
        } else {
            record.id == *id
        };
        is_it && hook.is_none_or(|hook| record.hook == hook)
    };
    let found = logged::newest_stop(&log_dir, Window::new(days, None), wanted)?;
    let record = match found.as_slice() {
        [record] => record,
        [] => {
            let of = hook.map_or(String::new(), |hook| format!(" of {hook}"));
            let what = if id == "last" {
                "no judged decision".to_owned()
            } else {
                format!("no decision {id}")
            };
            let text = format!(
                "{what}{of} in the last {} of {}",
                count_of(days, "day"),
                log_dir.display()
            );
            return Err(Error::Usage(text));
        }
        several => {
            let all: Vec<_> = several.iter().map(|r| format!("\n  {}", told(r))).collect();
            let text = format!(
                "{} judged the last stop; say which one with --hook NAME, or by its ID:{}",
                count_of(several.len(), "hook"),
                all.concat()
            );
            return Err(Error::Usage(text));
        }
    };
    marks::add(&log_dir, &record.id, mark)?;
    writeln!(out, "{}: marked {}.", told(record), mark.name())?;
    let why = if record.text.is_none() {
        "No judge read it, so its text isn't logged and can't be exported."
    } else if logged::is_gate(record) {
        "It is about a command and no text, so it can't be exported."
    } else {
        return Ok(());
    };
    Ok(writeln!(out, "{why}")?)
}

/// A decision on one line, with the beginning of why.
fn told(record: &Record) -> String {
    const WHY_MAX_CHARS: usize = 120;
    let why = record.reason.as_ref().or(record.text.as_ref());
    let why = why.map_or(String::new(), |why| {
        format!(" ({})", why.chars().take(WHY_MAX_CHARS).collect::<String>())
    });
    clean_line(&format!(
        "{}, {} of {}: {}{why}",
        record.id, record.hook, record.time, record.decision
    ))
}
