//! The user's own rules for a hook, added to the built-in ones.
//!
//! `hooks/<hook>.json` in Claude Code's directory, never a file of the project:
//!
//! ```json
//! {"signals": ["\\bship it\\b"], "bypasses": ["^dry run:"], "guidance": "A staging deploy is no violation here."}
//! ```
//!
//! Patterns are regular expressions of the `regex` crate, without regard to case, over what layer 1 looks at. A pattern, key or
//! file that can't be used is left out and named: a typo must not switch a hook off.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::redact::{Redacted, clean_line, redact};
use crate::signal::{Found, Look};

mod caseless;
mod file;

use caseless::Caseless;

/// A pattern stands in its own error message, twice.
const LINE_MAX_BYTES: usize = 500;

/// The rules that can be used, and what is wrong with the others.
#[derive(Debug, Default)]
pub struct Rules {
    signals: Vec<(String, Caseless)>,
    bypasses: Vec<(String, Caseless)>,
    guidance: Option<Redacted>,
    /// What was left out.
    pub faults: Vec<Fault>,
}

/// A rule, or a whole file, that can't be used.
#[derive(Debug)]
pub enum Fault {
    /// The file is there and can't be read.
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It, or what stands at this place in it, is not of the shape above.
    Malformed {
        /// The file.
        file: PathBuf,
        /// Why, with line and column.
        source: serde_json::Error,
    },
    /// Something else stands where a pattern belongs.
    NoText {
        /// The file.
        file: PathBuf,
        /// Its place in there: `signals[2]`.
        place: String,
    },
    /// A pattern matches where there is nothing, and so in every text.
    Everywhere {
        /// The file.
        file: PathBuf,
        /// Its place in there: `signals[2]`.
        place: String,
    },
    /// A pattern is no regular expression.
    Pattern {
        /// The file.
        file: PathBuf,
        /// Its place in there: `signals[2]`.
        place: String,
        /// Why.
        source: Box<regex::Error>,
    },
}

impl Rules {
    /// The file of the rules for `hook` in `dir`.
    pub fn file(dir: &Path, hook: &str) -> PathBuf {
        dir.join(format!("{hook}.json"))
    }

    /// Reads `file`. One that isn't there holds no rules.
    pub fn read(file: &Path) -> Self {
        let mut faults = Vec::new();
        let rules = file::read(file, &mut faults);
        let mut compiled = |patterns: Vec<(String, String)>| {
            let mut usable = Vec::new();
            for (place, pattern) in patterns {
                match Caseless::new(&pattern) {
                    Ok(pattern) if pattern.find("").is_some() => faults.push(Fault::Everywhere {
                        file: file.to_owned(),
                        place,
                    }),
                    Ok(pattern) => usable.push((format!("own-{place}"), pattern)),
                    Err(source) => faults.push(Fault::Pattern {
                        file: file.to_owned(),
                        place,
                        source: Box::new(source),
                    }),
                }
            }
            usable
        };
        let guidance = rules.guidance.filter(|words| !words.trim().is_empty());
        Self {
            signals: compiled(rules.signals),
            bypasses: compiled(rules.bypasses),
            guidance: guidance.map(|words| redact(words.trim())),
            faults,
        }
    }

    /// What layer 1 says of `text` when it has looked itself and these rules are added.
    pub fn look(&self, text: &str, built_in: Look) -> Look {
        let mut own = find(&self.signals, text);
        let signals = match built_in {
            bypassed @ Look::Bypassed { .. } => return bypassed,
            Look::Hit { signals } => signals.into_iter().chain(own).collect(),
            Look::NoHit => match own.next() {
                Some(first) => vec![first],
                None => return Look::NoHit,
            },
        };
        match (find(&self.bypasses, text).next(), signals.first()) {
            (Some(bypass), Some(signal)) => Look::Bypassed {
                signal: signal.clone(),
                bypass,
            },
            _ => Look::Hit { signals },
        }
    }

    /// A hook's instructions with the user's guidance behind them.
    pub fn instruct<'a>(&self, instructions: &'a str) -> Cow<'a, str> {
        match &self.guidance {
            Some(guidance) => Cow::Owned(format!(
                "{}\n\nThe user of this hook adds, and it goes before the above where they differ:\n{}",
                instructions.trim_end(),
                guidance.as_str()
            )),
            None => Cow::Borrowed(instructions),
        }
    }
}

fn find<'a>(rules: &'a [(String, Caseless)], text: &'a str) -> impl Iterator<Item = Found> + 'a {
    rules.iter().filter_map(|(id, pattern)| {
        let at = pattern.find(text)?;
        Some(Found {
            id: id.clone().into(),
            at,
        })
    })
}

impl Fault {
    /// On one line, fit for the log.
    pub fn line(&self) -> Redacted {
        clean_line(&self.to_string(), LINE_MAX_BYTES)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { file, source } => write!(f, "{}: {source}", file.display()),
            Self::Malformed { file, source } => write!(f, "{}: {source}", file.display()),
            Self::NoText { file, place } => write!(f, "{}: {place} is no text", file.display()),
            Self::Everywhere { file, place } => {
                write!(f, "{}: {place} matches every text", file.display())
            }
            Self::Pattern {
                file,
                place,
                source,
            } => {
                write!(f, "{}: {place}: {source}", file.display())
            }
        }
    }
}

impl std::error::Error for Fault {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable { source, .. } => Some(source),
            Self::Malformed { source, .. } => Some(source),
            Self::Pattern { source, .. } => Some(source),
            Self::NoText { .. } | Self::Everywhere { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn rules(text: &str) -> Rules {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a-hook.json");
        fs::write(&file, text).unwrap();
        Rules::read(&file)
    }

    fn hit(ids: &[&'static str]) -> Look {
        let found = |id: &&'static str| Found {
            id: (*id).into(),
            at: 0..1,
        };
        Look::Hit {
            signals: ids.iter().map(found).collect(),
        }
    }

    #[track_caller]
    fn check(rules: &Rules, text: &str, built_in: Look, expected: &str) {
        let found = match rules.look(text, built_in) {
            Look::NoHit => "none".to_owned(),
            Look::Bypassed { signal, bypass } => format!("{} but {}", signal.id, bypass.id),
            Look::Hit { signals } => signals
                .iter()
                .map(|s| s.id.as_ref())
                .collect::<Vec<_>>()
                .join(" "),
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn own_rules_are_added_to_the_built_in_ones() {
        let rules = rules(r#"{"signals": ["ship it", "x+"], "bypasses": ["^dry run"]}"#);
        check(&rules, "Ship it now", Look::NoHit, "own-signals[0]");
        check(&rules, "nothing", Look::NoHit, "none");
        check(
            &rules,
            "xx",
            hit(&["announced"]),
            "announced own-signals[1]",
        );
        check(
            &rules,
            "Dry run: ship it",
            Look::NoHit,
            "own-signals[0] but own-bypasses[0]",
        );
        check(
            &rules,
            "Dry run: push",
            hit(&["announced"]),
            "announced but own-bypasses[0]",
        );
    }

    #[test]
    fn a_bad_rule_is_named_and_the_others_count() {
        let rules = rules(r#"{"signals": ["(", "ship it"]}"#);
        check(&rules, "ship it", Look::NoHit, "own-signals[1]");
        assert!(
            rules.faults[0]
                .to_string()
                .contains("a-hook.json: signals[0]: ")
        );
    }

    #[test]
    fn what_is_no_rule_costs_only_itself() {
        #[track_caller]
        fn faults(rules: &Rules, expected: &[&str]) {
            let told: Vec<_> = rules.faults.iter().map(Fault::to_string).collect();
            let told: Vec<_> = told
                .iter()
                .filter_map(|told| told.split_once("a-hook.json: "))
                .map(|(_, why)| why)
                .collect();
            assert_eq!(told, expected);
        }
        let mixed = rules("{\"signal\": [\"x\"],\n \"signals\": [1, \"ship it\"]}");
        check(&mixed, "Ship it", Look::NoHit, "own-signals[1]");
        check(&mixed, "x", Look::NoHit, "none");
        faults(
            &mixed,
            &[
                "\"signal\" is no key of a rule file: those are signals, bypasses and guidance at line 1 column 9",
                "signals[0] is no text",
            ],
        );
        let mixed = rules(
            "{\"bypasses\": \"^dry\",\n\"guidance\": 1, \"signals\": [\"a\"], \"signals\": [\"b\"]}",
        );
        check(&mixed, "dry a", Look::NoHit, "own-signals[0]");
        check(&mixed, "b", Look::NoHit, "none");
        faults(
            &mixed,
            &[
                "\"bypasses\" is no list of texts at line 1 column 11",
                "\"guidance\" is no text at line 2 column 10",
                "\"signals\" stands there a second time at line 2 column 42",
            ],
        );
        assert_eq!(mixed.instruct("Judge."), "Judge.");
    }

    #[test]
    fn what_matches_every_text_is_no_rule() {
        let rules = rules(r#"{"signals": ["", "x*", "^", "ship it"], "bypasses": ["a|"]}"#);
        check(&rules, "nothing", Look::NoHit, "none");
        check(&rules, "ship it", Look::NoHit, "own-signals[3]");
        let told: Vec<_> = rules.faults.iter().map(Fault::to_string).collect();
        for (told, place) in
            told.iter()
                .zip(["signals[0]", "signals[1]", "signals[2]", "bypasses[0]"])
        {
            assert!(
                told.ends_with(&format!("a-hook.json: {place} matches every text")),
                "{told}"
            );
        }
        assert_eq!(told.len(), 4);
    }

    #[test]
    fn a_mark_at_the_begin_is_no_fault_and_size_is() {
        let marked = rules("\u{feff}{\"signals\": [\"ship it\"]}");
        check(&marked, "ship it", Look::NoHit, "own-signals[0]");
        let long = |bytes: usize| format!("{{\"guidance\": \"{}\"}}", "x".repeat(bytes - 16));
        assert!(rules(&long(64 << 10)).faults.is_empty());
        let faults = rules(&long((64 << 10) + 1)).faults;
        assert!(
            faults[0].to_string().ends_with("it is larger than 64 kB"),
            "{faults:?}"
        );
    }

    #[test]
    fn a_bad_file_is_named_with_the_place() {
        let faults = rules("{\"signals\": [\n  }").faults;
        assert!(
            faults[0].to_string().contains("line 2 column 3"),
            "{faults:?}"
        );
        assert_eq!(rules("[]").faults.len(), 1);
        assert_eq!(rules("{} {}").faults.len(), 1);
        let many = format!("{{{}\"\":0}}", "\"\":0,".repeat(10_000));
        assert_eq!(rules(&many).faults.len(), 1);
        assert!(Rules::read(Path::new("/dev/null/x.json")).faults.len() == 1);
        assert!(Rules::read(Path::new("/nowhere/x.json")).faults.is_empty());
        assert_eq!(Rules::read(Path::new("/dev/zero")).faults.len(), 1);
    }

    #[test]
    fn guidance_stands_behind_the_instructions() {
        assert_eq!(rules("{}").instruct("Judge."), "Judge.");
        assert_eq!(rules(r#"{"guidance": " "}"#).instruct("Judge."), "Judge.");
        assert!(
            rules(r#"{"guidance": "Be lenient."}"#)
                .instruct("Judge.\n")
                .ends_with("\nBe lenient.")
        );
    }
}
