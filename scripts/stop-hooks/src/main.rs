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

use std::io::{self, StdoutLock, Write};
use std::process::ExitCode;

use error::Error;
use lexopt::Arg::{Long, Short, Value};

/// One subcommand.
struct Command {
    name: &'static str,
    summary: &'static str,
    help: &'static str,
    run: fn(&mut lexopt::Parser, &mut dyn Write) -> Result<(), Error>,
    /// When its reader has seen enough: `stop-hooks … | head`.
    unread: Unread,
}

/// What a command does when nobody reads on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unread {
    /// It ends: there is nothing to it but what it writes.
    Ends,
    /// It goes on: it changes something, or its exit code tells something.
    GoesOn,
}

const COMMANDS: [Command; 10] = [
    Command {
        name: "install",
        summary: "put the hooks in place, or change how they run",
        help: install::HELP,
        run: install::run,
        unread: Unread::GoesOn,
    },
    Command {
        name: "uninstall",
        summary: "take them away",
        help: uninstall::HELP,
        run: uninstall::run,
        unread: Unread::GoesOn,
    },
    Command {
        name: "explain",
        summary: "why a hook decided as it did, stage by stage",
        help: explain::HELP,
        run: explain::run,
        unread: Unread::Ends,
    },
    Command {
        name: "replay",
        summary: "what they would have done in past sessions",
        help: replay::HELP,
        run: replay::run,
        unread: Unread::Ends,
    },
    Command {
        name: "stats",
        summary: "what they did, from the decision log",
        help: stats::HELP,
        run: stats::run,
        unread: Unread::Ends,
    },
    Command {
        name: "mark",
        summary: "say that a decision was right or wrong",
        help: mark::HELP,
        run: mark::run,
        unread: Unread::GoesOn,
    },
    Command {
        name: "export-marked",
        summary: "make test data of marked decisions",
        help: export_marked::HELP,
        run: export_marked::run,
        unread: Unread::GoesOn,
    },
    Command {
        name: "rejudge",
        summary: "put logged texts to the judge again",
        help: rejudge::HELP,
        run: rejudge::run,
        unread: Unread::Ends,
    },
    Command {
        name: "doctor",
        summary: "whether they will fire, and if not, why not",
        help: doctor::HELP,
        run: doctor::run,
        unread: Unread::GoesOn,
    },
    Command {
        name: "redact",
        summary: "take the secrets out of JSON lines",
        help: filter::HELP,
        run: filter::run,
        unread: Unread::Ends,
    },
];

fn main() -> ExitCode {
    let mut out = Stdout {
        to: io::stdout().lock(),
        unread: Unread::Ends,
        gone: false,
    };
    match dispatch(&mut out).and_then(|()| Ok(out.flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
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

/// Stdout, and what becomes of words that nobody reads.
struct Stdout {
    to: StdoutLock<'static>,
    unread: Unread,
    gone: bool,
}

impl Stdout {
    /// What `written` is to who wrote.
    fn told<T>(&mut self, written: io::Result<T>, unread: T) -> io::Result<T> {
        match written {
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe && self.unread == Unread::GoesOn => {
                self.gone = true;
                Ok(unread)
            }
            other => other,
        }
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.gone {
            return Ok(bytes.len());
        }
        let written = self.to.write(bytes);
        self.told(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.gone {
            return Ok(());
        }
        let flushed = self.to.flush();
        self.told(flushed, ())
    }
}

fn dispatch(out: &mut Stdout) -> Result<(), Error> {
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
    out.unread = command.unread;
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
