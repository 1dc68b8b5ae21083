//! Can decisions be logged, and when did each hook last fire?

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use common::hook::NAMES;
use common::input::Host;
use common::log::{self, Record};
use time::OffsetDateTime;

use super::Finding;
use crate::decisions::{self, Window};
use crate::places::Places;
use crate::registration::{Owner, Whose};
use crate::settings::splice::Registered;

/// How far back it is looked for the last time that a hook fired.
const DAYS: u32 = 30;

/// Checks the log directories of the registered hooks.
pub fn check<'a>(
    registered: impl Iterator<Item = (Host, &'a Registered)>,
    owner: &Owner,
    places: &Places,
) -> Vec<Finding> {
    let mut directories = BTreeSet::new();
    let mut hooks = BTreeMap::<_, Vec<Host>>::new();
    for (host, registered) in registered {
        if let Whose::Ours { hook, flags } = owner.whose(&registered.command) {
            let hosts = hooks.entry(hook).or_default();
            if !hosts.contains(&host) {
                hosts.push(host);
            }
            directories.insert(
                flags
                    .get("log-dir")
                    .map_or_else(|| places.logs(), PathBuf::from),
            );
        }
    }
    let mut findings = Vec::new();
    let mut fired = BTreeMap::new();
    for directory in &directories {
        findings.push(writable(directory, places));
        last_fired(directory, &mut fired);
    }
    for hook in NAMES {
        let hosts = hooks.get(hook).map(Vec::as_slice).unwrap_or_default();
        findings.extend(fired_findings(hook, hosts, &fired));
    }
    findings
}

fn writable(directory: &Path, places: &Places) -> Finding {
    const AREA: &str = "log";
    let shown = places.shown(directory);
    let nothing = |why: &str, todo: &str| {
        Finding::error(
            AREA,
            format!("nothing is logged: {shown} {why}"),
            todo.to_owned(),
        )
    };
    let Ok(found) = fs::symlink_metadata(directory) else {
        // It is made with the first decision, if its parent lets it.
        let parent = directory.ancestors().skip(1).find(|parent| parent.exists());
        let made = parent.is_some_and(is_writable);
        return if made {
            Finding::ok(AREA, format!("{shown} is made with the first decision"))
        } else {
            nothing("can't be made", "make the directory above it writable")
        };
    };
    let owner = places
        .home()
        .and_then(|home| fs::metadata(home).ok())
        .map(|home| home.uid());
    if found.is_symlink() {
        nothing(
            "is a symlink",
            "make it a directory, or name another one with --log-dir",
        )
    } else if !found.is_dir() {
        nothing("is no directory", "move the file away")
    } else if owner.is_some_and(|owner| owner != found.uid()) {
        nothing(
            "belongs to somebody else",
            "change its owner, or name another one with --log-dir",
        )
    } else if !is_writable(directory) {
        nothing("can't be written to", "make it writable")
    } else if let Some(why) = today(directory, owner) {
        nothing(&why, "move that file away")
    } else {
        Finding::ok(AREA, format!("{shown} can be written to"))
    }
}

/// Why nothing is written to the file of today that is there already.
fn today(directory: &Path, owner: Option<u32>) -> Option<String> {
    let now = OffsetDateTime::now_local().unwrap_or_else(|_| OffsetDateTime::now_utc());
    let file = log::file(directory, now.date());
    let found = fs::symlink_metadata(&file).ok()?;
    let why = if found.is_symlink() {
        "which is a symlink"
    } else if !found.is_file() {
        "which is no regular file"
    } else if owner.is_some_and(|owner| owner != found.uid()) {
        "which belongs to somebody else"
    } else if fs::OpenOptions::new().append(true).open(&file).is_err() {
        "which can't be written to"
    } else {
        return None;
    };
    let name = file.file_name().unwrap_or_default().display();
    Some(format!("has {name}, {why}"))
}

/// Tried, since mode bits don't tell about read-only file systems.
fn is_writable(directory: &Path) -> bool {
    let probe = directory.join(format!(".stop-hooks-doctor.{}", std::process::id()));
    let made = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&probe)
        .is_ok();
    made && fs::remove_file(probe).is_ok()
}

/// When each hook last fired for each host.
fn last_fired(directory: &Path, fired: &mut BTreeMap<(String, String), String>) {
    let files = Window::new(DAYS, None).files(directory).unwrap_or_default();
    let _ = decisions::each_line(&files, |line| {
        if let Ok(record) = serde_json::from_slice::<Record>(line)
            && let Some(host) = record.host
        {
            fired.insert((record.hook, host), record.time);
        }
    });
}

fn fired_findings(
    hook: &str,
    hosts: &[Host],
    fired: &BTreeMap<(String, String), String>,
) -> Vec<Finding> {
    const AREA: &str = "fired";
    let (mut times, mut findings) = (Vec::new(), Vec::new());
    for host in hosts {
        let name = host.name();
        if let Some(time) = fired.get(&(hook.to_owned(), name.to_owned())) {
            times.push(format!("{name} {}", time.get(..16).unwrap_or(time)));
            continue;
        }
        let todo = match host {
            Host::ClaudeCode => {
                "restart Claude Code (it reads its settings when it starts) and let it end a turn"
            }
            Host::Codex => "trust it in Codex (/hooks), and let Codex end a turn",
        };
        let what = format!("not fired for {name} in {DAYS} days");
        findings.push(Finding::warning(AREA, what, todo).of(hook));
    }
    if !times.is_empty() {
        let what = format!("{hook} last fired: {}", times.join(", "));
        findings.insert(0, Finding::ok(AREA, what));
    }
    findings
}
