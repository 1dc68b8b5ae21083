//! What one run found, stage by stage: what the log records and `stop-hooks explain` shows.

use std::time::Duration;

use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::activity::DIGEST_MAX_BYTES;
use crate::config::Config;
use crate::decision::{Decision, Output};
use crate::hook::{Field, Hook};
use crate::input::{HookInput, Host};
use crate::judge::Asked;
use crate::log::{self, Record};
use crate::redact::{self, Redacted, redact};
use crate::signal::Look;
use crate::transcript::{
    LEFT_OUT, TURN_TEXT_MAX_BYTES, Turn, USER_BEGINNING_MAX_BYTES, USER_TEXT_MAX_BYTES,
};
use crate::verdict::Verdict;
use crate::wrap::{self, Material, Prompt};

/// The stage that settled a decision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Stage {
    /// Stdin: not readable, or nothing to judge.
    #[default]
    Input,
    /// There is no text.
    TurnText,
    /// No signal, or a bypass.
    Layer1,
    /// The agent was sent back often enough.
    BlockBudget,
    /// No judge gave an answer that can be used.
    Judge,
    /// The judge's verdict.
    Verdict,
    /// A fault of our own.
    Panic,
}

impl Stage {
    /// All of them, in their order.
    pub const ALL: [Self; 7] = [
        Self::Input,
        Self::TurnText,
        Self::Layer1,
        Self::BlockBudget,
        Self::Judge,
        Self::Verdict,
        Self::Panic,
    ];

    /// What it means that a decision was settled there.
    pub fn help(self) -> &'static str {
        match self {
            Self::Input => "there is nothing to judge, or no input that can be read",
            Self::TurnText => "the turn holds no text",
            Self::Layer1 => "no judge is needed",
            Self::BlockBudget => "the agent was sent back often enough in this turn",
            Self::Judge => "no judge gave an answer that can be used",
            Self::Verdict => "a judge has spoken",
            Self::Panic => "a fault of the hook itself",
        }
    }

    /// As the log names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::TurnText => "turn-text",
            Self::Layer1 => "layer-1",
            Self::BlockBudget => "block-budget",
            Self::Judge => "judge",
            Self::Verdict => "verdict",
            Self::Panic => "panic",
        }
    }
}

/// What left the process for a judge.
#[derive(Debug)]
pub struct Judged {
    /// A gate: the command line that waits.
    pub command: Option<Redacted>,
    /// What was said before the last feedback, as the judge reads it.
    pub earlier: Option<Redacted>,
    /// The text under judgement.
    pub latest: Redacted,
    /// What the agent did.
    pub activity: Option<Redacted>,
    /// The end of the user's last message; for a gate its beginning too.
    pub user: Option<Redacted>,
    /// All of it, wrapped.
    pub prompt: Prompt,
}

impl Judged {
    /// The material of a stop.
    pub fn of(turn: &Turn, instructions: &str, fields: &[Field]) -> Self {
        Self::new(None, turn, instructions, fields)
    }

    /// The material of a gate: the turn so far and the command line that waits. Of a long line what stands around
    /// `change` counts, the part that is judged.
    pub fn of_command(
        line: &str,
        change: usize,
        turn: &Turn,
        instructions: &str,
        fields: &[Field],
    ) -> Self {
        let (before, from) = line.split_at_checked(change).unwrap_or(("", line));
        let from = redact(from).head(TURN_TEXT_MAX_BYTES / 2);
        let before = redact(before).tail(TURN_TEXT_MAX_BYTES - from.as_str().len());
        let command = redact(&format!("{}{}", before.as_str(), from.as_str()));
        Self::new(Some(command), turn, instructions, fields)
    }

    /// Secrets are looked for before the cut, so that none is cut into harmless halves.
    fn new(command: Option<Redacted>, turn: &Turn, instructions: &str, fields: &[Field]) -> Self {
        let latest = redact(&turn.latest).tail(TURN_TEXT_MAX_BYTES);
        let room = TURN_TEXT_MAX_BYTES - latest.as_str().len();
        let earlier = redact(&turn.earlier).tail(room);
        let earlier = (!earlier.as_str().is_empty()).then_some(earlier);
        let activity = turn.activity.digest();
        let activity = (!activity.is_empty()).then(|| redact(&activity).tail(DIGEST_MAX_BYTES));
        let user = turn.user_text.as_deref().map(|text| {
            let whole = redact(text);
            let end = whole.tail(USER_TEXT_MAX_BYTES);
            if command.is_none() {
                return end;
            }
            if whole.as_str().len() <= USER_BEGINNING_MAX_BYTES + USER_TEXT_MAX_BYTES {
                return whole;
            }
            let beginning = whole.head(USER_BEGINNING_MAX_BYTES);
            redact(&[beginning.as_str(), LEFT_OUT, end.as_str()].concat())
        });
        let material = Material {
            command: command.as_ref(),
            earlier: earlier.as_ref(),
            latest: &latest,
            activity: activity.as_ref(),
            user: user.as_ref(),
        };
        let prompt = wrap::wrap(instructions, fields, &material);
        Self {
            command,
            earlier,
            latest,
            activity,
            user,
            prompt,
        }
    }

    fn regions(&self) -> impl Iterator<Item = &Redacted> {
        let others = [&self.command, &self.earlier, &self.activity, &self.user];
        others.into_iter().flatten().chain([&self.latest])
    }
}

/// All that a run found out. A stage that was not reached is `None`.
#[derive(Debug, Default)]
pub struct Evaluation {
    /// What was on stdin.
    pub input: Option<HookInput>,
    /// Who wrote it, as far as it tells.
    pub host: Option<Host>,
    /// The turn that ends.
    pub turn: Option<Turn>,
    /// Layer 1.
    pub look: Option<Look>,
    /// What is wrong with the user's own rules.
    pub rule_faults: Vec<Redacted>,
    /// What the judge was given.
    pub judged: Option<Judged>,
    /// What came of it.
    pub asked: Option<Asked>,
    /// How long that took.
    pub judge_time: Duration,
    /// The hook's own fields of the answer.
    pub fields: Option<Value>,
    /// The normalised answer.
    pub verdict: Option<Verdict>,
    /// The judge's reason, or what went wrong.
    pub reason: Option<Redacted>,
    /// The stage that settled it.
    pub stage: Stage,
    /// What mode block does.
    pub decision: Decision,
    /// A word to the user where the decision is to allow.
    pub notice: Option<String>,
}

impl Evaluation {
    /// What leaves the process.
    pub fn output(&self, config: &Config) -> Output {
        let host = self.host.unwrap_or(config.host);
        self.decision
            .output(self.notice.as_deref(), config.mode, host)
    }

    /// The log's record of it.
    pub fn record(
        &self,
        hook: &Hook,
        config: &Config,
        now: OffsetDateTime,
        total: Duration,
    ) -> Record {
        let owned = |r: &Redacted| r.as_str().to_owned();
        let mut record = Record {
            time: now.format(&Rfc3339).unwrap_or_default(),
            id: id(now),
            hook: hook.name.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            mode: config.mode.name().to_owned(),
            decision: self.decision.name().to_owned(),
            stage: self.stage.name().to_owned(),
            verdict: self.verdict.map(|v| v.name().to_owned()),
            fields: self.fields.clone(),
            reason: self.reason.as_ref().map(owned),
            told: self
                .decision
                .words()
                .or(self.notice.as_deref())
                .map(|words| owned(&redact(words))),
            rule_faults: self.rule_faults.iter().map(owned).collect(),
            judge_ms: millis(self.judge_time),
            total_ms: millis(total),
            ..Record::default()
        };
        record.host = self.host.map(|host| host.name().to_owned());
        if let Some(input) = &self.input {
            record.event = Some(input.event.name().to_owned());
            record.session = input.session_id.as_deref().map(clean);
            record.turn = input.turn().map(clean);
        }
        match &self.look {
            Some(Look::Bypassed { signal, bypass }) => {
                record.signal = Some(signal.id.to_string());
                record.bypass = Some(bypass.id.to_string());
            }
            Some(Look::Hit { signals }) => {
                record.signal = signals.first().map(|s| s.id.to_string());
            }
            Some(Look::NoHit) | None => {}
        }
        if let Some(turn) = &self.turn {
            record.transcript_wait_ms = millis(turn.waited);
            record.text_bytes = turn.text().len();
            record.truncated = turn.truncated;
        }
        if let Some(judged) = &self.judged {
            for (kind, count) in judged.regions().flat_map(Redacted::counts) {
                *record.redactions.entry(kind.to_owned()).or_default() += count;
            }
            record.text = Some(owned(&judged.latest));
            record.earlier = judged.earlier.as_ref().map(owned);
            record.command = judged.command.as_ref().map(owned);
            record.activity = judged.activity.as_ref().map(owned);
            record.user = judged.user.as_ref().map(owned);
            record.prompt = Some(judged.prompt.digest());
        }
        if let Some(asked) = &self.asked {
            record.attempts = asked
                .attempts
                .iter()
                .map(|attempt| log::Attempt {
                    backend: attempt.backend.clone(),
                    model: attempt.model.clone(),
                    outcome: attempt.outcome.word().into_owned(),
                    ms: millis(attempt.elapsed),
                    detail: attempt.detail.as_ref().map(|d| d.as_str().to_owned()),
                })
                .collect();
            record.reply = asked.answer.as_ref().map(|answer| {
                redact(&answer.raw)
                    .head(log::REPLY_MAX_BYTES)
                    .as_str()
                    .to_owned()
            });
        }
        record
    }
}

/// Names a record: two hooks of one stop differ by process, two stops of one process don't exist.
fn id(now: OffsetDateTime) -> String {
    let micros = now.unix_timestamp_nanos() / 1000;
    format!("{micros:x}-{:x}", std::process::id())
}

/// A host's identifiers are UUIDs; whatever else stands there is cut.
const ID_MAX_BYTES: usize = 100;

/// A host's identifier as it may stand in the log.
fn clean(id: &str) -> String {
    redact::clean_line(id, ID_MAX_BYTES).as_str().to_owned()
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
