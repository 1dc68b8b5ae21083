//! The human's words among what Claude Code and an IDE write in the user's name.

use std::borrow::Cow;

use super::{Block, tools};
use crate::transcript::line::TextOr;

/// The tags of what the host or an IDE puts where a human's words stand.
const INJECTED: [&str; 13] = [
    "command-name",
    "command-message",
    "command-args",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    tools::NOTICE,
    "system-reminder",
    "ide_opened_file",
    "ide_selection",
];

/// What the host says for a human who stopped it.
const INTERRUPTED: [&str; 2] = [
    "[Request interrupted by user]",
    "[Request interrupted by user for tool use]",
];

pub fn texts<'a>(content: TextOr<'a, Block<'a>>) -> Vec<Cow<'a, str>> {
    match content {
        TextOr::Text(text) => vec![text.0],
        TextOr::List(blocks) => blocks.into_iter().filter_map(|b| Some(b.text?.0)).collect(),
    }
}

pub fn joined(mut texts: Vec<Cow<'_, str>>) -> Cow<'_, str> {
    match texts.len() {
        0 | 1 => texts.pop().unwrap_or_default(),
        _ => Cow::Owned(texts.join("\n\n")),
    }
}

/// What the host and an IDE put before a human's words, at times in the same block.
const BEFORE: [&str; 3] = ["system-reminder", "ide_opened_file", "ide_selection"];

/// The human's own words; `None` when there are none. An IDE puts what is open before them, mostly in a block of its own.
/// What looks like the host's alone is the human's if it is known for a `prompt`. A pasted image without words is a message
/// all the same.
pub fn human<'a>(content: TextOr<'a, Block<'a>>, prompt: bool) -> Option<Cow<'a, str>> {
    let pasted = match &content {
        TextOr::Text(_) => false,
        TextOr::List(blocks) => blocks
            .iter()
            .any(|b| matches!(b.r#type.as_str(), "image" | "document")),
    };
    let mut texts = texts(content);
    texts.retain(|text| !text.trim().is_empty());
    for text in &mut texts {
        let words = behind_reminders(text);
        if !words.is_empty() && words.len() < text.len() {
            *text = Cow::Owned(words.to_owned());
        }
    }
    if !prompt || texts.iter().any(|text| !is_injected(text)) {
        texts.retain(|text| !is_injected(text));
    }
    (pasted || !texts.is_empty()).then(|| joined(texts))
}

/// What stands behind the tags that a text begins with.
fn behind_reminders(text: &str) -> &str {
    let behind = |text: &'_ str| {
        BEFORE.iter().find_map(|tag| {
            let inner = text
                .strip_prefix('<')?
                .strip_prefix(tag)?
                .strip_prefix('>')?;
            inner
                .find(&format!("</{tag}>"))
                .map(|at| text.len() - inner.len() + at + tag.len() + 3)
        })
    };
    let mut text = text.trim_start();
    while let Some(rest) = behind(text).and_then(|at| text.get(at..)) {
        text = rest.trim_start();
    }
    text
}

/// Whether a text is made like the host's own: in a tag that is closed again. A notice has more tags in it.
fn is_injected(text: &str) -> bool {
    let text = text.trim();
    let in_tag = |tag: &&str| {
        let inner = text
            .strip_prefix('<')
            .and_then(|rest| rest.strip_prefix(*tag)?.strip_prefix('>'));
        inner.is_some_and(|inner| {
            inner.contains(&format!("</{tag}>"))
                && (*tag != tools::NOTICE || inner.trim_start().starts_with('<'))
        })
    };
    INTERRUPTED.contains(&text) || INJECTED.iter().any(in_tag)
}

/// The slash command that the host took apart into tags.
pub fn command(content: &TextOr<'_, Block<'_>>) -> Option<String> {
    let TextOr::Text(text) = content else {
        return None;
    };
    let part = |tag: &str| {
        let (_, rest) = text.as_str().split_once(&format!("<{tag}>"))?;
        Some(rest.split_once(&format!("</{tag}>"))?.0.trim())
    };
    if !text.as_str().trim_start().starts_with("<command-") {
        return None;
    }
    let typed = [
        part("command-name")?,
        part("command-args").unwrap_or_default(),
    ]
    .join(" ");
    Some(typed.trim_end().to_owned())
}
