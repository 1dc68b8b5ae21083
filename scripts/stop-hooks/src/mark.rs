//! `stop-hooks mark`: says of a decision that it was right or wrong.

use std::io::Write;

use common::log::Record;
use lexopt::Arg::{Long, Value};
use lexopt::ValueExt as _;

use crate::decisions::Window;
use crate::error::Error;
use crate::logged;
use crate::marks::{self, Mark};
use crate::places::Places;
use crate::terminal::clean_line;
use crate::typed;

/// `stop-hooks mark --help`.
pub const HELP: &str = "\
Says of a decision that it was right or wrong. Marks are kept beside the log; the last one counts.
`stop-hooks export-marked` makes test data of them, and `stop-hooks rejudge` tells whether a new prompt agrees.

Usage: stop-hooks mark ID|last right|wrong [OPTIONS]

ID is that of a logged decision (`stop-hooks stats --html` shows them); last is the newest that a judge read.

Options:
  --days N         how far back to look [default: 90]
  --log-dir DIR    where the log is [default: ~/.claude/logs]
";

/// Carries out `stop-hooks mark`.
///
/// # Errors
/// When there is no such decision, or the mark can't be written.
pub fn run(args: &mut lexopt::Parser, out: &mut dyn Write) -> Result<(), Error> {
    let (mut words, mut days, mut log_dir) = (Vec::new(), 90, None);
    while let Some(arg) = args.next()? {
        match arg {
            Value(word) => words.push(word.string()?),
            Long("days") => days = typed::days(&args.value()?.string()?)?,
            Long("log-dir") => log_dir = Some(args.value()?.into()),
            _ => return Err(arg.unexpected().into()),
        }
    }
    let (id, mark) = match words.as_slice() {
        [id, word] if word == "right" => (id, Mark::Right),
        [id, word] if word == "wrong" => (id, Mark::Wrong),
        _ => {
            let text = "which decision was what? stop-hooks mark ID right|wrong";
            return Err(Error::Usage(text.to_owned()));
        }
    };
    let log_dir = Places::log_dir(log_dir)?;
    let wanted = |record: &Record| {
        if id == "last" {
            record.text.is_some()
        } else {
            record.id == *id
        }
    };
    let Some(record) = logged::newest(&log_dir, Window::new(days, None), wanted)? else {
        let text = format!(
            "no decision {id} in the last {days} days of {}",
            log_dir.display()
        );
        return Err(Error::Usage(text));
    };
    marks::add(&log_dir, &record.id, mark)?;
    let reason = record
        .reason
        .as_deref()
        .map_or(String::new(), |r| format!(" ({r})"));
    let said = format!(
        "{}, {} of {}: {}{reason}: marked {}.",
        record.id,
        record.hook,
        record.time,
        record.decision,
        mark.name()
    );
    writeln!(out, "{}", clean_line(&said))?;
    if record.text.is_none() {
        writeln!(
            out,
            "No judge read it, so its text isn't logged and can't be exported."
        )?;
    }
    Ok(())
}
