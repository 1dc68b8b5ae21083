//! What a program was given, as a rule asks for it.

use super::arguments::{Argument, Arguments, is_called, is_one_of, is_option, value, valued};
use super::names;
use super::words::Word;

/// Programs that hand on what stands behind their first operand.
const HANDS_ON: &str = "ssh|autossh|mosh";

/// The program whose command `program` is: that of `git-push` is git.
pub(super) fn family(program: &str) -> &str {
    if program.starts_with("git-") {
        "git"
    } else {
        program
    }
}

/// Operands, options and what these options stand for.
pub(super) struct Given<'a> {
    pub operands: Vec<&'a str>,
    options: Vec<(&'a str, Option<&'a str>)>,
    valued: &'static str,
    help: bool,
}

impl<'a> Given<'a> {
    pub fn of(program: &'a str, words: &'a [Word]) -> Self {
        let family = family(program);
        let valued = valued(family);
        // `git-push` is `git push`.
        let command = program.strip_prefix("git-");
        let mut operands: Vec<_> = command.into_iter().collect();
        let mut options = Vec::new();
        let mut arguments = Arguments::new(words, valued);
        // As the last word only: `rsync -h` counts in a human's units.
        let mut asks = false;
        while let Some(argument) = arguments.next() {
            asks = argument == Argument::Option("-h", None);
            match argument {
                Argument::Option(option, next) => options.push((option, next)),
                Argument::Operand(operand) => operands.push(operand),
            }
            if operands.len() == 2 && is_called(HANDS_ON, program) {
                arguments.end_options();
            }
        }
        let help = asks || operands.first() == Some(&"help");
        Self {
            operands,
            options,
            valued,
            help,
        }
    }

    /// Whether it changes nothing: it asks for help, is a dry run, or has one of the options in `unless`, with blanks
    /// between them.
    pub fn is_harmless(&self, unless: &str) -> bool {
        self.help
            || self.has("--help|-help")
            || self.has("--dry-run") && !self.has("--no-dry-run")
            || unless.split_terminator(' ').any(|option| self.has(option))
    }

    /// Whether the operands that aren't among `except` begin with `form`: `a|b` one of these, `*` any, `..` any number,
    /// `$` no more, `<kind` one of that kind. Then `-x|--long` is an option that must be there, `-x:a|b` with such a
    /// value, and `>kind` says of what kind the last operand is.
    pub fn follows(&self, form: &str, except: &str) -> bool {
        let counts = |operand: &&str| !is_one_of(except, operand);
        let operands: Vec<&str> = self.operands.iter().copied().filter(counts).collect();
        let mut rest = operands.as_slice();
        let mut gap = false;
        for step in form.split_terminator(' ') {
            let fits = if step == ".." {
                true
            } else if step == "$" {
                rest.is_empty()
            } else if step.starts_with('-') {
                self.has(step)
            } else if let Some(kind) = step.strip_prefix('>') {
                operands.len() > 1 && rest.last().is_some_and(|last| is_of(kind, last))
            } else {
                let is_next = |operand: &&str| match step.strip_prefix('<') {
                    Some(kind) => is_of(kind, operand),
                    None => is_one_of(step, operand),
                };
                let found = rest.iter().position(is_next);
                rest = found.and_then(|at| rest.get(at + 1..)).unwrap_or_default();
                found.is_some_and(|at| at == 0 || gap)
            };
            if !fits {
                return false;
            }
            gap = step == "..";
        }
        true
    }

    /// Whether one of the options `wanted` was given: `-x|--long`, or `-x|--long:a|b` with one of these values.
    pub fn has(&self, wanted: &str) -> bool {
        let (names, values) = match wanted.split_once(':') {
            Some((names, values)) => (names, Some(values)),
            None => (wanted, None),
        };
        self.options.iter().any(|(given, next)| {
            names.split('|').any(|name| match values {
                None => is_option(given, name, self.valued),
                Some(values) => value(given, *next, name, self.valued)
                    .is_some_and(|value| is_one_of(values, value)),
            })
        })
    }
}

/// Whether the operand is of this kind: another `host`, a `path` on one, a `git-host` that isn't known, the task of a
/// `deployment`, or what begins like this.
fn is_of(kind: &str, operand: &str) -> bool {
    match kind {
        "host" => names::is_other_host(operand) && !operand.starts_with("git@"),
        "git-host" => names::is_other_host(operand) && operand.starts_with("git@"),
        "path" => names::is_remote(operand),
        "deployment" => names::is_deployment(operand),
        start => operand.starts_with(start),
    }
}
