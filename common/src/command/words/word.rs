//! One word of a command line: quotes, escapes, and what is substituted in it.

use std::mem;

use super::{DEEPEST, Reader, Word};

impl<'a> Reader<'a> {
    pub(super) fn word(&mut self) -> Word {
        let start = self.at;
        let first = self.script.commands.len();
        let mut text = String::new();
        self.text(&mut text, None, false);
        Word {
            text,
            at: start..self.at,
            runs: first..self.script.commands.len(),
        }
    }

    /// Reads on in `out`, to `close` and past it, or to what ends a word where there is no `close`.
    pub(super) fn text(&mut self, out: &mut String, close: Option<char>, quoted: bool) {
        while let Some(c) = self.peek() {
            let array = c == '(' && out.ends_with('=');
            let process = !quoted && self.at_process_substitution();
            if close.is_none() && ends_word(c) && !array && !process {
                return;
            }
            self.at += c.len_utf8();
            if close == Some(c) {
                return;
            }
            match c {
                '(' if array && close.is_none() => self.nested(out, ')', false),
                '<' | '>' if process => self.substitution(out),
                '\\' => self.escape(out, quoted),
                '\'' if !quoted => {
                    let inside = self.rest().split('\'').next().unwrap_or_default();
                    out.push_str(inside);
                    self.at = (self.at + inside.len() + 1).min(self.line.len());
                }
                '"' => self.nested(out, '"', true),
                // In the subscript of a variable that is set, `<<` shifts bits.
                '[' if close.is_none() && self.sets_element(out) => {
                    out.push('[');
                    self.nested(out, ']', true);
                    out.push(']');
                }
                '`' => self.backticks(out),
                '$' => match self.peek() {
                    Some('(') => self.substitution(out),
                    Some('{') => {
                        self.at += 1;
                        out.push_str("${");
                        self.nested(out, '}', quoted);
                        out.push('}');
                    }
                    // The old way to write arithmetic.
                    Some('[') => {
                        self.at += 1;
                        out.push_str("$[");
                        self.nested(out, ']', true);
                        out.push(']');
                    }
                    Some('\'') if !quoted => self.ansi_c(out),
                    Some('"') if !quoted => {}
                    _ => out.push('$'),
                },
                _ => out.push(c),
            }
        }
    }

    pub(super) fn nested(&mut self, out: &mut String, close: char, quoted: bool) {
        if self.depth < DEEPEST {
            self.depth += 1;
            self.text(out, Some(close), quoted);
            self.depth -= 1;
        }
    }

    /// Whether what comes is the subscript of `name` and then `=`.
    pub(super) fn sets_element(&self, name: &str) -> bool {
        let is_name =
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let line = || self.rest().split('\n').next().unwrap_or_default();
        let behind = || line().split_once(']').map_or("", |(_, behind)| behind);
        is_name && (behind().starts_with('=') || behind().starts_with("+="))
    }

    /// Reads the commands between parentheses, from the opening one.
    pub(super) fn substitution(&mut self, out: &mut String) {
        self.at += 1;
        if self.depth < DEEPEST {
            // A newline in here begins none of the here-documents that were announced outside.
            let outside = mem::take(&mut self.pending);
            self.depth += 1;
            self.list(true);
            self.depth -= 1;
            self.pending = outside;
        }
        out.push_str("$()");
    }

    /// What follows a backslash.
    pub(super) fn escape(&mut self, out: &mut String, quoted: bool) {
        let Some(c) = self.peek() else { return };
        self.at += c.len_utf8();
        if quoted && !matches!(c, '$' | '`' | '"' | '\\' | '\n') {
            out.push('\\');
        }
        if c != '\n' {
            out.push(c);
        }
    }

    /// Sets aside what stands between backticks, from behind the opening one.
    pub(super) fn backticks(&mut self, out: &mut String) {
        let start = self.at - 1;
        let mut text = String::new();
        while let Some(c) = self.peek() {
            self.at += c.len_utf8();
            match c {
                '`' => break,
                '\\' => self.escape(&mut text, true),
                _ => text.push(c),
            }
        }
        let at = start..self.at;
        let runs = 0..0;
        self.script.backticks.push(Word { text, at, runs });
        out.push_str("$()");
    }

    /// `$'…'`, from the quote.
    pub(super) fn ansi_c(&mut self, out: &mut String) {
        self.at += 1;
        while let Some(c) = self.peek() {
            self.at += c.len_utf8();
            match c {
                '\'' => return,
                '\\' if self.eat("x") => self.code(out, 16, 2),
                '\\' if self.eat("u") => self.code(out, 16, 4),
                '\\' if self.peek().is_some_and(|c| c.is_digit(8)) => self.code(out, 8, 3),
                '\\' if self.eat("n") => out.push('\n'),
                '\\' if self.eat("t") => out.push('\t'),
                '\\' => self.escape(out, false),
                _ => out.push(c),
            }
        }
    }

    /// A character by its number in at most `longest` digits.
    pub(super) fn code(&mut self, out: &mut String, radix: u32, longest: usize) {
        let digits = self
            .rest()
            .chars()
            .take(longest)
            .take_while(|c| c.is_digit(radix))
            .count();
        let code = self
            .rest()
            .get(..digits)
            .and_then(|d| u32::from_str_radix(d, radix).ok());
        out.extend(code.and_then(char::from_u32));
        self.at += digits;
    }

    pub(super) fn blanks(&mut self) {
        while self.eat(" ") || self.eat("\t") || self.eat("\\\n") {}
    }

    pub(super) fn eat(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    pub(super) fn at_process_substitution(&self) -> bool {
        self.rest().starts_with("<(") || self.rest().starts_with(">(")
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn rest(&self) -> &'a str {
        self.line.get(self.at..).unwrap_or_default()
    }
}

fn ends_word(c: char) -> bool {
    matches!(
        c,
        ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>'
    )
}
