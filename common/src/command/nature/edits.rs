//! Which commands change files of the project.

use super::super::arguments::{is_called, is_option};
use super::super::words::{Input, Word};
use super::tasks::words;
use super::{Called, LOOKS_UP, Whole};

/// Programs that put out what they were told to fetch.
const FETCHES: &str = "curl|wget|openssl|envsubst";

/// Programs that write what they format or mend, as it is, with `-i` or with `-w`.
const FORMATTERS: &str = "black|isort|rustfmt|stylua|ormolu|fourmolu|swiftformat|scalafmt|ktfmt";
const IN_PLACE: &str = "sed|gsed|yq|clang-format|autopep8|yapf";
const WRITERS: &str = "gofmt|goimports|gofumpt|shfmt";

/// Options by which any program mends files.
const MENDS: &str = "--fix|--write|--in-place|--autocorrect|--autocorrect-all|--auto-correct";

/// Options and words with which it only tells what it would do.
const CHECKS: &str = "--check|-check|--check-only|--check-formatted|--diff|--verify|--list-different|--stat|--numstat|\
    --show-current-patch|--set-exit-if-changed";

/// Calls by which a script writes a file, and the beginning of a patch.
const WRITES: &[&str] = &[
    ".write_text(",
    ".write_bytes(",
    "writeFileSync(",
    "writeFile(",
    "appendFileSync(",
    "file_put_contents(",
    "File.write(",
    "shutil.copy",
    "shutil.move(",
    "os.rename(",
    "os.replace(",
    "os.remove(",
    "*** Begin Patch",
];

/// Directories that are made by a build or by tools.
const GENERATED: &str = "target|dist|node_modules|coverage|__pycache__|.pytest_cache|.mypy_cache|.cache|.next|.venv|venv";

/// Directories that are, where they stand first or last in a path.
const SCRATCH: &str = "build|out|tmp|temp|log|logs";

/// Whether the program changes a file.
pub(super) fn edits(called: &Called<'_>, whole: &Whole<'_>) -> bool {
    if called.has(CHECKS) {
        return false;
    }
    let any_kept = |operands: &[&str]| operands.iter().any(|operand| is_kept(operand));
    let behind_first = called.operands.get(1..).unwrap_or_default();
    let has = |found: &dyn Fn(&str) -> bool| called.texts().any(found);
    let own = match called.name {
        "apply_patch" | "applypatch" | "patch" => true,
        "perl" | "ruby" => has(&is_in_place),
        "awk" | "gawk" => has(&|word| word == "inplace"),
        "tee" => !whole.reads_a_run && any_kept(&called.operands),
        "git" => changes_tree(called),
        "mv" | "rm" | "truncate" | "sponge" | "ed" | "ex" => any_kept(&called.operands),
        "cp" => called.operands.last().is_some_and(|last| is_kept(last)),
        "find" => called.has("-delete"),
        "dd" => has(&|word| word.strip_prefix("of=").is_some_and(is_kept)),
        "curl" | "wget" => downloads(called),
        _ if called.is(IN_PLACE) => {
            has(&|word| word.starts_with("-i") || is_option(word, "-i", "") || word == "--in-place")
                && (behind_first.is_empty() || any_kept(behind_first))
        }
        _ if called.is(WRITERS) => has(&|word| is_option(word, "-w", "")),
        _ => false,
    };
    own || mends(called) || puts_out(called, whole) || has_script_that_writes(called, whole)
}

/// What a run prints into a file is its log.
fn puts_out(called: &Called<'_>, whole: &Whole<'_>) -> bool {
    let mut outputs = whole.command.outputs.iter();
    // `echo $? > status` tells of a run too.
    let status = called.texts().any(|word| word.contains("$?"));
    !whole.reads_a_run
        && !status
        && (called.is(LOOKS_UP) || called.is(FETCHES))
        && outputs.any(|target| is_kept(&target.text))
}

fn has_script_that_writes(called: &Called<'_>, whole: &Whole<'_>) -> bool {
    let inline = called.has("-c|-e|--eval") && called.texts().any(writes);
    let document = match whole.command.input {
        Some(Input::Document(index)) if !called.is(LOOKS_UP) => whole.document(index),
        _ => "",
    };
    !called.is(LOOKS_UP) && (inline || writes(document))
}

/// Formatters, and linters that mend.
fn mends(called: &Called<'_>) -> bool {
    !called.is(LOOKS_UP)
        && (called.is(FORMATTERS) && !called.has("-c")
            || called.has(MENDS)
            || called.is("rubocop") && called.has("-a|-A")
            || called.is("cargo|php-cs-fixer") && called.first() == "fix"
            || !called.is("npm|pnpm|yarn|bun|biome|docker|podman")
                && matches!(called.first(), "fmt" | "format"))
}

/// Whether `words`, which `carrier` runs, are a task that formats or mends files.
pub(super) fn is_formatter_task(carrier: &Called<'_>, task: &[Word]) -> bool {
    let words = words(task.first().map_or("", |word| word.text.as_str()));
    let any = |list| words.iter().any(|word| is_called(list, word));
    carrier.is("npm|pnpm|yarn|bun") && any("fmt|format|fix|autofix") && !any("check|checks|verify")
}

/// `git` commands that leave other files in the working tree.
fn changes_tree(called: &Called<'_>) -> bool {
    let rest = called.operands.get(1..).unwrap_or_default();
    match called.first() {
        "apply" | "am" | "revert" | "cherry-pick" | "pull" | "merge" | "rebase" | "mv" => true,
        "restore" => !called.has("--staged|-S") || called.has("--worktree|-W"),
        "rm" => !called.has("--cached"),
        "reset" => called.has("--hard|--merge|--keep"),
        "stash" => matches!(rest.first(), Some(&("pop" | "apply"))),
        "clean" => !called.has("-n"),
        "checkout" => {
            let makes = called.has("-b|-B|--orphan|--track|-t");
            let path = |word: &str| {
                let ending = word.rsplit_once('.').map(|(_, ending)| ending);
                ending.is_some_and(|e| e.bytes().all(|byte| byte.is_ascii_alphabetic()))
            };
            !makes
                && (called.has("--|--ours|--theirs")
                    || rest.len() > 1
                    || rest.iter().any(|word| path(word)))
        }
        _ => false,
    }
}

/// Whether it saves what it fetches as a file of the project.
fn downloads(called: &Called<'_>) -> bool {
    let short = |word: &str, letter| {
        word.starts_with('-') && !word.starts_with("--") && word.ends_with::<char>(letter)
    };
    let is_curl = called.name == "curl";
    let saves = |word: &str| {
        matches!(word, "--output" | "--output-document")
            || short(word, if is_curl { 'o' } else { 'O' })
    };
    let next = called.texts().skip(1);
    let mut pairs = called.texts().zip(next);
    let by_its_name = |word: &str| word == "--remote-name" || short(word, 'O');
    pairs.any(|(option, file)| saves(option) && is_kept(file))
        || is_curl && called.texts().any(by_its_name)
}

/// `-i`, `-pi`, `-0pi.bak`, and not `-Ilib`.
fn is_in_place(word: &str) -> bool {
    let Some((before, _)) = word.strip_prefix('-').and_then(|word| word.split_once('i')) else {
        return false;
    };
    before
        .chars()
        .all(|c| matches!(c, '0'..='9' | 'p' | 'n' | 'w' | 'l' | 'a' | 's'))
}

/// A file that is a part of the work, not a log, a scratch file or what a build made.
fn is_kept(target: &str) -> bool {
    let starts = [
        "/dev/",
        "/tmp/",
        "/var/tmp/",
        "/private/tmp/",
        "/proc/",
        "&",
        "-",
    ];
    let scratch = starts.iter().any(|start| target.starts_with(start)) || target == "$()";
    let variable = target.strip_prefix('$').map(str::to_ascii_lowercase);
    let temporary = variable.is_some_and(|name| {
        let name = name.split('/').next().unwrap_or_default();
        ["tmp", "temp", "log"]
            .iter()
            .any(|part| name.contains(part))
    });
    let log = [".log", ".out", ".err", ".patch", ".diff"]
        .iter()
        .any(|end| target.ends_with(end));
    let parts: Vec<&str> = target
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .collect();
    let generated = parts.iter().any(|part| is_called(GENERATED, part))
        || [parts.first(), parts.last()]
            .into_iter()
            .flatten()
            .any(|part| is_called(SCRATCH, part));
    let nothing = target.is_empty() || target.bytes().all(|byte| byte.is_ascii_digit());
    !(scratch || temporary || log || generated || nothing)
}

/// Whether a script writes a file: by a call that does, or by opening one to write.
fn writes(script: &str) -> bool {
    let mut opened = script.split("open(").skip(1).map(|rest| {
        let call = rest.split([')', '\n']).next().unwrap_or_default();
        let (file, mode) = call.rsplit_once(',').unwrap_or((call, ""));
        let mode = mode.trim().trim_start_matches("mode=");
        let writes = mode.starts_with(['\'', '"']) && mode.contains(['w', 'a', 'x', '+']);
        let file = file.trim().trim_matches(['\'', '"']);
        writes.then(|| is_kept(file))
    });
    if let Some(kept) = opened.by_ref().flatten().reduce(|one, other| one || other) {
        return kept;
    }
    let streams = ["stdout.write(", "stderr.write("];
    let written = script.matches(".write(").count();
    let printed: usize = streams
        .iter()
        .map(|call| script.matches(call).count())
        .sum();
    written > printed || WRITES.iter().any(|call| script.contains(call))
}
