//! Are the programs there, registered, once, and with enough time?

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::hook::NAMES;
use common::input::Host;

use super::{File, Finding};
use crate::places::Places;
use crate::registration::{Owner, Whose};
use crate::terminal::count_of;

/// Are the programs there, and are they this version's?
pub fn programs(owner: &Owner, places: &Places) -> Vec<Finding> {
    const AREA: &str = "programs";
    let mut sound = 0_usize;
    let mut findings = Vec::new();
    let directory = places.shown(&owner.executables);
    for name in NAMES {
        let path = owner.executable(name);
        match version(&path) {
            Some(version) if version == env!("CARGO_PKG_VERSION") => sound += 1,
            Some(version) => {
                let this = env!("CARGO_PKG_VERSION");
                let what = format!("in {directory} of version {version}, while this is {this}");
                findings.push(Finding::warning(AREA, what, "run install.sh again").of(name));
            }
            None if path.exists() => {
                let what = format!("in {directory}, but not able to run");
                findings.push(Finding::error(AREA, what, "run install.sh again").of(name));
            }
            None => {
                let what = format!("missing in {directory}");
                findings.push(Finding::error(AREA, what, "run install.sh").of(name));
            }
        }
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

fn version(program: &Path) -> Option<String> {
    let output = Command::new(program).arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.split_whitespace().last()?.to_owned())
}

/// Is every hook registered, and only once?
pub fn registered(
    user: Option<&File>,
    projects: &[File],
    owner: &Owner,
    places: &Places,
) -> Vec<Finding> {
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
    let files: Vec<_> = user.into_iter().chain(projects).collect();
    for file in &files {
        findings.extend(elsewhere(file, owner));
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

/// Commands that end in one of our names but aren't the installed programs.
fn elsewhere(file: &File, owner: &Owner) -> Vec<Finding> {
    let mut findings = Vec::new();
    for registered in &file.registered {
        if owner.whose(&registered.command) != Whose::Other {
            continue;
        }
        let words = crate::shell::words(&registered.command).unwrap_or_default();
        let program = words.first().map(PathBuf::from).unwrap_or_default();
        let name = program.file_name().unwrap_or_default();
        if NAMES.into_iter().any(|known| name == known) {
            findings.push(Finding::warning(
                "entries",
                format!(
                    "{}: {} is not an installed program of ours",
                    file.shown, registered.command
                ),
                "remove it, or it runs beside the installed one",
            ));
        }
    }
    findings
}

/// Does the host wait long enough? After its timeout a stop passes without a word, and a gated command runs.
pub fn timeouts(files: &[&File], owner: &Owner) -> Vec<Finding> {
    let (mut findings, mut ours) = (Vec::new(), 0);
    for file in files {
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
            let deadline = flags.deadline();
            if timeout <= deadline.as_secs_f64() {
                let what = format!(
                    "{}: cancelled after {timeout} s, while the judge has {} s",
                    file.shown,
                    deadline.as_secs_f64()
                );
                let todo = "run install.sh again: it sets a timeout above the deadline";
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
