//! Learns the weights of layer 1 from `tests/corpus` and writes `hooks/<name>/weights.bin`.
//!
//! ```text
//! cargo run --release -p hooks --example train-signals                       weights
//! cargo run --release -p hooks --example train-signals -- TURNS [LABELS]     and thresholds to put into signals.rs
//! ```
//!
//! A linear support vector machine, one for each hook: its `block` rows against its `allow` rows and all ordinary ones,
//! among them `narration.jsonl`: invented reports of work that is done, as real turns mostly are.
//! The same corpus gives the same bytes. TURNS is a JSONL file with real turns (`text`); nothing is learned from it. It
//! only tells from which sum on a given share of turns wakes the judge, and how many violations of an author who was left
//! out of the learning such a sum still finds. LABELS tells which turns hold a violation (`id`, `hook`, `label`).

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

mod corpus;
mod learn;
mod report;

use corpus::{NO_HOOK, Read, Row};
use learn::Learned;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let rows = corpus::labelled(&root.join("tests/corpus"))?;
    let mut files = env::args_os().skip(1).map(PathBuf::from);
    let turns = match files.next() {
        Some(file) => corpus::texts(&file, NO_HOOK)?,
        None => Vec::new(),
    };
    let labels: Vec<Read> = match files.next() {
        Some(file) => corpus::lines(&file)?,
        None => Vec::new(),
    };

    let mut left_out = Vec::new();
    let mut woken = Vec::new();
    let mut held = Vec::new();
    let half: Vec<Row> = turns.iter().step_by(2).cloned().collect();
    for (at, hook) in hooks::ALL.iter().enumerate() {
        let learned = Learned::of(rows.iter().filter(|row| row.concerns(at)), at);
        let bytes: Vec<u8> = learned.weights.iter().map(|w| w.cast_unsigned()).collect();
        let file = root.join("hooks").join(hook.name).join("weights.bin");
        fs::write(file, bytes)?;
        if !turns.is_empty() {
            println!(
                "{}: length_cost: {}, lone_cost: {}, thresholds: {:?}",
                hook.name,
                learned.length_cost,
                learned.lone_cost,
                report::thresholds(at, &learned, &turns)
            );
            woken.extend(report::found(at, &learned, &turns, turns.iter()));
            let rest = turns.iter().skip(1).step_by(2);
            held.extend(report::found(at, &learned, &half, rest));
            left_out.extend(report::left_out(at, &rows, &turns));
        }
    }
    if !turns.is_empty() {
        report::recall(&left_out);
        report::turns(&woken, &labels);
        println!("the same on every second turn, by thresholds set on the others");
        report::turns(&held, &labels);
    }
    Ok(())
}
