//! Which entries the hooks need, and which entries of a settings file are theirs.
//!
//! An entry is known by its command: the first word is one of our executables' paths. Flags that are given replace the
//! same flags of an entry and leave the others, so that `--mode block` after a trial doesn't silently send texts to
//! another judge, and an update without flags keeps what was chosen.

mod flags;
mod owner;

use common::args;
use common::hook::NAMES;

use crate::settings::splice::{self, Entry, Registered};
use crate::shell;

pub use flags::{Flags, flag};
pub use owner::{Owner, Whose};

/// One of the three places where a hook can be registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The end of a turn: what the hooks are for.
    Stop,
    /// The end of a subagent's work.
    Subagents,
    /// Before a command that changes shared state.
    Gate,
}

impl Part {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Stop, Self::Subagents, Self::Gate];

    fn event(self) -> &'static str {
        match self {
            Self::Stop => "Stop",
            Self::Subagents => "SubagentStop",
            Self::Gate => "PreToolUse",
        }
    }

    fn matcher(self) -> Option<&'static str> {
        (self == Self::Gate).then_some("Bash")
    }

    /// The hooks that serve it.
    fn hooks(self) -> &'static [&'static str] {
        match self {
            Self::Stop | Self::Subagents => &NAMES,
            Self::Gate => &["commit-before-verify"],
        }
    }
}

/// What an installation did to one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The event.
    pub event: &'static str,
    /// What it was before; none for a new entry.
    pub before: Option<String>,
    /// What it is now.
    pub after: String,
}

/// `text` with the entries of `parts`, and the changes that this took. Entries of other parts change, none is added. A new entry takes
/// the flags that its hook has in `text`, else in `other`, the file of the other client: after a trial in mode shadow no
/// client begins to block unasked.
///
/// # Errors
/// When the text is not JSON of the expected shape.
pub fn install(
    text: &str,
    owner: &Owner,
    parts: &[Part],
    flags: &Flags,
    other: &str,
) -> Result<(String, Vec<Change>), splice::Error> {
    let mut text = text.to_owned();
    let mut changes = Vec::new();
    for part in Part::ALL {
        let there = splice::registered(&text)?;
        let ours: Vec<_> = there.iter().filter_map(|r| part.entry(owner, r)).collect();
        if ours.is_empty() && !parts.contains(&part) {
            continue;
        }
        for hook in part.hooks() {
            let mut found = false;
            for (registered, _, whose) in ours.iter().filter(|(_, name, _)| name == hook) {
                found = true;
                let Whose::Ours { flags: older, .. } = whose else {
                    continue;
                };
                let entry = part.wanted(owner, hook, &flags.over(older));
                let new = splice::replace(&text, &registered.command, &entry)?;
                if new != text {
                    changes.push(Change {
                        event: part.event(),
                        before: Some(registered.command.clone()),
                        after: entry.command,
                    });
                    text = new;
                }
            }
            if !found && parts.contains(&part) {
                let older = match owner.flags_of(&text, hook)? {
                    Some(flags) => flags,
                    None => owner.flags_of(other, hook)?.unwrap_or_default(),
                };
                let entry = part.wanted(owner, hook, &flags.over(&older));
                text = splice::append(&text, &entry)?;
                changes.push(Change {
                    event: part.event(),
                    before: None,
                    after: entry.command,
                });
            }
        }
    }
    Ok((text, changes))
}

/// The parts that have an entry of ours in `text`.
pub fn parts(text: &str, owner: &Owner) -> Vec<Part> {
    let there = splice::registered(text).unwrap_or_default();
    let has_one = |part: &Part| there.iter().any(|r| part.entry(owner, r).is_some());
    Part::ALL.into_iter().filter(has_one).collect()
}

/// The entries of `text` whose commands `of` picks; none where the text can't be read.
pub fn entries(text: &str, of: impl Fn(&str) -> bool) -> Vec<Registered> {
    let mut all = splice::registered(text).unwrap_or_default();
    all.retain(|r| of(&r.command));
    all
}

impl Part {
    /// `registered` with its hook, if it is an entry of this part.
    fn entry<'a>(
        self,
        owner: &Owner,
        registered: &'a Registered,
    ) -> Option<(&'a Registered, &'static str, Whose)> {
        if !self.covers(&registered.event) {
            return None;
        }
        let whose = owner.whose(&registered.command);
        let hook = match &whose {
            Whose::Ours { hook, .. } | Whose::Wrapped { hook, .. } => *hook,
            Whose::Other => return None,
        };
        Some((registered, hook, whose))
    }

    /// Whether entries under `event` are this part's.
    pub fn covers(self, event: &str) -> bool {
        self.event() == event
    }

    fn wanted(self, owner: &Owner, hook: &str, flags: &Flags) -> Entry {
        let mut words = vec![shell::quote(&owner.executable(hook).to_string_lossy())];
        words.extend((self == Self::Gate).then(|| args::GATE_FLAG.to_owned()));
        words.extend(flags.words().iter().map(|word| shell::quote(word)));
        Entry {
            event: self.event(),
            matcher: self.matcher(),
            command: words.join(" "),
            timeout_s: flags.timeout_s(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn owner() -> Owner {
        Owner {
            executables: PathBuf::from("/home/u/.claude/hooks"),
            home: Some(PathBuf::from("/home/u")),
        }
    }

    fn flags(given: &[(&str, &str)]) -> Flags {
        let mut flags = Flags::default();
        for (name, value) in given {
            assert!(flags.set(name, value), "{name}");
        }
        flags
    }

    #[test]
    fn given_flags_replace_and_others_stay() {
        let first = flags(&[("judge", "openai:m"), ("url", "http://localhost:1/v1")]);
        let parts = [Part::Stop];
        let (text, changes) = install("{}", &owner(), &parts, &first, "").unwrap();
        assert_eq!(changes.len(), 5);

        let shadow = flags(&[("mode", "shadow"), ("timeout-s", "60")]);
        let (text, changes) = install(&text, &owner(), &parts, &shadow, "").unwrap();
        assert_eq!(changes.len(), 5);
        assert!(text.contains(
            "scope-check --judge openai:m --url http://localhost:1/v1 --mode shadow --timeout-s 60\",\"timeout\":70}"
        ));

        let (again, changes) = install(&text, &owner(), &parts, &Flags::default(), "").unwrap();
        assert_eq!((again, changes), (text, Vec::new()));
    }

    #[test]
    fn a_part_added_later_takes_the_flags_of_the_hook() {
        let shadow = flags(&[("judge", "openai:m"), ("mode", "shadow")]);
        let (text, _) = install("", &owner(), &[Part::Stop], &shadow, "").unwrap();
        let (_, changes) = install(&text, &owner(), &[Part::Gate], &Flags::default(), "").unwrap();
        let added: Vec<_> = changes.iter().map(|change| change.after.as_str()).collect();
        assert_eq!(added.len(), 1, "{added:?}");
        assert!(
            added[0].contains("--judge openai:m --mode shadow"),
            "{added:?}"
        );
    }

    #[test]
    fn parts_that_are_there_are_kept_up() {
        let parts = [Part::Stop, Part::Subagents, Part::Gate];
        let (text, changes) = install("{}", &owner(), &parts, &Flags::default(), "").unwrap();
        assert_eq!(changes.len(), 11);
        assert!(text.contains(
            r#"{"matcher":"Bash","hooks":[{"type":"command","command":"/home/u/.claude/hooks/commit-before-verify --gate","timeout":30}]}"#
        ));
        let warn = flags(&[("mode", "warn")]);
        let (text, changes) = install(&text, &owner(), &[Part::Stop], &warn, "").unwrap();
        assert_eq!(changes.len(), 11);
        assert_eq!(text.matches("--mode warn").count(), 11);
        assert_eq!(text.matches("--gate --mode warn").count(), 1);
    }

    #[test]
    fn a_wrapped_hook_is_not_registered_a_second_time() {
        let text = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"nice /home/u/.claude/hooks/scope-check"}]}]}}"#;
        let (text, changes) = install(
            text,
            &owner(),
            &[Part::Stop],
            &flags(&[("mode", "warn")]),
            "",
        )
        .unwrap();
        assert_eq!(changes.len(), 4);
        assert_eq!(text.matches("scope-check").count(), 1);
    }
}
