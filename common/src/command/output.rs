//! What a command writes for the next one to read, where the line itself says it.

use std::ops::Range;

use super::arguments::is_called;
use super::carriers::{Carries, carried};
use super::words::{Command, Input, Script, Word};
use super::{is_assignment, joined, names, span};

/// Programs that write their arguments.
const WRITERS: &str = "echo|printf|yes|print";

/// Programs that write what they read, or most of it.
const PASSES_ON: &str = "cat|tee|head|tail|sed|grep|sort|uniq|tr|envsubst|pv|sponge";

/// How many such programs, and programs before them, are followed.
const MOST: usize = 16;

pub(super) enum Output<'a> {
    /// This, which stands there.
    Text(String, Range<usize>),
    /// What is read there.
    Input(&'a Input),
}

/// What `command` writes.
pub(super) fn written<'a>(mut command: &'a Command, script: &'a Script) -> Option<Output<'a>> {
    let mut words = command.words.as_slice();
    for _ in 0..MOST {
        let assignments = words
            .iter()
            .take_while(|word| is_assignment(&word.text))
            .count();
        let (program, arguments) = words.get(assignments..)?.split_first()?;
        let program = names::program(&program.text);
        if is_called(WRITERS, &program) {
            let text = match program.as_str() {
                "printf" => formatted(arguments),
                _ => joined(without_options(arguments)),
            };
            return Some(Output::Text(text.replace("\\n", "\n"), span(arguments)));
        }
        if !is_called(PASSES_ON, &program) {
            let (_, behind) =
                carried(&program, arguments).find(|(how, _)| *how == Carries::Command)?;
            words = behind;
            continue;
        }
        match command.input.as_ref()? {
            Input::Pipe(indices) => {
                // Of a group, what it ends with.
                command = script.commands.get(indices.end.checked_sub(1)?)?;
                words = &command.words;
            }
            input => return Some(Output::Input(input)),
        }
    }
    None
}

fn without_options(words: &[Word]) -> &[Word] {
    let is_option = |word: &&Word| {
        let letters = word.text.strip_prefix('-').unwrap_or_default();
        !letters.is_empty() && letters.chars().all(|c| "neE".contains(c))
    };
    let options = words.iter().take_while(is_option).count();
    words.get(options..).unwrap_or_default()
}

/// The format with its arguments in it; it is used again while some are left.
fn formatted(words: &[Word]) -> String {
    let Some((format, mut values)) = words.split_first() else {
        return String::new();
    };
    let mut text = String::new();
    loop {
        let before = values.len();
        for (i, part) in format.text.split("%s").enumerate() {
            if i > 0
                && let Some((value, rest)) = values.split_first()
            {
                text += &value.text;
                values = rest;
            }
            text += part;
        }
        if values.is_empty() || values.len() == before {
            return text;
        }
        // Where lines end can't be told apart from where values do.
        text.push('\n');
    }
}
