//! What a tool printed: the line in which a test run or a build tells its result.
//!
//! Programs say it each in their way, and most say it last. A pipe into `tail` hides the exit status, so the words
//! count as well.

use std::borrow::Cow;

use super::TestResult;

/// How much of an output is searched.
const TAIL_BYTES: usize = 4 << 10;

/// How much of a line is kept: more than is ever shown of one, so that what is shown can be redacted before the cut.
const LINE_MAX_BYTES: usize = 1000;

/// A result is told in a short line; a longer one is something else.
const RESULT_MAX_BYTES: usize = 400;

/// Words before or behind a number of things that went wrong.
const FAILURES: [&str; 7] = [
    "failed", "failing", "failures", "failure", "errors", "error", "broken",
];

/// Words before or behind a number of things that went well.
const PASSES: [&str; 4] = ["passed", "passing", "passes", "succeeded"];

/// Lines that tell a failure without counting.
const FAILED: [&str; 18] = [
    "test result: FAILED",
    "error: could not compile",
    "error[E",
    "error: test failed",
    "error: aborting",
    "--- FAIL",
    "FAIL",
    "FAILED",
    "BUILD FAILED",
    "Build FAILED",
    "npm ERR!",
    "npm error",
    "make: ***",
    "ninja: build stopped",
    "Traceback (most recent call last)",
    "AssertionError",
    "Segmentation fault",
    "Uncaught ",
];

/// Lines that tell a success without counting.
const PASSED: [&str; 10] = [
    "test result: ok",
    "ok  ",
    "PASS",
    "OK (",
    "BUILD SUCCESS",
    "Build succeeded",
    "Build complete",
    "Compiled successfully",
    "Finished `",
    "✓ built",
];

/// The line in which a test run or a build tells its result. A failure outweighs what follows it.
pub fn result(output: &str) -> Option<TestResult> {
    let mut passed = None;
    let mut failed = None;
    for line in tail(output).lines().rev() {
        let line = plain(line);
        let line = line.trim();
        match judge(line) {
            Some(Verdict::Failed { counted }) => {
                failed.get_or_insert_with(|| line.to_owned());
                if counted {
                    failed = Some(line.to_owned());
                    break;
                }
            }
            // Nothing ran: a run of the documentation's tests ends like that.
            Some(Verdict::Passed { some: false }) if passed.is_some() => {}
            Some(Verdict::Passed { some }) => match &passed {
                Some((_, true)) => {}
                _ => passed = Some((line.to_owned(), some)),
            },
            None => {}
        }
    }
    let (failed, line) = match (failed, passed) {
        (Some(line), _) => (true, line),
        (None, Some((line, _))) => (false, line),
        (None, None) => return None,
    };
    Some(TestResult { failed, line })
}

enum Verdict {
    Failed { counted: bool },
    Passed { some: bool },
}

fn judge(line: &str) -> Option<Verdict> {
    if line.is_empty() || line.len() > RESULT_MAX_BYTES {
        return None;
    }
    let has_number = line.bytes().any(|b| b.is_ascii_digit());
    let count = |words: &[&str]| has_number.then(|| count(line, words)).flatten();
    let (failures, passes) = (count(&FAILURES), count(&PASSES));
    match (failures, passes) {
        (Some(1..), _) => return Some(Verdict::Failed { counted: true }),
        (_, Some(passes)) => return Some(Verdict::Passed { some: passes > 0 }),
        _ => {}
    }
    if FAILED.iter().any(|mark| line.starts_with(mark)) {
        Some(Verdict::Failed { counted: false })
    } else if failures == Some(0)
        || line == "OK"
        || PASSED.iter().any(|mark| line.starts_with(mark))
    {
        Some(Verdict::Passed { some: true })
    } else {
        None
    }
}

/// The number that stands before one of `words`, or behind it where a colon or an equals sign joins them. The largest,
/// if there are several.
fn count(line: &str, words: &[&str]) -> Option<u64> {
    let mut largest = None;
    let mut number = None;
    let mut joined = false;
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
            if std::mem::take(&mut joined) {
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
        } else if ![
            "test", "tests", "suite", "suites", "files", "specs", "examples",
        ]
        .contains(&word)
        {
            number = None;
        }
    }
    largest
}

/// The first line of `command` that isn't blank.
pub fn first_line(command: &str) -> String {
    let mut lines = command
        .lines()
        .map(plain)
        .filter(|line| !line.trim().is_empty());
    let Some(first) = lines.next() else {
        return String::new();
    };
    let more = if lines.next().is_some() { " …" } else { "" };
    kept(first.trim()).to_owned() + more
}

/// As much of a line as is kept.
pub fn kept(line: &str) -> &str {
    let mut end = line.len().min(LINE_MAX_BYTES);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line.get(..end).unwrap_or_default()
}

/// The end of an output, from the beginning of a line where there is one.
pub fn tail(output: &str) -> &str {
    let Some(mut from) = output.len().checked_sub(TAIL_BYTES) else {
        return output;
    };
    while !output.is_char_boundary(from) {
        from += 1;
    }
    let tail = output.get(from..).unwrap_or_default();
    tail.split_once('\n').map_or(tail, |(_, rest)| rest)
}

/// The word behind `mark`.
pub fn behind(output: &str, mark: &str) -> Option<String> {
    let (_, rest) = output.split_once(mark)?;
    let word = |c: &char| c.is_alphanumeric() || "_-".contains(*c);
    let word: String = rest.chars().take_while(word).collect();
    (!word.is_empty()).then_some(word)
}

/// A line without colours and control characters.
pub fn plain(line: &str) -> Cow<'_, str> {
    if !line.chars().any(char::is_control) {
        return line.into();
    }
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            // An escape sequence ends with its first letter.
            '\u{1b}' => {
                let _ = chars.by_ref().find(char::is_ascii_alphabetic);
            }
            '\t' => out.push(' '),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out.into()
}
