//! `stop-hooks replay`: what the hooks would have done at the end of every turn of past sessions.
//!
//! A file of `{"text":…}` lines is a list of turns too: that is how layer 1 is measured against labelled texts. What a
//! hook sees of a turn, what layer 1 says of it and how a judge is asked comes from the hooks' own code.

mod asking;
mod days;
mod line;
mod rows;
mod sentence;
mod tally;
mod turns;

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use common::Hook;
use common::config::Config;
use common::evaluation::Judged;
use common::guard;
use common::run::look;
use common::signal::{self, Look};
use lexopt::Arg::{Long, Value};
use lexopt::ValueExt as _;

use crate::error::Error;
use crate::judging::Judgement;
use crate::places::Places;
use crate::progress::{Interruption, Progress, Unit};
use crate::registration::{self, Flags};
use crate::terminal::{Ink, afterwards, count, count_of, tell};
use crate::typed;
use asking::{Hit, Hits, ask};
use tally::Tally;
use turns::{Files, Next, Turn};

/// `stop-hooks replay --help`.
pub const HELP: &str = "\
Walks past sessions and tells, for every turn and hook, what the hook would have seen and done. Nothing is sent
anywhere unless --with-judge says so, and nothing is written. Ctrl-C ends it with what it has so far. What can't be read
is named and left out, and then the exit code is 1.

Usage: stop-hooks replay [OPTIONS] [FLAGS OF THE HOOKS] PATH...

A PATH is a file or a directory: Claude Code keeps its sessions in ~/.claude/projects, Codex in ~/.codex/sessions.
A file of JSON lines with a \"text\" (and perhaps \"id\", \"lang\", and a \"label\" of block or allow) is a list of
turns; labels in a file named after a hook count for that hook alone.

Options:
  --hook NAME          only this hook; may be given again [default: all five]
  --with-judge         ask the judge about hits, and say first how many calls that makes
  --limit N            ask it about the first N hits at most; without --with-judge: list the last N [default: 10]
  --format FORMAT      text: a summary; json: one line a turn and hook, those for the judge last [default: text]
  --sensitivity LEVEL  low, normal or high [default: normal]
  --claude-dir DIR     where your own rules are
                       [default: CLAUDE_CONFIG_DIR, else where this tool is installed, else ~/.claude]
";

/// Hits that are listed, or calls to the judge, unless told otherwise.
const LIMIT: usize = 10;

/// Blocks that are listed. A person reads them all before switching a hook on.
const BLOCKS_MAX: usize = 1000;

struct Options {
    paths: Vec<PathBuf>,
    hooks: Vec<&'static Hook>,
    with_judge: bool,
    limit: usize,
    json: bool,
    places: Option<Places>,
    config: Config,
}

/// Carries out `stop-hooks replay`.
///
/// # Errors
/// When an option makes no sense, and when all is told, if something could not be read.
pub fn run(args: &mut lexopt::Parser, out: &mut dyn Write) -> Result<(), Error> {
    let options = parse(args)?;
    let interruption = Interruption::watch()?;
    let files = Files::find(&options.paths);
    if files.len() == 0 && files.unread().is_empty() {
        let paths: Vec<_> = options
            .paths
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        let what = format!("no file in {} or below ends in .jsonl", paths.join(", "));
        return Err(Error::Usage(format!(
            "{what}. {}",
            sessions(options.places.as_ref())
        )));
    }
    let mut report = Report::new(&options, out);
    let hits = walk(&options, &files, &interruption, &mut report)?;
    if interruption.came() {
        let (turns, nth) = (count_of(report.tally.turns(), "turn"), count(files.nth()));
        let files = count(files.len());
        report.say(&format!(
            "Interrupted after {turns}, in file {nth} of {files}."
        ))?;
    } else if options.with_judge {
        ask(&options, hits, &interruption, &mut report)?;
    }
    files.unread().iter().for_each(tell);
    files.left_out().iter().for_each(tell);
    afterwards(&mut report.out, |out| {
        if !options.json {
            write!(out, "{}, ", count_of(files.opened(), "file"))?;
            report.tally.print(files.days(), Ink::for_stdout(), out)?;
        }
        match files.unread().len() {
            0 => Ok(()),
            unread => Err(Error::LeftOut(unread)),
        }
    })?;
    Ok(report.out.flush()?)
}

/// Where what is found goes: into the summary, or line by line to whoever reads JSON.
struct Report<'a> {
    json: bool,
    hooks: &'a [&'static Hook],
    tally: Tally,
    out: BufWriter<&'a mut dyn Write>,
}

impl<'a> Report<'a> {
    fn new(options: &'a Options, out: &'a mut dyn Write) -> Self {
        let list_max = if options.with_judge {
            BLOCKS_MAX
        } else {
            options.limit
        };
        Self {
            json: options.json,
            hooks: &options.hooks,
            tally: Tally::new(&options.hooks, list_max, options.with_judge),
            out: BufWriter::with_capacity(1 << 16, out),
        }
    }

    fn line(
        &mut self,
        at: usize,
        turn: &Turn,
        look: &Look,
        judgement: Option<&Judgement>,
    ) -> Result<(), Error> {
        match self.hooks.get(at) {
            Some(hook) if self.json => line::print(&mut self.out, turn, hook, look, judgement),
            _ => Ok(()),
        }
    }

    /// A sentence beside what was found. Among lines of JSON there is no place for it.
    fn say(&mut self, sentence: &str) -> Result<(), Error> {
        if self.json {
            tell(sentence);
            return Ok(());
        }
        writeln!(self.out, "{sentence}")?;
        Ok(self.out.flush()?)
    }
}

/// Looks at every turn. What a judge is to be asked about comes back, and so its number is known before it costs a thing.
fn walk(
    options: &Options,
    files: &Files,
    interruption: &Interruption,
    report: &mut Report<'_>,
) -> Result<Hits, Error> {
    let of_hook = |hook: &&'static Hook| (*hook, options.config.rules(hook.name));
    let hooks: Vec<_> = options.hooks.iter().map(of_hook).collect();
    let mut progress = Progress::new(Unit::Bytes, files.bytes);
    let mut hits = Hits::default();
    let walked = files.each(|turn| {
        if interruption.came() {
            return Ok(Next::Stop);
        }
        progress.at(files.read(), || report.tally.so_far());
        report.tally.turn();
        let turn = Rc::new(turn);
        let read = signal::read(turn.seen.text());
        for (at, (hook, rules)) in hooks.iter().enumerate() {
            let look = look(hook, rules, &turn.seen, &read, options.config.sensitivity);
            report.tally.look(at, &turn, &look);
            let asks = options.with_judge
                && matches!(look, Look::Hit { .. })
                && !guard::budget_spent(&turn.seen, false);
            hits.all += usize::from(asks);
            if asks && hits.first.len() < options.limit {
                let (instructions, turn) = (rules.instruct(hook.prompt), Rc::clone(&turn));
                hits.first.push(Hit {
                    at,
                    look,
                    prompt: Judged::of(&turn.seen, &instructions, hook.fields).prompt,
                    turn,
                });
            } else {
                report.line(at, &turn, &look, None)?;
            }
        }
        Ok(Next::Go)
    });
    progress.wipe();
    walked.map(|()| hits)
}

/// Where the clients keep their sessions, for somebody who named another place.
fn sessions(places: Option<&Places>) -> String {
    let Some(places) = places else {
        return "Name a file or directory of sessions.".to_owned();
    };
    let told = |directory: PathBuf| {
        let there = if is_missing(&directory) {
            "not there"
        } else {
            "there"
        };
        format!("{} ({there})", places.shown(&directory))
    };
    format!(
        "Claude Code keeps its sessions in {}, Codex in {}.",
        told(places.claude.join("projects")),
        told(places.codex.join("sessions"))
    )
}

/// Whether nothing is at `path`. What is there and can't be read is told when it is read.
fn is_missing(path: &Path) -> bool {
    matches!(path.try_exists(), Ok(false))
}

fn parse(args: &mut lexopt::Parser) -> Result<Options, Error> {
    let (mut paths, mut chosen, mut flags) = (Vec::new(), Vec::new(), Flags::default());
    let (mut with_judge, mut limit, mut json, mut claude_dir) = (false, LIMIT, false, None);
    while let Some(arg) = args.next()? {
        match arg {
            Value(path) => paths.push(PathBuf::from(path)),
            Long("hook") => chosen.push(typed::hook(&args.value()?.string()?)?),
            Long("with-judge") => with_judge = true,
            Long("limit") => limit = typed::number("--limit", &args.value()?.string()?)?,
            Long("claude-dir") => claude_dir = Some(PathBuf::from(args.value()?)),
            Long("format") => json = typed::is_json(&args.value()?.string()?)?,
            _ => {
                let flag = registration::flag(arg)?;
                flags.read(flag, args)?;
            }
        }
    }
    let places = Places::new(claude_dir.clone(), None).ok();
    if paths.is_empty() {
        return Err(Error::Usage(format!(
            "which files? {}",
            sessions(places.as_ref())
        )));
    }
    if let Some(missing) = paths.iter().find(|path| is_missing(path)) {
        let text = format!(
            "there is no {}. {}",
            missing.display(),
            sessions(places.as_ref())
        );
        return Err(Error::Usage(text));
    }
    if chosen.is_empty() {
        chosen.extend(hooks::ALL);
    }
    Ok(Options {
        paths,
        hooks: chosen,
        with_judge,
        limit,
        json,
        places,
        config: typed::config(&flags, claude_dir.as_deref())?,
    })
}
