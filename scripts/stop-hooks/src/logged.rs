//! Judged decisions of the log: found again, and put to a judge again as they were.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use common::Hook;
use common::input::Event;
use common::log::Record;
use common::redact::redact;
use common::rules::Rules;
use common::wrap::{self, Material, Prompt};

use crate::decisions::{self, Window};
use crate::error::Error;
use crate::terminal::tell;

/// The records of `window` in `log_dir` that `wanted` picks, oldest first.
///
/// # Errors
/// When the log can't be read.
pub fn records(
    log_dir: &Path,
    window: Window,
    wanted: impl Fn(&Record) -> bool,
) -> Result<Vec<Record>, Error> {
    let mut found = Vec::new();
    let unread = decisions::each_line(&window.files(log_dir)?, |line| {
        if let Ok(record) = serde_json::from_slice::<Record>(line)
            && wanted(&record)
        {
            found.push(record);
        }
    });
    unread.iter().for_each(tell);
    Ok(found)
}

/// The newest stop with records that `wanted` picks: all of these that belong to it. Hooks run side by side, so one stop
/// may be judged by several, in any order.
///
/// # Errors
/// When the log can't be read.
pub fn newest_stop(
    log_dir: &Path,
    window: Window,
    wanted: impl Fn(&Record) -> bool,
) -> Result<Vec<Record>, Error> {
    let mut stops = HashMap::<_, Stop>::new();
    let mut newest = None;
    let unread = decisions::each_line(&window.files(log_dir)?, |line| {
        let Ok(record) = serde_json::from_slice::<Record>(line) else {
            return;
        };
        // What has no session stands alone.
        let alone = record.session.is_none().then(|| record.id.clone());
        let (session, turn, event) = (&record.session, &record.turn, &record.event);
        let key = (session.clone(), turn.clone(), event.clone(), alone);
        let stop = stops.entry(key.clone()).or_default();
        if stop.hooks.contains(&record.hook) {
            stop.hooks.clear();
            stop.is_past = true;
        }
        stop.hooks.insert(record.hook.clone());
        if wanted(&record) {
            if std::mem::take(&mut stop.is_past) {
                stop.picked.clear();
            }
            stop.picked.push(record);
            newest = Some(key);
        }
    });
    unread.iter().for_each(tell);
    let stop = newest.and_then(|key| stops.remove(&key));
    Ok(stop.map(|stop| stop.picked).unwrap_or_default())
}

/// The records of one stop of a turn. A hook that appears again begins the next one.
#[derive(Default)]
struct Stop {
    hooks: HashSet<String>,
    picked: Vec<Record>,
    /// What was picked is of a stop before.
    is_past: bool,
}

/// The prompt that this version of `hook`, with `rules`, makes of what `record` holds; none for a decision that no judge
/// made.
pub fn prompt(hook: &Hook, rules: &Rules, record: &Record) -> Option<Prompt> {
    // What is logged is redacted, and stays as it is when it is redacted again.
    let again = |text: &Option<String>| text.as_deref().map(redact);
    let latest = again(&record.text)?;
    let (command, earlier) = (again(&record.command), again(&record.earlier));
    let (activity, user) = (again(&record.activity), again(&record.user));
    let gate = hook.gate.as_ref().filter(|_| is_gate(record));
    let material = Material {
        command: command.as_ref(),
        earlier: earlier.as_ref(),
        latest: &latest,
        activity: activity.as_ref(),
        user: user.as_ref(),
    };
    let instructions = match gate {
        Some(gate) => gate.prompt.into(),
        None => rules.instruct(hook.prompt),
    };
    Some(wrap::wrap(&instructions, hook.fields, &material))
}

/// Whether `record` is about a command that waits, not about what was said.
pub fn is_gate(record: &Record) -> bool {
    record.event.as_deref() == Some(Event::PreToolUse.name())
}

/// Whether `record` was against the agent; none where a gate asked because nothing could be judged, which is neither.
pub fn blocked(record: &Record) -> Option<bool> {
    match record.decision.as_str() {
        "block" | "deny" => Some(true),
        "ask" => None,
        _ => Some(false),
    }
}
