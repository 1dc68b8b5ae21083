//! Lines of Claude Code's session files (2.0 to 2.1.197).
//!
//! The host writes one content block a line; `user` lines are prompts, tool results, hook feedback, expansions of slash
//! commands, and notices. Which of them a human wrote is told by what they are not.

mod prompt;
mod tools;

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::entry::{Entry, Rules, Source};
use super::given::Given;
use super::line::{Printed, Text, TextOr};
use crate::activity::Outcome;
use crate::loose;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(borrow)]
    r#type: Text<'a>,
    #[serde(borrow)]
    message: Option<Message<'a>>,
    #[serde(borrow)]
    attachment: Option<Attachment<'a>>,
    #[serde(default, deserialize_with = "origin")]
    origin: Option<Origin>,
    #[serde(default, deserialize_with = "loose::value")]
    prompt_id: Option<String>,
    /// `typed`, `sdk`: only on what came in as a prompt.
    #[serde(default, deserialize_with = "loose::value")]
    prompt_source: Option<String>,
    #[serde(default, deserialize_with = "loose::value")]
    is_meta: Option<bool>,
    #[serde(default, deserialize_with = "loose::value")]
    is_sidechain: Option<bool>,
    #[serde(default, deserialize_with = "loose::value")]
    is_compact_summary: Option<bool>,
    #[serde(default, deserialize_with = "loose::value")]
    is_api_error_message: Option<bool>,
    tool_use_result: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(default, deserialize_with = "loose::value")]
    model: Option<String>,
    #[serde(default, deserialize_with = "loose::value")]
    stop_reason: Option<String>,
    #[serde(borrow)]
    content: Option<TextOr<'a, Block<'a>>>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow)]
    r#type: Text<'a>,
    #[serde(borrow)]
    text: Option<Text<'a>>,
    /// `tool_use`.
    #[serde(default, deserialize_with = "loose::value")]
    id: Option<String>,
    #[serde(default, deserialize_with = "loose::value")]
    name: Option<String>,
    #[serde(borrow)]
    input: Option<Given<'a>>,
    /// `tool_result`.
    #[serde(default, deserialize_with = "loose::value")]
    tool_use_id: Option<String>,
    content: Option<Printed>,
    #[serde(default, deserialize_with = "loose::value")]
    is_error: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attachment<'a> {
    #[serde(borrow)]
    r#type: Text<'a>,
    #[serde(borrow)]
    prompt: Option<TextOr<'a, Block<'a>>>,
    #[serde(default, deserialize_with = "loose::value")]
    command_mode: Option<String>,
    #[serde(default, deserialize_with = "origin")]
    origin: Option<Origin>,
    #[serde(default, deserialize_with = "loose::value")]
    hook_event: Option<String>,
}

/// Where a message is from.
struct Origin {
    kind: Option<String>,
}

/// An origin: an object with its kind, or maybe the kind alone.
fn origin<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Origin>, D::Error> {
    let kind = |value: Value| match value {
        Value::String(kind) => Some(kind),
        _ => None,
    };
    Ok(match Value::deserialize(from)? {
        Value::Object(mut origin) => Some(Origin {
            kind: origin.remove("kind").and_then(kind),
        }),
        value => kind(value).map(|kind| Origin { kind: Some(kind) }),
    })
}

impl Origin {
    fn is_human(&self) -> bool {
        self.kind.as_deref() == Some("human")
    }
}

/// What the host says in the assistant's place when it asks for no answer.
const NO_RESPONSE: &str = "No response requested.";

/// Adds what `object` says. `None`: it is no object of the host's.
pub fn entries<'a>(object: &'a [u8], rules: &Rules<'_>, found: &mut Vec<Entry<'a>>) -> Option<()> {
    let line: Line<'a> = serde_json::from_slice(object).ok()?;
    if line.is_sidechain == Some(true) && !rules.sidechains {
        return Some(());
    }
    match line.r#type.as_str() {
        "assistant" => assistant(line, found),
        "user" => user(line, rules, found),
        "attachment" => attachment(line, found),
        _ => {}
    }
    Some(())
}

fn assistant<'a>(line: Line<'a>, found: &mut Vec<Entry<'a>>) {
    let Some(message) = line.message else { return };
    let synthetic = message.model.is_some_and(|model| model == "<synthetic>");
    if synthetic || line.is_api_error_message == Some(true) {
        return;
    }
    let cut = message
        .stop_reason
        .is_some_and(|reason| reason == "max_tokens");
    let said = |text: Cow<'a, str>| match text.trim() {
        "" | NO_RESPONSE => Entry::Thought,
        _ => Entry::Said {
            text,
            cut,
            source: Source::Shown,
        },
    };
    match message.content {
        Some(TextOr::Text(text)) => found.push(said(text.0)),
        Some(TextOr::List(blocks)) => {
            found.extend(blocks.into_iter().map(|block| {
                match (block.r#type.as_str(), block.text, block.id, block.name) {
                    ("text", Some(text), ..) => said(text.0),
                    ("tool_use", _, Some(id), Some(name)) => {
                        let input = block.input.unwrap_or_default();
                        Entry::Call(tools::call(&id, &name, input))
                    }
                    _ => Entry::Thought,
                }
            }));
        }
        None => {}
    }
}

fn user<'a>(line: Line<'a>, rules: &Rules<'_>, found: &mut Vec<Entry<'a>>) {
    let is_notice = line.origin.as_ref().is_some_and(|o| !o.is_human());
    let name = match line.prompt_id {
        Some(id) => Some(Entry::Turn(Cow::Owned(id))),
        None => is_notice.then_some(Entry::Notice),
    };
    let Some(content) = line.message.and_then(|message| message.content) else {
        return;
    };
    let prompted = match &line.origin {
        Some(origin) => origin.is_human(),
        None => line.prompt_source.is_some(),
    };
    let before = found.len();
    found.extend(outcomes(&content, prompted).map(Entry::Outcome));
    if found.len() > before {
        // Tools returned; nobody said anything.
    } else if line.is_meta == Some(true) {
        let words = prompt::joined(prompt::texts(content));
        found.extend(feedback(&words, rules));
    } else if line.is_compact_summary != Some(true)
        && line.tool_use_result.is_none()
        && (prompted || line.origin.is_none())
    {
        if !prompted {
            found.extend(prompt::command(&content).map(Entry::Command));
        }
        found.extend(prompt::human(content, prompted).map(Entry::Human));
    }
    // Behind the message, so that whoever reads backwards learns the name before the turn is complete.
    found.extend(name);
}

fn attachment<'a>(line: Line<'a>, found: &mut Vec<Entry<'a>>) {
    let Some(attachment) = line.attachment else {
        return;
    };
    match attachment.r#type.as_str() {
        // Typed while the assistant worked; there is no `user` line for it.
        "queued_command" => {
            let human = match (&attachment.origin, &attachment.command_mode) {
                (Some(origin), _) => origin.is_human(),
                (None, Some(mode)) => mode.as_str() == "prompt",
                (None, None) => true,
            };
            let Some(given) = attachment.prompt else {
                return;
            };
            if human {
                found.extend(prompt::human(given, true).map(Entry::Human));
            } else {
                found.extend(outcomes(&given, false).map(Entry::Outcome));
                found.push(Entry::Notice);
            }
        }
        // A stop hook that adds context makes the agent go on, like one that blocks. Ours never do.
        "hook_additional_context" => {
            let event = attachment.hook_event.as_deref();
            if let Some("Stop" | "SubagentStop") = event {
                found.push(Entry::Feedback { ours: false });
            }
        }
        _ => {}
    }
}

/// What tools returned, or what a background task has come to. In a prompt that would be a quotation.
fn outcomes(content: &TextOr<'_, Block<'_>>, prompt: bool) -> impl Iterator<Item = Outcome> {
    let (notice, blocks) = match content {
        TextOr::Text(_) if prompt => (None, [].as_slice()),
        TextOr::Text(text) => (tools::notice(text.as_str()), [].as_slice()),
        TextOr::List(blocks) => (None, blocks.as_slice()),
    };
    let results = blocks
        .iter()
        .filter(|block| block.r#type.as_str() == "tool_result");
    notice.into_iter().chain(results.filter_map(|block| {
        let id = block.tool_use_id.as_deref()?;
        let printed = block
            .content
            .as_ref()
            .map_or("", |printed| printed.0.as_str());
        Some(tools::outcome(id, block.is_error == Some(true), printed))
    }))
}

/// A stop hook's feedback, which the host reports as `[command line]: stderr`, or as the `reason` alone.
///
/// It is ours if the words begin with the name of one of our hooks, and the command line, where there is one, names
/// that program: another program may say what we say. The command line ends at the first `]: `, and a reason that
/// begins with a name in brackets goes on behind `] `. So a command line that holds the one, or the other before the
/// program, isn't known for ours, nor is that of a program which starts our hook without naming it. One that is given a
/// hook's name for an argument, and speaks in its name, counts as ours.
fn feedback<'a>(words: &str, rules: &Rules<'_>) -> Option<Entry<'a>> {
    let said = words.strip_prefix("Stop hook feedback:")?.trim_start();
    let said = said.strip_prefix("- ").unwrap_or(said);
    let by_program = || {
        let (command, err) = said.strip_prefix('[')?.split_once("]: ")?;
        Some(names(command, rules.ours(err)?))
    };
    let ours = rules.ours(said).is_some() || by_program() == Some(true);
    Some(Entry::Feedback { ours })
}

/// Whether `command` names the program `name`, with or without a directory.
fn names(command: &str, name: &str) -> bool {
    let command = ["] ", "]\n"].iter().fold(command, |command, end| {
        command.split(end).next().unwrap_or_default()
    });
    let parts = |c: char| c.is_whitespace() || "/\\'\"`;&|()=".contains(c);
    command.split(parts).any(|part| part == name)
}
