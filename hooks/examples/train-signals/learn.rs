//! A linear support vector machine over the windows of texts.

use common::signal::wording::{self, FEATURES};

use crate::corpus::{Kind, Row, Verdict};

/// What a wrong sum costs in learning. Small: few texts, many features.
const COST: f32 = 0.004;

/// How much of a written text a real turn counts: they tell what real turns are like, but at more than that the learning
/// tells invented texts from real ones.
const TURN: f32 = 0.25;

/// How much more than a written text a violation in a real turn counts: there are few.
const REAL: f32 = 4.0;

/// How much of that where the reader was unsure.
const UNSURE: f32 = 0.4;

/// How much of a written text a narration counts, or a text set within an account.
const SURROUNDINGS: f32 = 0.2;

/// How much of a written text one in a few words counts.
const SHORT: f32 = 0.4;

/// What a concept counts beside a word: there are few concepts, and each is in many texts.
const CONCEPT: f32 = 0.5;

/// How often each text is shown.
const ROUNDS: usize = 6;

/// How often the worst windows are chosen anew.
const REFINEMENTS: usize = 3;

/// What each doubling of a text's windows is worth, in units of the margin.
const LENGTH_COST: f32 = 0.06;

/// What a sentence alone has to have over one with its surroundings, in units of the margin.
const LONE_COST: f32 = 0.3;

/// What a hook's layer 1 takes from the learning.
pub struct Learned {
    /// As signed bytes, the largest 127.
    pub weights: Vec<i8>,
    pub length_cost: i32,
    pub lone_cost: i32,
    /// What the margin is in the unit of the weights.
    margin: f32,
}

impl Learned {
    /// What tells the violations of `hook` from the other `rows`.
    pub fn of<'a>(rows: impl Iterator<Item = &'a Row>, hook: usize) -> Self {
        let weights = learn(rows, hook);
        let largest = weights.iter().fold(0.0f32, |most, w| most.max(w.abs()));
        let margin = 127.0 / largest;
        Self {
            weights: weights.iter().map(|w| (w * margin).round() as i8).collect(),
            length_cost: (LENGTH_COST * margin).round() as i32,
            lone_cost: (LONE_COST * margin).round() as i32,
            margin,
        }
    }

    /// The sum that is held against a threshold, in margins: so far the sums of different learnings can be compared.
    pub fn sum(&self, row: &Row) -> f32 {
        let of_window = |features: &Vec<usize>| -> i32 {
            features
                .iter()
                .map(|feature| i32::from(self.weights[*feature]))
                .sum()
        };
        let worst =
            |windows: &[Vec<usize>]| windows.iter().map(of_window).max().unwrap_or_default();
        let sum = worst(&row.windows.around).max(worst(&row.windows.lone) - self.lone_cost)
            - wording::doublings(row.windows.around.len(), self.length_cost);
        sum as f32 / self.margin
    }

    /// `sum` in the unit of the weights, the next above.
    pub fn threshold(&self, sum: f32) -> i32 {
        (sum * self.margin).floor() as i32 + 1
    }
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
            .flat_map(|row| {
                let around = &row.windows.around;
                let cost = COST * share_of(row, hook);
                match (row.is_violation(hook), &weights) {
                    (false, _) => samples_of(around, -1.0, cost),
                    (true, None) => samples_of(around, 1.0, cost * share),
                    (true, Some(weights)) => {
                        let worst = worst(weights, around);
                        samples_of(&around[worst..=worst], 1.0, cost * share)
                    }
                }
            })
            .collect();
        weights = Some(separate(&samples));
    }
    weights.unwrap_or_default()
}

/// What a row counts beside a written text.
fn share_of(row: &Row, hook: usize) -> f32 {
    match (row.kind, row.found[hook]) {
        (Kind::Written, _) => 1.0,
        (Kind::Within | Kind::Narration, _) => SURROUNDINGS,
        (Kind::Short, _) => SHORT,
        (Kind::Turn, None) => TURN,
        (Kind::Turn, Some(Verdict::Block)) => REAL,
        (Kind::Turn, Some(Verdict::Unsure)) => REAL * UNSURE,
    }
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
            let steepness = features.iter().map(|f| scale(*f)).sum::<f32>() + 1.0 + slack;
            let pull = (pulls[at] - slope / steepness).max(0.0);
            let step = side * (pull - pulls[at]);
            pulls[at] = pull;
            bias += step;
            for &feature in features {
                weights[feature] += step * scale(feature);
            }
        }
    }
    weights
}

fn scale(feature: usize) -> f32 {
    if wording::is_of_words(feature) {
        1.0
    } else {
        CONCEPT
    }
}

fn sum(weights: &[f32], features: &[usize]) -> f32 {
    features.iter().map(|feature| weights[*feature]).sum()
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
