//! One hook run, from the guard to the exit code.

use std::env;
use std::io;
use std::panic;
use std::process::{self, ExitCode};
use std::time::Instant;

use serde_json::Value;
use time::OffsetDateTime;

use crate::args::{self, Command, Error, GATE_FLAG};
use crate::config::{Config, Environment, Mode, TIMEOUT};
use crate::decision::{self, Decision, Output, REASON_MAX_BYTES};
use crate::evaluation::{Evaluation, Judged};
use crate::input::{self, Event, HookInput, Host};
use crate::verdict::{self, Verdict};
use crate::{Hook, help, judge, log, redact, wrap};

mod gate;
mod stop;

pub use stop::look;

/// Runs `hook` on this process's stdin, command line and environment.
///
/// On `Stop` whatever goes wrong allows: a hook that breaks must never stop a conversation. With `--gate` it asks.
pub fn run(hook: &Hook) -> ExitCode {
    let started = Instant::now();
    // The local offset can only be read while there is one thread.
    let now = OffsetDateTime::now_local().unwrap_or_else(|_| OffsetDateTime::now_utc());
    let environment = Environment::read();
    if environment.judge_active() {
        return ExitCode::SUCCESS;
    }
    let words: Vec<_> = env::args_os().skip(1).collect();
    let mut broken = Broken {
        hook: hook.name,
        gate: hook.gate.is_some() && words.iter().any(|word| word == GATE_FLAG),
        mode: args::mode_of(&words)
            .or(environment.mode())
            .unwrap_or_default(),
        host: environment.host(),
    };
    broken.on_panic();

    let config = match Command::parse(words) {
        Ok(Command::Help) => return Output::page(help::page(hook)).emit(),
        Ok(Command::Version) => return Output::page(help::version(hook)).emit(),
        Ok(Command::Run(args)) if args.gate && hook.gate.is_none() => {
            Err(Error::no_flag(GATE_FLAG))
        }
        Ok(Command::Run(args)) => Config::resolve(*args, environment),
        Err(error) => Err(error),
    };
    let config = match config {
        Ok(Config {
            mode: Mode::Off, ..
        }) => return ExitCode::SUCCESS,
        Ok(config) => config,
        Err(error) => {
            // Who waits for an answer is told by the input, better than by an environment that programs inherit.
            if broken.gate {
                broken = broken.told_by(&HookInput::read_within(TIMEOUT, io::stdin()));
            }
            return broken.output(&error.to_string()).emit();
        }
    };
    let left = config.judge.timeout.saturating_sub(started.elapsed());
    let input = HookInput::read_within(left, io::stdin());
    broken.told_by(&input).on_panic();
    let evaluation = evaluate(hook, &config, input, started);
    if let (Some(dir), Some(home)) = (&config.log_dir, &config.home) {
        log::append(
            &evaluation.record(hook, &config, now, started.elapsed()),
            dir,
            home,
            now,
        );
    }
    evaluation.output(&config).emit()
}

/// A run that cannot come to a decision: before it has a configuration, or by a fault of our own.
#[derive(Clone, Copy)]
struct Broken {
    hook: &'static str,
    gate: bool,
    /// A gate that never denies doesn't because a flag is wrong either.
    mode: Mode,
    host: Host,
}

impl Broken {
    /// The same, by the host that wrote the input.
    fn told_by(self, input: &Result<HookInput, input::Error>) -> Self {
        Self {
            host: HookInput::host_of(input).unwrap_or(self.host),
            ..self
        }
    }

    /// What a wrong flag is quoted with may be a slip: a key, or a whole prompt.
    fn output(self, what: &str) -> Output {
        let what = redact::clean_line(what, REASON_MAX_BYTES);
        if self.gate && matches!(self.mode, Mode::Block | Mode::Warn) {
            let words = decision::unchecked(self.hook, what.as_str());
            Decision::Ask(words).output(None, self.mode, self.host)
        } else {
            Output::usage(self.hook, what.as_str())
        }
    }

    /// Makes a panic in any thread end the process the way a failure has to end. The release profile aborts on a panic,
    /// but only after this hook.
    fn on_panic(self) {
        panic::set_hook(Box::new(move |_| {
            let output = if self.gate {
                self.output("internal error")
            } else {
                Output::default()
            };
            let _ = output.emit();
            #[expect(clippy::disallowed_methods, reason = "a panic can't return to main")]
            process::exit(output.code.into());
        }));
    }
}

/// Decides on one input.
pub fn evaluate(
    hook: &Hook,
    config: &Config,
    input: Result<HookInput, input::Error>,
    started: Instant,
) -> Evaluation {
    let mut found = Evaluation {
        host: HookInput::host_of(&input),
        ..Evaluation::default()
    };
    let deadline = started + config.judge.timeout;
    match input {
        Err(error) => {
            let error = error.to_string();
            found.reason = Some(redact::clean_line(&error, REASON_MAX_BYTES));
            if config.gate {
                found.decision = Decision::Ask(decision::unchecked(hook.name, &error));
            }
        }
        Ok(input) => {
            (found.stage, found.decision) = match input.event {
                Event::PreToolUse => gate::decide(hook, config, &input, &mut found, deadline),
                Event::Stop | Event::SubagentStop => {
                    stop::decide(hook, config, &input, &mut found, deadline)
                }
            };
            found.input = Some(input);
        }
    }
    found
}

/// Asks the judges about what `found.judged` holds, and leaves in `found` all that came of it.
fn consult(
    hook: &Hook,
    config: &Config,
    judged: Judged,
    found: &mut Evaluation,
    deadline: Instant,
) -> Verdict {
    let asking = Instant::now();
    let asked = judge::ask(&judged.prompt, &config.judge, deadline);
    found.judge_time = asking.elapsed();
    found.judged = Some(judged);

    let verdict = match &asked.answer {
        None => Verdict::Fail,
        Some(answer) => {
            let reason = answer
                .object
                .get("reason")
                .and_then(Value::as_str)
                .unwrap_or_default();
            found.reason = Some(wrap::clean_reason(reason, REASON_MAX_BYTES));
            let fields = verdict::own_fields(&answer.object, hook.fields);
            verdict::normalise(found.fields.insert(fields))
        }
    };
    found.asked = Some(asked);
    found.verdict = Some(verdict);
    verdict
}

#[cfg(test)]
mod tests {
    use std::process;

    use super::*;

    /// Not a test: what [`a_panic_asks_at_a_gate_and_is_silent_at_a_stop`] starts, since a panic that is caught as ours
    /// has to be ends the process.
    #[test]
    #[ignore = "panics; started by another test"]
    fn panics() {
        let gate = env::args().any(|word| word == "gate");
        Broken {
            hook: "a-hook",
            gate,
            mode: Mode::Block,
            host: Host::ClaudeCode,
        }
        .on_panic();
        panic!("of our own");
    }

    #[test]
    fn a_panic_asks_at_a_gate_and_is_silent_at_a_stop() {
        let run = |word| {
            let this = env::current_exe().unwrap();
            let args = [
                "--exact",
                "run::tests::panics",
                "--ignored",
                "--nocapture",
                "-q",
                word,
            ];
            process::Command::new(this).args(args).output().unwrap()
        };
        for (word, asks) in [("gate", true), ("stop", false)] {
            let output = run(word);
            let stdout = String::from_utf8(output.stdout).unwrap();
            assert_eq!(output.status.code(), Some(0), "{word}: {stdout}");
            assert_eq!(
                stdout.contains(r#""permissionDecision":"ask""#),
                asks,
                "{word}: {stdout}"
            );
            assert!(!String::from_utf8_lossy(&output.stderr).contains("of our own"));
        }
    }
}
