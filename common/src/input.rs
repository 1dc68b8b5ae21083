//! The JSON that a host writes to a hook's stdin.
//!
//! Shapes were measured with Claude Code 2.1.197 and Codex CLI 0.171. Only `hook_event_name` is required, because
//! older clients send five or six fields; unknown fields are ignored, because newer ones send more. A field of a type
//! that we don't know costs itself alone, but for the event and the final message: without them something else than
//! what was said would be judged. Whether a path in here exists is the transcript module's question, not this one's.

#[cfg(test)]
mod tests;

use std::fmt;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{loose, surrogates};

/// What is read from stdin at most. An 800 kB message gives an 800 kB input; this leaves room for twenty of them.
pub const INPUT_MAX_BYTES: usize = 16 << 20;

/// The program that runs the hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// Claude Code.
    ClaudeCode,
    /// Codex CLI, told apart by `turn_id`.
    Codex,
}

impl Host {
    /// By whether the input names a turn.
    fn of(names_turn: bool) -> Self {
        if names_turn {
            Self::Codex
        } else {
            Self::ClaudeCode
        }
    }

    /// The host called `name` in the log.
    pub fn named(name: &str) -> Option<Self> {
        [Self::ClaudeCode, Self::Codex]
            .into_iter()
            .find(|host| host.name() == name)
    }

    /// As the log names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
        }
    }
}

/// When the host runs the hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Event {
    /// The agent is about to end its turn.
    Stop,
    /// A subagent is about to end its work.
    SubagentStop,
    /// A tool is about to run.
    PreToolUse,
}

impl Event {
    /// As the host and the log name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stop => "Stop",
            Self::SubagentStop => "SubagentStop",
            Self::PreToolUse => "PreToolUse",
        }
    }
}

/// One hook input, parsed.
#[derive(Debug, Clone, Deserialize)]
pub struct HookInput {
    /// Which event it is; an event unknown to us does not parse.
    #[serde(rename = "hook_event_name")]
    pub event: Event,
    /// The session.
    #[serde(default, deserialize_with = "loose::value")]
    pub session_id: Option<String>,
    /// Claude Code: the prompt that this turn answers. Only confirms a turn's boundary.
    #[serde(default, deserialize_with = "loose::value")]
    pub prompt_id: Option<String>,
    /// Codex only: it tells the host, whatever it holds.
    #[serde(default, deserialize_with = "loose::text")]
    pub turn_id: Option<String>,
    /// The session's file; with `SubagentStop` the parent's. It may not exist, ever.
    #[serde(default, deserialize_with = "loose::value")]
    pub transcript_path: Option<PathBuf>,
    /// `SubagentStop`: the subagent's own file.
    #[serde(default, deserialize_with = "loose::value")]
    pub agent_transcript_path: Option<PathBuf>,
    /// The subagent, with `SubagentStop` and where one calls a tool.
    #[serde(default, deserialize_with = "loose::value")]
    pub agent_id: Option<String>,
    /// `SubagentStop`: the kind of subagent. Empty for a compaction summary.
    #[serde(default, deserialize_with = "loose::value")]
    pub agent_type: Option<String>,
    /// Where the session stands.
    #[serde(default, deserialize_with = "loose::value")]
    pub cwd: Option<PathBuf>,
    /// A stop hook already sent the agent back in this turn. What can't be read counts as a yes: it may end a loop.
    #[serde(default, deserialize_with = "loose::flag")]
    pub stop_hook_active: bool,
    /// The last text block of the final message, trimmed. Absent when that message has no text.
    pub last_assistant_message: Option<String>,
    /// Work that still runs after the stop.
    #[serde(default, deserialize_with = "loose::list")]
    pub background_tasks: Vec<BackgroundTask>,
    /// `PreToolUse`: the tool.
    #[serde(default, deserialize_with = "loose::value")]
    pub tool_name: Option<String>,
    /// `PreToolUse`: what it is called with.
    #[serde(default, deserialize_with = "loose::value")]
    pub tool_input: Option<ToolInput>,
}

/// One entry of `background_tasks`.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct BackgroundTask {
    /// `shell`, `subagent`, `monitor`, …
    #[serde(default, deserialize_with = "loose::value")]
    pub r#type: Option<String>,
    /// `running`, …
    #[serde(default, deserialize_with = "loose::value")]
    pub status: Option<String>,
    /// In the agent's words.
    #[serde(default, deserialize_with = "loose::value")]
    pub description: Option<String>,
    /// For a shell: its command line.
    #[serde(default, deserialize_with = "loose::value")]
    pub command: Option<String>,
}

/// The part of a tool call that a gate looks at.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ToolInput {
    /// For `Bash`: the command line.
    #[serde(default, deserialize_with = "loose::value")]
    pub command: Option<String>,
}

impl HookInput {
    /// Reads one input to its end, if that comes within `limit`. A host that never closes the pipe cancels the hook some
    /// day, and then a tool runs that a gate would have asked about.
    ///
    /// # Errors
    /// As [`HookInput::read`], and when the end is late.
    pub fn read_within(limit: Duration, from: impl Read + Send + 'static) -> Result<Self, Error> {
        let (send, receive) = mpsc::channel();
        thread::Builder::new()
            .spawn(move || {
                // Nobody listens any more when the time is up.
                let _ = send.send(Self::read(from));
            })
            .map_err(Error::Read)?;
        receive.recv_timeout(limit).unwrap_or(Err(Error::Late))
    }

    /// Reads one input to its end.
    ///
    /// # Errors
    /// When reading fails, there is nothing, more than [`INPUT_MAX_BYTES`], or no JSON object of the shape above.
    pub fn read(from: impl Read) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        from.take(INPUT_MAX_BYTES as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(Error::Read)?;
        if bytes.len() > INPUT_MAX_BYTES {
            return Err(Error::TooLarge);
        }
        Self::parse(&bytes)
    }

    /// Parses one input. Half a UTF-16 pair, as hosts leave it where they cut a text, and bad UTF-8 cost that character
    /// alone.
    ///
    /// # Errors
    /// When there is nothing, or no JSON object of the shape above.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if bytes.trim_ascii().is_empty() {
            return Err(Error::Empty);
        }
        serde_json::from_slice(bytes)
            .or_else(|source| match surrogates::as_text(bytes) {
                Some(text) => serde_json::from_slice(&text),
                None => Err(source),
            })
            .map_err(|source| Error::Json {
                source,
                host: whose(bytes),
            })
    }

    /// Which host wrote what was read, as far as that tells.
    pub fn host_of(read: &Result<Self, Error>) -> Option<Host> {
        match read {
            Ok(input) => Some(input.host()),
            Err(error) => error.host(),
        }
    }

    /// Which host wrote it.
    pub fn host(&self) -> Host {
        Host::of(self.turn_id.is_some())
    }

    /// What names the turn: Codex's `turn_id` or Claude Code's `prompt_id`.
    pub fn turn(&self) -> Option<&str> {
        let id = self.turn_id.as_deref().or(self.prompt_id.as_deref());
        id.filter(|id| !id.is_empty())
    }

    /// The file with the words under judgement: with `SubagentStop` the subagent's own.
    pub fn transcript(&self) -> Option<&PathBuf> {
        match self.event {
            Event::SubagentStop => self.agent_transcript_path.as_ref(),
            Event::Stop | Event::PreToolUse => self.transcript_path.as_ref(),
        }
    }

    /// Where Claude Code keeps the file of a subagent that calls a tool. It doesn't name it there, but with `SubagentStop`
    /// it does: `<session>/subagents/agent-<id>.jsonl`.
    pub fn caller_transcript(&self) -> Option<PathBuf> {
        let id = self.agent_id.as_deref()?;
        let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        let named = !id.is_empty() && id.bytes().all(is_name) && self.event == Event::PreToolUse;
        let session = self.transcript_path.as_ref()?.with_extension("");
        named.then(|| session.join("subagents").join(format!("agent-{id}.jsonl")))
    }

    /// A subagent without a type is the host's own compaction summary: nobody's words.
    pub fn is_compaction(&self) -> bool {
        self.event == Event::SubagentStop && self.agent_type.as_deref() == Some("")
    }
}

/// Which host wrote an object that isn't an input of ours.
fn whose(bytes: &[u8]) -> Option<Host> {
    let object: Map<String, Value> = serde_json::from_slice(bytes).ok()?;
    let named = object.get("turn_id").is_some_and(|id| !id.is_null());
    Some(Host::of(named))
}

/// Why there is no input.
#[derive(Debug)]
pub enum Error {
    /// Stdin could not be read.
    Read(io::Error),
    /// Stdin did not end in time.
    Late,
    /// Nothing but white space.
    Empty,
    /// More than [`INPUT_MAX_BYTES`].
    TooLarge,
    /// Not JSON, or none of ours.
    Json {
        /// What is wrong with it.
        source: serde_json::Error,
        /// Who wrote it, where it can be read that far.
        host: Option<Host>,
    },
}

impl Error {
    /// Which host wrote what can't be used.
    pub fn host(&self) -> Option<Host> {
        match self {
            Self::Json { host, .. } => *host,
            Self::Read(_) | Self::Late | Self::Empty | Self::TooLarge => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(_) => f.write_str("stdin can't be read"),
            Self::Late => f.write_str("stdin did not end in time"),
            Self::Empty => f.write_str("stdin is empty"),
            Self::TooLarge => write!(f, "stdin holds more than {INPUT_MAX_BYTES} bytes"),
            // serde_json quotes the offending value, which is the agent's text: only the place is told.
            Self::Json { source, .. } => write!(
                f,
                "stdin is no hook input (line {}, column {})",
                source.line(),
                source.column()
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(e) => Some(e),
            Self::Json { source, .. } => Some(source),
            Self::Late | Self::Empty | Self::TooLarge => None,
        }
    }
}
