//! `stop-hooks uninstall`: takes the entries out and removes the programs.
//!
//! A settings file that nobody else has changed since is given back byte for byte, from the copy that the installation
//! kept. In any other, our entries are cut out and the rest stays. Entries go before the programs they name: an entry
//! without its program is an error message at the end of every turn.

use std::io::Write;
use std::path::{Path, PathBuf};

use lexopt::Arg::Long;

use crate::error::Error;
use crate::executables;
use crate::install::RESTART;
use crate::places::Places;
use crate::registration::{self, Owner, Part};
use crate::settings::{Settings, json, splice};
use crate::terminal::{afterwards, clean_line};

/// `stop-hooks uninstall --help`.
pub const HELP: &str = "\
Takes the hooks out of the settings of Claude Code and Codex CLI, and removes the programs.
The decision log and rules of your own stay.

Usage: stop-hooks uninstall [OPTIONS]

Options:
  --dry-run           say what would be done, and do nothing
  --gate              only the gate before commands
  --subagents         only the entries for subagents
  --codex             only from Codex's hooks
  --claude-dir DIR    [default: CLAUDE_CONFIG_DIR, else where this tool is installed, else ~/.claude]
  --codex-dir DIR     [default: CODEX_HOME, else ~/.codex]
";

struct Options {
    dry_run: bool,
    parts: Vec<Part>,
    only_codex: bool,
    /// Nothing narrows it down: the programs go, too.
    everything: bool,
    places: Places,
}

/// Carries out `stop-hooks uninstall`.
///
/// # Errors
/// When an option makes no sense or a file has to be left alone; the others are cleaned all the same.
pub fn run(args: &mut lexopt::Parser, out: &mut dyn Write) -> Result<(), Error> {
    let options = parse(args)?;
    afterwards(out, |out| carry_out(&options, out))
}

fn parse(args: &mut lexopt::Parser) -> Result<Options, Error> {
    let (mut dry_run, mut only_codex, mut parts) = (false, false, Vec::new());
    let (mut claude_dir, mut codex_dir) = (None, None);
    while let Some(arg) = args.next()? {
        match arg {
            Long("dry-run") => dry_run = true,
            Long("gate") => parts.push(Part::Gate),
            Long("subagents") => parts.push(Part::Subagents),
            Long("codex") => only_codex = true,
            Long("claude-dir") => claude_dir = Some(PathBuf::from(args.value()?)),
            Long("codex-dir") => codex_dir = Some(PathBuf::from(args.value()?)),
            _ => return Err(arg.unexpected().into()),
        }
    }
    let everything = parts.is_empty() && !only_codex;
    if parts.is_empty() {
        parts.extend(Part::ALL);
    }
    Ok(Options {
        dry_run,
        parts,
        only_codex,
        everything,
        places: Places::new(claude_dir, codex_dir)?,
    })
}

fn carry_out(options: &Options, out: &mut dyn Write) -> Result<(), Error> {
    let places = &options.places;
    let owner = places.owner();
    let claude = (!options.only_codex).then(|| places.claude_settings());
    let would = if options.dry_run { "would be " } else { "" };
    let (mut touched, mut names_them) = (false, false);
    let (mut left, mut failed) = (Vec::new(), Vec::new());
    for path in claude.into_iter().chain([places.codex_hooks()]) {
        let cleaned = plan(&path, &owner, options).and_then(|plan| {
            if !options.dry_run {
                plan.carry_out()?;
            }
            Ok(plan)
        });
        match cleaned {
            Ok(plan) => {
                touched |= !plan.removed.is_empty();
                plan.report(places, would, out)?;
                left.extend(
                    plan.left
                        .iter()
                        .map(|left| format!("{}: {left}", places.shown(&path))),
                );
            }
            Err(e) => {
                names_them |= owner.may_be_named_in(&path);
                failed.push(e);
            }
        }
    }
    let programs = if options.everything {
        executables::present(&owner.executables)
    } else {
        Vec::new()
    };
    if names_them && options.everything {
        let words = "the programs stay, since a file that was left alone may name them: correct it and run this again";
        failed.push(Error::Usage(words.to_owned()));
    } else {
        for program in &programs {
            if !options.dry_run
                && let Err(e) = executables::remove(program)
            {
                failed.push(e.into());
                continue;
            }
            writeln!(out, "{would}removed: {}", places.shown(program))?;
        }
    }
    if options.everything && !options.dry_run {
        // Not empty means that it holds something of somebody else's, rules of one's own for instance.
        let _ = std::fs::remove_dir(&owner.executables);
    }
    for left in left {
        let what = "Note: still names a program of ours, in words that aren't ours; take it out";
        writeln!(out, "{what}: {}", clean_line(&left))?;
    }
    if !failed.is_empty() {
        return Err(Error::Several(failed));
    }
    if !touched && programs.is_empty() {
        writeln!(out, "Nothing to remove.")?;
    } else if !options.dry_run {
        writeln!(out, "{RESTART}")?;
    }
    Ok(())
}

/// What is to be done to one settings file.
struct Plan {
    settings: Settings,
    removed: Vec<String>,
    /// What stays and names a program of ours: its place and the words.
    left: Vec<String>,
    outcome: Outcome,
}

enum Outcome {
    /// It holds none of ours.
    Nothing,
    /// The bytes from before the installation.
    Restore(String),
    /// There was no file before the installation.
    Delete,
    /// The file as it is now, without ours.
    Cut(String),
    /// The same without some of ours.
    Part(String),
}

/// What is to be done to the file at `path`.
fn plan(path: &Path, owner: &Owner, options: &Options) -> Result<Plan, Error> {
    let settings = Settings::read(path)?;
    let covered = |event: &str| options.parts.iter().any(|part| part.covers(event));
    let unwanted = |event: &str, command: &str| covered(event) && owner.takes_out(command);
    let there = splice::registered(settings.text()).map_err(|e| settings.content_error(e))?;
    let removed: Vec<_> = there
        .iter()
        .filter(|r| unwanted(&r.event, &r.command))
        .map(|r| format!("{} {}", r.event, r.command))
        .collect();
    let text = splice::remove(settings.text(), unwanted).map_err(|e| settings.content_error(e))?;
    let left = if options.everything {
        named(&text, owner)
    } else {
        Vec::new()
    };
    let outcome = if removed.is_empty() {
        Outcome::Nothing
    } else {
        settings.check_writable()?;
        outcome(&settings, owner, text)?
    };
    Ok(Plan {
        settings,
        removed,
        left,
        outcome,
    })
}

/// Every place in `text` that names a program of ours.
fn named(text: &str, owner: &Owner) -> Vec<String> {
    let Ok(root) = json::parse(text) else {
        return Vec::new();
    };
    let texts = root.texts();
    let ours = texts.iter().filter(|(_, words)| owner.is_named_in(words));
    ours.map(|(place, words)| format!("{place}: {words}"))
        .collect()
}

/// What becomes of a file whose text without our entries is `text`.
fn outcome(settings: &Settings, owner: &Owner, text: String) -> Result<Outcome, Error> {
    if !registration::entries(&text, |command| owner.is_like_ours(command)).is_empty() {
        return Ok(Outcome::Part(text));
    }
    let essence = splice::essence(&text).map_err(|e| settings.content_error(e))?;
    Ok(match settings.backup()? {
        Some(before) if splice::essence(&before).is_ok_and(|before| before == essence) => {
            Outcome::Restore(before)
        }
        None if essence.is_empty() => Outcome::Delete,
        _ => Outcome::Cut(text),
    })
}

impl Plan {
    fn carry_out(&self) -> Result<(), Error> {
        match &self.outcome {
            Outcome::Restore(text) => {
                self.settings.write(text)?;
                self.settings.forget_backup()?;
            }
            Outcome::Delete => self.settings.delete()?,
            Outcome::Nothing => {}
            Outcome::Cut(text) | Outcome::Part(text) => self.settings.write(text)?,
        }
        Ok(())
    }

    fn report(&self, places: &Places, would: &str, out: &mut dyn Write) -> Result<(), Error> {
        let path = places.shown(self.settings.path());
        for entry in &self.removed {
            writeln!(out, "{would}taken out of {path}: {}", clean_line(entry))?;
        }
        match &self.outcome {
            Outcome::Restore(_) => {
                writeln!(out, "{path}: {would}as it was before, byte for byte")?;
            }
            Outcome::Delete => writeln!(out, "{path}: {would}removed, as nothing else is in it")?,
            Outcome::Cut(_) if self.settings.backup_path().exists() => writeln!(
                out,
                "{path}: changed by others since, so only our entries go; as it was before: {}",
                places.shown(&self.settings.backup_path())
            )?,
            Outcome::Cut(_) | Outcome::Part(_) | Outcome::Nothing => {}
        }
        Ok(())
    }
}
