//! The second half of a replay with a judge: the hits that it is asked about.

use std::io::Write as _;
use std::rc::Rc;

use common::signal::Look;
use common::wrap::Prompt;

use super::turns::Turn;
use super::{Options, Report};
use crate::error::Error;
use crate::judging;
use crate::progress::{Interruption, Progress, Unit};
use crate::terminal::{count, count_of};

/// A hit that the judge is to be asked about.
pub struct Hit {
    /// The number of the hook.
    pub at: usize,
    /// Where it is.
    pub turn: Rc<Turn>,
    /// What it is.
    pub look: Look,
    /// What is asked.
    pub prompt: Prompt,
}

/// The hits that a judge would be asked about.
#[derive(Default)]
pub struct Hits {
    /// How many there are.
    pub all: usize,
    /// The first of them, as many as allowed.
    pub first: Vec<Hit>,
}

/// Asks about every hit.
///
/// # Errors
/// When nobody reads what comes of it.
pub fn ask(
    options: &Options,
    hits: Hits,
    interruption: &Interruption,
    report: &mut Report<'_>,
) -> Result<(), Error> {
    let calls = hits.first.len();
    let of_all = if hits.all > calls {
        format!(
            ", the first of {}: --limit N makes it more",
            count(hits.all)
        )
    } else {
        String::new()
    };
    report.say(&format!(
        "{} to the judge{of_all}.",
        count_of(calls, "call")
    ))?;
    let mut progress = Progress::new(Unit::Calls, calls);
    let mut interrupted = false;
    for (done, hit) in hits.first.into_iter().enumerate() {
        let Hit {
            at,
            turn,
            look,
            prompt,
        } = hit;
        progress.at(done, || report.tally.so_far());
        let judgement = match options.hooks.get(at) {
            Some(hook) if !interruption.came() => {
                judging::ask(hook, &options.config, prompt, interruption)?
            }
            _ => None,
        };
        if let Some(judgement) = &judgement {
            report.tally.judged(at, &turn, &look, judgement);
        } else if !interrupted {
            interrupted = true;
            progress.wipe();
            report.say(&format!(
                "Interrupted after {} of {}.",
                count(done),
                count_of(calls, "call")
            ))?;
        }
        report.line(at, &turn, &look, judgement.as_ref())?;
        // An answer that took seconds isn't lost, whatever happens now.
        report.out.flush()?;
    }
    progress.wipe();
    Ok(())
}
