//! The line in which a test run or a build tells its result.
//!
//! Programs say it each in their way, and most say it last. A pipe into `tail` hides the exit status, so the words
//! count as well.

use super::output::{plain, tail};

/// A result is told in a short line; a longer one is something else.
const RESULT_MAX_BYTES: usize = 400;

/// Words before or behind a number of things that went wrong.
const FAILURES: [&str; 9] = [
    "failed", "failing", "failures", "failure", "fails", "fail", "errors", "error", "broken",
];

/// Words before or behind a number of things that went well.
const PASSES: [&str; 5] = ["passed", "passing", "passes", "pass", "succeeded"];

/// What is counted may stand between the number and how it went.
const COUNTED: &str = "test|tests|suite|suites|file|files|spec|specs|example|examples|case|cases|check|checks|task|\
    tasks|job|jobs";

/// Lines that tell a failure of the whole without counting.
const FAILED: [&str; 21] = [
    "test result: FAILED",
    "error: could not compile",
    "error[E",
    "error: test failed",
    "error: aborting",
    "error: the following",
    "error Command failed",
    "ERROR: failed to",
    "ELIFECYCLE",
    "--- FAIL",
    "FAIL",
    "Result: FAIL",
    "BUILD FAIL",
    "Build FAILED",
    "Failed tests:",
    "npm ERR!",
    "npm error",
    "ninja: build stopped",
    "rake aborted",
    "no tests ran",
    "evaluation failed",
];

/// Lines that tell a failure of something, which a test may have been waiting for: a count of passes behind them goes
/// before.
const TROUBLE: [&str; 6] = [
    "Traceback (most recent call last)",
    "AssertionError",
    "Segmentation fault",
    "Uncaught ",
    "panic: ",
    "fatal error: ",
];

/// What a compiler says behind a place in a file.
const DIAGNOSES: [&str; 3] = [": error:", ": fatal error:", ": error TS"];

/// Lines that tell a success without counting.
const PASSED: [&str; 11] = [
    "test result: ok",
    "ok  ",
    "PASS",
    "Result: PASS",
    "OK (",
    "BUILD SUCCESS",
    "Build succeeded",
    "Build complete",
    "Compiled successfully",
    "Finished `",
    "✓ built",
];

/// What a program says of its tests or its build.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    /// The line that tells that something failed.
    pub failed: Option<String>,
    /// The line that tells that all is well.
    pub passed: Option<String>,
}

/// The lines in which a test run or a build tells its result.
pub fn result(output: &str) -> Told {
    let mut passed: Option<(String, bool)> = None;
    let mut failed = None;
    let mut counted = false;
    for line in tail(output).lines().rev() {
        let line = plain(line);
        let line = line.trim();
        let verdict = judge(line);
        match verdict {
            Some(Verdict::Failed) if !counted => {
                failed.get_or_insert_with(|| line.to_owned());
            }
            Some(Verdict::Counted) if !counted => {
                failed = Some(line.to_owned());
                counted = true;
            }
            Some(Verdict::Trouble) if !matches!(passed, Some((_, true))) => {
                failed.get_or_insert_with(|| line.to_owned());
            }
            // Nothing ran: a run of the documentation's tests ends like that.
            Some(Verdict::Passed { some: false }) if passed.is_some() => {}
            Some(Verdict::Passed { some }) if !matches!(passed, Some((_, true))) => {
                passed = Some((line.to_owned(), some));
            }
            _ => {}
        }
    }
    Told {
        failed,
        passed: passed.map(|(line, _)| line),
    }
}

enum Verdict {
    /// So many failed.
    Counted,
    Failed,
    /// Something went wrong, by itself no result.
    Trouble,
    Passed {
        some: bool,
    },
}

fn judge(line: &str) -> Option<Verdict> {
    if line.is_empty() || line.len() > RESULT_MAX_BYTES {
        return None;
    }
    let has_number = line.bytes().any(|b| b.is_ascii_digit());
    let count = |words: &[&str]| has_number.then(|| count(line, words)).flatten();
    // The name of a test says what it is about.
    let good = line.starts_with(GOOD) || line.ends_with(GOOD) || line.ends_with("... ok");
    let (failures, passes) = (count(&FAILURES).filter(|_| !good), count(&PASSES));
    match (failures, passes) {
        (Some(1..), _) => return Some(Verdict::Counted),
        (_, Some(passes)) => return Some(Verdict::Passed { some: passes > 0 }),
        _ => {}
    }
    // `[INFO] BUILD FAILURE`, `** TEST FAILED **`
    let said = line
        .strip_prefix('[')
        .and_then(|line| line.split_once("] "));
    let said = said.map_or(line, |(_, said)| said);
    let said = said.trim_matches(['*', '=', '!', '>', '✗', '×', '✘', ' ']);
    let begins = |marks: &[&str]| marks.iter().any(|mark| said.starts_with(mark));
    let has_colon = said.bytes().any(|b| b == b':');
    if begins(&PASSED) || said == "OK" || failures == Some(0) {
        Some(Verdict::Passed { some: true })
    } else if good {
        None
    } else if begins(&FAILED)
        || tap_failure(said)
        || says_failed(said)
        || has_colon && make_stopped(said)
        || exit_status(said)
    {
        Some(Verdict::Failed)
    } else if begins(&TROUBLE)
        || has_colon && (DIAGNOSES.iter().any(|mark| said.contains(mark)) || is_go_error(said))
    {
        Some(Verdict::Trouble)
    } else {
        None
    }
}

const GOOD: [char; 3] = ['✓', '✔', '√'];

/// `not ok 2 - parses`, which the test anything protocol lets stand where it was expected.
fn tap_failure(line: &str) -> bool {
    line.starts_with("not ok ") && !line.contains("# TODO") && !line.contains("# SKIP")
}

/// `exit status 2`, as Go says it of what it ran.
fn exit_status(line: &str) -> bool {
    line.strip_prefix("exit status ")
        .is_some_and(|status| !status.starts_with('0'))
}

/// `make[1]: *** [Makefile:3: all] Error 2`
fn make_stopped(line: &str) -> bool {
    line.split_once(": *** ")
        .is_some_and(|(program, _)| program.contains("make"))
}

/// `./a.go:3:2: undefined: foo`, by the place alone.
fn is_go_error(line: &str) -> bool {
    let Some((_, place)) = line.split_once(".go:") else {
        return false;
    };
    let mut parts = place.split(':');
    let mut number = || parts.next().is_some_and(|part| part.parse::<u32>().is_ok());
    number() && number()
}

/// A short line that says of the tests or of the build that they failed: `Some tests failed.`, `Test suite x: FAIL`.
fn says_failed(line: &str) -> bool {
    const SUBJECTS: [&str; 10] = [
        "test",
        "tests",
        "build",
        "check",
        "checks",
        "suite",
        "suites",
        "session",
        "compilation",
        "run",
    ];
    const MOST_WORDS: usize = 12;
    let may = line
        .as_bytes()
        .windows(3)
        .any(|w| matches!(w, b"ail" | b"AIL"));
    if !may || line.split_whitespace().nth(MOST_WORDS).is_some() {
        return false;
    }
    if line.ends_with(": FAIL") || line.contains(": FAIL ") {
        return true;
    }
    let words: Vec<String> = line.split_whitespace().map(str::to_lowercase).collect();
    words.windows(2).enumerate().any(|(at, pair)| {
        let [subject, verb] = pair else { return false };
        let bare = verb.trim_end_matches(['.', '!', ':']);
        let ends = bare != verb || at + 2 == words.len();
        SUBJECTS.contains(&subject.as_str()) && ends && matches!(bare, "failed" | "failure")
    })
}

/// The number that stands before one of `words`, or behind it where a colon or an equals sign joins them. The largest,
/// if there are several.
fn count(line: &str, words: &[&str]) -> Option<u64> {
    let mut largest = None;
    let mut number = None;
    let mut joined = false;
    let mut of = false;
    for part in line.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let word = part.trim_end_matches(|c: char| !c.is_alphanumeric());
        if word.is_empty() {
            // `failed: 3`, `3 tests failed`: white space parts nothing.
            if !part.trim().is_empty() {
                number = None;
            }
            continue;
        }
        if let Ok(n) = word.parse::<u64>() {
            if std::mem::take(&mut of) {
                // `1 of 6 checks failed`
            } else if std::mem::take(&mut joined) {
                largest = largest.max(Some(n));
                number = None;
            } else {
                number = Some(n);
            }
            continue;
        }
        joined = false;
        if words.iter().any(|w| w.eq_ignore_ascii_case(word)) {
            if part.ends_with([':', '=']) {
                joined = true;
            } else if let Some(n) = number {
                largest = largest.max(Some(n));
            }
        } else if word == "of" {
            of = number.is_some();
        } else if !COUNTED.split('|').any(|counted| counted == word) {
            number = None;
        }
    }
    largest.max(lonely(line, words))
}

/// `# fail 1`: a line of nothing but a word and its number.
fn lonely(line: &str, words: &[&str]) -> Option<u64> {
    let line = line.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    let (word, number) = line.split_once(' ')?;
    words.contains(&word).then(|| number.trim().parse().ok())?
}
