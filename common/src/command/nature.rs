//! What a shell command is for: does it test or build, change files, or only look something up?
//!
//! It goes by names and words, as a reader of the command would; what a script does that is called by another name
//! can't be seen. Linters, formatters and type checkers don't count as tests: they run nothing.

use super::arguments::is_called;
use super::carriers::{Carries, carried};
use super::names::program;
use super::words::{Command, Input, Script, Word, split};
use super::{is_assignment, joined};

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

/// How much of a line is read. What comes later is the text of a long here-document.
const READ_BYTES: usize = 4 << 10;

/// How deep command lines within command lines are followed.
const DEEPEST: usize = 4;

/// Programs that test or build whatever they are told.
const TESTERS: &str = "pytest|py.test|jest|vitest|mocha|ava|karma|jasmine|rspec|phpunit|pest|nosetests|behave|\
    cypress|playwright|bats|ginkgo|gotestsum|tox|nox|ctest|ninja|busted|cucumber|unittest|prove|testcafe|cargo-nextest";

/// Programs that do what a word of theirs says.
const BUILDERS: &str = "cargo|go|npm|pnpm|yarn|bun|deno|just|make|gmake|rake|mage|task|turbo|nx|gradle|gradlew|mvn|\
    mvnw|ant|sbt|bazel|bazelisk|mix|dotnet|swift|xcodebuild|zig|meson|cmake|hatch|composer|flutter|dart|lein|stack|cabal";

/// Those that build when no word says what to do.
const BUILDERS_BY_DEFAULT: &str = "make|gmake|ant|xcodebuild";

/// Words by which a task or a script is called that tests or builds.
const TASKS: &str = "test|tests|testing|t|check|checks|verify|build|nextest|e2e|spec|specs|smoke|integration|unit|\
    coverage|miri|tarpaulin|regression";

/// Words with which it isn't one of those: `npm run lint:tests`, `check:types`.
const NO_TASKS: &str = "lint|fmt|format|types|typecheck|tsc|install|clean|watch";

/// Programs that look something up or move something about.
const LOOKS_UP: &str = ":|[|[[|apt|apt-get|awk|brew|cat|cd|chmod|cp|cut|diff|echo|exit|export|false|fd|file|find|gh|\
    git|grep|head|jq|kill|less|ln|ls|mkdir|mv|pgrep|pip|pip3|pkill|popd|printf|ps|pushd|pwd|rg|rm|rmdir|sed|set|sleep|\
    sort|stat|tail|tee|test|touch|tr|tree|true|uniq|wc|which|xargs";

/// Calls by which a script writes a file, and the beginning of a patch.
const WRITES: [&str; 4] = [
    ".write_text(",
    ".write(",
    "writeFileSync(",
    "*** Begin Patch",
];

/// What the command line `line` is for.
pub fn nature(line: &str) -> Nature {
    let mut end = line.len().min(READ_BYTES);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let mut look = Look {
        nature: Nature {
            looks_up: true,
            ..Nature::default()
        },
        depth: 0,
    };
    look.line(line.get(..end).unwrap_or_default());
    look.nature
}

struct Look {
    nature: Nature,
    depth: usize,
}

impl Look {
    fn line(&mut self, line: &str) {
        if self.depth == DEEPEST {
            return;
        }
        self.depth += 1;
        let script = split(line);
        let documents = script
            .documents
            .iter()
            .filter_map(|at| line.get(at.clone()));
        self.nature.edits |= documents.clone().any(writes);
        for command in &script.commands {
            self.command(&command.words, line, &script, command);
        }
        for line in &script.backticks {
            self.line(&line.text);
        }
        self.depth -= 1;
    }

    /// Looks at `words`, which `whole` runs in the end.
    fn command(&mut self, words: &[Word], line: &str, script: &Script, whole: &Command) {
        let assignments = words
            .iter()
            .take_while(|word| is_assignment(&word.text))
            .count();
        let Some((first, arguments)) = words.get(assignments..).and_then(<[_]>::split_first) else {
            return;
        };
        let program = program(&first.text);
        let operands = Operands::of(arguments);
        if is_install(&program, &operands) {
            return;
        }
        let mut carries = false;
        for (how, inner) in carried(&program, arguments) {
            carries = true;
            match how {
                Carries::Command => self.command(inner, line, script, whole),
                Carries::Line => self.line(&joined(inner)),
                Carries::Text => inner.iter().take(1).for_each(|text| self.line(&text.text)),
                Carries::Script => {
                    let name = inner.first().map_or("", |word| word.text.as_str());
                    self.nature.test |= is_task(name) || is_tester(name);
                    self.nature.looks_up = false;
                }
                Carries::Input => self.input(line, script, whole),
            }
        }
        let nature = &mut self.nature;
        nature.edits |= edits(&program, arguments, &whole.outputs);
        if !carries {
            nature.looks_up &= is_called(LOOKS_UP, &program);
            let inline = arguments
                .iter()
                .any(|word| matches!(word.text.as_str(), "-c" | "-e"));
            nature.edits |= inline && arguments.iter().any(|word| writes(&word.text));
            nature.test |= is_tester(&program)
                || is_called(BUILDERS, &program) && builds(&program, &operands)
                || first.text.contains(['/', '.']) && is_task(&first.text)
                || program == "docker"
                    && matches!(
                        operands.0.as_slice(),
                        ["build", ..] | ["compose", "build", ..]
                    );
        }
    }

    /// Looks at what a shell reads.
    fn input(&mut self, line: &str, script: &Script, shell: &Command) {
        match &shell.input {
            Some(Input::Text(word)) => self.line(&word.text),
            Some(Input::Document(index)) => {
                let text = script
                    .documents
                    .get(*index)
                    .and_then(|at| line.get(at.clone()));
                self.line(text.unwrap_or_default());
            }
            Some(Input::Pipe(_)) | None => {}
        }
    }
}

/// The words behind a program that aren't options.
struct Operands<'a>(Vec<&'a str>);

impl<'a> Operands<'a> {
    fn of(arguments: &'a [Word]) -> Self {
        let words = arguments.iter().map(|word| word.text.as_str());
        Self(words.filter(|word| !word.starts_with(['-', '+'])).collect())
    }
}

/// Whether the words after a builder's name say that it tests or builds.
fn builds(program: &str, operands: &Operands<'_>) -> bool {
    let Some((first, rest)) = operands.0.split_first() else {
        return is_called(BUILDERS_BY_DEFAULT, program);
    };
    match (program, *first) {
        // They run, install or print something; a type check runs nothing.
        ("cargo", "check" | "clippy" | "fmt") | (_, "run" | "exec" | "help" | "compile") => false,
        _ => {
            is_task(first)
                || rest
                    .iter()
                    .take(3)
                    .any(|word| matches!(*word, "test" | "build"))
        }
    }
}

fn is_tester(name: &str) -> bool {
    is_called(TESTERS, &program(name))
}

/// Whether a task or a script is called by a word that means a test or a build.
fn is_task(task: &str) -> bool {
    let task = task.to_ascii_lowercase();
    let any = |list| {
        task.split(|c: char| !c.is_ascii_alphanumeric())
            .any(|word| is_called(list, word))
    };
    (any(TASKS) || task.starts_with(".ci/")) && !any(NO_TASKS)
}

fn is_install(program: &str, operands: &Operands<'_>) -> bool {
    let first = operands.0.first().copied().unwrap_or_default();
    is_called(BUILDERS, program) && matches!(first, "install" | "i" | "ci" | "add" | "remove")
}

fn edits(program: &str, arguments: &[Word], outputs: &[Word]) -> bool {
    let has = |found: &dyn Fn(&str) -> bool| arguments.iter().any(|word| found(&word.text));
    let first = arguments.first().map_or("", |word| word.text.as_str());
    match program {
        "apply_patch" | "applypatch" | "patch" => true,
        "sed" | "gsed" => has(&|word| word.starts_with("-i") || word == "--in-place"),
        "perl" | "ruby" => has(&|word| word.starts_with("-i") || word.starts_with("-pi")),
        "tee" => has(&is_kept),
        "git" => matches!(first, "apply" | "am" | "revert" | "cherry-pick" | "restore"),
        "cat" | "echo" | "printf" => outputs.iter().any(|target| is_kept(&target.text)),
        _ => false,
    }
}

/// A file that is a part of the work, not a log or a scratch file.
fn is_kept(target: &str) -> bool {
    let scratch = ["/dev/", "/tmp/", "&", "-"]
        .iter()
        .any(|start| target.starts_with(start));
    let log = [".log", ".out"].iter().any(|end| target.ends_with(end));
    !(scratch || log || target.is_empty() || target.bytes().all(|byte| byte.is_ascii_digit()))
}

fn writes(script: &str) -> bool {
    WRITES.iter().any(|call| script.contains(call))
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
