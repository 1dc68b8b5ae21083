//! Finds the command in a shell command line that changes what others share: a push, a release, a deployment. And
//! tells what a command line is [for](Nature), and what it [runs].
//!
//! It reads what the shell would run, through lists, pipes, groups, substitutions, prefixes such as `sudo`, and the
//! lines that one shell hands to another (`sh -c '…'`, here-documents). It asks nothing of the machine: no file is
//! opened, no variable expanded, no branch looked up.
//!
//! It is a reminder before a step that is easy to take too early, not a sandbox. Aliases, variables, make targets,
//! files written first and run later, and programs that call git themselves pass. `git merge` counts unless it merges
//! the main branch itself: into which branch, only the repository knows, or a `git checkout` earlier in the line. A script counts by its name (`./deploy.sh`,
//! `npm run release`); a make target does not, since `make release` mostly builds.

mod arguments;
mod branch;
mod carriers;
mod given;
mod names;
mod nature;
mod rules;
mod runs;
mod words;

use std::ops::Range;

pub use nature::{Nature, nature};
pub use runs::runs;

use branch::Branch;
use carriers::Carries;
use words::{Command, Input, Script, Word};

/// How deep lines of shell stand within each other before they are data.
const DEEPEST: usize = 16;
/// How many carriers a command is looked for behind: `sudo env nohup …`.
const MOST_CARRIERS: usize = 32;
/// How often the bytes of a line are read in all, whatever it nests.
const MOST_READINGS: usize = 8;

/// A command that changes state which others share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedChange {
    /// Which change it is, such as `git-push`.
    pub what: &'static str,
    /// The bytes of the command in the line; those of the whole word where a quoted line can't be told apart.
    pub at: Range<usize>,
}

/// The first command in `line` that changes shared state.
pub fn shared_change(line: &str) -> Option<SharedChange> {
    let bytes_left = line.len().saturating_mul(MOST_READINGS);
    Reader {
        depth: 0,
        bytes_left,
        branch: Branch::default(),
    }
    .line(line)
}

struct Reader {
    depth: usize,
    bytes_left: usize,
    branch: Branch,
}

impl Reader {
    fn line(&mut self, line: &str) -> Option<SharedChange> {
        self.bytes_left = self.bytes_left.checked_sub(line.len())?;
        let script = words::split(line);
        let commands = script.commands.iter();
        let mut changes: Vec<_> = commands
            .filter_map(|c| self.command(line, &script, c))
            .collect();
        let backticks = script.backticks.iter();
        changes.extend(backticks.filter_map(|word| self.inner(line, &word.text, &word.at)));
        changes.into_iter().min_by_key(|change| change.at.start)
    }

    /// Reads `text`, which stands in `line` at `at`, maybe quoted, as a line of its own.
    fn inner(&mut self, line: &str, text: &str, at: &Range<usize>) -> Option<SharedChange> {
        if self.depth == DEEPEST {
            return None;
        }
        self.depth += 1;
        let change = self.line(text);
        self.depth -= 1;
        let SharedChange { what, at: inner } = change?;
        let verbatim = line
            .get(at.clone())
            .and_then(|raw| raw.find(text))
            .map(|i| at.start + i);
        let at = verbatim.map_or(at.clone(), |start| start + inner.start..start + inner.end);
        Some(SharedChange { what, at })
    }

    fn command(&mut self, line: &str, script: &Script, command: &Command) -> Option<SharedChange> {
        let mut words = command.words.as_slice();
        'carriers: for _ in 0..MOST_CARRIERS {
            let assignments = words
                .iter()
                .take_while(|word| is_assignment(&word.text))
                .count();
            words = words.get(assignments..)?;
            let (first, arguments) = words.split_first()?;
            let program = names::program(&first.text);
            let merges = self.branch.is_merged_into(&program, arguments);
            let change = merges
                .then_some("git-merge")
                .or_else(|| rules::change(&program, arguments))
                .or_else(|| names::change(words, &command.words, false));
            if let Some(what) = change {
                return Some(SharedChange {
                    what,
                    at: span(words),
                });
            }
            for (carries, carried) in carriers::carried(&program, arguments) {
                match carries {
                    Carries::Command => {
                        words = carried;
                        continue 'carriers;
                    }
                    Carries::Script => {
                        if let Some(what) = names::change(carried, &command.words, true) {
                            return Some(SharedChange {
                                what,
                                at: span(words),
                            });
                        }
                    }
                    Carries::Text => {
                        let text = carried.first()?;
                        return self.inner(line, &text.text, &text.at);
                    }
                    Carries::Line => return self.inner(line, &joined(carried), &span(carried)),
                    Carries::Input => return self.input(line, script, command),
                }
            }
            return None;
        }
        None
    }

    /// Reads what a shell is given on its standard input, where the line holds it.
    fn input(&mut self, line: &str, script: &Script, shell: &Command) -> Option<SharedChange> {
        let mut input = shell.input.as_ref()?;
        loop {
            match input {
                Input::Text(word) => return self.inner(line, &word.text, &word.at),
                Input::Document(index) => {
                    let at = script.documents.get(*index)?;
                    return self.inner(line, line.get(at.clone())?, at);
                }
                Input::Pipe(index) => {
                    let source = script.commands.get(*index)?;
                    let (program, arguments) = source.words.split_first()?;
                    match names::program(&program.text).as_str() {
                        "cat" => input = source.input.as_ref()?,
                        "echo" | "printf" => {
                            let text = joined(arguments).replace("\\n", "\n");
                            return self.inner(line, &text, &span(arguments));
                        }
                        _ => return None,
                    }
                }
            }
        }
    }
}

/// The bytes from the first of `words` to the last.
fn span(words: &[Word]) -> Range<usize> {
    let start = words.first().map_or(0, |word| word.at.start);
    let end = words.last().map_or(start, |word| word.at.end);
    start..end
}

fn joined(words: &[Word]) -> String {
    words
        .iter()
        .map(|word| word.text.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else {
        return false;
    };
    let name = name.strip_suffix('+').unwrap_or(name);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '[' | ']'))
}
