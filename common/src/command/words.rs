//! Splits a shell command line into its simple commands and their words.
//!
//! Follows the grammar of POSIX and bash as far as it decides which words stand where a program is named: quotes,
//! escapes, lists, pipes, groups, substitutions, redirections, here-documents, keywords, comments. It expands
//! nothing: a variable, a pattern or a brace list stays as it is written. Nor does it complain: what no shell would
//! accept is split somehow, to the end, in one pass.

mod word;

use std::mem;
use std::ops::Range;

/// How deep quotes, substitutions and expansions nest before their openers are read as plain characters.
const DEEPEST: usize = 32;

/// How many commands of a group are told what the group reads.
const MOST_READERS: usize = 32;

/// Words that mean something to the shell where a command begins.
const KEYWORDS: &[&str] = &[
    "!", "{", "}", "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "case",
    "esac", "function", "coproc",
];

/// Those of them that open a group, and those that close one.
const OPENERS: &[&str] = &["{", "if", "do", "case"];
const CLOSERS: &[&str] = &["}", "fi", "done", "esac"];

/// A word without its quotes, and its bytes in the line with them. A substitution in it is the text `$()`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub text: String,
    pub at: Range<usize>,
    /// The commands of the substitutions in it, but for those in backticks.
    pub runs: Range<usize>,
}

/// What a command reads on its standard input, where the line says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Input {
    /// The output of the commands with these indices.
    Pipe(Range<usize>),
    /// The here-document with this index.
    Document(usize),
    /// A here-string.
    Text(Word),
}

/// A simple command: assignments, the program, its arguments.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    pub words: Vec<Word>,
    pub input: Option<Input>,
    /// Files that its output goes to. Those named by a number are descriptors.
    pub outputs: Vec<Word>,
}

/// Everything that a command line runs.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// In the order in which they end, those of substitutions among them.
    pub commands: Vec<Command>,
    /// The bodies of here-documents.
    pub documents: Vec<Range<usize>>,
    /// What stands in backticks, unescaped: command lines of their own.
    pub backticks: Vec<Word>,
}

/// Splits `line`.
pub(super) fn split(line: &str) -> Script {
    let mut reader = Reader {
        line,
        at: 0,
        depth: 0,
        script: Script::default(),
        pending: Vec::new(),
    };
    reader.list(false);
    reader.script
}

struct Reader<'a> {
    line: &'a str,
    at: usize,
    depth: usize,
    script: Script,
    /// Here-documents that were announced and begin after the next newline.
    pending: Vec<Pending>,
}

struct Pending {
    document: usize,
    delimiter: String,
    indented: bool,
    /// Whether substitutions in the body run.
    expands: bool,
}

impl Reader<'_> {
    /// Reads commands to the end, or to the parenthesis that closes a substitution.
    fn list(&mut self, in_substitution: bool) {
        let mut command = Command::default();
        let mut parentheses = 0_usize;
        let mut cases = 0_usize;
        // Where the groups around begin and what they read, and the one that was closed last.
        let mut groups = Vec::new();
        let mut group = None;
        // Between these, `<<` shifts bits.
        let mut arithmetic = in_substitution && self.rest().starts_with('(');
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\r' => self.at += 1,
                '\\' if self.rest().starts_with("\\\n") => self.at += 2,
                '#' => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                '\n' => {
                    self.at += 1;
                    let piped = matches!(command.input, Some(Input::Pipe(_)));
                    if !(piped && command.words.is_empty()) {
                        self.finish_in(&mut command, group);
                    }
                    group = None;
                    self.documents();
                }
                '(' => {
                    self.at += 1;
                    let input = command.input.take_if(|_| command.words.is_empty());
                    self.finish(&mut command);
                    groups.push((self.script.commands.len(), input));
                    arithmetic |= self.peek() == Some('(');
                    parentheses += 1;
                }
                ')' => {
                    self.at += 1;
                    self.finish_in(&mut command, group.take());
                    if parentheses == 0 && cases == 0 && in_substitution {
                        return;
                    }
                    // In `case`, one closes nothing.
                    if parentheses > 0 {
                        group = self.close(&mut groups);
                    }
                    parentheses = parentheses.saturating_sub(1);
                    arithmetic &= parentheses > 0;
                }
                '|' if !self.rest().starts_with("||") => {
                    self.at += 1;
                    self.eat("&");
                    let source = self.finish_in(&mut command, group).or(group);
                    let written = source.map(|first| first..self.script.commands.len());
                    command.input = written.map(Input::Pipe);
                }
                '<' | '>' if !self.at_process_substitution() => {
                    self.redirection(&mut command, arithmetic);
                }
                '&' if self.rest().starts_with("&>") => self.at += 1,
                ';' | '&' | '|' => {
                    self.at += 1;
                    self.eat("|");
                    self.finish_in(&mut command, group);
                    group = None;
                }
                _ => {
                    let keyword = self.argument(&mut command).unwrap_or_default();
                    match keyword {
                        "case" => cases += 1,
                        "esac" => cases = cases.saturating_sub(1),
                        _ => {}
                    }
                    if OPENERS.contains(&keyword) {
                        let input = command.input.take_if(|_| command.words.is_empty());
                        groups.push((self.script.commands.len(), input));
                    } else if CLOSERS.contains(&keyword) {
                        group = self.close(&mut groups);
                    }
                }
            }
        }
        self.finish_in(&mut command, group);
    }

    /// Reads the next word of a command; where it is a keyword, which one.
    fn argument(&mut self, command: &mut Command) -> Option<&'static str> {
        let word = self.word();
        let plain = self.line.get(word.at.clone()) == Some(word.text.as_str());
        let first = plain && begins(&mut command.words, &word.text);
        let keyword = KEYWORDS
            .iter()
            .find(|keyword| first && **keyword == word.text);
        match keyword {
            // What follows is the name of the function, and what `case` compares: no programs.
            Some(&"function") => {
                self.blanks();
                self.word();
            }
            Some(&"case" | &"coproc") => command.words.push(word),
            Some(_) => {}
            None => {
                let number = plain && word.text.bytes().all(|byte| byte.is_ascii_digit());
                if !(number && matches!(self.peek(), Some('<' | '>'))) {
                    command.words.push(word);
                }
            }
        }
        keyword.copied()
    }

    /// Ends a command; its index, unless it has no words.
    fn finish(&mut self, command: &mut Command) -> Option<usize> {
        let command = mem::take(command);
        if command.words.is_empty() {
            return None;
        }
        let at = self.script.commands.len();
        let written_to = command.words.iter().chain(&command.outputs);
        let readers: Vec<_> = written_to
            .filter(|word| {
                !word.runs.is_empty()
                    && self
                        .line
                        .get(word.at.clone())
                        .is_some_and(|raw| raw.starts_with(">("))
            })
            .map(|word| word.runs.clone())
            .collect();
        self.script.commands.push(command);
        for readers in readers {
            self.give(readers, &Input::Pipe(at..at + 1));
        }
        Some(at)
    }

    /// Ends a command; where it has no words, it stands behind the group from `group` on, which reads its input.
    fn finish_in(&mut self, command: &mut Command, group: Option<usize>) -> Option<usize> {
        let input = command.input.take_if(|_| command.words.is_empty());
        if let Some((first, input)) = group.zip(input) {
            self.give(first..self.script.commands.len(), &input);
        }
        self.finish(command)
    }

    /// Where the group begins that is closed.
    fn close(&mut self, groups: &mut Vec<(usize, Option<Input>)>) -> Option<usize> {
        let (first, input) = groups.pop()?;
        if let Some(input) = input {
            self.give(first..self.script.commands.len(), &input);
        }
        Some(first)
    }

    /// Lets the commands in `readers` that read nothing else read `input`.
    fn give(&mut self, readers: Range<usize>, input: &Input) {
        let readers = self.script.commands.get_mut(readers).unwrap_or_default();
        for reader in readers.iter_mut().rev().take(MOST_READERS) {
            reader.input.get_or_insert_with(|| input.clone());
        }
    }

    fn redirection(&mut self, command: &mut Command, arithmetic: bool) {
        if self.eat("<<<") {
            self.blanks();
            command.input = Some(Input::Text(self.word()));
        } else if !arithmetic && self.eat("<<") {
            let indented = self.eat("-");
            self.blanks();
            let word = self.word();
            let document = self.script.documents.len();
            self.script.documents.push(0..0);
            command.input = Some(Input::Document(document));
            self.pending.push(Pending {
                document,
                expands: self.line.get(word.at) == Some(word.text.as_str()),
                delimiter: word.text,
                indented,
            });
        } else {
            let output = self.peek() == Some('>');
            self.at += 1;
            let _ = ["<", ">", "&", "|"].iter().any(|second| self.eat(second));
            self.blanks();
            let file = self.word();
            if output {
                command.outputs.push(file);
            } else if !file.runs.is_empty() {
                command.input = Some(Input::Pipe(file.runs));
            }
        }
    }

    /// Reads the bodies of the here-documents that were announced before the newline.
    fn documents(&mut self) {
        for pending in mem::take(&mut self.pending) {
            let start = self.at;
            let mut end = self.line.len();
            for line in self.rest().split_inclusive('\n') {
                let line_start = self.at;
                self.at += line.len();
                let bare = line.trim_end_matches(['\n', '\r']);
                let bare = if pending.indented {
                    bare.trim_start_matches('\t')
                } else {
                    bare
                };
                if bare == pending.delimiter {
                    end = line_start;
                    break;
                }
            }
            if let Some(document) = self.script.documents.get_mut(pending.document) {
                *document = start..end;
            }
            if pending.expands && self.depth < DEEPEST {
                let (line, after) = (self.line, self.at);
                self.line = line.get(..end).unwrap_or_default();
                self.at = start;
                while self.at < end {
                    self.nested(&mut String::new(), '\0', true);
                }
                (self.line, self.at) = (line, after);
            }
        }
    }
}

/// Whether the keyword `word` may stand behind `words`: at the beginning, after `time`, and after `coproc`, where the
/// name between is taken away.
fn begins(words: &mut Vec<Word>, word: &str) -> bool {
    let is_time = |word: &&Word| matches!(word.text.as_str(), "time" | "-p" | "--");
    let prefixes = words.iter().take_while(is_time).count();
    let is_first = prefixes == 0 || words.first().is_some_and(|first| first.text == "time");
    let behind = words.get(prefixes..).unwrap_or_default();
    let coproc = is_first && behind.first().is_some_and(|first| first.text == "coproc");
    let named = coproc && behind.len() == 2 && OPENERS.contains(&word);
    let begins = named || coproc && behind.len() == 1 || is_first && behind.is_empty();
    if named {
        words.truncate(prefixes + 1);
    }
    begins
}
