//! How an explanation looks: one stage after the other, its name in the margin, what it worked on below it.
//!
//! All that is shown comes from a session, a judge or a log, so control characters are taken out here, at the last
//! moment before the terminal.

use std::io::Write;
use std::time::Duration;

use crate::error::Error;
use crate::terminal::{Ink, Style, clean, clean_line};

/// One stage.
#[derive(Debug, Default)]
pub struct Step {
    /// Its name.
    pub name: &'static str,
    /// What came of it, in a few words.
    pub result: String,
    /// How the result is to be taken.
    pub mood: Mood,
    /// How long it took.
    pub time: Option<Duration>,
    /// What it worked on or brought forth, whole.
    pub body: Vec<Piece>,
    /// Left out of a brief explanation.
    pub at_length: bool,
}

/// How a result is to be taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mood {
    /// As it is.
    #[default]
    Neutral,
    /// The stop passes.
    Passes,
    /// The agent is sent back.
    Blocks,
    /// Something did not work.
    Fails,
}

/// A piece of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text.
    Plain(String),
    /// Text that matters.
    Marked(String),
}

impl Step {
    /// A step with a result alone.
    pub fn new(name: &'static str, result: impl Into<String>) -> Self {
        Self {
            name,
            result: result.into(),
            ..Self::default()
        }
    }

    /// The same with its duration.
    #[must_use]
    pub fn took(mut self, time: Duration) -> Self {
        self.time = Some(time);
        self
    }

    /// The same with how it is to be taken.
    #[must_use]
    pub fn mood(mut self, mood: Mood) -> Self {
        self.mood = mood;
        self
    }

    /// The same, for those alone who want it all.
    #[must_use]
    pub fn at_length(mut self) -> Self {
        self.at_length = true;
        self
    }

    /// The same with a body.
    #[must_use]
    pub fn body(mut self, text: &str) -> Self {
        self.body = vec![Piece::Plain(text.trim_end().to_owned())];
        self
    }
}

/// Writes the explanation for one hook.
///
/// # Errors
/// When nobody reads it.
pub fn print(hook: &str, steps: &[Step], ink: Ink, out: &mut dyn Write) -> Result<(), Error> {
    writeln!(out, "{}", ink.paint(Style::Bold, hook))?;
    for step in steps {
        let style = match step.mood {
            Mood::Neutral => None,
            Mood::Passes => Some(Style::Green),
            Mood::Blocks => Some(Style::Red),
            Mood::Fails => Some(Style::Yellow),
        };
        let result = clean_line(&step.result);
        write!(
            out,
            "{}",
            ink.paint(Style::Cyan, format_args!("{:<10}", step.name))
        )?;
        match style {
            Some(style) => write!(out, " {}", ink.paint(style, result))?,
            None => write!(out, " {result}")?,
        }
        if let Some(time) = step.time {
            write!(
                out,
                "  {}",
                ink.paint(Style::Dim, format_args!("({})", duration(time)))
            )?;
        }
        writeln!(out)?;
        body(&step.body, ink, out)?;
    }
    Ok(writeln!(out)?)
}

fn body(pieces: &[Piece], ink: Ink, out: &mut dyn Write) -> Result<(), Error> {
    let mut at_start = true;
    for piece in pieces {
        let (text, marked) = match piece {
            Piece::Plain(text) => (text, false),
            Piece::Marked(text) => (text, true),
        };
        let text = clean(text);
        for (nth, line) in text.split('\n').enumerate() {
            if nth > 0 {
                writeln!(out)?;
                at_start = true;
            }
            if at_start && !(line.is_empty() && marked) {
                write!(out, "  {}", ink.paint(Style::Dim, "│ "))?;
                at_start = false;
            }
            match (marked, line) {
                (_, "") => {}
                (true, line) if ink.shows() => write!(out, "{}", ink.paint(Style::Yellow, line))?,
                (true, line) => write!(out, "«{line}»")?,
                (false, line) => write!(out, "{line}")?,
            }
        }
    }
    if !pieces.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

/// A duration as a person says it; stages take from microseconds to seconds.
fn duration(time: Duration) -> String {
    let micros = time.as_micros();
    if micros < 1000 {
        format!("{micros} µs")
    } else if micros < 1_000_000 {
        format!("{}.{} ms", micros / 1000, micros / 100 % 10)
    } else {
        format!("{}.{:02} s", micros / 1_000_000, micros / 10_000 % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(steps: &[Step], expected: &str) {
        let mut out = Vec::new();
        print("scope-check", steps, Ink::off(), &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn stages_stand_below_each_other() {
        check(
            &[
                Step::new("input", "Stop\x1b[2J\nx").took(Duration::from_micros(1234)),
                Step {
                    body: vec![
                        Piece::Plain("a\n\nI ".into()),
                        Piece::Marked("will\ncommit".into()),
                        Piece::Plain(".\x1b]0;t\x07".into()),
                    ],
                    ..Step::new("turn text", "15 bytes").mood(Mood::Passes)
                },
            ],
            "scope-check\n\
             input      Stop[2J x  (1.2 ms)\n\
             turn text  15 bytes\n  │ a\n  │ \n  │ I «will»\n  │ «commit».]0;t\n\n",
        );
    }

    #[test]
    fn durations_read_well() {
        for (micros, expected) in [(7, "7 µs"), (45_678, "45.6 ms"), (2_345_678, "2.34 s")] {
            assert_eq!(duration(Duration::from_micros(micros)), expected);
        }
    }
}
