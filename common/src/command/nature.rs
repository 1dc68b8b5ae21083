//! What a shell command is for: does it [test or build](tasks), [change files](edits), or only look something up?
//!
//! It goes by names and words, as a reader of the command would; what a script does that is called by another name
//! can't be seen. Linters, formatters and type checkers don't count as tests: they run nothing.

mod edits;
mod tasks;

use super::arguments::{Argument, Arguments, is_called, valued};
use super::carriers::{Carries, carried};
use super::words::{Command, Input, Script, Word, split};
use super::{is_assignment, joined, names, span};

/// What a command line does, as far as its words tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Nature {
    /// It runs tests, a build or a check.
    pub test: bool,
    /// It changes files.
    pub edits: bool,
    /// Which of the two it does last.
    pub last: Option<Step>,
    /// Every command in it looks something up or moves something about: that one fails shows no fault.
    pub looks_up: bool,
    /// What tells how its tests ended, or what else it runs.
    pub told_by: ToldBy,
}

/// A part of a command line that counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A change of a file.
    Edit,
    /// A test, a build or a check.
    Test,
}

/// What tells how something ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToldBy {
    /// The exit status of the line.
    #[default]
    Status,
    /// Nothing but what it printed: a pipe or a later command hides its status.
    Words,
}

/// How much of a line is read. What comes later is the text of a long here-document.
const READ_BYTES: usize = 4 << 10;

/// How deep command lines within command lines are followed.
const DEEPEST: usize = 4;

/// Programs that look something up or move something about.
const LOOKS_UP: &str = ":|[|[[|apt|apt-get|awk|base64|basename|brew|cat|cd|chmod|comm|cp|cut|date|dd|df|diff|dirname|du|\
    echo|exit|export|false|fd|file|find|fold|gawk|gh|git|grep|gsed|gzip|head|jq|kill|less|ln|ls|mkdir|mktemp|mv|nl|paste|\
    pgrep|pip|pip3|pkill|popd|printf|ps|pushd|pwd|readlink|realpath|rev|rg|rm|rmdir|sed|seq|set|sleep|sort|sponge|stat|\
    tac|tail|tar|tee|test|touch|tr|tree|true|truncate|uniq|unzip|wc|which|xargs|xxd|yq|zip";

/// Programs whose version stands in their name: `python3.12`, `gcc-13`.
const VERSIONED: &str = "python|pypy|php|ruby|node|perl|lua|pytest|gcc|g++|clang|clang++";

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
        ..Look::default()
    };
    look.line(line.get(..end).unwrap_or_default());
    let hidden = if look.nature.test {
        look.hides_test
    } else {
        look.hides_run
    };
    if hidden {
        look.nature.told_by = ToldBy::Words;
    }
    look.nature.looks_up &= !look.nature.test;
    look.nature
}

#[derive(Default)]
struct Look {
    nature: Nature,
    depth: usize,
    /// Commands so far that test, and those that run anything.
    tests: usize,
    runs: usize,
    /// The status of one of them is hidden.
    hides_test: bool,
    hides_run: bool,
}

/// The command that a program stands in, with what carries it.
struct Whole<'a> {
    line: &'a str,
    script: &'a Script,
    command: &'a Command,
    /// What it reads is what a run printed.
    reads_a_run: bool,
}

/// A program and what it was called.
struct Called<'a> {
    name: &'a str,
    words: &'a [Word],
    operands: Vec<&'a str>,
}

impl<'a> Called<'a> {
    fn new(name: &'a str, words: &'a [Word]) -> Self {
        let operands = Arguments::new(words, valued(name)).filter_map(|argument| match argument {
            Argument::Operand(operand) => Some(operand),
            Argument::Option(..) => None,
        });
        Self {
            name,
            words,
            operands: operands.collect(),
        }
    }

    fn is(&self, names: &str) -> bool {
        is_called(names, self.name)
    }

    /// The first operand, if there is one.
    fn first(&self) -> &'a str {
        self.operands.first().copied().unwrap_or_default()
    }

    fn texts(&self) -> impl Iterator<Item = &'a str> {
        self.words.iter().map(|word| word.text.as_str())
    }

    /// Whether one of the words is in `options`, with or without a value.
    fn has(&self, options: &str) -> bool {
        self.texts().any(|word| {
            let name = word.split_once('=').map_or(word, |(name, _)| name);
            is_called(options, name)
        })
    }
}

impl Look {
    fn test(&mut self) {
        self.nature.test = true;
        self.nature.last = Some(Step::Test);
        self.tests += 1;
    }

    fn edit(&mut self) {
        self.nature.edits = true;
        self.nature.last = Some(Step::Edit);
    }

    fn line(&mut self, line: &str) {
        if self.depth == DEEPEST {
            return;
        }
        self.depth += 1;
        let script = split(line);
        let mut run: Vec<bool> = Vec::with_capacity(script.commands.len());
        for command in &script.commands {
            let reads_a_run = match &command.input {
                Some(Input::Pipe(from)) => {
                    run.get(from.clone()).is_some_and(|run| run.contains(&true))
                }
                _ => false,
            };
            let (tests, runs) = (self.tests, self.runs);
            let whole = Whole {
                line,
                script: &script,
                command,
                reads_a_run,
            };
            self.command(&command.words, &whole);
            let (tested, ran) = (self.tests > tests, self.runs > runs);
            if tested || ran {
                let hidden = is_hidden(line, &command.words);
                self.hides_test |= tested && hidden;
                self.hides_run |= hidden;
            }
            run.push(tested || ran || reads_a_run);
        }
        for line in &script.backticks {
            let (tests, runs) = (self.tests, self.runs);
            self.line(&line.text);
            self.hides_test |= self.tests > tests;
            self.hides_run |= self.runs > runs;
        }
        self.depth -= 1;
    }

    /// Looks at `words`, which `whole` runs in the end.
    fn command(&mut self, words: &[Word], whole: &Whole<'_>) {
        let assignments = words
            .iter()
            .take_while(|word| is_assignment(&word.text))
            .count();
        let Some((first, arguments)) = words.get(assignments..).and_then(<[_]>::split_first) else {
            return;
        };
        let name = program(&first.text);
        let called = Called::new(&name, arguments);
        let looks_up = called.is(LOOKS_UP);
        if tasks::is_install(&called) {
            return;
        }
        if tasks::only_tells(&called) {
            let is_run = !looks_up && !tasks::is_known(&called);
            self.nature.looks_up &= !is_run;
            self.runs += usize::from(is_run);
            return;
        }
        if edits::edits(&called, whole) {
            self.edit();
        }
        let mut carries = false;
        for (how, inner) in carried(&name, arguments) {
            carries = true;
            match how {
                Carries::Command if tasks::is_named_task(&called, inner) => self.test(),
                Carries::Command => self.command(inner, whole),
                Carries::Line => self.line(&joined(inner)),
                Carries::Text => inner.iter().take(1).for_each(|text| self.line(&text.text)),
                Carries::Script => self.script(&called, inner),
                Carries::Input => self.input(whole),
            }
        }
        if !carries && !looks_up {
            self.nature.looks_up = false;
            self.runs += 1;
        }
        if tasks::tests(&first.text, &called) {
            self.test();
        }
    }

    /// Looks at the script or task that `carrier` runs, with what it is called.
    fn script(&mut self, carrier: &Called<'_>, words: &[Word]) {
        self.nature.looks_up = false;
        self.runs += 1;
        if edits::is_formatter_task(carrier, words) {
            self.edit();
        }
        if tasks::is_test_script(carrier, words) {
            self.test();
        }
    }

    /// Looks at what a shell reads.
    fn input(&mut self, whole: &Whole<'_>) {
        match &whole.command.input {
            Some(Input::Text(word)) => self.line(&word.text),
            Some(Input::Document(index)) => self.line(whole.document(*index)),
            Some(Input::Pipe(_)) | None => {}
        }
    }
}

impl<'a> Whole<'a> {
    fn document(&self, index: usize) -> &'a str {
        let at = self.script.documents.get(index).cloned();
        at.and_then(|at| self.line.get(at)).unwrap_or_default()
    }
}

/// The name of the program `word`, without a version.
fn program(word: &str) -> String {
    let name = names::program(word);
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    if is_called(VERSIONED, bare) {
        bare.to_owned()
    } else {
        name
    }
}

/// Whether the command of `words` may fail in `line` and the line end well.
fn is_hidden(line: &str, words: &[Word]) -> bool {
    let at = span(words);
    let before = line.get(..at.start).unwrap_or_default();
    let behind = line.get(at.end..).unwrap_or_default().trim_end();
    let negated = before.trim_end().ends_with('!');
    let substituted = before.contains("$(") && behind.contains(')');
    let behind = behind.replace("&&", "").replace(">&", "").replace("&>", "");
    negated || substituted || behind.contains(['|', ';', '&', '\n'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_line_is_what_it_looks_like() {
        let mut wrong = Vec::new();
        for row in include_str!("../../../tests/natures.tsv").lines() {
            let Some((expected, command)) = row.split_once('\t') else {
                assert!(row.is_empty() || row.starts_with('#'), "{row}");
                continue;
            };
            let nature = nature(&command.replace('⏎', "\n"));
            let found = match (nature.test, nature.edits, nature.last) {
                (true, true, Some(Step::Test)) => "edit, test",
                (true, true, _) => "test, edit",
                (true, false, _) => "test",
                (false, true, _) => "edit",
                (false, false, _) if nature.looks_up => "look",
                (false, false, _) => "run",
            };
            if found != expected {
                wrong.push(format!("{found}, not {expected}: {command}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn a_status_tells_nothing_where_it_is_hidden() {
        for command in [
            "cargo test",
            "cd app && cargo test 2>&1",
            "cargo test && git add -A",
            "bash -lc 'cd app && cargo test'",
            "cargo fmt; cargo test",
            "cargo test > out.log 2>&1",
            "python repro.py",
            "(cd app && npm test)",
        ] {
            assert_eq!(nature(command).told_by, ToldBy::Status, "{command}");
        }
        for command in [
            "cargo test | tail -5",
            "cargo test || true",
            "cargo test; echo done",
            "cargo test\necho $?",
            "npm test &",
            "! cargo test",
            "if cargo test; then echo yes; fi",
            "bash -c 'cargo test | tail'",
            "bash -c 'cargo test' | tail",
            "echo $(cargo test)",
            "echo `cargo test`",
            "python repro.py | head",
        ] {
            assert_eq!(nature(command).told_by, ToldBy::Words, "{command}");
        }
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
