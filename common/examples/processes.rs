//! How long processes take from start to end: `scripts/bench.sh` compares the hooks with other programs.
//!
//! Each line of stdin names a process, its words apart by tabs: name, file to read as stdin, exit status, program,
//! arguments. They take turns, so that a busy machine slows all of them alike. A line of stdout has the name, the
//! median and the quickest tenth, in microseconds.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a bench stops where it can't go on, and prints what it measured"
)]

use std::env;
use std::fs::File;
use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn main() {
    let rounds: usize = env::args()
        .nth(1)
        .and_then(|word| word.parse().ok())
        .expect("how many rounds");
    let cases: Vec<String> = io::stdin()
        .lines()
        .map(|line| line.expect("text"))
        .collect();
    let mut times = vec![Vec::with_capacity(rounds); cases.len()];
    for round in 0..=rounds {
        for (case, times) in cases.iter().zip(&mut times) {
            let elapsed = run(case);
            // The first round brings the files into memory.
            if round > 0 {
                times.push(elapsed.as_micros());
            }
        }
    }
    for (case, times) in cases.iter().zip(&mut times) {
        times.sort_unstable();
        let name = case.split('\t').next().unwrap_or_default();
        println!("{name}\t{}\t{}", times[rounds / 2], times[rounds / 10]);
    }
}

fn run(case: &str) -> Duration {
    let words: Vec<&str> = case.split('\t').collect();
    let [name, input, status, program, arguments @ ..] = &words[..] else {
        unreachable!("a line with too few words: {case}")
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdin(File::open(input).expect("a file to read"))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let started = Instant::now();
    let ended = command.status().expect("a program that starts");
    let elapsed = started.elapsed();
    assert_eq!(ended.code(), status.parse().ok(), "exit status of {name}");
    elapsed
}
