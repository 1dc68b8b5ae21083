//! What the assistant did in a turn, as opposed to what it said.
//!
//! The tool calls of a turn in order, told in a digest of a few lines, and what follows from them: was there a test
//! after the last edit, did it pass, was something seen to fail before the first. It is read off the host's record of
//! calls and results, so it holds whatever the assistant says. What a call did beyond its name and its status isn't
//! looked into: an edit is an edit, whatever it changed.

mod digest;
mod log;
mod output;
mod result;
#[cfg(test)]
mod tests;

use crate::command::{Nature, Step, ToldBy, nature};
use crate::input::BackgroundTask;
use result::Told;

pub use digest::{MAX_BYTES as DIGEST_MAX_BYTES, MAX_LINES as DIGEST_MAX_LINES};

pub(crate) use digest::short_path;
pub(crate) use log::Log;
pub(crate) use output::{behind, tail};

/// The tool calls of a turn. The default knows of none, which isn't the same as there being none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Activity {
    known: bool,
    /// Oldest first.
    calls: Vec<Call>,
    /// There were more before these.
    cut: bool,
    /// There may have been more after these.
    lacks_end: bool,
    /// Work that goes on after the stop, in the host's words.
    running: Vec<String>,
}

/// A tool call and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    /// The host's name for it, which its outcome bears too.
    pub id: String,
    pub what: What,
    /// `None`: nothing came back yet.
    pub status: Option<Status>,
    /// What a test run or a build says of itself. Only looked for where a program ran that may tell it.
    pub told: Told,
    /// The name under which it goes on in the background.
    pub task: Option<String>,
}

/// What a tool was called for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    /// A shell command.
    Run(Run),
    /// Files were changed.
    Edit(Vec<String>),
    /// The assistant looked again at a command that was left running, under this name.
    Poll(Option<String>),
    /// Anything else, in a few words.
    Other(String),
}

/// A shell command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    /// Its first line.
    pub line: String,
    pub nature: Nature,
}

/// What came of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Ok,
    /// A shell command ended with this status, not 0.
    Exit(i32),
    /// It ran and failed, without an exit status to tell.
    Failed,
    /// An error of the tool. A shell command that ran has an exit status, so one with this didn't run.
    Error,
    /// The user, a rule or a hook didn't let it run.
    Denied,
    /// It goes on in the background.
    Running,
    /// It did, until it was ended; what it would have come to isn't known.
    Stopped,
}

/// What came back for a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub id: String,
    pub status: Status,
    /// The end of what it printed.
    pub tail: String,
    /// What was called, where the outcome says so itself.
    pub what: Option<What>,
    /// The name under which it goes on in the background.
    pub task: Option<String>,
}

impl What {
    pub(crate) fn run(command: &str) -> Self {
        Self::Run(Run {
            line: output::first_line(command),
            nature: nature(command),
        })
    }

    /// A call that is told in these words.
    pub(crate) fn other(words: &str) -> Self {
        Self::Other(output::first_line(words))
    }

    /// Whether its output may tell a result worth showing.
    fn tells_result(&self) -> bool {
        match self {
            Self::Run(run) => !run.nature.looks_up,
            Self::Poll(_) => true,
            Self::Edit(_) | Self::Other(_) => false,
        }
    }
}

impl Call {
    pub(crate) fn new(id: impl Into<String>, what: What) -> Self {
        Self {
            id: id.into(),
            what,
            status: None,
            told: Told::default(),
            task: None,
        }
    }

    /// It changed files, as far as is known. A command that failed may have done so before, an editor's call has not.
    fn is_edit(&self) -> bool {
        let ran = !matches!(self.status, Some(Status::Error | Status::Denied));
        match &self.what {
            What::Edit(_) => ran && !matches!(self.status, Some(Status::Exit(_) | Status::Failed)),
            What::Run(run) => ran && run.nature.edits,
            What::Poll(_) | What::Other(_) => false,
        }
    }

    /// A test, a build or a check that ran, to its end or not.
    fn is_test(&self) -> bool {
        let test = matches!(&self.what, What::Run(run) if run.nature.test);
        test && !matches!(self.status, Some(Status::Error | Status::Denied))
    }

    /// Whether it changed a file or tested; where it did both, which of them last.
    fn ends_with(&self) -> Option<Step> {
        match &self.what {
            What::Run(run) if self.is_edit() || self.is_test() => run.nature.last,
            _ => self.is_edit().then_some(Step::Edit),
        }
    }

    /// The line that tells how it ended, and whether it failed. A status that is not hidden goes before words: a test
    /// may be about failures.
    fn result(&self) -> Option<(bool, &str)> {
        let settled = matches!(&self.what, What::Run(run) if run.nature.told_by == ToldBy::Status);
        let failed = self.told.failed.as_deref().map(|line| (true, line));
        let passed = self.told.passed.as_deref().map(|line| (false, line));
        if self.status == Some(Status::Ok) && settled {
            passed
        } else {
            failed.or(passed)
        }
    }

    fn tells_failure(&self) -> bool {
        self.result().is_some_and(|(failed, _)| failed)
    }

    /// It ran and says that all is well; the tail of a pipe says so whatever the test said.
    fn passed(&self) -> bool {
        self.status == Some(Status::Ok) && !self.tells_failure()
    }

    /// It ran and something went wrong.
    fn failed(&self) -> bool {
        matches!(self.status, Some(Status::Exit(_) | Status::Failed))
            || self.status == Some(Status::Ok) && self.tells_failure()
    }

    /// A run in which a fault can be seen. That a search finds nothing shows none.
    fn reproduces(&self) -> bool {
        matches!(&self.what, What::Run(run) if !run.nature.looks_up) && self.failed()
    }
}

impl Activity {
    /// Whether a transcript told what was done.
    pub fn is_known(&self) -> bool {
        self.known
    }

    /// Adds what the host says is still running.
    #[must_use]
    pub fn with_background(mut self, tasks: &[BackgroundTask]) -> Self {
        self.running.extend(tasks.iter().map(digest::background));
        self
    }

    /// A file was changed.
    pub fn has_edit(&self) -> bool {
        self.calls.iter().any(Call::is_edit)
    }

    /// Is it known that no tool was called in the turn, and nothing left running?
    pub fn is_none(&self) -> bool {
        let all = self.known && !self.cut && !self.lacks_end;
        all && self.calls.is_empty() && self.running.is_empty()
    }

    /// The last test, build or check ran after the last change of a file, and passed.
    pub fn passed_after_last_edit(&self) -> bool {
        self.last_edit_or_test()
            .is_some_and(|call| call.passed() && call.ends_with() == Some(Step::Test))
    }

    /// What was done doesn't bear out that tests passed: the last of them failed or didn't end, a file was changed after
    /// it, or there was none. Where the beginning of the turn isn't known, there may have been one; where its end isn't,
    /// one may have followed.
    pub fn contradicts_a_claim(&self) -> bool {
        let nothing_seen = self.last_edit_or_test().is_none();
        let may_hold_more = self.lacks_end || self.cut && nothing_seen;
        self.known && !may_hold_more && !self.passed_after_last_edit()
    }

    fn last_edit_or_test(&self) -> Option<&Call> {
        let mut newest_first = self.calls.iter().rev();
        newest_first.find(|call| call.ends_with().is_some())
    }

    /// Something was seen to fail before the first change of a file.
    pub fn failing_run_before_first_edit(&self) -> bool {
        self.reproduction().is_some()
    }

    /// The last run before the first edit that failed. Where the beginning of the turn isn't known, there may have been
    /// an edit before it.
    fn reproduction(&self) -> Option<usize> {
        let edit = self.calls.iter().position(Call::is_edit);
        let before = self.calls.get(..edit.unwrap_or(self.calls.len()))?;
        before.iter().rposition(Call::reproduces)
    }
}
