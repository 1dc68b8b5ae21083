//! Learns the weights of layer 1 from `tests/corpus` and writes `hooks/<name>/weights.bin`.
//!
//! ```text
//! cargo run --release -p hooks --example train-signals              weights
//! cargo run --release -p hooks --example train-signals -- TURNS     weights, and thresholds to put into signals.rs
//! ```
//!
//! A linear support vector machine, one for each hook: its `block` rows against its `allow` rows and all ordinary ones,
//! among them `narration.jsonl`: invented reports of work that is done, as real turns mostly are.
//! The same corpus gives the same bytes. TURNS is a JSONL file with real turns (`text`); nothing is learned from it. It
//! only tells from which sum on a given share of turns wakes the judge, and how many violations of an author who was left
//! out of the learning such a sum still finds.

#![allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "learning is arithmetic over tables, run by hand"
)]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use common::signal::reading::Reading;
use common::signal::wording::{self, FEATURES, Windows};
use serde::Deserialize;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// How many of a hundred real turns may wake a hook: low, normal, high. A little below what is promised.
const WAKE_PERCENT: [f64; 3] = [2.1, 5.0, 12.0];

/// What a wrong sum costs in learning. Small: few texts, many features.
const COST: f32 = 0.0005;

/// How much more than another row a narration counts: there are few, and real turns are much like them.
const NARRATION: f32 = 4.0;

/// How often each text is shown.
const ROUNDS: usize = 6;

/// How often the worst windows are chosen anew.
const REFINEMENTS: usize = 3;

/// What each doubling of a text's windows is worth, in units of the margin.
const LENGTH_COST: f32 = 0.09;

/// What a sentence alone has to have over one with its surroundings, in units of the margin.
const LONE_COST: f32 = 0.2;

/// In no hook's file.
const NO_HOOK: usize = usize::MAX;

#[derive(Deserialize)]
struct Row {
    text: String,
    #[serde(default)]
    label: String,
    #[serde(default)]
    phenomenon: String,
    #[serde(default)]
    author: String,
    /// Which hook's file it stands in.
    #[serde(skip)]
    hook: usize,
    #[serde(skip)]
    windows: Windows,
}

impl Row {
    fn is_violation(&self, hook: usize) -> bool {
        self.hook == hook && self.label == "block"
    }

    /// Is it something to learn a hook from?
    fn concerns(&self, hook: usize) -> bool {
        self.hook == hook || self.phenomenon.starts_with("ordinary")
    }
}

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut rows = Vec::new();
    for (at, hook) in hooks::ALL.iter().enumerate() {
        for folder in ["tests/corpus", "tests/corpus/wide"] {
            let path = root.join(folder).join(format!("{}.jsonl", hook.name));
            rows.extend(read(&path, at)?);
        }
    }
    rows.extend(read(&root.join("tests/corpus/narration.jsonl"), NO_HOOK)?);
    let turns = match env::args_os().nth(1) {
        Some(path) => read(&PathBuf::from(path), NO_HOOK)?,
        None => Vec::new(),
    };

    for (at, hook) in hooks::ALL.iter().enumerate() {
        let learned = Learned::of(&learn(rows.iter().filter(|row| row.concerns(at)), at));
        let bytes: Vec<u8> = learned.weights.iter().map(|w| w.cast_unsigned()).collect();
        fs::write(
            root.join("hooks").join(hook.name).join("weights.bin"),
            bytes,
        )?;
        if !turns.is_empty() {
            report(hook.name, at, &learned, &rows, &turns);
        }
    }
    Ok(())
}

fn read(path: &Path, hook: usize) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for line in fs::read_to_string(path)?.lines() {
        let mut row: Row = serde_json::from_str(line)?;
        row.hook = hook;
        row.windows = wording::features(&Reading::of(common::signal::end_of(&row.text)));
        rows.push(row);
    }
    Ok(rows)
}

/// A window to learn from.
struct Sample<'a> {
    features: &'a [usize],
    /// 1 for a violation, -1 for anything else.
    side: f32,
    /// What it costs to get it wrong.
    cost: f32,
}

/// Learns which features tell the violations of `hook` from the other rows.
///
/// Which window of a violation holds it is not known. First all of them are taken for it, then, a few times over, the one
/// that looks worst by what was learned.
fn learn<'a>(rows: impl Iterator<Item = &'a Row>, hook: usize) -> Vec<f32> {
    let rows: Vec<&Row> = rows.collect();
    let violations = rows.iter().filter(|row| row.is_violation(hook)).count();
    // Both sides count the same in all, however many rows they have.
    let share = (rows.len() - violations) as f32 / violations as f32;
    let mut weights: Option<Vec<f32>> = None;
    for _ in 0..=REFINEMENTS {
        let samples: Vec<Sample> = rows
            .iter()
            .flat_map(|row| match (row.is_violation(hook), &weights) {
                (true, Some(weights)) => {
                    let worst = worst(weights, &row.windows.around);
                    samples_of(&row.windows.around[worst..=worst], 1.0, COST * share)
                }
                (true, None) => samples_of(&row.windows.around, 1.0, COST * share),
                (false, _) if row.hook == NO_HOOK => {
                    samples_of(&row.windows.around, -1.0, COST * NARRATION)
                }
                (false, _) => samples_of(&row.windows.around, -1.0, COST),
            })
            .collect();
        weights = Some(separate(&samples));
    }
    weights.unwrap_or_default()
}

/// Windows to learn from; many of one row weigh no more than two.
fn samples_of(windows: &[Vec<usize>], side: f32, cost: f32) -> Vec<Sample<'_>> {
    let cost = cost * 2.0 / windows.len().max(2) as f32;
    windows
        .iter()
        .map(|features| Sample {
            features,
            side,
            cost,
        })
        .collect()
}

/// Which of the windows looks worst.
fn worst(weights: &[f32], windows: &[Vec<usize>]) -> usize {
    let sums = windows.iter().map(|window| sum(weights, window));
    let worst = sums.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
    worst.map_or(0, |(at, _)| at)
}

/// Dual coordinate descent for a linear support vector machine with squared hinge loss.
fn separate(samples: &[Sample]) -> Vec<f32> {
    let mut weights = vec![0.0; FEATURES];
    let mut bias = 0.0;
    let mut pulls = vec![0.0f32; samples.len()];
    let mut order: Vec<usize> = (0..samples.len()).collect();
    let mut chance = Chance(7);
    for _ in 0..ROUNDS {
        chance.shuffle(&mut order);
        for &at in &order {
            let Sample {
                features,
                side,
                cost,
            } = samples[at];
            let slack = 0.5 / cost;
            let margin = side * (sum(&weights, features) + bias);
            let slope = margin - 1.0 + slack * pulls[at];
            let steepness = features.len() as f32 + 1.0 + slack;
            let pull = (pulls[at] - slope / steepness).max(0.0);
            let step = side * (pull - pulls[at]);
            pulls[at] = pull;
            bias += step;
            for &feature in features {
                weights[feature] += step;
            }
        }
    }
    weights
}

fn sum(weights: &[f32], features: &[usize]) -> f32 {
    features.iter().map(|feature| weights[*feature]).sum()
}

/// What a hook's layer 1 takes from the learning.
struct Learned {
    /// As signed bytes, the largest 127.
    weights: Vec<i8>,
    length_cost: i32,
    lone_cost: i32,
}

impl Learned {
    fn of(weights: &[f32]) -> Self {
        let largest = weights.iter().fold(0.0f32, |most, w| most.max(w.abs()));
        let byte = |w: &f32| (w / largest * 127.0).round() as i8;
        Self {
            weights: weights.iter().map(byte).collect(),
            length_cost: (LENGTH_COST / largest * 127.0).round() as i32,
            lone_cost: (LONE_COST / largest * 127.0).round() as i32,
        }
    }

    /// The sum that is held against a threshold.
    fn sum(&self, row: &Row) -> i32 {
        let of_window = |features: &Vec<usize>| -> i32 {
            features
                .iter()
                .map(|feature| i32::from(self.weights[*feature]))
                .sum()
        };
        let worst =
            |windows: &[Vec<usize>]| windows.iter().map(of_window).max().unwrap_or_default();
        worst(&row.windows.around).max(worst(&row.windows.lone) - self.lone_cost)
            - wording::doublings(row.windows.around.len(), self.length_cost)
    }

    /// From which sums on the wanted shares of `turns` are hits.
    fn thresholds(&self, turns: &[Row]) -> [i32; 3] {
        let mut sums: Vec<i32> = turns.iter().map(|turn| self.sum(turn)).collect();
        sums.sort_unstable_by(|a, b| b.cmp(a));
        WAKE_PERCENT.map(|percent| sums[(sums.len() as f64 * percent / 100.0) as usize] + 1)
    }
}

/// Prints the thresholds, and how many violations of each author they find when the author was left out.
fn report(name: &str, hook: usize, learned: &Learned, rows: &[Row], turns: &[Row]) {
    let thresholds = learned.thresholds(turns);
    println!(
        "{name}: length_cost: {}, lone_cost: {}, thresholds: {thresholds:?}",
        learned.length_cost, learned.lone_cost
    );
    let mut authors: Vec<&str> = rows.iter().map(|row| row.author.as_str()).collect();
    authors.sort_unstable();
    authors.dedup();
    authors.retain(|author| *author != "n");
    for author in authors {
        let others = rows
            .iter()
            .filter(|row| row.concerns(hook) && row.author != author);
        let learned = Learned::of(&learn(others, hook));
        let own = rows
            .iter()
            .filter(|row| row.is_violation(hook) && row.author == author);
        let sums: Vec<i32> = own.map(|row| learned.sum(row)).collect();
        let found = learned.thresholds(turns).map(|threshold| {
            100 * sums.iter().filter(|sum| **sum >= threshold).count() / sums.len().max(1)
        });
        println!(
            "  {author:3} left out, found: {found:?} % of {}",
            sums.len()
        );
    }
}

/// A fixed sequence of numbers that looks like chance.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn shuffle(&mut self, order: &mut [usize]) {
        for last in (1..order.len()).rev() {
            order.swap(last, self.below(last + 1));
        }
    }
}
