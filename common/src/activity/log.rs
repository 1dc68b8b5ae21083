//! Calls and outcomes, newest first, to what was done.

use std::collections::HashMap;

use super::result::{Told, result};
use super::{Activity, Call, Outcome, Status, What};

/// Calls that are remembered. No digest shows more than a few dozen; what a turn of more calls did before the last
/// thousand isn't told.
const MAX_CALLS: usize = 1000;

/// What was done, being put together.
#[derive(Debug, Default)]
pub struct Log {
    /// Newest first.
    calls: Vec<Call>,
    /// Outcomes whose call is still to come, which is older.
    outcomes: HashMap<String, Pending>,
    met: usize,
    cut: bool,
    lacks_end: bool,
}

#[derive(Debug)]
struct Pending {
    outcome: Outcome,
    /// How many calls were newer.
    before: usize,
    /// How many outcomes were newer.
    order: usize,
}

impl Log {
    /// Takes a call; the next one is older.
    pub fn call(&mut self, mut call: Call) {
        match self.outcomes.remove(&call.id) {
            Some(Pending { outcome, .. }) => settle(&mut call, outcome),
            None if self.is_full() => return,
            None => {}
        }
        self.calls.push(call);
    }

    /// Takes what came back for a call that is older.
    pub fn outcome(&mut self, outcome: Outcome) {
        if let Some(Pending { outcome: newer, .. }) = self.outcomes.get_mut(&outcome.id) {
            // The host tells it twice. That it was still running is the older news.
            if newer.status == Status::Running {
                newer.status = outcome.status;
            }
            if newer.tail.is_empty() {
                newer.tail = outcome.tail;
            }
            newer.what = newer.what.take().or(outcome.what);
            newer.task = newer.task.take().or(outcome.task);
        } else if !self.is_full() {
            let (before, order) = (self.calls.len(), self.met);
            self.met += 1;
            self.outcomes.insert(
                outcome.id.clone(),
                Pending {
                    outcome,
                    before,
                    order,
                },
            );
        }
    }

    fn is_full(&mut self) -> bool {
        let full = self.calls.len() + self.outcomes.len() >= MAX_CALLS;
        self.cut |= full;
        full
    }

    /// The beginning of the turn was not reached.
    pub fn cut(&mut self) {
        self.cut = true;
    }

    /// The end of the turn isn't there yet.
    pub fn lacks_end(&mut self) {
        self.lacks_end = true;
    }

    /// What was done.
    pub fn finish(mut self) -> Activity {
        // A call that only its outcome tells of stands where the outcome does.
        let mut alone: Vec<Pending> = self
            .outcomes
            .into_values()
            .filter(|pending| pending.outcome.what.is_some())
            .collect();
        // The oldest first, so that those still to be put in keep their places.
        alone.sort_by_key(|pending| std::cmp::Reverse((pending.before, pending.order)));
        for Pending {
            mut outcome,
            before,
            ..
        } in alone
        {
            if let Some(what) = outcome.what.take() {
                let mut call = Call::new(outcome.id.clone(), what);
                settle(&mut call, outcome);
                self.calls.insert(before.min(self.calls.len()), call);
            }
        }
        self.calls.reverse();
        polled(&mut self.calls);
        Activity {
            known: true,
            calls: self.calls,
            cut: self.cut,
            lacks_end: self.lacks_end,
            running: Vec::new(),
        }
    }
}

fn settle(call: &mut Call, outcome: Outcome) {
    call.status = Some(outcome.status);
    call.task = outcome.task;
    // A patch that was given to the shell: the outcome knows better what it was.
    if let Some(What::Edit(files)) = outcome.what {
        call.what = What::Edit(files);
    }
    if call.what.tells_result() {
        call.told = result(&outcome.tail);
    }
}

/// A command that was left running ends with a later look at it.
fn polled(calls: &mut [Call]) {
    for at in 0..calls.len() {
        let Some((before, [look, ..])) = calls.split_at_mut_checked(at) else {
            return;
        };
        let ended = matches!(
            look.status,
            Some(Status::Ok | Status::Exit(_) | Status::Failed | Status::Stopped)
        );
        if let (What::Poll(task), true) = (&look.what, ended) {
            // The name is not always known, of either.
            let running = |call: &Call| {
                let other = task.is_some() && call.task.is_some() && call.task != *task;
                call.status == Some(Status::Running) && !other
            };
            let named = before
                .iter()
                .rposition(|call| running(call) && call.task == *task);
            let found = named.or_else(|| before.iter().rposition(running));
            if let Some(call) = found.and_then(|found| before.get_mut(found)) {
                call.status = look.status;
                if call.told == Told::default() {
                    call.told = look.told.clone();
                }
            }
        }
    }
}
