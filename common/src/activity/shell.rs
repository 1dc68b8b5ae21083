//! What a shell command is for: does it test or build, change files, or only look something up?
//!
//! It goes by names and words, as a reader of the command would; what a script does that is called by another name
//! can't be seen. Linters, formatters and type checkers don't count as tests: they run nothing.

/// What a command line does, as far as its words tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Nature {
    /// It runs tests, a build or a check.
    pub test: bool,
    /// It changes files.
    pub edits: bool,
    /// Every command in it looks something up or moves something about: that one fails shows no fault.
    pub looks_up: bool,
}

/// Commands before the one that counts, each with how many words of its own it takes.
const PREFIXES: [(&str, usize); 24] = [
    ("sudo", 0),
    ("env", 0),
    ("time", 0),
    ("nice", 0),
    ("nohup", 0),
    ("exec", 0),
    ("command", 0),
    ("timeout", 1),
    ("gtimeout", 1),
    ("xvfb-run", 0),
    ("stdbuf", 0),
    ("unbuffer", 0),
    ("caffeinate", 0),
    ("npx", 0),
    ("bunx", 0),
    ("uvx", 0),
    ("then", 0),
    ("do", 0),
    ("else", 0),
    ("if", 0),
    ("while", 0),
    ("!", 0),
    ("{", 0),
    ("(", 0),
];

/// Programs with a subcommand before the command that counts.
const RUNNERS: [(&str, &str); 14] = [
    ("uv", "run"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("pdm", "run"),
    ("rye", "run"),
    ("hatch", "run"),
    ("bundle", "exec"),
    ("npm", "exec"),
    ("pnpm", "exec"),
    ("pnpm", "dlx"),
    ("yarn", "dlx"),
    ("yarn", "exec"),
    ("mise", "exec"),
    ("conda", "run"),
];

/// Programs that test or build whatever they are told.
const TESTERS: [&str; 34] = [
    "pytest",
    "py.test",
    "jest",
    "vitest",
    "mocha",
    "ava",
    "karma",
    "jasmine",
    "rspec",
    "phpunit",
    "pest",
    "nosetests",
    "behave",
    "cypress",
    "playwright",
    "bats",
    "ginkgo",
    "gotestsum",
    "tox",
    "nox",
    "ctest",
    "ninja",
    "busted",
    "cucumber",
    "unittest",
    "trybuild",
    "runtests",
    "tap",
    "prove",
    "minitest",
    "xctest",
    "kaocha",
    "cargo-nextest",
    "testcafe",
];

/// Programs that do what a word of theirs says, or, without one, build.
const BUILDERS: [&str; 37] = [
    "cargo",
    "go",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "deno",
    "just",
    "make",
    "gmake",
    "rake",
    "mage",
    "task",
    "turbo",
    "nx",
    "gradle",
    "gradlew",
    "mvn",
    "mvnw",
    "ant",
    "sbt",
    "bazel",
    "bazelisk",
    "mix",
    "dotnet",
    "swift",
    "xcodebuild",
    "zig",
    "meson",
    "cmake",
    "hatch",
    "composer",
    "flutter",
    "dart",
    "lein",
    "stack",
    "cabal",
];

/// Programs that run a script.
const INTERPRETERS: [&str; 13] = [
    "bash", "sh", "zsh", "dash", "python", "python3", "node", "ruby", "php", "perl", "tsx",
    "source", ".",
];

/// Words by which a task or a script is called that tests or builds.
const TASKS: [&str; 22] = [
    "test",
    "tests",
    "tested",
    "testing",
    "t",
    "check",
    "checks",
    "verify",
    "build",
    "nextest",
    "e2e",
    "spec",
    "specs",
    "smoke",
    "integration",
    "unit",
    "coverage",
    "cov",
    "miri",
    "llvm",
    "tarpaulin",
    "regression",
];

/// Words after which a task isn't one of those: `npm run lint:tests`, `check:types`.
const NO_TASKS: [&str; 9] = [
    "lint",
    "fmt",
    "format",
    "types",
    "typecheck",
    "tsc",
    "install",
    "clean",
    "watch",
];

/// Programs that look something up or move something about.
const LOOKS_UP: [&str; 57] = [
    ":", "exit", "false", "true", "[", "[[", "apt", "apt-get", "awk", "brew", "cat", "cd", "chmod",
    "command", "cp", "cut", "diff", "echo", "env", "export", "fd", "file", "find", "gh", "git",
    "grep", "head", "jq", "kill", "less", "ln", "ls", "mkdir", "mv", "pgrep", "pip", "pip3",
    "pkill", "popd", "printf", "ps", "pushd", "pwd", "rg", "rm", "rmdir", "sed", "set", "sleep",
    "sort", "stat", "tail", "test", "touch", "tree", "wc", "which",
];

/// How deep command lines within command lines are followed.
const DEEPEST: usize = 4;

/// What `command` is for.
pub fn nature(command: &str) -> Nature {
    let mut nature = Nature {
        looks_up: true,
        ..Nature::default()
    };
    look(command, 0, &mut nature);
    nature
}

fn look(line: &str, depth: usize, nature: &mut Nature) {
    let (line, documents) = without_documents(line);
    nature.edits |= documents
        .iter()
        .any(|text| WRITES.iter().any(|call| text.contains(call)));
    for words in commands(&line) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        one(&words, depth, nature);
    }
}

/// Calls by which a script given in a here-document writes a file.
const WRITES: [&str; 4] = [
    ".write_text(",
    ".write(",
    "writeFileSync(",
    "*** Begin Patch",
];

/// Looks at a simple command.
fn one(words: &[&str], depth: usize, nature: &mut Nature) {
    let words = behind_prefixes(words);
    let Some((&first, arguments)) = words.split_first() else {
        return;
    };
    let program = name(first);
    let operands = || {
        arguments
            .iter()
            .copied()
            .filter(|word| !word.starts_with(['-', '+', '\0']))
    };
    let line = arguments
        .iter()
        .position(|word| matches!(*word, "-c" | "-lc" | "-ic" | "-ec"));
    if let (Some(at), true) = (line, INTERPRETERS.contains(&program) && depth < DEEPEST) {
        if let Some(inner) = arguments.get(at + 1) {
            if program.starts_with("py") {
                nature.edits |= WRITES.iter().any(|call| inner.contains(call));
                nature.looks_up = false;
            } else {
                look(inner, depth + 1, nature);
            }
        }
        return;
    }
    nature.looks_up &= LOOKS_UP.contains(&program) || is_install(program, arguments);
    nature.edits |= edits(program, arguments);
    nature.test |= if TESTERS.contains(&program) {
        true
    } else if BUILDERS.contains(&program) {
        builds(program, operands())
    } else if INTERPRETERS.contains(&program) {
        operands()
            .next()
            .is_some_and(|script| is_task(script) || TESTERS.contains(&name(script)))
    } else {
        first.contains(['/', '.']) && is_task(first) || program == "docker" && is_build(operands())
    };
}

/// Whether the words after a program's name say that it tests or builds.
fn builds<'a>(program: &str, mut operands: impl Iterator<Item = &'a str>) -> bool {
    let node = matches!(program, "npm" | "pnpm" | "yarn" | "bun");
    let Some(first) = operands.next() else {
        // `make` builds, `npm` tells how to use it.
        return matches!(program, "make" | "gmake" | "ant" | "xcodebuild");
    };
    match program {
        // A type check runs nothing.
        "cargo" if matches!(first, "check" | "clippy" | "fmt") => false,
        "cmake" => first == "build" || operands.any(|word| word == "build"),
        _ if node && matches!(first, "run" | "run-script") => operands.next().is_some_and(is_task),
        _ if node && TESTERS.contains(&first) => true,
        _ if first.contains(':') || !matches!(first, "run" | "exec" | "compile") => {
            is_task(first)
                || operands
                    .take(3)
                    .any(|word| matches!(word, "test" | "build"))
        }
        _ => false,
    }
}

fn is_build<'a>(mut operands: impl Iterator<Item = &'a str>) -> bool {
    let first = operands.next();
    first == Some("build") || first == Some("compose") && operands.next() == Some("build")
}

/// Whether a task or a script is called by a word that means a test or a build.
fn is_task(task: &str) -> bool {
    let lower = task.to_ascii_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric()).peekable();
    let any = |list: &[&str]| {
        lower
            .split(|c: char| !c.is_ascii_alphanumeric())
            .any(|w| list.contains(&w))
    };
    words.peek().is_some() && (any(&TASKS) || lower.starts_with(".ci/")) && !any(&NO_TASKS)
}

fn is_install(program: &str, arguments: &[&str]) -> bool {
    let first = arguments.first().copied().unwrap_or_default();
    BUILDERS.contains(&program) && matches!(first, "install" | "i" | "ci" | "add" | "remove")
}

fn edits(program: &str, arguments: &[&str]) -> bool {
    let first = arguments.first().copied().unwrap_or_default();
    let has = |found: &dyn Fn(&str) -> bool| arguments.iter().any(|word| found(word));
    match program {
        "apply_patch" | "applypatch" | "patch" => true,
        "sed" | "gsed" => has(&|word| word.starts_with("-i") || word == "--in-place"),
        "perl" | "ruby" => has(&|word| word.starts_with("-i") || word.starts_with("-pi")),
        "tee" => has(&is_kept),
        "git" => matches!(first, "apply" | "am" | "revert" | "cherry-pick" | "restore"),
        "cat" | "echo" | "printf" => {
            let mut targets = arguments.iter().zip(arguments.iter().skip(1));
            targets.any(|(sign, target)| *sign == REDIRECTION && is_kept(target))
        }
        _ => false,
    }
}

/// A file that is a part of the work, not a log or a scratch file.
fn is_kept(target: &str) -> bool {
    let scratch = ["/dev/", "/tmp/", "&", "-"]
        .iter()
        .any(|start| target.starts_with(start));
    let log = [".log", ".out"].iter().any(|end| target.ends_with(end));
    !(scratch || log || target.is_empty())
}

fn behind_prefixes<'a, 'w>(mut words: &'w [&'a str]) -> &'w [&'a str] {
    loop {
        let Some((first, rest)) = words.split_first() else {
            return words;
        };
        let next = rest.first().copied().unwrap_or_default();
        words = if is_assignment(first) {
            rest
        } else if let Some((_, own)) = PREFIXES.iter().find(|(prefix, _)| *prefix == name(first)) {
            let options = rest
                .iter()
                .take_while(|w| w.starts_with('-') || is_assignment(w))
                .count();
            rest.get(options + own..).unwrap_or_default()
        } else if RUNNERS.contains(&(name(first), next)) {
            let behind = rest.get(1..).unwrap_or_default();
            let options = behind
                .iter()
                .take_while(|word| word.starts_with('-'))
                .count();
            behind.get(options..).unwrap_or_default()
        } else if name(first).starts_with("python") && next == "-m" {
            rest.get(1..).unwrap_or_default()
        } else {
            return words;
        };
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// A program without its directory.
fn name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// The line without the bodies of its here-documents, and these.
fn without_documents(line: &str) -> (String, Vec<String>) {
    let (mut kept, mut documents) = (String::new(), Vec::new());
    let mut lines = line.lines();
    while let Some(line) = lines.next() {
        kept.push_str(line);
        kept.push('\n');
        if let Some(delimiter) = document_delimiter(line) {
            let body: Vec<_> = lines
                .by_ref()
                .take_while(|line| line.trim() != delimiter)
                .collect();
            documents.push(body.join("\n"));
        }
    }
    (kept, documents)
}

/// `EOF` of `<<EOF`, `<<-'EOF'` and their like; not of a here-string.
fn document_delimiter(line: &str) -> Option<&str> {
    let (_, behind) = line.split_once("<<")?;
    let behind = behind.trim_start_matches(['-', '~']).trim_start();
    let word = behind.trim_start_matches(['\'', '"', '\\']);
    let end = word
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(word.len());
    word.get(..end).filter(|word| !word.is_empty())
}

/// Stands before the file that output goes to. No word is like it, whatever is quoted.
const REDIRECTION: &str = "\0>";

/// The simple commands of a line, each as its words without quotes and with its redirections.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    let mut word = String::new();
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    let end = |all: &mut Vec<Vec<String>>, word: &mut String, quoted: &mut bool| {
        if let (true, Some(command)) = (!word.is_empty() || *quoted, all.last_mut()) {
            command.push(std::mem::take(word));
        }
        *quoted = false;
    };
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                quoted = true;
                word.extend(chars.by_ref().take_while(|c| *c != '\''));
            }
            '"' => {
                quoted = true;
                while let Some(c) = chars.next().filter(|c| *c != '"') {
                    word.extend(if c == '\\' { chars.next() } else { Some(c) });
                }
            }
            '\\' => word.extend(chars.next().filter(|c| *c != '\n')),
            '#' if word.is_empty() => {
                let _ = chars.by_ref().find(|c| *c == '\n');
                end(&mut all, &mut word, &mut quoted);
                all.push(Vec::new());
            }
            '>' => {
                if word.bytes().all(|b| b.is_ascii_digit()) {
                    word.clear();
                }
                end(&mut all, &mut word, &mut quoted);
                let _ = chars.next_if_eq(&'>');
                word.push_str(REDIRECTION);
                end(&mut all, &mut word, &mut quoted);
                word.extend(chars.next_if_eq(&'&'));
            }
            ';' | '\n' | '&' | '|' | '(' | ')' | '`' => {
                end(&mut all, &mut word, &mut quoted);
                all.push(Vec::new());
            }
            c if c.is_whitespace() => end(&mut all, &mut word, &mut quoted),
            c => word.push(c),
        }
    }
    end(&mut all, &mut word, &mut quoted);
    all.retain(|command| !command.is_empty());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, [test, edits, looks_up]: [bool; 3]) {
        assert_eq!(
            nature(command),
            Nature {
                test,
                edits,
                looks_up
            },
            "{command}"
        );
    }

    #[test]
    fn tests_builds_and_checks() {
        let tests = [
            "cargo test",
            "cargo +nightly nextest run -p app",
            "RUST_BACKTRACE=1 cargo test -- --nocapture",
            "cd app && npm test 2>&1 | tail -20",
            "npm run test:unit",
            "npm run build",
            "yarn vitest run",
            "npx jest",
            "python -m pytest -x tests/",
            "python3 -m unittest",
            "uv run pytest",
            "poetry run pytest -q",
            "go test ./...",
            "go build ./...",
            "make",
            "make -j4 check",
            "make test",
            "./gradlew test",
            "mvn -q verify",
            "bundle exec rspec",
            "timeout 60 cargo build --release",
            "sudo -E env A=b make check",
            "bash -lc 'cd x && cargo test'",
            "sh scripts/check.sh",
            "./run-tests.sh",
            ".ci/run",
            "scripts/test.py --all",
            "cmake --build build",
            "docker compose build",
            "dotnet test",
            "node test/smoke.mjs",
            "ctest --output-on-failure",
            "if ! cargo test; then echo no; fi",
            "deno test",
            "just test",
            "mix test",
            "swift build",
            "bazel test //...",
        ];
        for command in tests {
            assert!(nature(command).test, "{command}");
        }
        let none = [
            "cargo check",
            "cargo clippy --all-targets",
            "cargo fmt",
            "cargo run -- test",
            "cargo add proptest",
            "npm run lint",
            "npm install",
            "npm ci",
            "npm run typecheck",
            "npx tsc --noEmit",
            "git status",
            "cat tests/a.rs",
            "grep -rn test src",
            "echo 'cargo test'",
            "echo \"run cargo test\"",
            "ls tests",
            "git commit -m 'build: test'",
            "cat > t.sh <<'EOF'\ncargo test\nEOF",
            "# cargo test",
            "ruff check",
            "test -f a",
            "rm -rf build",
            "vim tests/a.rs",
            "python app.py",
            "kubectl get pods",
            "curl localhost/check",
            "",
        ];
        for command in none {
            assert!(!nature(command).test, "{command}");
        }
    }

    #[test]
    fn changes_of_files() {
        let edits = [
            "sed -i 's/a/b/' src/a.rs",
            "perl -pi -e 's/a/b/' a",
            "cat > src/a.rs <<'EOF'\nfn a() {}\nEOF",
            "echo x >> notes.md",
            "apply_patch <<'EOF'\n*** Begin Patch\n*** End Patch\nEOF",
            "git apply fix.diff",
            "python3 - <<'EOF'\nopen('a', 'w').write('x')\nEOF",
            "echo a | tee src/a",
            "patch -p1 < a.diff",
        ];
        for command in edits {
            assert!(nature(command).edits, "{command}");
        }
        let none = [
            "sed -n 1,5p a",
            "cat a",
            "echo x > /dev/null",
            "cargo test > out.txt 2>&1",
            "echo x > /tmp/a",
            "git commit -m x",
            "echo '>' a",
            "cargo fmt",
            "echo done 2>&1",
            "grep -i x a",
        ];
        for command in none {
            assert!(!nature(command).edits, "{command}");
        }
    }

    #[test]
    fn only_a_run_of_something_can_reproduce() {
        check("grep -q x a && ls", [false, false, true]);
        check("git diff --exit-code", [false, false, true]);
        check("npm install", [false, false, true]);
        check("python repro.py", [false, false, false]);
        check(
            "cd app && ./target/debug/app --port 0",
            [false, false, false],
        );
        check("curl -sf localhost:8080/health", [false, false, false]);
        check("cargo test", [true, false, false]);
    }

    #[test]
    fn no_command_line_is_too_odd() {
        for odd in [
            "'", "\"", "\\", "<<", "$(", ">", "2>", "bash -c", "sudo", "<<EOF", "((((", "`",
        ] {
            let _ = nature(odd);
        }
        let mut nested = "true".to_owned();
        for _ in 0..6 {
            nested = format!("bash -c {nested:?}");
        }
        let _ = nature(&nested);
    }
}
