//! What of a transcript makes a turn, whichever host wrote it.

use std::borrow::Cow;

use super::line::{Kind, Text, is_glued, is_long_message, objects};
use super::tail::Line;
use super::{claude, codex};
use crate::activity::{Call, Outcome};
use crate::surrogates;

/// One thing that a line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry<'a> {
    /// A human message: the turn's boundary.
    Human(Cow<'a, str>),
    /// A slash command as the human typed it. What the host makes of it isn't the human's words, so it is no boundary.
    Command(String),
    /// The assistant's words.
    Said {
        text: Cow<'a, str>,
        /// The answer hit the token limit here, and the next piece goes on in mid-sentence.
        cut: bool,
        source: Source,
    },
    /// The assistant thought; nobody's words, but it shows that the assistant was at work.
    Thought,
    /// The assistant called a tool.
    Call(Call),
    /// A tool returned.
    Outcome(Outcome),
    /// A stop hook sent the agent back.
    Feedback { ours: bool },
    /// The host shortened the conversation. This holds the summary, which an assistant entry before it may repeat.
    Compacted(Cow<'a, str>),
    /// The host's id of the prompt or turn that the line belongs to.
    Turn(Cow<'a, str>),
    /// The host told the agent something, and doesn't say under which id.
    Notice,
}

/// Codex writes each message twice: as an event that it showed and as an item of the model's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Shown,
    History,
}

impl Entry<'_> {
    /// The same, on its own.
    pub fn into_owned(self) -> Entry<'static> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Entry::Human(text) => Entry::Human(own(text)),
            Entry::Said { text, cut, source } => Entry::Said {
                text: own(text),
                cut,
                source,
            },
            Entry::Command(typed) => Entry::Command(typed),
            Entry::Thought => Entry::Thought,
            Entry::Call(call) => Entry::Call(call),
            Entry::Outcome(outcome) => Entry::Outcome(outcome),
            Entry::Feedback { ours } => Entry::Feedback { ours },
            Entry::Notice => Entry::Notice,
            Entry::Compacted(text) => Entry::Compacted(own(text)),
            Entry::Turn(id) => Entry::Turn(own(id)),
        }
    }
}

/// How lines are read.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// Names of the hooks whose feedback is ours.
    pub hook_names: &'a [&'a str],
    /// The file is a subagent's own, in which every line is marked as a sidechain. Elsewhere such lines are nobody's.
    pub sidechains: bool,
}

impl Rules<'_> {
    /// Which of our hooks a stop hook's words are of: they begin with `[hook-name]`. Quoting us further on is not enough.
    pub fn ours<'w>(&self, words: &'w str) -> Option<&'w str> {
        let (name, _) = words.trim_start().strip_prefix('[')?.split_once(']')?;
        self.hook_names.contains(&name).then_some(name)
    }
}

/// All entries of a line, in order.
pub fn entries<'a>(line: Line<'a>, rules: &Rules<'_>) -> Vec<Entry<'a>> {
    let mut found = Vec::new();
    let line = match line {
        Line::Whole(line) => line,
        Line::Ends { head, tail } => {
            found.extend(is_long_message(head, tail).then_some(Entry::Human(Cow::Borrowed(""))));
            return found;
        }
    };
    // Nearly every line is one object, and the parser finds out at no cost whether it is.
    let whole = line
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(line)
        .trim_ascii();
    if whole.is_empty() || read(whole, rules, &mut found).is_some() {
        return found;
    }
    for part in objects(line) {
        // A part that says nothing costs no more than itself.
        let _ = read(part, rules, &mut found);
    }
    found
}

/// As [`object`]; half a character that stands in the way costs itself alone.
fn read<'a>(bytes: &'a [u8], rules: &Rules<'_>, found: &mut Vec<Entry<'a>>) -> Option<()> {
    object(bytes, rules, found).or_else(|| {
        let text = surrogates::as_text(bytes)?;
        let mut said = Vec::new();
        object(&text, rules, &mut said)?;
        for entry in said {
            found.push(entry.into_owned());
        }
        Some(())
    })
}

/// Adds what one object says. `None`: the bytes aren't one object.
fn object<'a>(bytes: &'a [u8], rules: &Rules<'_>, found: &mut Vec<Entry<'a>>) -> Option<()> {
    match Kind::of(bytes) {
        Kind::Claude => claude::entries(bytes, rules, found),
        Kind::Codex => codex::entries(bytes, rules, found),
        Kind::Nothing => (!is_glued(bytes)).then_some(()),
        Kind::Unknown => match whole_type(bytes)?.as_str() {
            "user" | "assistant" | "attachment" => claude::entries(bytes, rules, found),
            _ => codex::entries(bytes, rules, found),
        },
    }
}

fn whole_type(object: &[u8]) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Typed<'a> {
        #[serde(borrow)]
        r#type: Text<'a>,
    }
    let typed: Typed<'_> = serde_json::from_slice(object).ok()?;
    Some(typed.r#type.0.into_owned())
}
