//! Can the user's own rules be used?

use common::hook::NAMES;
use common::rules::Rules;

use super::Finding;
use crate::places::Places;
use crate::registration::Owner;

const AREA: &str = "own rules";

/// Reads the rule files beside the programs.
pub fn check(owner: &Owner, places: &Places) -> Vec<Finding> {
    let mut findings = Vec::new();
    for hook in NAMES {
        let file = Rules::file(&owner.executables, hook);
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
    findings
}
