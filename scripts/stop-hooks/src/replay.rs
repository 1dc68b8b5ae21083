//! `stop-hooks replay`: what the hooks would have done at the end of every turn of past sessions.
//!
//! A file of `{"text":…}` lines is a list of turns too: that is how layer 1 is measured against labelled texts. What a
//! hook sees of a turn and what layer 1 says of it comes from the hooks' own code; nothing here reads or matches texts.

mod rows;
mod tally;
mod turns;

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use common::Hook;
use common::signal::{self, Look, Sensitivity};
use lexopt::Arg::{Long, Value};
use lexopt::ValueExt as _;
use serde::Serialize;

use crate::decisions;
use crate::error::Error;
use tally::Tally;
use turns::Turn;

/// `stop-hooks replay --help`.
pub const HELP: &str = "\
Walks past sessions and tells, for every turn and hook, what the hook would have seen and what layer 1 says.
Nothing is sent anywhere.

Usage: stop-hooks replay [OPTIONS] PATH...

A PATH is a file or a directory. A file of JSON lines with a \"text\" (and perhaps \"id\", \"lang\" and a \"label\"
of block or allow) is a list of turns. Labels in a file named after a hook count for that hook alone.

Options:
  --hook NAME          only this hook; may be given again
  --sensitivity LEVEL  low, normal or high [default: normal]
  --format FORMAT      text: a summary; json: one line a turn and hook [default: text]
";

struct Options {
    paths: Vec<PathBuf>,
    hooks: Vec<&'static Hook>,
    sensitivity: Sensitivity,
    json: bool,
}

/// What layer 1 says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Nothing looks like a violation.
    NoHit,
    /// Something does, and something else settles it.
    Bypass,
    /// A judge would be asked.
    Hit,
}

/// One line of `--format json`.
#[derive(Debug, Serialize)]
struct Record<'a> {
    source: &'a str,
    line: u64,
    id: Option<&'a str>,
    hook: &'a str,
    turn_text: &'a str,
    turn_bytes: usize,
    blocked_stops: usize,
    outcome: Outcome,
    signal: Option<&'a str>,
    bypass: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lang: Option<&'a str>,
}

/// Carries out `stop-hooks replay`.
///
/// # Errors
/// When an option makes no sense or a path can't be read.
pub fn run(args: &mut lexopt::Parser, out: &mut dyn Write) -> Result<(), Error> {
    let options = parse(args)?;
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let mut tally = Tally::new(&options.hooks);
    for path in turns::files(&options.paths)? {
        turns::each(&path, |turn| {
            tally.turn();
            for (at, hook) in options.hooks.iter().enumerate() {
                let look = signal::look(hook, &turn.text, options.sensitivity);
                let (outcome, signal, bypass) = outcome(&look);
                if options.json {
                    print(&mut out, &turn, hook, outcome, signal, bypass)?;
                } else {
                    tally.add(at, &turn, outcome);
                }
            }
            Ok(())
        })?;
    }
    if !options.json {
        tally.print(&mut out)?;
    }
    Ok(out.flush()?)
}

fn outcome(look: &Look) -> (Outcome, Option<&str>, Option<&str>) {
    match look {
        Look::NoHit => (Outcome::NoHit, None, None),
        Look::Bypassed { signal, bypass } => (Outcome::Bypass, Some(signal.id), Some(bypass.id)),
        Look::Hit { signals } => (Outcome::Hit, signals.first().map(|s| s.id), None),
    }
}

fn print(
    out: &mut impl Write,
    turn: &Turn<'_>,
    hook: &Hook,
    outcome: Outcome,
    signal: Option<&str>,
    bypass: Option<&str>,
) -> Result<(), Error> {
    let record = Record {
        source: turn.source,
        line: turn.line,
        id: turn.id.as_deref(),
        hook: hook.name,
        turn_text: &turn.text,
        turn_bytes: turn.text.len(),
        blocked_stops: turn.blocked_stops,
        outcome,
        signal,
        bypass,
        label: turn.label_for(hook),
        lang: turn.lang.as_deref(),
    };
    serde_json::to_writer(&mut *out, &record).map_err(std::io::Error::from)?;
    Ok(out.write_all(b"\n")?)
}

fn parse(args: &mut lexopt::Parser) -> Result<Options, Error> {
    let mut options = Options {
        paths: Vec::new(),
        hooks: Vec::new(),
        sensitivity: Sensitivity::default(),
        json: false,
    };
    while let Some(arg) = args.next()? {
        match arg {
            Value(path) => options.paths.push(path.into()),
            Long("hook") => options.hooks.push(hook(&args.value()?.string()?)?),
            Long("sensitivity") => {
                options.sensitivity = match args.value()?.string()?.as_str() {
                    "low" => Sensitivity::Low,
                    "normal" => Sensitivity::Normal,
                    "high" => Sensitivity::High,
                    other => {
                        return Err(Error::Usage(format!(
                            "--sensitivity is one of low, normal, high, not \"{other}\""
                        )));
                    }
                }
            }
            Long("format") => options.json = decisions::is_json(&args.value()?.string()?)?,
            _ => return Err(arg.unexpected().into()),
        }
    }
    if options.paths.is_empty() {
        return Err(Error::Usage(
            "which files? Claude Code keeps its sessions in ~/.claude/projects, Codex in ~/.codex/sessions."
                .to_owned(),
        ));
    }
    if options.hooks.is_empty() {
        options.hooks.extend(hooks::ALL);
    }
    Ok(options)
}

/// The hook called `name`.
///
/// # Errors
/// When there is none.
pub fn hook(name: &str) -> Result<&'static Hook, Error> {
    hooks::ALL
        .into_iter()
        .find(|hook| hook.name == name)
        .ok_or_else(|| {
            let all = hooks::ALL.map(|hook| hook.name).join(", ");
            Error::Usage(format!("there is no hook \"{name}\", only {all}"))
        })
}
