//! Reads what the assistant said and did in the current turn.
//!
//! The turn begins at the last human message; what a stop hook sent back in between does not end it, but parts what was
//! said before from what was said after. The host appends to the transcript while it is read, and Claude Code starts its
//! hooks before the final message is in the file, so reading waits a moment for it and adds the message from the hook's
//! input where it stays away. Only the tail is read; sessions outgrow 100 MB. A line that can't be read is passed over,
//! and so is a file: nothing here is an error.
//!
//! Both hosts' lines become the same entries; what a line is, it says itself, so nobody has to know whose
//! file it is.

mod claude;
mod codex;
mod entry;
mod gather;
mod given;
mod line;
mod tail;
mod wait;
mod walk;

use std::borrow::Cow;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

use crate::activity::Activity;
use crate::input::{Event, HookInput, Host};
use entry::{Rules, entries};
use gather::Gather;
use tail::Lines;

pub use walk::{Past, Turns};

/// How much of a turn's text counts.
pub const TURN_TEXT_MAX_BYTES: usize = 4000;

/// What is read before the text that counts, so that a secret across the cut is seen whole.
pub const REDACTION_MARGIN_BYTES: usize = 8192;

/// How much of the end of the last human message counts.
pub const USER_TEXT_MAX_BYTES: usize = 500;

/// How much of its beginning a gate looks at besides: what a user allows stands there as often.
pub const USER_BEGINNING_MAX_BYTES: usize = 250;

/// What stands in a long message for the middle that was left out.
pub const LEFT_OUT: &str = "\n…\n";

/// How far back a turn is followed. The longest real one reached back 3.5 MB; a turn without an end in sight is judged
/// by its end.
const TURN_MAX_BYTES: u64 = 64 << 20;

/// What happened since the last human message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turn {
    /// Said before the last stop-hook feedback of this turn; empty when there was none. Its last
    /// [`TURN_TEXT_MAX_BYTES`] + [`REDACTION_MARGIN_BYTES`].
    pub earlier: String,
    /// Said after it, or everything; messages are parted by a blank line. As long as `earlier` at most.
    pub latest: String,
    /// How many stops our hooks blocked in this turn. Five hooks may block one stop.
    pub blocked_stops: usize,
    /// `latest` was longer than [`TURN_TEXT_MAX_BYTES`].
    pub truncated: bool,
    /// The last human message, and the slash commands after it that the assistant answered. Of a long one the first
    /// [`USER_BEGINNING_MAX_BYTES`] and the last [`USER_TEXT_MAX_BYTES`], either with [`REDACTION_MARGIN_BYTES`], around
    /// [`LEFT_OUT`].
    pub user_text: Option<String>,
    /// What the assistant did, and the work that still runs.
    pub activity: Activity,
    /// False when there was only the hook input's `last_assistant_message`: no file, or one that says nothing.
    pub from_transcript: bool,
    /// How long the final message was waited for.
    pub waited: Duration,
}

impl Turn {
    /// The part that layer 1 looks at: the last [`TURN_TEXT_MAX_BYTES`] of `latest`.
    pub fn text(&self) -> &str {
        last_bytes(&self.latest, TURN_TEXT_MAX_BYTES)
    }
}

/// Reads the turn that `input` is about. `hook_names` are all hooks whose blocks count. `None`: there is neither a
/// transcript nor a message.
pub fn read(input: &HookInput, hook_names: &[&str]) -> Option<Turn> {
    let message = input
        .last_assistant_message
        .as_deref()
        .filter(|m| !m.trim().is_empty());
    let callers = input.caller_transcript().filter(|path| path.is_file());
    let rules = Rules {
        hook_names,
        sidechains: input.event == Event::SubagentStop || callers.is_some(),
    };
    // A subagent has a file of its own, and goes by the name of whatever turn called it.
    let turn = input.turn().filter(|_| !rules.sidechains);
    // Codex writes first and starts its hooks then.
    let sent_back = input.stop_hook_active && input.host() == Host::ClaudeCode;
    let (gathered, waited) = match callers.as_ref().or(input.transcript()) {
        Some(path) => wait::settle(path, message.is_some(), sent_back, |file, end| {
            let mut gather = Gather::new(turn, message);
            gather_before(file, end, &rules, &mut gather);
            gather
        }),
        None => (None, Duration::ZERO),
    };
    let read = gathered.is_some();
    let mut turn = match gathered {
        Some(gather) if !gather.is_another() => gather.finish(waited),
        // The message is all that is known of this turn.
        _ => Gather::new(None, message).finish(waited),
    };
    turn.activity = turn.activity.with_background(&input.background_tasks);
    (read || message.is_some()).then_some(turn)
}

/// Hands the entries before `end` to `gather`, newest first, until it has a whole turn.
fn gather_before(file: &File, end: u64, rules: &Rules<'_>, gather: &mut Gather<'_>) {
    let mut lines = Lines::before(file, end, TURN_MAX_BYTES);
    while let Some((_, line)) = lines.next() {
        if !entries(line, rules)
            .into_iter()
            .rev()
            .all(|entry| gather.add(entry))
        {
            return;
        }
    }
    if lines.is_cut() {
        gather.cut();
    }
}

/// Opens a regular file; opening a pipe would block.
fn open_regular(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.is_file() {
        File::open(path)
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ))
    }
}

/// A human message as far as it counts.
fn both_ends(text: &str) -> Cow<'_, str> {
    let first = USER_BEGINNING_MAX_BYTES + REDACTION_MARGIN_BYTES;
    let last = USER_TEXT_MAX_BYTES + REDACTION_MARGIN_BYTES;
    if text.len() <= first + LEFT_OUT.len() + last {
        return Cow::Borrowed(text);
    }
    let mut to = first;
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    let beginning = text.get(..to).unwrap_or_default();
    Cow::Owned([beginning, LEFT_OUT, last_bytes(text, last)].concat())
}

/// The last bytes of `text`, `max` at most, cut between characters.
fn last_bytes(text: &str, max: usize) -> &str {
    let mut from = text.len().saturating_sub(max);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text.get(from..).unwrap_or_default()
}
