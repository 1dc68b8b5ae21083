//! `stop-hooks install`: copies the programs and registers the hooks.
//!
//! Everything is read and checked before anything is written, the programs come before the entries that name them, and
//! a second run finds nothing to do.

mod judge;

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use common::args::Command;
use common::judge::{Choice, choices};
use lexopt::Arg::Long;

use crate::error::Error;
use crate::executables;
use crate::places::Places;
use crate::registration::{self, Change, Flags, Owner, Part, Whose};
use crate::settings::Settings;
use crate::terminal::{afterwards, clean_line};

/// `stop-hooks install --help`.
pub const HELP: &str = "\
Puts the five stop hooks in place for Claude Code, and with --codex for Codex CLI too.
Run again, it changes what differs and nothing else; flags that you don't give stay as they are.

Usage: stop-hooks install [OPTIONS] [FLAGS OF THE HOOKS]

Options:
  --dry-run           say what would be done, and do nothing
  --codex             register the hooks in ~/.codex/hooks.json too; those that are there follow without
  --subagents         also when a subagent ends (SubagentStop)
  --gate              also before a command that commits, pushes or deploys (PreToolUse)
  --claude-dir DIR    made when missing [default: CLAUDE_CONFIG_DIR, else where this tool is installed, else ~/.claude]
  --codex-dir DIR     made when missing [default: CODEX_HOME, else ~/.codex]
  --from DIR          where the programs are [default: beside this one]

Flags of the hooks, passed on to their entries (see `commit-before-verify --help`):
  --judge LIST  --url URL  --api-key-env NAME  --mode MODE  --timeout-s N
  --sensitivity LEVEL  --log-dir DIR  --codex-user-config
";

struct Options {
    dry_run: bool,
    codex: bool,
    parts: Vec<Part>,
    flags: Flags,
    places: Places,
    from: PathBuf,
}

/// Carries out `stop-hooks install`.
///
/// # Errors
/// When an option makes no sense or a file has to be left alone.
pub fn run(args: &mut lexopt::Parser, out: &mut dyn Write) -> Result<(), Error> {
    let options = parse(args)?;
    afterwards(out, |out| carry_out(&options, out))
}

fn carry_out(options: &Options, out: &mut dyn Write) -> Result<(), Error> {
    let owner = options.places.owner();
    let places = &options.places;

    let copies = executables::outdated(&options.from, &owner.executables)?;
    let asked = |_: &str| options.parts.clone();
    let claude = plan(&places.claude_settings(), &owner, options, asked, "")?;
    let path = places.codex_hooks();
    let other = claude.settings.text();
    let (codex, left) = if options.codex {
        // Whatever is registered for the one client: two that guard differently are none to rely on.
        let same = |_: &str| registration::parts(&claude.text, &owner);
        (Some(plan(&path, &owner, options, same, other)?), None)
    } else {
        // Entries that are there already change with those of Claude Code, a mode is one for both; and what is added to
        // those is added to these.
        let following = |text: &str| match registration::parts(text, &owner) {
            there if there.contains(&Part::Stop) => added(&options.parts),
            _ => Vec::new(),
        };
        match plan(&path, &owner, options, following, other) {
            Ok(plan) => (Some(plan), None),
            Err(e) => (None, owner.may_be_named_in(&path).then_some(e)),
        }
    };
    let plans: Vec<_> = std::iter::once(claude).chain(codex).collect();

    let would = if options.dry_run { "would be " } else { "" };
    for copy in &copies {
        if !options.dry_run {
            copy.carry_out()?;
        }
        writeln!(out, "{would}copied: {}", places.shown(&copy.to))?;
    }
    for plan in &plans {
        if !options.dry_run {
            plan.carry_out(&owner)?;
        }
        plan.report(places, would, out)?;
    }
    for entry in plans.iter().flat_map(|plan| plan.kept(&owner, options)) {
        let what =
            "Note: left as it is, since the command line is your own; change its flags there";
        writeln!(out, "{what}: {}", clean_line(&entry))?;
    }
    if let Some(why) = left {
        writeln!(
            out,
            "Note: Codex's entries are as they were: {}",
            clean_line(&why.to_string())
        )?;
    }
    let unchanged = copies.is_empty() && plans.iter().all(|plan| plan.changes.is_empty());
    if unchanged {
        writeln!(out, "Nothing to change.")?;
    }
    if plans.iter().skip(1).any(|plan| !plan.changes.is_empty()) {
        writeln!(out, "{TRUST}")?;
    }
    if let Some(why) = places.elsewhere() {
        let todo = places.elsewhere_todo();
        writeln!(out, "{}", clean_line(&format!("Note: {why}; so {todo}.")))?;
    }
    judge::tell(plans.iter().map(|plan| plan.text.as_str()), &owner, out)?;
    if !unchanged && !options.dry_run {
        writeln!(out, "{RESTART}")?;
    }
    Ok(())
}

/// Said after a change: Claude Code reads its settings when it starts.
pub const RESTART: &str = "Now restart Claude Code.";

const TRUST: &str = "\
Codex runs a hook only after you have trusted it, and skips it without a word until then:
start `codex`, choose \"Review hooks\" when it asks (later: /hooks), and trust the new entries.";

/// Those of `parts` that are asked for by a flag of their own.
fn added(parts: &[Part]) -> Vec<Part> {
    let parts = parts.iter().copied();
    parts.filter(|part| *part != Part::Stop).collect()
}

/// What is to be done to one settings file.
struct Plan {
    settings: Settings,
    text: String,
    changes: Vec<Change>,
}

fn plan(
    path: &Path,
    owner: &Owner,
    options: &Options,
    parts: impl Fn(&str) -> Vec<Part>,
    other: &str,
) -> Result<Plan, Error> {
    let settings = Settings::read(path)?;
    let parts = parts(settings.text());
    let (text, changes) =
        registration::install(settings.text(), owner, &parts, &options.flags, other)
            .map_err(|e| settings.content_error(e))?;
    if !changes.is_empty() {
        settings.check_writable()?;
    }
    Ok(Plan {
        settings,
        text,
        changes,
    })
}

impl Plan {
    fn carry_out(&self, owner: &Owner) -> Result<(), Error> {
        if self.changes.is_empty() {
            return Ok(());
        }
        // Only a file without ours is what somebody may want back, and without those of another installation: they may
        // be gone by then.
        let like_ours = |command: &str| owner.is_like_ours(command);
        if registration::entries(self.settings.text(), like_ours).is_empty() {
            self.settings.back_up()?;
        }
        Ok(self.settings.write(&self.text)?)
    }

    /// Entries that the flags don't reach: somebody's own command line around a hook.
    fn kept(&self, owner: &Owner, options: &Options) -> Vec<String> {
        let wanted = options.flags.words().join(" ");
        let stays = |command: &str| {
            matches!(owner.whose(command), Whose::Wrapped { .. }) && !command.contains(&wanted)
        };
        let shown = options.places.shown(self.settings.path());
        registration::entries(&self.text, stays)
            .iter()
            .map(|entry| format!("{shown}: {} {}", entry.event, entry.command))
            .collect()
    }

    fn report(&self, places: &Places, would: &str, out: &mut dyn Write) -> Result<(), Error> {
        let path = places.shown(self.settings.path());
        for Change {
            event,
            before,
            after,
        } in &self.changes
        {
            match before {
                None => writeln!(out, "{would}added to {path}: {event} {}", clean_line(after))?,
                Some(_) => writeln!(
                    out,
                    "{would}changed in {path}: {event} {}",
                    clean_line(after)
                )?,
            }
        }
        if !self.changes.is_empty() && self.settings.backup_path().exists() {
            let backup = places.shown(&self.settings.backup_path());
            writeln!(out, "{path} as it was before: {backup}")?;
        }
        Ok(())
    }
}

fn parse(args: &mut lexopt::Parser) -> Result<Options, Error> {
    let (mut dry_run, mut codex, mut parts) = (false, false, vec![Part::Stop]);
    let (mut claude_dir, mut codex_dir, mut from) = (None, None, None);
    let mut flags = Flags::default();
    while let Some(arg) = args.next()? {
        match arg {
            Long("dry-run") => dry_run = true,
            Long("codex") => codex = true,
            Long("subagents") => parts.push(Part::Subagents),
            Long("gate") => parts.push(Part::Gate),
            Long("claude-dir") => claude_dir = Some(PathBuf::from(args.value()?)),
            Long("codex-dir") => codex_dir = Some(PathBuf::from(args.value()?)),
            Long("from") => from = Some(PathBuf::from(args.value()?)),
            _ => {
                let flag = registration::flag(arg)?;
                flags.read(flag, args)?;
            }
        }
    }
    check(&flags)?;
    Ok(Options {
        dry_run,
        codex,
        parts,
        flags,
        places: Places::new(claude_dir, codex_dir)?,
        from: match from {
            Some(from) => from,
            None => beside_this()?,
        },
    })
}

/// Refuses flags that a hook would refuse, in the hook's own words.
fn check(flags: &Flags) -> Result<(), Error> {
    let usage = |sentence: &dyn std::fmt::Display| Error::Usage(sentence.to_string());
    let words = flags.words().into_iter().map(OsString::from);
    if let Command::Run(args) = Command::parse(words).map_err(|e| usage(&e))?
        && let Some(list) = &args.judge
    {
        let choices = choices(list).map_err(|e| usage(&format_args!("--judge: {e}")))?;
        for choice in choices {
            if let Choice::Unknown(word) = choice {
                let known = "auto, codex[:MODEL], claude[:MODEL], openai:MODEL, anthropic:MODEL, command:PROGRAM, none";
                return Err(usage(&format_args!(
                    "--judge: there is no backend \"{word}\", only {known}"
                )));
            }
        }
    }
    Ok(())
}

fn beside_this() -> Result<PathBuf, Error> {
    let program = std::env::current_exe()?;
    Ok(program.parent().map(Path::to_owned).unwrap_or(program))
}
