//! Are the programs there, registered, once, and with enough time?

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use std::time::Duration;

use common::args;
use common::command;
use common::config::TIMEOUT_S;
use common::hook::NAMES;
use common::input::Host;

use super::version::{self, Said};
use super::{File, Finding};
use crate::places::Places;
use crate::registration::{Owner, Whose};
use crate::settings::json;
use crate::terminal::count_of;

/// Are the programs there, and are they this version's?
pub fn programs(owner: &Owner, places: &Places) -> Vec<Finding> {
    const AREA: &str = "programs";
    let mut sound = 0_usize;
    let mut findings = Vec::new();
    let directory = places.shown(&owner.executables);
    // At the same time: one that doesn't end is waited for.
    let said = thread::scope(|scope| {
        let asked = NAMES.map(|name| {
            let path = owner.executable(name);
            scope.spawn(move || path.exists().then(|| version::ask(&path, name)))
        });
        asked.map(|asked| asked.join().ok().flatten())
    });
    for (name, said) in NAMES.into_iter().zip(said) {
        let (level, what, todo): (fn(_, _, _) -> _, _, _) = match said {
            Some(Said::Version(version)) if version == env!("CARGO_PKG_VERSION") => {
                sound += 1;
                continue;
            }
            Some(Said::Version(version)) => {
                let this = env!("CARGO_PKG_VERSION");
                let what = format!("in {directory} of version {version}, while this is {this}");
                (Finding::warning, what, "run install.sh again")
            }
            Some(Said::Foreign) => {
                let what = format!("in {directory}, but another program under the name");
                (Finding::error, what, "move it away and run install.sh")
            }
            Some(Said::Silent) => {
                let what = format!("in {directory}, but it doesn't end when asked for its version");
                (Finding::error, what, "run install.sh again")
            }
            Some(Said::Broken) => {
                let what = format!("in {directory}, but not able to run");
                (Finding::error, what, "run install.sh again")
            }
            None => (
                Finding::error,
                format!("missing in {directory}"),
                "run install.sh",
            ),
        };
        findings.push(level(AREA, what, todo).of(name));
    }
    if sound > 0 {
        let what = format!(
            "{} of version {} in {directory}",
            count_of(sound, "hook"),
            env!("CARGO_PKG_VERSION")
        );
        findings.insert(0, Finding::ok(AREA, what));
    }
    findings
}

/// Is every hook registered, and only once?
pub fn registered(user: Option<&File>, owner: &Owner, places: &Places) -> Vec<Finding> {
    const AREA: &str = "entries";
    let mut findings = Vec::new();
    let users = user.map(|file| stops(file, owner)).unwrap_or_default();
    let missing: Vec<_> = NAMES
        .into_iter()
        .filter(|name| !users.contains_key(name))
        .collect();
    let shown = places.shown(&places.claude_settings());
    match missing.as_slice() {
        [] => findings.push(Finding::ok(
            AREA,
            format!("all five hooks are registered in {shown}"),
        )),
        all if all.len() == NAMES.len() => {
            findings.push(Finding::error(
                AREA,
                format!("no hook is registered in {shown}"),
                "run install.sh",
            ));
        }
        some => findings.push(Finding::warning(
            AREA,
            format!("not registered in {shown}: {}", some.join(", ")),
            "run install.sh if they shall run",
        )),
    }
    findings
}

/// Does a hook run more than once a stop, because files of a user and a project both register it?
///
/// Claude Code runs the same command once, however often it is registered; commands that differ by a byte run both.
/// Of Codex that isn't known.
pub fn doubles(host: Host, files: &[&File], owner: &Owner) -> Vec<Finding> {
    const AREA: &str = "entries";
    const TODO: &str = "remove one of the two";
    let mut findings = Vec::new();
    for (nth, file) in files.iter().enumerate() {
        let (here, shown) = (stops(file, owner), &file.shown);
        for (name, commands) in &here {
            if commands.len() > 1 {
                let what =
                    format!("twice in {shown}, with different commands, so run twice a stop");
                findings.push(Finding::warning(AREA, what, TODO).of(*name));
            }
        }
        for other in files.iter().skip(nth + 1) {
            for (name, commands) in stops(other, owner) {
                let Some(known) = here.get(name) else {
                    continue;
                };
                let both = format!("in {shown} and in {}", other.shown);
                let same = commands.iter().all(|command| known.contains(command));
                findings.push(match host {
                    Host::Codex => Finding::warning(AREA, both, TODO).of(name),
                    Host::ClaudeCode if same => {
                        Finding::ok(AREA, format!("{both} alike, so run once a stop")).of(name)
                    }
                    Host::ClaudeCode => {
                        let what = format!("{both}, differently, so run twice a stop");
                        Finding::warning(AREA, what, TODO).of(name)
                    }
                });
            }
        }
    }
    findings
}

/// The commands of our hooks under `Stop`, each once.
fn stops<'a>(file: &'a File, owner: &Owner) -> BTreeMap<&'static str, Vec<&'a str>> {
    let mut found = BTreeMap::<_, Vec<&str>>::new();
    for registered in file.registered.iter().filter(|r| r.event == "Stop") {
        if let Whose::Ours { hook, .. } | Whose::Wrapped { hook, .. } =
            owner.whose(&registered.command)
        {
            let commands = found.entry(hook).or_default();
            if !commands.contains(&registered.command.as_str()) {
                commands.push(&registered.command);
            }
        }
    }
    found
}

/// Commands that run a program with one of our names that isn't the installed one: that of another installation, say.
pub fn elsewhere(file: &File, owner: &Owner) -> Vec<Finding> {
    let mut findings = Vec::new();
    for registered in &file.registered {
        if owner.whose(&registered.command) != Whose::Other {
            continue;
        }
        let runs = command::runs(&registered.command);
        let mut programs = runs
            .iter()
            .filter_map(|run| Path::new(run.first()?).file_name());
        if programs.any(|program| NAMES.iter().any(|name| program == *name)) {
            let what = format!("{}: not an installed program of ours", file.shown);
            let todo = "remove it, or it runs beside the installed one";
            findings.push(Finding::warning("entries", what, todo).of(&registered.command));
        }
    }
    findings
}

/// Somebody's own command line around a hook, where something else has the last word: the exit code that blocks is lost.
pub fn muffled(file: &File, owner: &Owner) -> Vec<Finding> {
    let mut findings = Vec::new();
    for registered in &file.registered {
        let Whose::Wrapped { hook, last, .. } = owner.whose(&registered.command) else {
            continue;
        };
        if !last {
            let what = format!(
                "{}: \"{}\" ends with another command, so what {hook} says with its exit code may be lost",
                file.shown, registered.command
            );
            let todo = "put the hook last, or see that the line ends with its exit code";
            findings.push(Finding::warning("entries", what, todo));
        }
    }
    findings
}

/// Does the host wait long enough? After its timeout a stop passes without a word, and a gated command runs. `given`
/// is the deadline that a variable sets for the files beside it.
pub fn timeouts(files: &[(&File, Option<Duration>)], owner: &Owner) -> Vec<Finding> {
    let (mut findings, mut ours) = (Vec::new(), 0);
    for (file, given) in files {
        for registered in &file.registered {
            let Whose::Ours { hook, flags } = owner.whose(&registered.command) else {
                continue;
            };
            ours += 1;
            // Without a timeout a host waits for ten minutes.
            let Some(timeout) = registered
                .timeout
                .as_deref()
                .and_then(|t| t.parse::<f64>().ok())
            else {
                continue;
            };
            let given = given.filter(|_| flags.get("timeout-s").is_none());
            let deadline = given.unwrap_or_else(|| flags.deadline());
            if timeout <= deadline.as_secs_f64() {
                let seconds = deadline.as_secs_f64();
                let (by, todo) = match given {
                    Some(_) => (
                        format!(" by {TIMEOUT_S}"),
                        format!("unset {TIMEOUT_S}, and run install.sh --timeout-s {seconds}"),
                    ),
                    None => (
                        String::new(),
                        "run install.sh again: it sets a timeout above the deadline".to_owned(),
                    ),
                };
                let what = format!(
                    "{}: cancelled after {timeout} s, while the judge has {seconds} s{by}",
                    file.shown
                );
                let entry = format!("{} of {hook}", registered.event);
                findings.push(Finding::error("timeout", what, todo).of(entry));
            }
        }
    }
    if findings.is_empty() && ours > 0 {
        findings.push(Finding::ok(
            "timeout",
            "every entry waits longer than its judge",
        ));
    }
    findings
}

/// The deadline that a variable of `file`'s own sets.
pub fn deadline_of(file: &File) -> Option<Duration> {
    let root = json::parse(file.settings.text()).ok()?;
    let word = root.get("env")?.get(TIMEOUT_S)?;
    args::timeout(word.text()?).ok()
}
