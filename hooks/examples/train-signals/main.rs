//! Learns the weights of layer 1 from `tests/corpus` and from real turns, and writes `hooks/<name>/weights.bin`.
//!
//! ```text
//! cargo run --release -p hooks --example train-signals -- TURNS FOUND
//! ```
//!
//! A linear support vector machine, one for each hook: its `block` rows against its `allow` rows and all ordinary ones,
//! among them `narration.jsonl`, invented reports of work that is done, and `short/answers.jsonl`. TURNS is a JSONL file with real turns (`id`,
//! `text`), FOUND one with the violations that a reader found in them (`id`, `hook`, `label`: `block` or `unsure`). They
//! stay where they are: only weights of hashed words come from them. The same files give the same bytes.
//!
//! Prints the costs and thresholds to put into `signals.rs`, and what is found of the violations of each author, learned
//! from all the others. What is said of a real turn, thresholds too, was learned without it and the part of the turns
//! that it lies in.

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
use std::{env, fs, thread};

mod corpus;
mod learn;
mod report;

use corpus::Row;
use learn::Learned;
use report::{Finding, Weighed};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let files: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [turns, found] = files.as_slice() else {
        return Err("usage: train-signals TURNS FOUND".into());
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let rows = corpus::labelled(&root.join("tests/corpus"))?;
    let turns = corpus::turns(turns, found)?;

    let made: Vec<Made> = thread::scope(|scope| {
        let hooks = 0..hooks::ALL.len();
        let (rows, turns) = (&rows, &turns);
        let running: Vec<_> = hooks
            .map(|hook| scope.spawn(move || Made::of(hook, rows, turns)))
            .collect();
        running.into_iter().filter_map(|r| r.join().ok()).collect()
    });
    let mut left_out = Vec::new();
    let mut woken = Vec::new();
    let mut woken_by_half = Vec::new();
    for (hook, made) in hooks::ALL.iter().zip(made) {
        let Learned {
            weights,
            length_cost,
            lone_cost,
            ..
        } = made.learned;
        let bytes: Vec<u8> = weights.iter().map(|w| w.cast_unsigned()).collect();
        let file = root.join("hooks").join(hook.name).join("weights.bin");
        fs::write(file, bytes)?;
        println!(
            "{}: length_cost: {length_cost}, lone_cost: {lone_cost}, thresholds: {:?}",
            hook.name, made.thresholds
        );
        left_out.extend(made.left_out);
        woken.extend(made.woken);
        woken_by_half.extend(made.woken_by_half);
    }
    report::recall(&left_out);
    report::turns(&woken);
    println!("the same on every second turn, by thresholds set on the others");
    report::turns(&woken_by_half);
    Ok(())
}

/// What is made for a hook.
struct Made<'a> {
    learned: Learned,
    thresholds: [i32; 3],
    /// The violations of each author, by what was learned from all the others.
    left_out: Vec<Finding<'a>>,
    /// The real turns, by what was learned from the other parts of them.
    woken: Vec<Finding<'a>>,
    /// Every second turn, by thresholds set on the others.
    woken_by_half: Vec<Finding<'a>>,
}

impl<'a> Made<'a> {
    fn of(hook: usize, rows: &'a [Row], turns: &'a [Row]) -> Self {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.concerns(hook)).collect();
        let learned = Learned::of(rows.iter().copied().chain(turns), hook);
        let (weighed, _) = report::held_out(hook, &rows, turns, &[]);
        let half = |skipped| -> Vec<Weighed> {
            weighed.iter().skip(skipped).step_by(2).copied().collect()
        };
        Self {
            thresholds: report::thresholds(&weighed).map(|sum| learned.threshold(sum)),
            learned,
            left_out: report::left_out(hook, &rows, turns),
            woken: report::found(hook, &weighed, &weighed),
            woken_by_half: report::found(hook, &half(0), &half(1)),
        }
    }
}
