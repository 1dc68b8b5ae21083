//! Can the user's own rules be used?

use std::fs;
use std::path::Path;

use common::hook::NAMES;
use common::rules::Rules;

use super::Finding;
use crate::places::Places;
use crate::registration::Owner;
use crate::settings;

const AREA: &str = "own rules";

/// Reads the rule files beside the programs.
pub fn check(owner: &Owner, places: &Places) -> Vec<Finding> {
    let mut findings = Vec::new();
    for hook in NAMES {
        let file = Rules::file(&owner.executables, hook);
        if file.is_symlink() && !file.exists() {
            let what = format!("{} is a link to nothing", places.shown(&file));
            findings.push(Finding::error(
                AREA,
                what,
                "nothing is added; mend or remove it",
            ));
        }
        if !file.exists() {
            continue;
        }
        let rules = Rules::read(&file);
        let faults = rules.faults.iter().map(|fault| {
            let todo = "it is left out; correct it";
            Finding::error(AREA, fault.line().as_str(), todo)
        });
        findings.extend(faults);
        if rules.faults.is_empty() {
            findings.push(Finding::ok(
                AREA,
                format!("{} adds to {hook}", places.shown(&file)),
            ));
        }
    }
    findings.extend(for_no_hook(owner, places));
    findings
}

/// Rule files under a name that no hook has. Other people's files may stand there, too.
fn for_no_hook(owner: &Owner, places: &Places) -> Vec<Finding> {
    let files = fs::read_dir(&owner.executables).into_iter().flatten();
    let mut files: Vec<_> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    files.sort();
    files.retain(|file| {
        let is_json = file
            .extension()
            .is_some_and(|extension| extension == "json");
        let stem = file.file_stem().unwrap_or_default();
        is_json && NAMES.iter().all(|hook| stem != *hook) && holds_rules(file)
    });
    let all = NAMES.join(", ");
    files
        .iter()
        .map(|file| {
            let what = format!("{} holds rules for no hook", places.shown(file));
            Finding::warning(AREA, what, format!("name it after one: {all}"))
        })
        .collect()
}

fn holds_rules(file: &Path) -> bool {
    let bytes = settings::read_file(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let keys = ["\"signals\"", "\"bypasses\"", "\"guidance\""];
    keys.iter().any(|key| text.contains(key))
}
