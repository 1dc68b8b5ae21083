//! The operator's tool: what a person runs, now and then, around the five hooks.
//!
//! A hook links only what a run on every turn needs; all else is here. The five know nothing of it.

mod decisions;
mod doctor;
mod error;
mod executables;
mod explain;
mod export_marked;
mod file;
mod filter;
mod install;
mod judging;
mod logged;
mod mark;
mod marks;
mod places;
mod progress;
mod registration;
mod rejudge;
mod replay;
mod settings;
mod shell;
mod stats;
mod terminal;
mod typed;
mod uninstall;

use std::io::{self, Write};
use std::process::ExitCode;

use error::Error;
use lexopt::Arg::{Long, Short, Value};

/// One subcommand.
struct Command {
    name: &'static str,
    summary: &'static str,
    help: &'static str,
    run: fn(&mut lexopt::Parser, &mut dyn Write) -> Result<(), Error>,
}

const COMMANDS: [Command; 10] = [
    Command {
        name: "install",
        summary: "put the hooks in place, or change how they run",
        help: install::HELP,
        run: install::run,
    },
    Command {
        name: "uninstall",
        summary: "take them away",
        help: uninstall::HELP,
        run: uninstall::run,
    },
    Command {
        name: "explain",
        summary: "why a hook decided as it did, stage by stage",
        help: explain::HELP,
        run: explain::run,
    },
    Command {
        name: "replay",
        summary: "what they would have done in past sessions",
        help: replay::HELP,
        run: replay::run,
    },
    Command {
        name: "stats",
        summary: "what they did, from the decision log",
        help: stats::HELP,
        run: stats::run,
    },
    Command {
        name: "mark",
        summary: "say that a decision was right or wrong",
        help: mark::HELP,
        run: mark::run,
    },
    Command {
        name: "export-marked",
        summary: "make test data of marked decisions",
        help: export_marked::HELP,
        run: export_marked::run,
    },
    Command {
        name: "rejudge",
        summary: "put logged texts to the judge again",
        help: rejudge::HELP,
        run: rejudge::run,
    },
    Command {
        name: "doctor",
        summary: "whether they will fire, and if not, why not",
        help: doctor::HELP,
        run: doctor::run,
    },
    Command {
        name: "redact",
        summary: "take the secrets out of JSON lines",
        help: filter::HELP,
        run: filter::run,
    },
];

fn main() -> ExitCode {
    let mut out = io::stdout().lock();
    match dispatch(&mut out).and_then(|()| Ok(out.flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader has seen enough: `stop-hooks … | head`.
        Err(Error::Output(e)) if e.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(e) => {
            terminal::tell(&e);
            match e {
                Error::Usage(_) => ExitCode::from(2),
                _ => ExitCode::FAILURE,
            }
        }
    }
}

fn dispatch(out: &mut dyn Write) -> Result<(), Error> {
    let mut args = lexopt::Parser::from_env();
    let name = match args.next()? {
        None => return Err(Error::Usage("which command? Try --help.".to_owned())),
        Some(Long("help") | Short('h')) => return help(out),
        Some(Long("version") | Short('V')) => {
            return Ok(writeln!(out, "stop-hooks {}", env!("CARGO_PKG_VERSION"))?);
        }
        Some(Value(name)) => name,
        Some(other) => return Err(other.unexpected().into()),
    };
    let Some(command) = COMMANDS.iter().find(|command| name == command.name) else {
        let name = name.to_string_lossy();
        return Err(Error::Usage(format!(
            "there is no command \"{name}\". Try --help."
        )));
    };
    if std::env::args_os()
        .skip(2)
        .any(|arg| arg == "--help" || arg == "-h")
    {
        return Ok(out.write_all(command.help.as_bytes())?);
    }
    (command.run)(&mut args, out)
}

fn help(out: &mut dyn Write) -> Result<(), Error> {
    writeln!(out, "What a person runs around the five stop hooks.\n")?;
    writeln!(out, "Usage: stop-hooks COMMAND [OPTIONS]\n\nCommands:")?;
    for command in &COMMANDS {
        writeln!(out, "  {:<15} {}", command.name, command.summary)?;
    }
    writeln!(out, "\nOptions:\n  --help, --version")?;
    Ok(writeln!(out, "\n`stop-hooks COMMAND --help` says more.")?)
}
