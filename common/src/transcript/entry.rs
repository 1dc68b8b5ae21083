//! What of a transcript makes a turn, whichever host wrote it.

use std::borrow::Cow;

use super::line::{Kind, Text, is_long_message, objects};
use super::tail::Line;
use super::{claude, codex};

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
    Call,
    /// A tool returned.
    Outcome,
    /// A stop hook sent the agent back.
    Feedback { ours: bool },
    /// The host shortened the conversation. This holds the summary, which an assistant entry before it may repeat.
    Compacted(Cow<'a, str>),
    /// The host's id of the prompt or turn that the line belongs to.
    Turn(Cow<'a, str>),
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
            Entry::Call => Entry::Call,
            Entry::Outcome => Entry::Outcome,
            Entry::Feedback { ours } => Entry::Feedback { ours },
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
    /// Whether a stop hook's words are ours: they begin with `[hook-name]`. Quoting us further on is not enough.
    pub fn is_ours(&self, words: &str) -> bool {
        let name = words
            .trim_start()
            .strip_prefix('[')
            .and_then(|rest| rest.split_once(']'));
        name.is_some_and(|(name, _)| self.hook_names.contains(&name))
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
    for object in objects(line) {
        match Kind::of(object) {
            Kind::Claude => claude::entries(object, rules, &mut found),
            Kind::Codex => codex::entries(object, rules, &mut found),
            Kind::Nothing => {}
            Kind::Unknown => match whole_type(object).as_deref() {
                Some("user" | "assistant" | "attachment") => {
                    claude::entries(object, rules, &mut found);
                }
                Some(_) => codex::entries(object, rules, &mut found),
                None => {}
            },
        }
    }
    found
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
