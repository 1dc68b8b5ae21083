//! How far a long walk is, on one line of the terminal. Nothing where stderr is no terminal.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use crate::terminal::{bar, percent};

/// How often the line is drawn at most.
const PAUSE: Duration = Duration::from_millis(100);

const BAR_WIDTH: u64 = 24;

/// A line that shows how much of `all` bytes is done.
#[derive(Debug)]
pub struct Progress {
    shows: bool,
    all: u64,
    started: Instant,
    drawn: Option<Instant>,
}

impl Progress {
    /// Nothing done of `all` bytes.
    pub fn new(all: u64) -> Self {
        Self {
            shows: io::stderr().is_terminal(),
            all,
            started: Instant::now(),
            drawn: None,
        }
    }

    /// Draws it again, if it is time to, with `done` bytes done and a few words of what was found.
    pub fn at(&mut self, done: u64, found: impl FnOnce() -> String) {
        if !self.shows || self.drawn.is_some_and(|drawn| drawn.elapsed() < PAUSE) {
            return;
        }
        self.drawn = Some(Instant::now());
        let line = line(done, self.all, self.started.elapsed());
        // A terminal that is gone takes the line with it.
        let _ = write!(io::stderr(), "\r\x1b[K{line}, {}", found());
    }

    /// Wipes the line, before something else is written.
    pub fn wipe(&mut self) {
        if self.drawn.take().is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

fn line(done: u64, all: u64, elapsed: Duration) -> String {
    let millis = u64::try_from(elapsed.as_millis())
        .unwrap_or(u64::MAX)
        .max(1);
    let left = all.saturating_sub(done);
    // What is left takes as long as what is done did, byte for byte.
    let left_s = left
        .saturating_mul(millis)
        .checked_div(done)
        .unwrap_or(0)
        .div_ceil(1000);
    format!(
        "{:<24} {} {} MB/s, {} left",
        bar(done.min(all), all, BAR_WIDTH),
        percent(done.min(all), all),
        done / 1000 / millis,
        if left_s < 120 {
            format!("{left_s} s")
        } else {
            format!("{} min", left_s.div_ceil(60))
        }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_share_rate_and_time_left() {
        #[track_caller]
        fn check(done: u64, all: u64, seconds: u64, expected: &str) {
            assert_eq!(line(done, all, Duration::from_secs(seconds)), expected);
        }
        check(
            250_000_000,
            1_000_000_000,
            2,
            "██████                   25.0 % 125 MB/s, 6 s left",
        );
        check(
            1,
            1_000_000_000,
            60,
            "▏                        0.0 % 0 MB/s, 999999999 min left",
        );
        check(0, 0, 0, "                         - 0 MB/s, 0 s left");
    }
}
