//! What is written for eyes: colour where a terminal takes it, and nothing in a text that would drive the terminal.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::process::Command;

use crate::error::Error;

/// Lets `work` speak when it is done: nobody who stops listening may stop it half way.
///
/// # Errors
/// With what `work` failed for, else when nobody listens.
pub fn afterwards(
    out: &mut dyn Write,
    work: impl FnOnce(&mut dyn Write) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut said = Vec::new();
    let done = work(&mut said);
    let told = out.write_all(&said);
    done.and(told.map_err(Error::Output))
}

/// How a piece of text stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A heading or what matters most.
    Bold,
    /// What matters less.
    Dim,
    /// Blocked, broken.
    Red,
    /// Fine.
    Green,
    /// To be looked at.
    Yellow,
    /// A name or place.
    Cyan,
}

impl Style {
    fn code(self) -> u8 {
        match self {
            Self::Bold => 1,
            Self::Dim => 2,
            Self::Red => 31,
            Self::Green => 32,
            Self::Yellow => 33,
            Self::Cyan => 36,
        }
    }
}

/// Whether styles show.
#[derive(Debug, Clone, Copy)]
pub struct Ink {
    shows: bool,
}

impl Ink {
    /// On a terminal that takes colour, unless `NO_COLOR` says otherwise.
    pub fn for_stdout() -> Self {
        Self {
            shows: io::stdout().is_terminal()
                && anstyle_query::term_supports_color()
                && !anstyle_query::no_color(),
        }
    }

    /// No styles.
    #[cfg(test)]
    pub fn off() -> Self {
        Self { shows: false }
    }

    /// Whether styles show.
    pub fn shows(self) -> bool {
        self.shows
    }

    /// `text` in `style`.
    pub fn paint<T: fmt::Display>(self, style: Style, text: T) -> Painted<T> {
        Painted {
            style: self.shows.then_some(style),
            text,
        }
    }
}

/// A text with its style. Width and alignment go to the text.
#[derive(Debug)]
pub struct Painted<T> {
    style: Option<Style>,
    text: T,
}

impl<T: fmt::Display> fmt::Display for Painted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(style) = self.style else {
            return self.text.fmt(f);
        };
        write!(f, "\x1b[{}m", style.code())?;
        self.text.fmt(f)?;
        f.write_str("\x1b[0m")
    }
}

/// How wide the terminal behind `stream` is; none where it is no terminal, or doesn't tell.
pub fn columns(stream: &impl IsTerminal) -> Option<usize> {
    if !stream.is_terminal() {
        return None;
    }
    #[expect(
        clippy::disallowed_methods,
        reason = "it is about the terminal, and no setting of ours"
    )]
    let told = std::env::var("COLUMNS").ok();
    let told = told.or_else(|| {
        // Nothing here may ask the system itself: that takes `unsafe`.
        let terminal = File::open("/dev/tty").ok()?;
        let stty = Command::new("/bin/stty")
            .arg("size")
            .stdin(terminal)
            .output();
        let size = String::from_utf8(stty.ok()?.stdout).ok()?;
        Some(size.split_whitespace().nth(1)?.to_owned())
    })?;
    told.trim().parse().ok().filter(|&columns| columns > 0)
}

/// `text` in at most `width` characters.
pub fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let head = text.chars().take(width.saturating_sub(1));
    head.chain(['…']).collect()
}

/// A message on stderr. It may quote a file's name or what a log holds.
pub fn tell(message: impl fmt::Display) {
    let message = message.to_string();
    // With stderr gone there is nobody left to tell.
    let _ = writeln!(io::stderr(), "stop-hooks: {}", clean(&message));
}

/// A text from a log or transcript without control characters, line feeds and tabs excepted, and without those that
/// turn the direction of what follows.
pub fn clean(text: &str) -> Cow<'_, str> {
    if text.contains(drives) {
        Cow::Owned(text.replace(drives, ""))
    } else {
        Cow::Borrowed(text)
    }
}

fn drives(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The same JSON with those characters escaped: outside of a string there is none, and in it they stay what they are.
pub fn escaped(json: String) -> String {
    if !json.contains(drives) {
        return json;
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if drives(c) {
            // Writing to a String does not fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// A text without them, on one line.
pub fn clean_line(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    clean(&words.join(" ")).into_owned()
}

/// `value` of `most` as a bar of at most `width` characters, drawn to an eighth.
pub fn bar(value: u64, most: u64, width: u64) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if most == 0 {
        return String::new();
    }
    let eighths = (u128::from(value) * u128::from(width * 8)).div_ceil(most.into());
    let whole = usize::try_from(eighths / 8).unwrap_or_default();
    let rest = usize::try_from(eighths % 8).unwrap_or_default();
    "█".repeat(whole) + EIGHTHS.get(rest).copied().unwrap_or_default()
}

/// A count with its thousands apart: `12,345`.
pub fn count(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or(u64::MAX).to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// So many of a thing, whose plural takes an s: `1 turn`, `2 turns`.
pub fn count_of(number: impl TryInto<u64>, thing: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", count(number))
}

/// `some` of `all` in percent with one decimal; `-` of nothing.
pub fn percent(some: u64, all: u64) -> String {
    if all == 0 {
        return "-".to_owned();
    }
    let (some, all) = (u128::from(some), u128::from(all));
    let tenths = (some * 2000 + all) / (all * 2);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// Milliseconds as a person says them: `85 ms`, `1.2 s`.
pub fn millis(ms: u64) -> String {
    if ms < 1000 {
        format!("{ms} ms")
    } else {
        let tenths = ms.saturating_add(50) / 100;
        format!("{}.{} s", tenths / 10, tenths % 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_drives_the_terminal() {
        assert_eq!(
            clean("a\x1b[2Jb\r\x07\x08\u{9b}31m\n\tc\u{202e}d"),
            "a[2Jb31m\n\tcd"
        );
        assert_eq!(clean_line(" a\n\n b\x1b]0;x\x07 "), "a b]0;x");
        assert!(matches!(clean("日本\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_stays_the_same_in_other_words() {
        let text = "a\u{7f}\u{9b}31m\u{202e}\u{1b}\"日本\r\n";
        let json = escaped(serde_json::to_string(text).unwrap());
        assert_eq!(json, r#""a\u007f\u009b31m\u202e\u001b\"日本\r\n""#);
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }

    #[test]
    fn what_is_too_long_ends_with_a_sign_of_it() {
        for (width, expected) in [(3, "日本"), (2, "日本"), (1, "…")] {
            assert_eq!(cut("日本", width), expected);
        }
    }

    #[test]
    fn numbers_read_well() {
        for (number, expected) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(count(number), expected);
        }
        for (number, expected) in [(0, "0 turns"), (1, "1 turn"), (1234, "1,234 turns")] {
            assert_eq!(count_of(number, "turn"), expected);
        }
        for (some, all, expected) in [
            (0, 0, "-"),
            (0, 3, "0.0 %"),
            (1, 3, "33.3 %"),
            (2, 3, "66.7 %"),
            (3, 3, "100.0 %"),
            (1, 2000, "0.1 %"),
            (u64::MAX / 2, u64::MAX, "50.0 %"),
        ] {
            assert_eq!(percent(some, all), expected, "{some}/{all}");
        }
        for (ms, expected) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (1000, "1.0 s"),
            (12_345, "12.3 s"),
            (u64::MAX, "18446744073709551.6 s"),
        ] {
            assert_eq!(millis(ms), expected);
        }
    }

    #[test]
    fn something_is_never_drawn_as_nothing() {
        for (value, most, expected) in [
            (0, 10, ""),
            (1, 1000, "▏"),
            (5, 10, "██"),
            (9, 16, "██▎"),
            (10, 10, "████"),
            (0, 0, ""),
            (u64::MAX, u64::MAX, "████"),
        ] {
            assert_eq!(bar(value, most, 4), expected, "{value}/{most}");
        }
    }

    #[test]
    fn styles_show_only_where_they_should() {
        let text = |shows| {
            Ink { shows }
                .paint(Style::Red, format_args!("{:>4}", "x"))
                .to_string()
        };
        assert_eq!(text(false), "   x");
        assert_eq!(text(true), "\x1b[31m   x\x1b[0m");
    }
}
