//! From a verdict to what the host is told. The only writer of stdout and stderr in a hook run.
//!
//! What each host makes of an exit code and of words on stdout and stderr was measured with the real clients:
//!
//! - Claude Code downgrades exit 2 to "non-blocking" when stdout is empty and stderr holds "no such file" or "can't
//!   open", which a quoted reason may well do. One byte on stdout avoids it; Codex ignores stdout on exit 2.
//! - Codex takes exit 2 without words on stderr, or words on stdout with exit 0, as a failed hook.
//! - On `PreToolUse` Codex takes "ask" as a failed hook and runs the tool, so there it is a deny.

use std::io::{self, Write};
use std::process::ExitCode;

use serde_json::json;

use crate::config::Mode;
use crate::input::{Event, Host};
use crate::redact::Redacted;

/// The feedback's length at most; Codex moves anything above 10,000 characters to a file.
pub const FEEDBACK_MAX_CHARS: usize = 1000;

/// A judge's reason is cut here: longer ones say nothing more, and the remedy has to fit behind it.
pub const REASON_MAX_BYTES: usize = 500;

const SWITCH_OFF: &str = "(`stop-hooks uninstall --gate` switches the gate off, or taking its PreToolUse entry out of \
    the settings.)";

/// What to do with the stop, or with the tool call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Decision {
    /// Nothing: the host goes on by its own rules.
    #[default]
    Allow,
    /// The agent goes back to work with these words.
    Block(String),
    /// The tool call is refused with these words.
    Deny(String),
    /// The human is asked, with these words.
    Ask(String),
}

impl Decision {
    /// As the log names it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Block(_) => "block",
            Self::Deny(_) => "deny",
            Self::Ask(_) => "ask",
        }
    }

    /// What the agent or the user is told.
    pub fn words(&self) -> Option<&str> {
        match self {
            Self::Allow => None,
            Self::Block(words) | Self::Deny(words) | Self::Ask(words) => Some(words),
        }
    }

    /// The decision that the log calls `name`, with its words.
    pub fn named(name: &str, words: &str) -> Option<Self> {
        let of = |decision: fn(String) -> Self| Some(decision(words.to_owned()));
        match name {
            "allow" => Some(Self::Allow),
            "block" => of(Self::Block),
            "deny" => of(Self::Deny),
            "ask" => of(Self::Ask),
            _ => None,
        }
    }

    /// What leaves the process for this decision; `notice` is a word to the user where it allows.
    ///
    /// `mode` weakens it: warn tells the user and lets it pass, shadow says nothing.
    pub fn output(&self, notice: Option<&str>, mode: Mode, host: Host) -> Output {
        match (self, mode) {
            (_, Mode::Shadow | Mode::Off) => Output::default(),
            (Self::Allow, _) => match notice {
                Some(notice) if host == Host::ClaudeCode => Output::notice(notice),
                _ => Output::default(),
            },
            (Self::Block(words) | Self::Deny(words) | Self::Ask(words), Mode::Warn) => {
                Output::notice(words)
            }
            (Self::Block(words), Mode::Block) => Output {
                stdout: ".".to_owned(),
                stderr: format!("{words}\n"),
                code: 2,
            },
            (Self::Deny(words), Mode::Block) => Output::permission("deny", words),
            (Self::Ask(words), Mode::Block) => match host {
                Host::ClaudeCode => Output::permission("ask", words),
                Host::Codex => {
                    Output::permission("deny", &format!("{words} Ask the user to approve it."))
                }
            },
        }
    }
}

/// The words that go with a block: who speaks, the judge's reason, what would satisfy the hook.
pub fn feedback(hook: &str, reason: Option<&Redacted>, remedy: &str) -> String {
    let tail = format!("What satisfies this hook: {remedy} Rewording alone won't.");
    sentence(hook, reason, &tail)
}

/// The words that go with a refused command.
pub fn denial(hook: &str, reason: Option<&Redacted>, remedy: &str) -> String {
    sentence(hook, reason, &format!("{remedy} {SWITCH_OFF}"))
}

fn sentence(hook: &str, reason: Option<&Redacted>, tail: &str) -> String {
    let head = format!("[{hook}] ");
    let room = FEEDBACK_MAX_CHARS.saturating_sub(head.chars().count() + tail.chars().count() + 2);
    let reason = reason
        .map(|reason| reason.as_str().trim())
        .unwrap_or_default();
    let reason = if reason.is_empty() {
        "The judge gave no reason."
    } else {
        reason
    };
    let cut = reason
        .char_indices()
        .nth(room)
        .map_or(reason.len(), |(at, _)| at);
    let reason = reason.get(..cut).unwrap_or_default();
    let stop = if reason.ends_with(['.', '!', '?', '…', '。', '！', '？']) {
        ""
    } else {
        "."
    };
    format!("{head}{reason}{stop} {tail}")
}

/// The words of a hook that lets a hit pass because the agent was sent back often enough.
pub fn budget_spent(hook: &str) -> String {
    format!("[{hook}] This turn was sent back often enough; the stop passes unjudged.")
}

/// The words of a gate that could not check a command.
pub fn unchecked(hook: &str, what: &str) -> String {
    format!(
        "[{hook}] This command was not checked: {what}. Let it run only if you know that the work was verified. \
         {SWITCH_OFF}"
    )
}

/// What leaves the process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// All of stdout.
    pub stdout: String,
    /// All of stderr.
    pub stderr: String,
    /// The exit code.
    pub code: u8,
}

impl Output {
    /// A message for the user; the host goes on.
    pub fn notice(words: &str) -> Self {
        Self {
            stdout: json!({ "systemMessage": words }).to_string(),
            ..Self::default()
        }
    }

    /// A run that can't start: one sentence on stderr, which both hosts show the user and take as non-blocking.
    pub fn usage(hook: &str, sentence: &str) -> Self {
        Self {
            stderr: format!("{hook}: {sentence}\n"),
            code: 1,
            ..Self::default()
        }
    }

    /// What a person asked to see.
    pub fn page(text: String) -> Self {
        Self {
            stdout: text,
            ..Self::default()
        }
    }

    fn permission(decision: &str, reason: &str) -> Self {
        let stdout = json!({ "hookSpecificOutput": {
            "hookEventName": Event::PreToolUse.name(),
            "permissionDecision": decision,
            "permissionDecisionReason": reason,
        }});
        Self {
            stdout: stdout.to_string(),
            ..Self::default()
        }
    }

    /// Writes it. A closed pipe changes nothing: the exit code still stands.
    pub fn emit(&self) -> ExitCode {
        for (mut to, words) in [
            (
                Box::new(io::stdout().lock()) as Box<dyn Write>,
                &self.stdout,
            ),
            (Box::new(io::stderr().lock()), &self.stderr),
        ] {
            let _ = to.write_all(words.as_bytes()).and_then(|()| to.flush());
        }
        ExitCode::from(self.code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::redact;

    #[test]
    fn the_feedback_keeps_its_remedy_however_long_the_reason_is() {
        for length in [0, 10, 990, 1_000_000] {
            let words = feedback("scope-check", Some(&redact(&"é".repeat(length))), "Go on.");
            assert!(words.chars().count() <= FEEDBACK_MAX_CHARS, "{length}");
            assert!(words.starts_with("[scope-check] "));
            assert!(words.ends_with("Go on. Rewording alone won't."));
        }
    }

    #[test]
    fn a_block_is_exit_2_with_a_byte_on_stdout() {
        let output = Decision::Block("why".into()).output(None, Mode::Block, Host::Codex);
        assert_eq!(
            output,
            Output {
                stdout: ".".into(),
                stderr: "why\n".into(),
                code: 2
            }
        );
    }

    #[test]
    fn the_weaker_modes_let_it_pass() {
        let block = Decision::Block("why".into());
        let warned = block.output(None, Mode::Warn, Host::ClaudeCode);
        assert_eq!(warned, Output::notice("why"));
        assert_eq!(warned.code, 0);
        assert_eq!(
            block.output(None, Mode::Shadow, Host::ClaudeCode),
            Output::default()
        );
    }

    #[test]
    fn a_name_of_the_log_leads_back_to_its_decision() {
        let words = || "why".to_owned();
        for decision in [
            Decision::Allow,
            Decision::Block(words()),
            Decision::Deny(words()),
            Decision::Ask(words()),
        ] {
            let name = decision.name();
            assert_eq!(Decision::named(name, "why"), Some(decision));
        }
        assert_eq!(Decision::named("x", "why"), None);
    }

    #[test]
    fn codex_runs_what_is_asked_so_it_is_told_to_deny() {
        let ask = Decision::Ask("The judge is missing.".into());
        assert!(
            ask.output(None, Mode::Block, Host::ClaudeCode)
                .stdout
                .contains(r#""ask""#)
        );
        let codex = ask.output(None, Mode::Block, Host::Codex).stdout;
        assert!(codex.contains(r#""deny""#) && codex.contains("Ask the user to approve it."));
    }
}
