//! How far a long walk is, on one line of the terminal, and how it is cut short. Nothing is drawn where stderr is no
//! terminal.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::terminal::{bar, columns, cut, percent};

/// How often the line is drawn at most.
const PAUSE: Duration = Duration::from_millis(100);

const BAR_WIDTH: u64 = 24;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes of files.
    Bytes,
    /// Calls to a judge, of which each takes its time.
    Calls,
}

/// A line that shows how much of `all` is done.
#[derive(Debug)]
pub struct Progress {
    shows: bool,
    columns: Option<usize>,
    unit: Unit,
    all: u64,
    started: Instant,
    drawn: Option<Instant>,
}

impl Progress {
    /// Nothing done of `all`.
    pub fn new(unit: Unit, all: impl TryInto<u64>) -> Self {
        let all = all.try_into().unwrap_or(u64::MAX);
        Self {
            shows: io::stderr().is_terminal(),
            columns: columns(&io::stderr()),
            unit,
            all,
            started: Instant::now(),
            drawn: None,
        }
    }

    /// Draws it again, if it is time to, with `done` done and a few words of what was found.
    pub fn at(&mut self, done: impl TryInto<u64>, found: impl FnOnce() -> String) {
        if !self.shows || self.drawn.is_some_and(|drawn| drawn.elapsed() < PAUSE) {
            return;
        }
        self.drawn = Some(Instant::now());
        let done = done.try_into().unwrap_or(u64::MAX);
        let line = line(
            self.unit,
            done,
            self.all,
            self.started.elapsed(),
            &found(),
            self.columns,
        );
        // A terminal that is gone takes the line with it.
        let _ = write!(io::stderr(), "\r\x1b[K{line}");
    }

    /// Wipes the line, before something else is written.
    pub fn wipe(&mut self) {
        if self.drawn.take().is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// What doesn't fit on one line could not be wiped, so the bar goes first, and then the end.
fn line(
    unit: Unit,
    done: u64,
    all: u64,
    elapsed: Duration,
    found: &str,
    columns: Option<usize>,
) -> String {
    let millis = u64::try_from(elapsed.as_millis())
        .unwrap_or(u64::MAX)
        .max(1);
    let left = all.saturating_sub(done);
    // What is left takes as long as what is done did, piece for piece.
    let left_s = left
        .saturating_mul(millis)
        .checked_div(done)
        .unwrap_or(0)
        .div_ceil(1000);
    let left = if left_s < 120 {
        format!("{left_s} s")
    } else {
        format!("{} min", left_s.div_ceil(60))
    };
    let share = percent(done.min(all), all);
    let rate = match unit {
        Unit::Bytes => match done / millis {
            slow @ ..1000 => format!("{share}, {slow} kB/s"),
            fast => format!("{share}, {} MB/s", fast / 1000),
        },
        Unit::Calls => format!("{done} of {all}"),
    };
    let words = format!("{rate}, {left} left  {found}");
    let words = words.trim_end();
    let width = usize::try_from(BAR_WIDTH).unwrap_or_default();
    // In the last column the terminal may go to the next line.
    let room = columns.map_or(usize::MAX, |columns| columns - 1);
    if words.chars().count() + width < room {
        let bar = bar(done.min(all), all, BAR_WIDTH);
        format!("{bar:<width$} {words}")
    } else {
        cut(words, room)
    }
}

/// Ctrl-C, after which what there is so far is told; the second one ends the process.
#[derive(Debug)]
pub struct Interruption(Arc<AtomicBool>);

impl Interruption {
    /// Watches for it from now on.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn watch() -> io::Result<Self> {
        const STATUS: i32 = 130;
        let raised = Arc::new(AtomicBool::new(false));
        let signal = signal_hook::consts::SIGINT;
        signal_hook::flag::register_conditional_shutdown(signal, STATUS, Arc::clone(&raised))?;
        signal_hook::flag::register(signal, Arc::clone(&raised))?;
        Ok(Self(raised))
    }

    /// Whether it came.
    pub fn came(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_share_rate_and_time_left() {
        #[track_caller]
        fn check(unit: Unit, done: u64, all: u64, seconds: u64, expected: &str) {
            assert_eq!(
                line(unit, done, all, Duration::from_secs(seconds), "", Some(80)),
                expected
            );
        }
        let (bytes, calls) = (Unit::Bytes, Unit::Calls);
        check(
            bytes,
            250_000_000,
            1_000_000_000,
            2,
            "██████                   25.0 %, 125 MB/s, 6 s left",
        );
        check(
            bytes,
            1_000_000,
            4_000_000,
            2,
            "██████                   25.0 %, 500 kB/s, 6 s left",
        );
        check(
            bytes,
            1_000,
            2_000_000,
            60,
            "▏                        0.1 %, 0 kB/s, 1999 min left",
        );
        check(
            bytes,
            0,
            0,
            0,
            "                         -, 0 kB/s, 0 s left",
        );
        check(calls, 3, 6, 6, "████████████             3 of 6, 6 s left");
    }

    #[test]
    fn it_fits_on_one_line_of_the_terminal() {
        let at = |columns| {
            line(
                Unit::Calls,
                3,
                6,
                Duration::from_secs(6),
                "7 turns",
                columns,
            )
        };
        let whole = "████████████             3 of 6, 6 s left  7 turns";
        assert_eq!(at(None), whole);
        assert_eq!(at(Some(51)), whole);
        assert_eq!(at(Some(50)), "3 of 6, 6 s left  7 turns");
        assert_eq!(at(Some(20)), "3 of 6, 6 s left  …");
    }
}
