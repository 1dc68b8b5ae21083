//! Lines of Codex rollouts (2025 to 0.171).
//!
//! A message stands there twice: as an event that was shown (`item_completed`; before 0.147 `user_message` and
//! `agent_message`) and as an item of the model's history. Both are passed on with their source, and the reader of a
//! whole turn takes one. The 2025 files hold the bare items. Of the items in a user's name most are the client's:
//! environment, AGENTS.md, hook prompts, notices.

mod tools;

use std::borrow::Cow;

use serde::Deserialize;

use super::entry::{Entry, Rules, Source};
use super::given::{Given, Strings};
use super::line::{Keys, Loose, Printed, Text, TextOr};
use crate::activity::{Call, What};
use crate::loose;

#[derive(Deserialize)]
struct Wrapped<'a> {
    #[serde(borrow)]
    payload: Option<Payload<'a>>,
}

/// An event or an item. The names of their fields don't clash in the kinds that are read.
#[derive(Deserialize)]
struct Payload<'a> {
    #[serde(borrow, default)]
    r#type: Text<'a>,
    #[serde(default, deserialize_with = "loose::value")]
    turn_id: Option<String>,
    /// `item_completed`: what completed.
    #[serde(borrow)]
    item: Option<Item<'a>>,
    /// `user_message`, `agent_message`, and `compacted`, which has no type of its own.
    #[serde(borrow)]
    message: Option<Text<'a>>,
    /// `user_message` of 2025: `plain`, or what the client put in.
    #[serde(default, deserialize_with = "loose::value")]
    kind: Option<String>,
    /// `message`: `user`, `assistant`, `developer`, `system`.
    #[serde(default, deserialize_with = "loose::value")]
    role: Option<String>,
    #[serde(borrow)]
    content: Option<TextOr<'a, Block<'a>>>,
    /// Calls and their outputs.
    #[serde(default, deserialize_with = "loose::value")]
    call_id: Option<String>,
    #[serde(default, deserialize_with = "loose::value")]
    name: Option<String>,
    #[serde(borrow)]
    arguments: Option<Loose<'a>>,
    #[serde(borrow)]
    input: Option<Loose<'a>>,
    #[serde(borrow)]
    action: Option<Action<'a>>,
    output: Option<Printed>,
    #[serde(
        default,
        deserialize_with = "loose::value",
        rename = "internal_chat_message_metadata_passthrough"
    )]
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow)]
    r#type: Text<'a>,
    #[serde(borrow)]
    content: Option<TextOr<'a, Block<'a>>>,
    /// `HookPrompt`.
    #[serde(borrow)]
    fragments: Option<Vec<Block<'a>>>,
    /// `CommandExecution`, `FileChange` and `McpToolCall`: the call that they complete.
    #[serde(default, deserialize_with = "loose::value")]
    id: Option<String>,
    #[serde(borrow)]
    command: Option<Strings<'a>>,
    #[serde(default, deserialize_with = "loose::value")]
    status: Option<String>,
    #[serde(default, deserialize_with = "loose::value")]
    exit_code: Option<i32>,
    /// `McpToolCall`.
    #[serde(default, deserialize_with = "loose::value")]
    tool: Option<String>,
    #[serde(borrow)]
    arguments: Option<Given<'a>>,
    aggregated_output: Option<Printed>,
    changes: Option<Keys>,
}

/// What a `local_shell_call` of 2025 does.
#[derive(Deserialize)]
struct Action<'a> {
    #[serde(borrow)]
    command: Option<Strings<'a>>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow)]
    text: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(default, deserialize_with = "loose::value")]
    turn_id: Option<String>,
    #[serde(default, deserialize_with = "loose::value")]
    content_item_kinds: Option<Vec<String>>,
}

/// How the texts begin that the client sends in the user's name.
const INJECTED: [&str; 16] = [
    "<environment_context",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<subagent_notification>",
    "<turn_aborted>",
    "<skill>",
    "<skills_instructions>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<model_switch>",
    "<user_shell_command>",
    "<personality_spec>",
    "<goal_context>",
    "<apps_instructions>",
    "<plugins_instructions>",
    "<ENVIRONMENT_CONTEXT",
];

const HOOK_PROMPT: &str = "<hook_prompt";

/// Adds what `object` says. `None`: it is no object of the host's.
pub fn entries<'a>(object: &'a [u8], rules: &Rules<'_>, found: &mut Vec<Entry<'a>>) -> Option<()> {
    let payload = match serde_json::from_slice::<Wrapped<'a>>(object).ok()?.payload {
        Some(payload) => payload,
        None => serde_json::from_slice(object).ok()?,
    };
    let turn = payload
        .turn_id
        .or_else(|| payload.metadata.as_ref()?.turn_id.clone());
    match (payload.r#type.as_str(), payload.item, payload.message) {
        ("item_completed", Some(item), _) => completed(item, rules, found),
        ("user_message", _, Some(text)) => {
            let typed = match payload.kind.as_deref() {
                Some(kind) => kind == "plain",
                None => !is_injected(text.as_str()),
            };
            found.extend(typed.then_some(Entry::Human(text.0)));
        }
        ("agent_message", _, Some(text)) => found.push(said(text.0, Source::Shown)),
        ("message", ..) => {
            let content = payload.content.unwrap_or_default();
            match payload.role.as_deref() {
                Some("assistant") => {
                    found.extend(texts(content).into_iter().map(|t| said(t, Source::History)));
                }
                Some("user") => user(content, payload.metadata.as_ref(), rules, found),
                _ => {}
            }
        }
        ("function_call" | "custom_tool_call" | "local_shell_call", ..) => {
            let id = payload.call_id.unwrap_or_default();
            let name = payload.name.unwrap_or_default();
            let given = payload
                .arguments
                .or(payload.input)
                .and_then(|given| given.0);
            let call = match payload.action.and_then(|action| action.command) {
                Some(words) => Call::new(id.as_str(), tools::run(&tools::command_line(&words.0))),
                None => tools::call(id.as_str(), name.as_str(), &given.unwrap_or_default()),
            };
            found.push(Entry::Call(call));
        }
        ("function_call_output" | "custom_tool_call_output", ..) => {
            let id = payload.call_id.unwrap_or_default();
            let output = payload.output.unwrap_or_default();
            found.push(Entry::Outcome(tools::outcome(id.as_str(), &output.0)));
        }
        ("", _, Some(summary)) => found.push(Entry::Compacted(summary.0)),
        _ => {}
    }
    // Behind the message, so that whoever reads backwards learns the name before the turn is complete.
    found.extend(turn.map(|id| Entry::Turn(Cow::Owned(id))));
    Some(())
}

fn completed<'a>(item: Item<'a>, rules: &Rules<'_>, found: &mut Vec<Entry<'a>>) {
    match item.r#type.as_str() {
        "AgentMessage" => {
            let texts = texts(item.content.unwrap_or_default());
            found.extend(texts.into_iter().map(|text| said(text, Source::Shown)));
        }
        "UserMessage" => {
            found.push(Entry::Human(joined(texts(
                item.content.unwrap_or_default(),
            ))));
        }
        "HookPrompt" => {
            let fragments = item.fragments.unwrap_or_default();
            let mut texts = fragments
                .iter()
                .filter_map(|fragment| fragment.text.as_ref());
            let ours = texts.any(|text| rules.ours(text.as_str()).is_some());
            found.push(Entry::Feedback { ours });
        }
        kind @ ("CommandExecution" | "FileChange" | "McpToolCall") => {
            let what = match kind {
                "FileChange" => What::Edit(item.changes.unwrap_or_default().0),
                "McpToolCall" => {
                    let name = item.tool.unwrap_or_default();
                    item.arguments.unwrap_or_default().unknown(name.as_str())
                }
                _ => tools::run(&tools::command_line(&item.command.unwrap_or_default().0)),
            };
            let id = item.id.unwrap_or_default();
            let status = item.status.as_deref();
            let output = item.aggregated_output.unwrap_or_default();
            let outcome = tools::executed(id.as_str(), what, status, item.exit_code, &output.0);
            found.push(Entry::Outcome(outcome));
        }
        _ => {}
    }
}

fn user<'a>(
    content: TextOr<'a, Block<'a>>,
    metadata: Option<&Metadata>,
    rules: &Rules<'_>,
    found: &mut Vec<Entry<'a>>,
) {
    let mut texts = texts(content);
    let kinds = metadata.and_then(|metadata| metadata.content_item_kinds.as_deref());
    if kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind.starts_with("user."))) {
        found.push(Entry::Human(joined(texts)));
        return;
    }
    if texts
        .iter()
        .any(|text| text.starts_with(HOOK_PROMPT) && is_injected(text))
    {
        // Several prompts may stand in one text; within one, `<` is escaped.
        let mut prompts = texts
            .iter()
            .flat_map(|text| text.split(HOOK_PROMPT).skip(1));
        let ours = prompts.any(|prompt| {
            prompt
                .split_once('>')
                .is_some_and(|(_attributes, words)| rules.ours(words).is_some())
        });
        found.push(Entry::Feedback { ours });
        return;
    }
    // With kinds, none of them the user's, only "unknown" leaves room for a human.
    if kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind != "unknown")) {
        return;
    }
    texts.retain(|text| !is_injected(text) && !text.trim().is_empty());
    if !texts.is_empty() {
        found.push(Entry::Human(joined(texts)));
    }
}

fn is_injected(text: &str) -> bool {
    let text = text.trim_start();
    let begins = |mark: &str| {
        // A tag of the client's is closed again.
        let name = mark.trim_start_matches('<').trim_end_matches('>');
        text.starts_with(mark) && (!mark.starts_with('<') || text.contains(&format!("</{name}")))
    };
    begins(HOOK_PROMPT) || INJECTED.into_iter().any(begins)
}

fn said(text: Cow<'_, str>, source: Source) -> Entry<'_> {
    if text.trim().is_empty() {
        Entry::Thought
    } else {
        Entry::Said {
            text,
            cut: false,
            source,
        }
    }
}

fn texts<'a>(content: TextOr<'a, Block<'a>>) -> Vec<Cow<'a, str>> {
    match content {
        TextOr::Text(text) => vec![text.0],
        TextOr::List(blocks) => blocks.into_iter().filter_map(|b| Some(b.text?.0)).collect(),
    }
}

fn joined(mut texts: Vec<Cow<'_, str>>) -> Cow<'_, str> {
    match texts.len() {
        0 | 1 => texts.pop().unwrap_or_default(),
        _ => Cow::Owned(texts.join("\n\n")),
    }
}
