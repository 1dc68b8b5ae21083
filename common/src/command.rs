//! Finds the command in a shell command line that changes what others share: a push, a release, a deployment. And
//! tells what a command line is [for](Nature), and what it [runs](runs()).
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
mod output;
mod rules;
mod runs;
mod words;

use std::ops::Range;
use std::slice;

pub use nature::{Nature, Step, ToldBy, nature};
pub use runs::runs;

use branch::Branch;
use carriers::Carries;
use output::Output;
use words::{Command, Input, Script, Word};

/// How deep lines of shell stand within each other before they are data.
const DEEPEST: usize = 16;
/// How many carriers a command is looked for behind: `sudo env nohup …`.
const MOST_CARRIERS: usize = 32;
/// How many commands of a group are looked at for what they write.
const MOST_SOURCES: usize = 32;
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

/// A command where it stands.
#[derive(Clone, Copy)]
struct Place<'a> {
    line: &'a str,
    script: &'a Script,
    command: &'a Command,
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
            .filter_map(|command| {
                let place = Place {
                    line,
                    script: &script,
                    command,
                };
                self.command(&command.words, place, MOST_CARRIERS)
            })
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

    /// Looks at `words`, which the command at `place` runs in the end, behind carriers of which some are left.
    fn command(
        &mut self,
        words: &[Word],
        place: Place<'_>,
        carriers_left: usize,
    ) -> Option<SharedChange> {
        let carriers_left = carriers_left.checked_sub(1)?;
        let assignments = words
            .iter()
            .take_while(|word| is_assignment(&word.text))
            .count();
        let words = words.get(assignments..)?;
        let (first, arguments) = words.split_first()?;
        let program = names::program(&first.text);
        let all = &place.command.words;
        let at = |what| SharedChange {
            what,
            at: span(words),
        };
        let merges = self.branch.is_merged_into(&program, arguments);
        let change = merges
            .then_some("git-merge")
            .or_else(|| rules::change(&program, arguments))
            .or_else(|| names::change(words, all, false));
        if let Some(what) = change {
            return Some(at(what));
        }
        if let Some(change) = self.substituted(first, place) {
            return Some(change);
        }
        if let Some((text, word)) = carriers::attached(&program, arguments) {
            return self.inner(place.line, text, &word.at);
        }
        for (carries, carried) in carriers::carried(&program, arguments) {
            let change = match carries {
                Carries::Command => self.command(carried, place, carriers_left),
                Carries::Script => names::change(carried, all, true).map(at).or_else(|| {
                    let script = carried
                        .first()
                        .filter(|_| carriers::reads_shell(&program))?;
                    self.substituted(script, place)
                }),
                Carries::Text => self.shell(carried.get(..1).unwrap_or_default(), place),
                Carries::Line => self.shell(carried, place),
                Carries::Input => {
                    let input = place.command.input.as_ref();
                    input.and_then(|input| self.input(input, place))
                }
            };
            // The first row that fits says what the others would say, but for a name that tells nothing.
            if change.is_some() || carries != Carries::Script && program != carriers::FIND {
                return change;
            }
        }
        None
    }

    /// Reads the line that `words` make.
    fn shell(&mut self, words: &[Word], place: Place<'_>) -> Option<SharedChange> {
        let first = words.first()?;
        self.inner(place.line, &joined(words), &span(words))
            .or_else(|| self.substituted(first, place))
    }

    /// Reads what the substitution that `word` is writes, as a shell does that runs the word.
    fn substituted(&mut self, word: &Word, place: Place<'_>) -> Option<SharedChange> {
        if word.text != "$()" {
            return None;
        }
        self.input(&Input::Pipe(word.runs.clone()), place)
    }

    /// Reads what a shell is given on its standard input, where the line holds it.
    fn input(&mut self, input: &Input, place: Place<'_>) -> Option<SharedChange> {
        let Place { line, script, .. } = place;
        match input {
            Input::Text(word) => self.shell(slice::from_ref(word), place),
            Input::Document(index) => {
                let at = script.documents.get(*index)?;
                self.inner(line, line.get(at.clone())?, at)
            }
            Input::Pipe(indices) => {
                let sources = script.commands.get(indices.clone())?;
                sources.iter().rev().take(MOST_SOURCES).find_map(|source| {
                    match output::written(source, script)? {
                        Output::Text(text, at) => self.inner(line, &text, &at),
                        Output::Input(input) => self.input(input, place),
                    }
                })
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
