//! Who will judge, as the entries have it: without a judge no stop is ever blocked, and a gate only asks or denies.

use std::collections::BTreeSet;
use std::io::Write;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use common::config::Mode;

use crate::error::Error;
use crate::registration::{self, Flags, Owner, Whose};
use crate::terminal::clean_line;
use crate::typed;

const NONE: &str = "No judge found: neither codex nor claude is on PATH, so no stop will be blocked until one is, \
                    or until you choose another with --judge.";

/// Tells of the judges in the entries of ours in `texts`; of none for an entry that is switched off.
///
/// # Errors
/// When nobody reads it.
pub fn tell<'a>(
    texts: impl Iterator<Item = &'a str>,
    owner: &Owner,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let ours = |command: &str| matches!(owner.whose(command), Whose::Ours { .. });
    let judges: BTreeSet<_> = texts
        .flat_map(|text| registration::entries(text, ours))
        .filter_map(|registered| match owner.whose(&registered.command) {
            Whose::Ours { flags, .. } if flags.get("mode") != Some(Mode::Off.name()) => {
                Some(flags.get("judge").unwrap_or("auto").to_owned())
            }
            _ => None,
        })
        .collect();
    for judge in &judges {
        if judge != "auto" {
            writeln!(out, "Judge: {}, as you chose.", clean_line(judge))?;
            continue;
        }
        let Ok(config) = typed::config(&Flags::default(), None) else {
            continue;
        };
        let mut found = vec!["codex", "claude"];
        found.retain(|name| is_in(&config.judge.search_path, name));
        if found.is_empty() {
            writeln!(out, "{NONE}")?;
        } else {
            writeln!(out, "Judge found: {}.", found.join(", then "))?;
        }
    }
    Ok(())
}

fn is_in(search_path: &[PathBuf], program: &str) -> bool {
    search_path.iter().any(|directory| {
        let found = directory.join(program).metadata();
        found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    })
}
