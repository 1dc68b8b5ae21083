//! `stop-hooks stats`: what the hooks did, from the decision log.

mod axis;
mod html;
mod tally;
mod text;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::PathBuf;

use common::log::Record;
use lexopt::Arg::Long;
use lexopt::ValueExt as _;

use crate::decisions::{self, Window};
use crate::error::Error;
use crate::file;
use crate::places::Told;
use crate::terminal::{Ink, columns, escaped, tell};
use crate::typed;
use tally::Tally;

/// `stop-hooks stats --help`.
pub const HELP: &str = "\
Tells what the hooks did: decisions by hook and day, how often a judge was asked and how long it took, what failed,
which signals lead to blocks and which are noise.

Usage: stop-hooks stats [OPTIONS]

Options:
  --days N          how many days [default: 7]
  --until DAY       the last of them, as 2026-01-31 [default: the newest]
  --format FORMAT   text or json [default: text]
  --html FILE       write a page with charts and the texts that were judged; nothing in it is loaded from elsewhere;
                    - is stdout
  --claude-dir DIR  where the log is [default: CLAUDE_CONFIG_DIR, else where this tool is installed, else ~/.claude]
  --log-dir DIR     where the log is [default: where the installed hooks log]
";

/// Texts on the page at most, the newest.
const TEXTS_MAX: usize = 300;

struct Options {
    window: Window,
    json: bool,
    html: Option<PathBuf>,
    log_dir: PathBuf,
}

/// Carries out `stop-hooks stats`.
///
/// # Errors
/// When an option makes no sense, or the log can't be read or the page not written.
pub fn run(args: &mut lexopt::Parser, out: &mut dyn Write) -> Result<(), Error> {
    let options = parse(args)?;
    let files = options.window.files(&options.log_dir)?;
    let mut tally = Tally::default();
    let mut texts = VecDeque::new();
    let unread = decisions::each_line(&files, |line| {
        tally.add(line);
        if options.html.is_some()
            && let Ok(record) = serde_json::from_slice::<Record>(line)
            && record.text.is_some()
        {
            if texts.len() == TEXTS_MAX {
                texts.pop_front();
            }
            texts.push_back(record);
        }
    });
    unread.iter().for_each(tell);
    let stats = tally.finish(
        options.window.first.to_string(),
        options.window.last(&files).to_string(),
    );
    if let Some(path) = &options.html {
        let page = html::page(&stats, texts.iter().rev());
        file::put(path, &page, out)?;
        if !file::is_stdout(path) {
            writeln!(out, "Written to {}.", path.display())?;
        }
    } else if options.json {
        let json = serde_json::to_string_pretty(&stats).map_err(io::Error::from)?;
        writeln!(out, "{}", escaped(json))?;
    } else {
        text::print(&stats, Ink::for_stdout(), columns(&io::stdout()), out)?;
        if stats.total.decisions == 0 {
            let log_dir = options.log_dir.display();
            writeln!(
                out,
                "Looked in {log_dir}; `stop-hooks doctor` tells whether the hooks fire."
            )?;
        }
    }
    Ok(())
}

fn parse(args: &mut lexopt::Parser) -> Result<Options, Error> {
    let (mut days, mut until, mut json, mut html) = (7, None, false, None);
    let mut told = Told::default();
    while let Some(arg) = args.next()? {
        match arg {
            Long("days") => days = typed::days(&args.value()?.string()?)?,
            Long("until") => until = Some(typed::day(&args.value()?.string()?)?),
            Long("format") => json = typed::is_json(&args.value()?.string()?)?,
            Long("html") => html = Some(PathBuf::from(args.value()?)),
            Long("claude-dir") => told.claude_dir = Some(args.value()?.into()),
            Long("log-dir") => told.log_dir = Some(args.value()?.into()),
            _ => return Err(arg.unexpected().into()),
        }
    }
    if json && html.is_some() {
        let text = "--format json or --html FILE, not both".to_owned();
        return Err(Error::Usage(text));
    }
    Ok(Options {
        window: Window::new(days, until),
        json,
        html,
        log_dir: told.logs()?,
    })
}
