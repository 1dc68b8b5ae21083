//! What was learned, held against authors who were left out of the learning, and against real turns.

use std::collections::BTreeMap;

use crate::corpus::{Read, Row};
use crate::learn::Learned;

/// How many of a hundred real turns may wake a hook: low, normal, high. A little below what is promised.
const WAKE_PERCENT: [f64; 3] = [1.9, 4.6, 10.9];

/// From which sums on the wanted shares of `turns` are hits of `hook`.
pub fn thresholds(hook: usize, learned: &Learned, turns: &[Row]) -> [i32; 3] {
    let open = turns.iter().filter(|turn| !turn.settled[hook]);
    let mut sums: Vec<i32> = open.map(|turn| learned.sum(turn)).collect();
    sums.sort_unstable_by(|a, b| b.cmp(a));
    WAKE_PERCENT.map(|percent| sums[(turns.len() as f64 * percent / 100.0) as usize] + 1)
}

/// A text and whether it is a hit of a hook, at each sensitivity.
#[derive(Clone, Copy)]
pub struct Finding<'a> {
    hook: usize,
    row: &'a Row,
    hit: [bool; 3],
}

/// What `learned` finds in `rows`.
pub fn found<'a>(
    hook: usize,
    learned: &Learned,
    turns: &[Row],
    rows: impl Iterator<Item = &'a Row>,
) -> Vec<Finding<'a>> {
    let thresholds = thresholds(hook, learned, turns);
    let finding = |row| Finding {
        hook,
        row,
        hit: thresholds.map(|t| !row.settled[hook] && learned.sum(row) >= t),
    };
    rows.map(finding).collect()
}

/// The violations of each author, by what was learned from all the others.
pub fn left_out<'a>(hook: usize, rows: &'a [Row], turns: &[Row]) -> Vec<Finding<'a>> {
    let violations = rows.iter().filter(|row| row.is_violation(hook));
    let mut authors: Vec<&str> = violations.map(|row| row.author.as_str()).collect();
    authors.sort_unstable();
    authors.dedup();
    let of_author = |author: &&str| {
        let (own, others): (Vec<&Row>, Vec<&Row>) = rows
            .iter()
            .filter(|row| row.concerns(hook))
            .partition(|row| row.author == *author);
        let learned = Learned::of(others.into_iter(), hook);
        let violations = own
            .into_iter()
            .filter(|row| row.is_violation(hook) && !row.is_within);
        found(hook, &learned, turns, violations)
    };
    authors.iter().flat_map(of_author).collect()
}

/// Prints what share of `findings`, violations of authors left out, is found.
pub fn recall(findings: &[Finding]) {
    println!("violations of authors left out, found % at low, normal, high:");
    let hooks = grouped(findings, |f| hooks::ALL[f.hook].name);
    for (name, of) in &hooks {
        line(name, share(of), of.len());
    }
    line("mean of the hooks", mean_of_hooks(findings), findings.len());
    let language = grouped(findings, |f| f.row.lang.as_str());
    let author = grouped(findings, |f| f.row.author.as_str());
    for (name, of) in language.into_iter().chain(author) {
        let of: Vec<Finding> = of.into_iter().copied().collect();
        line(&format!("  {name}"), mean_of_hooks(&of), of.len());
    }
}

/// Prints which share of real turns wakes a judge, and how many of the violations that a reader found in them do.
///
/// `findings` has each turn once for each hook.
pub fn turns(findings: &[Finding], labels: &[Read]) {
    println!("real turns that wake a judge, % at low, normal, high:");
    for (name, of) in grouped(findings, |f| hooks::ALL[f.hook].name) {
        line(name, share(&of), of.len());
    }
    let turns = grouped(findings, |f| f.row.id.as_str());
    let any = [0, 1, 2].map(|at| {
        let woken = turns.values().filter(|of| of.iter().any(|f| f.hit[at]));
        percent(woken.count(), turns.len())
    });
    line("any of the five", any, turns.len());
    println!("violations in real turns, found % at low, normal, high:");
    for label in ["block", "unsure"] {
        let is_labelled = |f: &&Finding| {
            let hook = hooks::ALL[f.hook].name;
            labels
                .iter()
                .any(|l| l.id == f.row.id && l.hook == hook && l.label == label)
        };
        let of: Vec<&Finding> = findings.iter().filter(is_labelled).collect();
        line(label, share(&of), of.len());
    }
}

fn grouped<'a>(
    findings: &'a [Finding<'a>],
    key: impl Fn(&'a Finding<'a>) -> &'a str,
) -> BTreeMap<&'a str, Vec<&'a Finding<'a>>> {
    let mut groups: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        groups.entry(key(finding)).or_default().push(finding);
    }
    groups
}

fn mean_of_hooks(findings: &[Finding]) -> [f64; 3] {
    let hooks = grouped(findings, |f| hooks::ALL[f.hook].name);
    [0, 1, 2].map(|at| hooks.values().map(|of| share(of)[at]).sum::<f64>() / hooks.len() as f64)
}

fn share(of: &[&Finding]) -> [f64; 3] {
    [0, 1, 2].map(|at| percent(of.iter().filter(|f| f.hit[at]).count(), of.len()))
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn line(name: &str, share: [f64; 3], of: usize) {
    let [low, normal, high] = share;
    println!("  {name:28} {low:5.1} {normal:5.1} {high:5.1}  of {of}");
}
