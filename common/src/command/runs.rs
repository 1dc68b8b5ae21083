//! What a command line runs, whatever carries it.

use super::carriers::{self, Carries};
use super::words::{self, Word};
use super::{DEEPEST, MOST_CARRIERS, is_assignment, joined, names};

/// Each command that `line` runs, with its arguments: without assignments before it and without what carries it, such
/// as `env` or `sh -c`. Of a script that a shell is given, the script.
pub fn runs(line: &str) -> Vec<Vec<String>> {
    let mut runs = Vec::new();
    read(line, DEEPEST, &mut runs);
    runs
}

fn read(line: &str, deep: usize, runs: &mut Vec<Vec<String>>) {
    let Some(deeper) = deep.checked_sub(1) else {
        return;
    };
    let script = words::split(line);
    for command in &script.commands {
        behind(&command.words, deeper, runs);
    }
    for word in &script.backticks {
        read(&word.text, deeper, runs);
    }
}

/// Reads what the words of a simple command run.
fn behind(mut words: &[Word], deeper: usize, runs: &mut Vec<Vec<String>>) {
    'carriers: for _ in 0..MOST_CARRIERS {
        while let Some((_, rest)) = words.split_first().filter(|(w, _)| is_assignment(&w.text)) {
            words = rest;
        }
        let Some((first, arguments)) = words.split_first() else {
            return;
        };
        for (carries, carried) in carriers::carried(&names::program(&first.text), arguments) {
            let (Some(text), line) = (carried.first(), joined(carried)) else {
                continue;
            };
            match carries {
                Carries::Command | Carries::Script => {
                    words = carried;
                    continue 'carriers;
                }
                Carries::Text => return read(&text.text, deeper, runs),
                Carries::Line => return read(&line, deeper, runs),
                Carries::Input => {}
            }
        }
        break;
    }
    runs.push(words.iter().map(|word| word.text.clone()).collect());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &[&str]) {
        let found: Vec<_> = runs(line).iter().map(|run| run.join(" ")).collect();
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn what_carries_a_command_is_not_it() {
        check("/h/a --mode warn", &["/h/a --mode warn"]);
        check("A=1 nice -n 5 /h/a b", &["/h/a b"]);
        check("/usr/bin/env A=1 /h/a", &["/h/a"]);
        check("/bin/bash /h/a.sh x", &["/h/a.sh x"]);
        check(
            "bash -c 'cd /x && \"/h/a b\" | tee y'",
            &["cd /x", "/h/a b", "tee y"],
        );
        check("timeout 5 sh -c '/h/a; true'", &["/h/a", "true"]);
        check("sha256sum /h/a > x", &["sha256sum /h/a"]);
        check(
            "/h/a || echo no >&2; exit 2",
            &["/h/a", "echo no", "exit 2"],
        );
        check("echo $(/h/a)", &["/h/a", "echo $()"]);
        check("A=1", &[]);
        check("", &[]);
    }
}
