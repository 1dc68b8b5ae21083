//! Judged decisions of the log: found again, and put to a judge again as they were.

use std::path::Path;

use common::Hook;
use common::input::Event;
use common::log::Record;
use common::redact::redact;
use common::rules::Rules;
use common::wrap::{self, Material, Prompt};

use crate::decisions::{self, Window};
use crate::error::Error;

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
    decisions::each_line(&window.files(log_dir)?, |line| {
        if let Ok(record) = serde_json::from_slice::<Record>(line)
            && wanted(&record)
        {
            found.push(record);
        }
    })?;
    Ok(found)
}

/// The newest record that `wanted` picks.
///
/// # Errors
/// When the log can't be read.
pub fn newest(
    log_dir: &Path,
    window: Window,
    wanted: impl Fn(&Record) -> bool,
) -> Result<Option<Record>, Error> {
    Ok(records(log_dir, window, wanted)?.pop())
}

/// The prompt that this version of `hook`, with `rules`, makes of what `record` holds; none for a decision that no judge
/// made.
pub fn prompt(hook: &Hook, rules: &Rules, record: &Record) -> Option<Prompt> {
    // What is logged is redacted, and stays as it is when it is redacted again.
    let again = |text: &Option<String>| text.as_deref().map(redact);
    let latest = again(&record.text)?;
    let (command, earlier) = (again(&record.command), again(&record.earlier));
    let (activity, user) = (again(&record.activity), again(&record.user));
    let gate = hook
        .gate
        .as_ref()
        .filter(|_| record.event.as_deref() == Some(Event::PreToolUse.name()));
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

/// Whether the judge's word on `record` was against the agent. A gate that asks because nothing could be judged is not
/// against it.
pub fn blocked(record: &Record) -> bool {
    matches!(record.decision.as_str(), "block" | "deny")
}
