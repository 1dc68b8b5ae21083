//! What was learned, held against authors who were left out of the learning, and against real turns.

use std::collections::BTreeMap;

use crate::corpus::{Kind, Row, Verdict};
use crate::learn::Learned;

/// How many of a hundred real turns may wake a hook: low, normal, high. A little below what is promised.
const WAKE_PERCENT: [f64; 3] = [1.4, 4.0, 10.0];

/// Points of the frontier: percent of real turns that wake a hook.
const FRONTIER: [f64; 9] = [1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 12.0, 15.0];

/// In so many parts real turns are learned from.
const PARTS: usize = 4;

/// A text and its sum, in margins; as low as can be where a bypass settles it.
#[derive(Clone, Copy)]
pub struct Weighed<'a> {
    row: &'a Row,
    sum: f32,
}

impl<'a> Weighed<'a> {
    fn of(hook: usize, learned: &Learned, row: &'a Row) -> Self {
        let sum = if row.settled[hook] {
            f32::NEG_INFINITY
        } else {
            learned.sum(row)
        };
        Self { row, sum }
    }
}

/// Weighs each part of `turns` by what was learned from `rows` and all the other parts, and `asked` by the mean of that.
pub fn held_out<'a>(
    hook: usize,
    rows: &[&Row],
    turns: &'a [Row],
    asked: &[&'a Row],
) -> (Vec<Weighed<'a>>, Vec<Weighed<'a>>) {
    let size = turns.len().div_ceil(PARTS);
    let mut weighed = Vec::new();
    let mut answers: Vec<Weighed> = asked.iter().map(|row| Weighed { row, sum: 0.0 }).collect();
    for (at, part) in turns.chunks(size).enumerate() {
        let others = turns
            .chunks(size)
            .enumerate()
            .filter(|(other, _)| *other != at);
        let others = others.flat_map(|(_, part)| part);
        let learned = Learned::of(rows.iter().copied().chain(others), hook);
        weighed.extend(part.iter().map(|row| Weighed::of(hook, &learned, row)));
        for answer in &mut answers {
            answer.sum += Weighed::of(hook, &learned, answer.row).sum / PARTS as f32;
        }
    }
    (weighed, answers)
}

/// Above which sums the wanted shares of `turns` are.
pub fn thresholds(turns: &[Weighed]) -> [f32; 3] {
    let mut sums: Vec<f32> = turns.iter().map(|turn| turn.sum).collect();
    sums.sort_unstable_by(|a, b| b.total_cmp(a));
    WAKE_PERCENT.map(|percent| sums[(turns.len() as f64 * percent / 100.0) as usize])
}

/// A text and what it takes to find it.
#[derive(Clone, Copy)]
pub struct Finding<'a> {
    hook: usize,
    row: &'a Row,
    /// It is a hit where more of a hundred real turns than this may wake the hook.
    from: f64,
}

/// What it takes to find `rows` where a hook wakes for so many of `turns`.
pub fn found<'a>(hook: usize, turns: &[Weighed], rows: &[Weighed<'a>]) -> Vec<Finding<'a>> {
    let mut sums: Vec<f32> = turns.iter().map(|turn| turn.sum).collect();
    sums.sort_unstable_by(|a, b| b.total_cmp(a));
    let finding = |weighed: &Weighed<'a>| {
        let above = sums.partition_point(|sum| *sum > weighed.sum);
        Finding {
            hook,
            row: weighed.row,
            from: percent(above, turns.len()),
        }
    };
    rows.iter().map(finding).collect()
}

/// The violations of each author, by what was learned from all the others.
pub fn left_out<'a>(hook: usize, rows: &[&'a Row], turns: &'a [Row]) -> Vec<Finding<'a>> {
    let violations = rows.iter().filter(|row| row.is_violation(hook));
    let mut authors: Vec<&str> = violations.map(|row| row.author.as_str()).collect();
    authors.sort_unstable();
    authors.dedup();
    let of_author = |author: &str| {
        let (own, others): (Vec<&Row>, Vec<&Row>) =
            rows.iter().partition(|row| row.author == author);
        let is_asked = |row: &&Row| row.is_violation(hook) && row.kind == Kind::Written;
        let asked: Vec<&Row> = own.into_iter().filter(is_asked).collect();
        let (turns, answers) = held_out(hook, &others, turns, &asked);
        found(hook, &turns, &answers)
    };
    authors.into_iter().flat_map(of_author).collect()
}

/// Prints what share of `findings`, violations of authors left out, is found.
pub fn recall(findings: &[Finding]) {
    println!("violations of authors left out, found % at low, normal, high:");
    let hooks = grouped(findings, |f| hooks::ALL[f.hook].name);
    for (name, of) in &hooks {
        line(name, share(of), of.len());
    }
    line("mean of the hooks", mean_of_hooks(findings), findings.len());
    let groups = [
        grouped(findings, |f| f.row.lang.as_str()),
        grouped(findings, |f| f.row.author.as_str()),
        grouped(findings, |f| length(&f.row.text)),
    ];
    for (name, of) in groups.into_iter().flatten() {
        let of: Vec<Finding> = of.into_iter().copied().collect();
        line(&format!("  {name}"), mean_of_hooks(&of), of.len());
    }
    println!("the same, of the hooks' mean, where a hook wakes for so many % of real turns:");
    for wake in FRONTIER {
        let mean = mean(findings, |of| at(of, wake));
        let weakest = hooks.values().map(|of| at(of, wake)).fold(100.0, f64::min);
        println!("  {wake:4.1} % wake: found {mean:5.1} %, weakest hook {weakest:5.1} %");
    }
}

fn length(text: &str) -> &'static str {
    match text.len() {
        ..300 => "under 300 bytes",
        300..1000 => "300 to 999 bytes",
        _ => "1000 bytes or more",
    }
}

/// Prints which share of real turns wakes a judge, and how many of the violations that a reader found in them do.
///
/// `findings` has each turn once for each hook.
pub fn turns(findings: &[Finding]) {
    println!("real turns that wake a judge, % at low, normal, high:");
    for (name, of) in grouped(findings, |f| hooks::ALL[f.hook].name) {
        line(name, share(&of), of.len());
    }
    let turns = grouped(findings, |f| f.row.id.as_str());
    let any = [0, 1, 2].map(|at| {
        let woken = turns
            .values()
            .filter(|of| of.iter().any(|f| f.from < WAKE_PERCENT[at]));
        percent(woken.count(), turns.len())
    });
    line("any of the five", any, turns.len());
    println!("violations in real turns, found % at low, normal, high:");
    for (name, verdict) in [("block", Verdict::Block), ("unsure", Verdict::Unsure)] {
        let is_meant = |f: &&Finding| f.row.found[f.hook] == Some(verdict);
        let of: Vec<&Finding> = findings.iter().filter(is_meant).collect();
        line(name, share(&of), of.len());
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
    WAKE_PERCENT.map(|wake| mean(findings, |of| at(of, wake)))
}

/// The mean of what `figure` says of each hook's.
fn mean(findings: &[Finding], figure: impl Fn(&[&Finding]) -> f64) -> f64 {
    let hooks = grouped(findings, |f| hooks::ALL[f.hook].name);
    hooks.values().map(|of| figure(of)).sum::<f64>() / hooks.len() as f64
}

fn share(of: &[&Finding]) -> [f64; 3] {
    WAKE_PERCENT.map(|wake| at(of, wake))
}

/// The percent that is found where a hook wakes for `wake` percent of real turns.
fn at(of: &[&Finding], wake: f64) -> f64 {
    percent(of.iter().filter(|f| f.from < wake).count(), of.len())
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

fn line(name: &str, share: [f64; 3], of: usize) {
    let [low, normal, high] = share;
    println!("  {name:28} {low:5.1} {normal:5.1} {high:5.1}  of {of}");
}
