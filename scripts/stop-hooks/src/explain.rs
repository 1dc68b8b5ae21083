//! `stop-hooks explain`: why a hook decided as it did, stage by stage.

mod live;
mod page;
mod record;
mod stages;
mod text;

use std::io::{self, IsTerminal as _, Read as _, Write};

use common::Hook;
use common::config::Config;
use common::input::{HookInput, INPUT_MAX_BYTES};
use common::log::Record;
use lexopt::Arg::{Long, Value};
use lexopt::ValueExt as _;

use crate::decisions::Window;
use crate::error::Error;
use crate::logged;
use crate::places::Told;
use crate::registration::{self, Flags};
use crate::terminal::{Ink, count_of};
use crate::typed;
use page::Step;

/// `stop-hooks explain --help`.
pub const HELP: &str = "\
Shows every stage of a decision: the text and where it was cut, the words that layer 1 found, what was taken out, the
exact prompt, the judge's reply, the verdict, and what the agent sees. Nothing is logged.

Usage: stop-hooks explain [OPTIONS] [FLAGS OF THE HOOKS] < INPUT
       stop-hooks explain --last [--hook NAME]
       stop-hooks explain ID

INPUT is what a host writes to a hook: {\"hook_event_name\":\"Stop\",\"last_assistant_message\":\"…\"}. A judge is asked
where a hook would ask one: --judge none asks nobody. ID is that of a logged decision, and --last the newest that a
judge read, or all of one stop; for those no judge is asked again.

Options:
  --hook NAME      only this hook; may be given again [default: all five]
  --brief          without the prompt
  --days N         how far back in the log to look [default: 30]
  --claude-dir DIR where the log and your own rules are
                   [default: CLAUDE_CONFIG_DIR, else where this tool is installed, else ~/.claude]
  --log-dir DIR    where the log is [default: where the installed hooks log]
";

const WAYS: &str = "\
what shall be explained?
  stop-hooks explain --last    the newest decision that a judge made
  stop-hooks explain ID        a logged decision
  stop-hooks explain < FILE    what the hooks would say to {\"hook_event_name\":\"Stop\",\"last_assistant_message\":\"…\"}";

struct Options {
    what: What,
    hooks: Vec<&'static Hook>,
    config: Config,
    brief: bool,
    days: u32,
    told: Told,
}

enum What {
    Stdin,
    Last,
    Id(String),
}

/// Carries out `stop-hooks explain`.
///
/// # Errors
/// When an option makes no sense, or there is no such decision.
pub fn run(args: &mut lexopt::Parser, out: &mut dyn Write) -> Result<(), Error> {
    let options = parse(args)?;
    if let What::Stdin = options.what {
        return explain_stdin(&options, out);
    }
    for record in find(&options)? {
        let hook = typed::hook(&record.hook)?;
        let rules = options.config.rules(hook.name);
        print(hook, record::steps(hook, &rules, &record), &options, out)?;
    }
    Ok(())
}

fn explain_stdin(options: &Options, out: &mut dyn Write) -> Result<(), Error> {
    let mut bytes = Vec::new();
    let most = INPUT_MAX_BYTES as u64 + 1;
    if !io::stdin().is_terminal() {
        io::stdin().lock().take(most).read_to_end(&mut bytes)?;
    }
    if bytes.trim_ascii().is_empty() {
        return Err(Error::Usage(WAYS.to_owned()));
    }
    for hook in &options.hooks {
        let steps = live::steps(hook, &options.config, HookInput::read(bytes.as_slice()));
        print(hook, steps, options, out)?;
    }
    Ok(())
}

fn print(
    hook: &Hook,
    mut steps: Vec<Step>,
    options: &Options,
    out: &mut dyn Write,
) -> Result<(), Error> {
    steps.retain(|step| !(options.brief && step.at_length));
    page::print(hook.name, &steps, Ink::for_stdout(), out)
}

/// The decision that was asked for; all of the last stop where several hooks asked a judge about it.
fn find(options: &Options) -> Result<Vec<Record>, Error> {
    let log_dir = options.told.logs()?;
    let wanted = |record: &Record| match &options.what {
        What::Id(id) => record.id == *id,
        What::Last | What::Stdin => {
            record.text.is_some() && options.hooks.iter().any(|hook| hook.name == record.hook)
        }
    };
    let window = Window::new(options.days, None);
    let found = logged::newest_stop(&log_dir, window, wanted)?;
    if found.is_empty() {
        let which = match &options.what {
            What::Id(id) => format!("no decision {id}"),
            What::Last | What::Stdin => "no judged decision".to_owned(),
        };
        let (days, log_dir) = (count_of(options.days, "day"), log_dir.display());
        let text = format!("{which} in the last {days} of {log_dir}");
        return Err(Error::Usage(text));
    }
    Ok(found)
}

fn parse(args: &mut lexopt::Parser) -> Result<Options, Error> {
    let (mut what, mut chosen, mut flags) = (What::Stdin, Vec::new(), Flags::default());
    let (mut brief, mut days, mut told) = (false, 30, Told::default());
    while let Some(arg) = args.next()? {
        match arg {
            Value(id) => what = What::Id(id.string()?),
            Long("last") => what = What::Last,
            Long("hook") => chosen.push(typed::hook(&args.value()?.string()?)?),
            Long("brief") => brief = true,
            Long("days") => days = typed::days(&args.value()?.string()?)?,
            Long("claude-dir") => told.claude_dir = Some(args.value()?.into()),
            Long("log-dir") => told.log_dir = Some(args.value()?.into()),
            _ => {
                let flag = registration::flag(arg)?;
                flags.read(flag, args)?;
            }
        }
    }
    if chosen.is_empty() {
        chosen.extend(hooks::ALL);
    }
    Ok(Options {
        what,
        hooks: chosen,
        config: typed::config(&flags, told.claude_dir.as_deref())?,
        brief,
        days,
        told,
    })
}
