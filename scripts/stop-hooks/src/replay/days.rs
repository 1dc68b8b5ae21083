//! When a session was worked on: the days of its first and last time stamps.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};

use time::Date;

use crate::typed;

/// Time stamps stand on nearly every line; the ends of a file hold one.
const END_BYTES: u64 = 64 << 10;

const MARK: &[u8] = br#""timestamp":""#;

/// The first and the last day of the session in `file`. The file's position moves.
pub fn of(file: &mut File) -> Vec<Date> {
    let mut head = Vec::new();
    let mut tail = Vec::new();
    let _ = file.by_ref().take(END_BYTES).read_to_end(&mut head);
    if let Ok(length) = file.metadata().map(|meta| meta.len()) {
        let from = SeekFrom::Start(length.saturating_sub(END_BYTES));
        let _ = file
            .seek(from)
            .and_then(|_| file.by_ref().take(END_BYTES).read_to_end(&mut tail));
    }
    let first = stamps(&head).next();
    let last = stamps(&tail).next_back();
    first.into_iter().chain(last).collect()
}

fn stamps(bytes: &[u8]) -> impl DoubleEndedIterator<Item = Date> {
    bytes.windows(MARK.len() + 10).filter_map(|window| {
        let day = window.strip_prefix(MARK)?;
        typed::day(str::from_utf8(day).ok()?).ok()
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn the_first_and_the_last_stamp_tell_the_days() {
        #[track_caller]
        fn check(content: &str, expected: &[&str]) {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(content.as_bytes()).unwrap();
            file.rewind().unwrap();
            let found = of(&mut file)
                .iter()
                .map(Date::to_string)
                .collect::<Vec<_>>();
            assert_eq!(found, expected);
        }
        let line = |day: &str| format!("{{\"type\":\"user\",\"timestamp\":\"{day}T10:00:00Z\"}}\n");
        let (first, middle, last) = (line("2026-01-30"), line("2026-01-31"), line("2026-02-01"));
        check(
            &format!("{{}}\n{first}{middle}{last}"),
            &["2026-01-30", "2026-02-01"],
        );
        check(
            &format!("{first}{}{last}", middle.repeat(10_000)),
            &["2026-01-30", "2026-02-01"],
        );
        check("{\"timestamp\":\"yesterday!!\"}", &[]);
        check("{\"timestamp\":\"2026-02-30T1\"}", &[]);
        check("", &[]);
    }
}
