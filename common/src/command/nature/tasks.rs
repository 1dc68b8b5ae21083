//! Which commands test or build.

use super::super::arguments::{is_called, is_option};
use super::super::is_assignment;
use super::super::words::Word;
use super::{Called, program};

/// Programs that test or build whatever they are told.
const TESTERS: &str = "pytest|py.test|jest|vitest|mocha|ava|karma|jasmine|rspec|phpunit|pest|nosetests|nose2|behave|\
    cypress|playwright|bats|ginkgo|gotestsum|tox|nox|ctest|ninja|busted|cucumber|unittest|prove|testcafe|cargo-nextest|\
    webpack|rollup|esbuild|tsup|parcel|rspack";

/// What such a program does besides.
const BESIDES: &str =
    "install|codegen|show-report|show-trace|list|init|open|info|serve|dev|watch|preview|start|help";

/// Programs that do what a word of theirs says.
const BUILDERS: &str = "cargo|go|npm|pnpm|yarn|bun|deno|just|make|gmake|rake|mage|task|turbo|nx|gradle|gradlew|mvn|\
    mvnw|ant|sbt|bazel|bazelisk|mix|dotnet|swift|xcodebuild|zig|meson|cmake|hatch|composer|flutter|dart|lein|stack|cabal|\
    lerna|moon|ng|vite|next|nuxt|astro|rails|sail|artisan|forge|hardhat|anchor|truffle|wasm-pack|pio|scons|dune|rebar3|\
    gleam|crystal|dub|nimble|buck2|pants";

/// Those that build when no word says what to do.
const BUILDERS_BY_DEFAULT: &str = "make|gmake|ant|rake|xcodebuild|scons";

/// Those for which each word is something to do.
const OF_SEVERAL_GOALS: &str = "make|gmake|ant|rake|gradle|gradlew|mvn|mvnw|sbt|ninja";

/// Those whose `run` runs a task by its name.
const TASK_RUNNERS: &str = "turbo|nx|lerna|moon|hatch|pdm|rye|poetry|pipenv|mise";

const PACKAGE_MANAGERS: &str = "npm|pnpm|yarn|bun";

const COMPILERS: &str = "gcc|cc|g++|c++|clang|clang++|javac|rustc|kotlinc|scalac|ghc|ocamlc|ocamlopt|gfortran|nvcc|emcc|\
    swiftc|fpc|gnatmake|ldc2|dmd|valac";

/// Words by which a task or a script is called that tests or builds.
const TASKS: &str = "test|tests|testing|check|checks|verify|build|nextest|e2e|spec|specs|smoke|integration|unit|\
    coverage|miri|tarpaulin|regression|assemble";

/// Words with which it isn't one of those: `npm run lint:tests`, `check:types`.
const NO_TASKS: &str = "lint|fmt|format|types|typecheck|tsc|install|clean|watch|prepare|help";

/// Words that tell a script what to do: `manage.py test`.
const GOALS: &str = "test|tests|check|build|verify|spec|e2e";

/// Directories in which every script is a test.
const TEST_DIRECTORIES: &str = "test|tests|spec|specs|e2e|t|__tests__|.ci";

/// Options with which a program only tells something of itself or of what it would do.
const TELLS: &str = "--help|-help|--version|-version|--collect-only|--co|--listTests|--list-tests|--list|-list|\
    --dry-run|--just-print|--recon|--showConfig|--show-config|--print-config|--fixtures|--markers|--show-only|\
    --listenvs|-showBuildSettings|-showsdks";

/// Letters that mean the same to some.
const TELLS_OF: &[(&str, &str)] = &[
    ("make|gmake|mvn|mvnw|gradle|gradlew", "-v"),
    ("make|gmake|ninja|just|rake|task", "-n"),
    ("ctest", "-N"),
    ("tox|nox", "-l"),
];

/// Whether the program only tells something, such as its version or its tests.
pub(super) fn only_tells(called: &Called<'_>) -> bool {
    let letter = |letter: &str| called.texts().any(|word| is_option(word, letter, ""));
    called.has(TELLS)
        // As the last word only: `docker run -h` names a host.
        || called.words.last().is_some_and(|word| word.text == "-h")
        || TELLS_OF
            .iter()
            .any(|(names, option)| called.is(names) && letter(option))
}

/// Whether it is a program that tests or builds with other words.
pub(super) fn is_known(called: &Called<'_>) -> bool {
    called.is(TESTERS) || called.is(COMPILERS) || called.is(BUILDERS) && called.first() != "run"
}

/// Whether it brings in what the project needs.
pub(super) fn is_install(called: &Called<'_>) -> bool {
    called.is(BUILDERS)
        && !called.is("mvn|mvnw")
        && matches!(called.first(), "install" | "i" | "ci" | "add" | "remove")
}

/// Whether the program, called by `path`, tests or builds.
pub(super) fn tests(path: &str, called: &Called<'_>) -> bool {
    called.is(TESTERS) && !is_called(BESIDES, called.first())
        || called.is(BUILDERS) && builds(called)
        || called.is(COMPILERS) && !called.operands.is_empty()
        || called.is("docker|podman|nerdctl") && builds_image(called)
        || called.is("node|tsx") && called.has("--test")
        || called.is("ruby|perl") && runs_with_path(called)
        || !called.is(super::LOOKS_UP)
            && path.contains(['/', '.'])
            && (is_test_file(path) || is_own(path) && is_called(GOALS, called.first()))
}

/// Whether the words after a builder's name say that it tests or builds.
fn builds(called: &Called<'_>) -> bool {
    let operands = called.operands.iter().copied();
    // `make -j 4 CC=clang`
    let mut goals: Vec<&str> = operands
        .filter(|word| !is_assignment(word) && word.parse::<u32>().is_err())
        .collect();
    if called.is("make|gmake") {
        goals.retain(|goal| !follows(called, "-C|-f", goal));
    }
    if called.is(PACKAGE_MANAGERS) && matches!(goals.first(), Some(&"workspace")) {
        goals.drain(..goals.len().min(2));
    }
    let Some((first, rest)) = goals.split_first() else {
        return called.is(BUILDERS_BY_DEFAULT);
    };
    if called.is(PACKAGE_MANAGERS) {
        let each = matches!(*first, "workspaces" | "recursive");
        return is_task(first) || each && rest.iter().any(|goal| is_task(goal));
    }
    match (called.name, *first) {
        // They run, install or print something; a type check runs nothing.
        ("cargo", "check" | "clippy" | "fmt") | (_, "exec" | "help" | "compile") => false,
        ("cargo", "b") | ("make" | "gmake", "all" | "default") => true,
        (_, "run") => called.is(TASK_RUNNERS) && rest.first().is_some_and(|task| is_task(task)),
        _ => {
            let several = called.is(OF_SEVERAL_GOALS);
            let packs =
                |goal: &&str| called.is("mvn|mvnw") && matches!(*goal, "package" | "install");
            let builds =
                |goal: &&str| matches!(*goal, "test" | "build") || several && is_task(goal);
            is_task(first)
                || goals.iter().any(packs)
                || rest.iter().take(3).any(builds)
                || several && goals.contains(&"all")
        }
    }
}

/// Whether `word` stands behind one of `options`.
fn follows(called: &Called<'_>, options: &str, word: &str) -> bool {
    let next = called.texts().skip(1);
    let mut pairs = called.texts().zip(next);
    pairs.any(|(option, value)| is_called(options, option) && value == word)
}

fn builds_image(called: &Called<'_>) -> bool {
    matches!(
        called.operands.as_slice(),
        ["build", ..]
            | [
                "compose" | "buildx" | "image" | "builder",
                "build" | "bake",
                ..
            ]
    )
}

/// `ruby -Itest test/a_test.rb`: the letters behind `-I` are no options.
fn runs_with_path(called: &Called<'_>) -> bool {
    called.texts().any(|word| word.starts_with("-I"))
        && !called.has("-e|-c")
        && is_test_file(called.first())
}

/// Whether `inner`, which looks like a command, is the name of a task of the runner.
pub(super) fn is_named_task(runner: &Called<'_>, inner: &[Word]) -> bool {
    let name = inner.first().map_or("", |word| word.text.as_str());
    runner.is(TASK_RUNNERS) && runner.first() == "run" && is_task(name)
}

/// Whether `words`, which `carrier` runs, are a script or a task that tests or builds.
pub(super) fn is_test_script(carrier: &Called<'_>, words: &[Word]) -> bool {
    let mut words = words.iter().map(|word| word.text.as_str());
    let name = words.next().unwrap_or_default();
    if carrier.is("source|.") {
        return false;
    }
    // `node node_modules/jest/bin/jest.js`
    let called = program(name);
    let stem = called.split_once('.').map_or(&*called, |(stem, _)| stem);
    let tester = is_called(TESTERS, &called) || is_called(TESTERS, stem);
    if carrier.is(PACKAGE_MANAGERS) || carrier.is("gh") {
        return tester || is_task(name);
    }
    let goal = words.next().unwrap_or_default();
    tester || is_test_file(name) || is_called(GOALS, goal)
}

/// Whether a script is a test by its name or by its directory. Another directory than its own says nothing of it:
/// `build/index.js` is what was built.
fn is_test_file(path: &str) -> bool {
    let path = path.trim_end_matches('/');
    let (directory, file) = path.rsplit_once('/').unwrap_or(("", path));
    let parent = directory.rsplit('/').next().unwrap_or_default();
    is_task(file)
        || file
            .rsplit_once('.')
            .is_some_and(|(_, ending)| ending == "t")
        || is_called(TEST_DIRECTORIES, parent)
}

/// Whether a program belongs to the project itself.
fn is_own(path: &str) -> bool {
    !path.starts_with(['/', '~'])
        && path.split('/').all(|part| {
            matches!(part, "." | "..")
                || !part.starts_with('.') && !is_called("node_modules|venv", part)
        })
}

/// Whether a task is called by a word that means a test or a build.
pub(super) fn is_task(task: &str) -> bool {
    let words = words(task);
    let any = |list| words.iter().any(|word| is_called(list, word));
    (task == "t" || any(TASKS)) && !any(NO_TASKS)
}

/// The words of a name, in lower case: `test:unit`, `test_unit`, `testUnit`.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() || after_small && c.is_ascii_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_ascii_alphanumeric()) {
            word.push(c.to_ascii_lowercase());
        }
        after_small = c.is_ascii_lowercase();
    }
    words
}
