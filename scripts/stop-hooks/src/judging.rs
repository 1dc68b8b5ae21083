//! The judge's word outside of a hook run: the same prompt, judge and rule as in a hook run.

use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use common::Hook;
use common::config::Config;
use common::judge;
use common::redact::{Redacted, clean_line};
use common::verdict::{self, Verdict};
use common::wrap::Prompt;

use crate::progress::Interruption;

/// What a judge said.
#[derive(Debug)]
pub struct Judgement {
    /// The normalised answer.
    pub verdict: Verdict,
    /// Why.
    pub reason: Option<Redacted>,
    /// How long it took.
    pub time: Duration,
}

/// A reason is cut here.
const REASON_MAX_BYTES: usize = 300;

/// How often an interruption is looked for.
const LOOK: Duration = Duration::from_millis(20);

/// Asks what `prompt` asks, about which `hook` decides; none where `interruption` came first. The judge that still runs
/// then ends with this process.
///
/// # Errors
/// When the system has no thread left.
pub fn ask(
    hook: &Hook,
    config: &Config,
    prompt: Prompt,
    interruption: &Interruption,
) -> io::Result<Option<Judgement>> {
    let started = Instant::now();
    let settings = config.judge.clone();
    let (send, asked) = mpsc::sync_channel(1);
    thread::Builder::new().spawn(move || {
        let _ = send.send(judge::ask(&prompt, &settings, started + settings.timeout));
    })?;
    let asked = loop {
        match asked.recv_timeout(LOOK) {
            Ok(asked) => break Some(asked),
            Err(RecvTimeoutError::Disconnected) => break None,
            Err(RecvTimeoutError::Timeout) if interruption.came() => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
        }
    };
    let answer = asked.as_ref().and_then(|asked| asked.answer.as_ref());
    let answer = answer.map(|answer| &answer.object);
    let reason = answer.and_then(|answer| answer.get("reason")?.as_str());
    Ok(Some(Judgement {
        verdict: answer.map_or(Verdict::Fail, |answer| {
            verdict::normalise(&verdict::own_fields(answer, hook.fields))
        }),
        reason: reason.map(|reason| clean_line(reason, REASON_MAX_BYTES)),
        time: started.elapsed(),
    }))
}
