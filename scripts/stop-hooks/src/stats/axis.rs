//! The time axis of a chart: every day has its place, whether something was decided on it or not.

use std::fmt::Write as _;

use time::{Date, Duration};

use super::tally::{Counts, Stats};
use crate::typed;

/// Bars on a chart at most; more would be too thin to see.
const BARS_MAX: i64 = 120;

/// From the first day with a decision to the last day looked at.
#[derive(Debug)]
pub struct Axis {
    /// Where it begins.
    pub first: String,
    /// Where it ends.
    pub last: String,
    /// What one bar stands for: `day`, `week`, `4 weeks`.
    pub unit: String,
    /// The same after a number: `a day`, `in 4 weeks`.
    pub per: String,
    /// The days of every bar, and what was decided on them.
    pub bars: Vec<(String, Counts)>,
}

impl Axis {
    /// The axis for `stats`.
    pub fn of(stats: &Stats) -> Self {
        let day = |word: &String| typed::day(word).ok();
        let last = day(&stats.last).unwrap_or(Date::MAX);
        let from = day(&stats.first).unwrap_or(Date::MIN);
        // A record tells its day in words of its own.
        let days = stats
            .days
            .iter()
            .filter_map(|(word, hooks)| Some((day(word)?, hooks)))
            .filter(|(day, _)| from <= *day && *day <= last);
        let first = days.clone().map(|(day, _)| day).min().unwrap_or(last);
        let all = (last - first).whole_days() + 1;
        let (each, unit) = match all {
            ..=BARS_MAX => (1, "day".to_owned()),
            _ if all <= 7 * BARS_MAX => (7, "week".to_owned()),
            _ => {
                let weeks = all.div_euclid(7 * BARS_MAX) + 1;
                let weeks = weeks.max(4);
                (7 * weeks, format!("{weeks} weeks"))
            }
        };
        let mut bars = Vec::new();
        let mut start = Some(first);
        while let Some(day) = start.filter(|day| *day <= last) {
            let mut label = day.to_string();
            let end = day.saturating_add(Duration::days(each - 1)).min(last);
            if end > day {
                // Writing to a String does not fail.
                let _ = write!(label, " to {end}");
            }
            bars.push((label, Counts::default()));
            start = end.next_day();
        }
        for (day, hooks) in days {
            let at = usize::try_from((day - first).whole_days() / each).unwrap_or(usize::MAX);
            if let Some((_, sum)) = bars.get_mut(at) {
                for counts in hooks.values() {
                    sum.add(counts);
                }
            }
        }
        let per = if unit.contains(' ') { "in" } else { "a" };
        Self {
            per: format!("{per} {unit}"),
            first: first.to_string(),
            last: last.to_string(),
            unit,
            bars,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::stats::tally::Tally;

    #[track_caller]
    fn check(days: &[&str], first: &str, last: &str, unit: &str, expected: &[(usize, u64)]) {
        let mut tally = Tally::default();
        for day in days {
            let line = json!({"time": format!("{day}T12:00:00Z"), "hook": "a"});
            tally.add(line.to_string().as_bytes());
        }
        let axis = Axis::of(&tally.finish(first.into(), last.into()));
        let told = axis.bars.iter().map(|(_, counts)| counts.decisions);
        let told = told.enumerate().filter(|(_, n)| *n > 0);
        assert_eq!(told.collect::<Vec<_>>(), expected);
        assert_eq!((axis.unit.as_str(), axis.last.as_str()), (unit, last));
        let ends = axis.bars.last().unwrap().0.ends_with(last);
        assert!(ends && axis.bars.len() <= 120, "{:?}", axis.bars);
    }

    #[test]
    fn a_day_without_a_decision_has_its_place() {
        check(
            &["2026-01-03", "2026-01-06", "2026-01-06"],
            "2026-01-01",
            "2026-01-10",
            "day",
            &[(0, 1), (3, 2)],
        );
        check(
            &["2026-01-01", "2026-01-08", "2026-12-31"],
            "2026-01-01",
            "2026-12-31",
            "week",
            &[(0, 1), (1, 1), (52, 1)],
        );
        check(
            &["2022-01-01", "2026-02-08"],
            "2000-01-01",
            "2026-02-08",
            "4 weeks",
            &[(0, 1), (53, 1)],
        );
        check(
            &["0001-01-01", "9999-12-31"],
            "0001-01-01",
            "9999-12-31",
            "4348 weeks",
            &[(0, 1), (119, 1)],
        );
        check(&[], "2026-01-01", "2026-01-10", "day", &[]);
        check(
            &["yesterday!", "2999-01-01"],
            "2026-01-01",
            "2026-01-10",
            "day",
            &[],
        );
    }
}
