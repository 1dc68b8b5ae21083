//! Programs that run what they are given: another command, a line of shell, a script.

use super::arguments::{Argument, Arguments, is_called, is_one_of, is_option, valued};
use super::words::Word;

/// What a carrier runs, from the first operand that its form leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carries {
    /// A command in the words from there on.
    Command,
    /// A line of shell in that word.
    Text,
    /// A line of shell in all the words from there on.
    Line,
    /// The script or task which that word names.
    Script,
    /// Lines of shell on its standard input.
    Input,
}

use Carries::{Command, Input, Line, Script, Text};

/// What is carried, the carriers, and what their arguments begin with: as in a rule, but that an option stands where
/// it is written, and that `!-x` is one that must not stand there. Those of one name are tried in order.
const CARRIERS: &[(Carries, &str, &str)] = &[
    (Text, SHELLS, "-c"),
    (Input, SHELLS, "$"),
    (Input, SHELLS, "-s"),
    (Script, SHELLS, "!-n"),
    (Script, "source|.", ""),
    (Command, "python|python3|py", "-m"),
    (Script, "python|python3|py", "!-c"),
    (
        Script,
        "node|ruby|perl|php|tsx|ts-node",
        "!-e|-p|-c|-l|--eval|--print|--check",
    ),
    (Line, "eval|watch", ""),
    (Text, "trap", ""),
    (Line, "git", "submodule foreach"),
    (Text, "su|runuser|sg|script", ".. -c|--command"),
    (Command, "runuser", ""),
    (Command, "script", "*"),
    (Text, "nix-shell", ".. --run|--command"),
    (Text, "flock", "* -c|--command"),
    (Command, "flock", "*"),
    (Text, "env", "-S|--split-string"),
    (
        Command,
        "env|sudo|doas|nohup|setsid|builtin|exec|time|nice|ionice|stdbuf|busybox",
        "",
    ),
    (
        Command,
        "strace|ltrace|noglob|nocorrect|caffeinate|chronic|unbuffer|winpty|xargs|parallel",
        "",
    ),
    (Command, "command", "!-v|-V"),
    (Command, "timeout|gtimeout|chroot|gosu", "*"),
    (Command, "find", ".. -exec|-execdir|-ok"),
    (
        Command,
        "docker|podman|nerdctl|docker-compose|kubectl|oc",
        "exec *",
    ),
    (Command, "docker|podman|nerdctl|docker-compose", "run *"),
    (Command, "docker|podman|nerdctl", "compose exec|run *"),
    (
        Command,
        "uv|poetry|pipenv|pdm|rye|hatch|pipx|conda|op|doppler|dotenvx|infisical",
        "run",
    ),
    (Command, "npx|bunx|uvx|pnpx", ""),
    (Command, "uv", "tool run"),
    (
        Command,
        "npm|pnpm|yarn|bundle|rbenv|pyenv|mise",
        "exec|x|dlx",
    ),
    (Command, "direnv|aws-vault", "exec *"),
    (Script, "npm|pnpm|yarn|bun", "run|run-script"),
    (Script, "yarn|bun", ""),
    (Command, "yarn|pnpm", ""),
    (Script, "gh", "workflow run"),
];

const SHELLS: &str = "sh|bash|zsh|dash|ksh|ash|fish|rbash";

/// What `program` carries, and the words of it.
pub(super) fn carried<'a>(
    program: &str,
    words: &'a [Word],
) -> impl Iterator<Item = (Carries, &'a [Word])> {
    let valued = valued(program);
    CARRIERS
        .iter()
        .filter(move |(_, names, _)| is_called(names, program))
        .filter_map(move |(carries, _, form)| Some((*carries, behind(form, words, valued)?)))
}

/// The words from the first operand behind `form`; `None` if they don't begin with it.
fn behind<'a>(form: &str, words: &'a [Word], valued: &'static str) -> Option<&'a [Word]> {
    let is = |given, wanted: &str| wanted.split('|').any(|w| is_option(given, w, valued));
    let mut arguments = Arguments::new(words, valued);
    let mut gap = false;
    for step in form.split_terminator(' ') {
        if step == "$" {
            return arguments.take_operands().is_empty().then_some(&[]);
        } else if let Some(unwanted) = step.strip_prefix('!') {
            let mut options = arguments.clone().map_while(Argument::option);
            if options.any(|given| is(given, unwanted)) {
                return None;
            }
        } else if step != ".." {
            loop {
                match arguments.next()? {
                    Argument::Option(given, _) if step.starts_with('-') && is(given, step) => break,
                    Argument::Operand(given) if is_one_of(step, given) => break,
                    Argument::Operand(_) if !gap => return None,
                    Argument::Option(..) | Argument::Operand(_) => {}
                }
            }
        }
        gap = step == "..";
    }
    Some(arguments.take_operands())
}
