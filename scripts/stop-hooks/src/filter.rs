//! `stop-hooks redact`: takes the secrets out of JSON lines, as the hooks do before anything leaves them.

use std::io::{self, BufRead as _, Write};

use common::redact::redact;
use serde_json::Value;

use crate::error::Error;
use crate::terminal::escaped;

/// `stop-hooks redact --help`.
pub const HELP: &str = "\
Reads JSON lines with a \"text\" on stdin and writes them with the secrets taken out of it, as the hooks do before
a text goes to a judge or a log. Other keys stay. The exit code is 1 when a line is no such object.

Usage: stop-hooks redact < LINES
";

/// Carries out `stop-hooks redact`.
///
/// # Errors
/// On a line that is no JSON object with a text.
pub fn run(args: &mut lexopt::Parser, out: &mut dyn Write) -> Result<(), Error> {
    if let Some(arg) = args.next()? {
        return Err(arg.unexpected().into());
    }
    let mut out = io::BufWriter::new(out);
    for (nth, line) in io::stdin().lock().lines().enumerate() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let mut row: Value = serde_json::from_str(&line).unwrap_or_default();
        let Some(Value::String(text)) = row.get_mut("text") else {
            let text = format!("line {} is no JSON object with a text", nth + 1);
            return Err(Error::file("stdin".as_ref(), io::Error::other(text)));
        };
        redact(text).as_str().clone_into(text);
        writeln!(out, "{}", escaped(row.to_string()))?;
    }
    Ok(out.flush()?)
}
