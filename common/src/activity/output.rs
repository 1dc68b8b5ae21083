//! What a tool was given and what it printed, as lines that can be told.

use std::borrow::Cow;

/// How much of an output is searched.
const TAIL_BYTES: usize = 4 << 10;

/// How much of a line is kept: more than is ever shown of one, so that what is shown can be redacted before the cut.
const LINE_MAX_BYTES: usize = 1000;

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
    // 0xc2 begins the control characters beyond ASCII, among others.
    if !line.bytes().any(|b| b.is_ascii_control() || b == 0xc2) {
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
