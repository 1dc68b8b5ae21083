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
    (Input, SHELLS, "- $"),
    (Input, SHELLS, STDIN),
    (Script, SHELLS, "!-n"),
    (Input, "source|.", STDIN),
    (Script, "source|.", ""),
    (Command, PYTHON, "-m"),
    (Script, PYTHON, "!-c"),
    (
        Script,
        "node|ruby|perl|php|tsx|ts-node",
        "!-e|-p|-c|-l|--eval|--print|--check",
    ),
    (
        Line,
        "eval|watch|concurrently|hyperfine|cross-env-shell",
        "",
    ),
    (Input, "parallel", "$"),
    (Input, "at|batch", ""),
    (
        Line,
        "tmux",
        "new|new-session|new-window|neww|split-window|splitw|respawn-pane|run|run-shell|send|send-keys",
    ),
    (Text, "pwsh|powershell", "-c|-command|-Command"),
    (Script, "pwsh|powershell", ""),
    // Behind the colons stand lines where none stands before.
    (Line, "parallel|:::", ""),
    (Text, "trap", ""),
    (Line, "git", "submodule foreach"),
    (Text, "git", "rebase .. -x|--exec"),
    (Command, "git", "bisect run"),
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
        "strace|ltrace|noglob|nocorrect|caffeinate|chronic|unbuffer|winpty|xargs|coproc|entr|pkexec|valgrind",
        "",
    ),
    (
        Command,
        "ssh-agent|sshpass|xvfb-run|dbus-run-session|systemd-run|systemd-inhibit|systemd-cat|fakeroot|screen|\
         nsenter|flatpak-spawn|corepack|env-cmd|rtk|proxychains|proxychains4|torsocks|torify|numactl|\
         eatmydata|firejail|unshare|setpriv",
        "",
    ),
    (Command, "dotenv", "run"),
    (Command, "cross-env|dotenv|k3s|k0s|microk8s", ""),
    (Command, "nix", "develop|shell|run .. -c|--command"),
    (Command, "command", "!-v|-V"),
    (
        Command,
        "timeout|gtimeout|chroot|gosu|taskset|chrt|faketime|envdir",
        "*",
    ),
    (Command, FIND, ".. -exec|-execdir|-ok|-okdir"),
    (
        Command,
        "docker|podman|nerdctl|docker-compose|kubectl|oc",
        "exec *",
    ),
    (Command, "docker|podman|nerdctl|docker-compose", "run *"),
    (Command, "docker|podman|nerdctl", "compose exec|run *"),
    (
        Script,
        "npm|pnpm|yarn|bun|composer|deno|lerna|rush|hatch|pdm|rye",
        "run|run-script",
    ),
    (
        Command,
        "uv|poetry|pipenv|pdm|rye|hatch|pipx|conda|op|doppler|dotenvx|infisical|devbox|volta|toolbox",
        "run",
    ),
    (Command, "npx|bunx|uvx|pnpx", ""),
    (Command, "uv", "tool run"),
    (
        Command,
        "npm|pnpm|yarn|bun|bundle|rbenv|pyenv|mise|asdf",
        "exec|x|dlx",
    ),
    (Command, "direnv|aws-vault|lxc|incus", "exec *"),
    (Command, "distrobox", "enter *"),
    (Script, "deno", "task"),
    (Script, "yarn", "workspace * run"),
    (Script, "yarn", "workspace *"),
    (Script, "yarn", "workspaces run"),
    (Script, "yarn", "workspaces foreach .. run"),
    (Script, "composer|poe", ""),
    (Script, "yarn|bun", ""),
    (Command, "yarn", "workspace *"),
    (Command, "yarn|pnpm", ""),
    (Script, "gh", "workflow run"),
];

/// Runs as many commands as it is given, each up to a `;` or a `+`.
pub(super) const FIND: &str = "find";

/// Names of the standard input.
const STDIN: &str = "/dev/stdin|/dev/fd/0|/proc/self/fd/0";

const PYTHON: &str = "python|pypy|py";

const SHELLS: &str = "sh|bash|zsh|dash|ksh|ash|fish|rbash";

/// The line of shell that stands behind `=` in one of `words`, and that word: `--command='…'`.
pub(super) fn attached<'a>(program: &str, words: &'a [Word]) -> Option<(&'a str, &'a Word)> {
    let rows = CARRIERS
        .iter()
        .filter(|(carries, names, _)| *carries == Text && is_called(names, program));
    let mut options = rows.filter_map(|(_, _, form)| form.split(' ').next_back());
    options.find_map(|options| {
        words.iter().find_map(|word| {
            let (option, line) = word.text.split_once('=')?;
            (option.starts_with("--") && is_called(options, option)).then_some((line, word))
        })
    })
}

/// Whether a script that `program` is given is one of shell.
pub(super) fn reads_shell(program: &str) -> bool {
    is_called(SHELLS, program) || is_called("source|.", program)
}

/// What `program` carries, and the words of it.
pub(super) fn carried<'a>(
    program: &str,
    words: &'a [Word],
) -> impl Iterator<Item = (Carries, &'a [Word])> {
    let valued = valued(program);
    let finds = program == FIND;
    let is_end = move |word: &Word| finds && matches!(word.text.as_str(), ";" | "+");
    CARRIERS
        .iter()
        .filter(move |(_, names, _)| is_called(names, program))
        .flat_map(move |(carries, _, form)| {
            let parts = words.split(is_end);
            parts.filter_map(move |part| Some((*carries, behind(form, part, valued)?)))
        })
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
