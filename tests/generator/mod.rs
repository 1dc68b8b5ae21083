//! Sessions that never were: files in every format with all kinds of lines in random order, and what a hook has to see
//! in them.
//!
//! A session is made of [deeds](Deed), from which both the right answer and the lines follow. The answer is worked out
//! forwards, from the deeds alone, by the words of the rules, so that it shares nothing with the reader.

mod claude;
mod codex;
mod damage;
mod random;

use std::fmt::Write as _;

use random::Random;

/// Hooks whose feedback is ours.
pub const HOOKS: [&str; 3] = ["commit-before-verify", "scope-check", "shallow-bugfix"];

/// What of a text counts, with the margin.
const ROOM: usize = 4000 + 8192;

/// One thing that happens in a session.
#[derive(Debug, Clone)]
pub enum Deed {
    Human(String),
    Says(String),
    /// An answer that hit the token limit, and how it went on.
    SaysInTwo(String, String),
    Thinks,
    Runs {
        command: &'static str,
        exit: i32,
    },
    Edits(&'static str),
    /// A stop was blocked by one or more hooks at once.
    Feedback(Vec<Words>),
    /// A line that is nobody's, of this kind.
    Noise(u64),
}

/// What one hook said.
#[derive(Debug, Clone)]
pub struct Words {
    pub ours: bool,
    pub text: String,
}

/// What a hook has to see of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expected {
    pub user: Option<String>,
    pub earlier: String,
    pub latest: String,
    pub blocked_stops: usize,
    /// The digest without its marks.
    pub did: Vec<String>,
    /// The assistant did something.
    pub worked: bool,
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Claude,
    /// A subagent's own file.
    ClaudeAgent,
    /// Each message as an event and as an item.
    Codex,
    /// Items alone.
    CodexItems,
    /// Before 0.147: `user_message` and `agent_message`.
    CodexLegacy,
    /// 2025: bare items.
    CodexBare,
}

pub const FORMATS: [Format; 6] = [
    Format::Claude,
    Format::ClaudeAgent,
    Format::Codex,
    Format::CodexItems,
    Format::CodexLegacy,
    Format::CodexBare,
];

/// A generated session.
#[derive(Debug)]
pub struct Session {
    pub bytes: Vec<u8>,
    /// All turns, oldest first.
    pub turns: Vec<Expected>,
    /// The last thing that happened is that the assistant said this.
    pub last_message: Option<String>,
}

impl Session {
    /// The session number `seed`.
    pub fn new(seed: u64, format: Format) -> Self {
        let mut random = Random(seed);
        let deeds = deeds(&mut random, format);
        let mut lines = vec![match format {
            Format::Claude => {
                r#"{"parentUuid":null,"isSidechain":false,"type":"system"}"#.to_owned()
            }
            Format::ClaudeAgent => {
                r#"{"isSidechain":true,"agentId":"a","type":"system"}"#.to_owned()
            }
            _ => {
                r#"{"id":"0199","timestamp":"2025-06-01T00:00:00Z","instructions":null}"#.to_owned()
            }
        }];
        for deed in &deeds {
            match format {
                Format::Claude => claude::lines(deed, false, &mut random, &mut lines),
                Format::ClaudeAgent => claude::lines(deed, true, &mut random, &mut lines),
                _ => codex::lines(deed, format, &mut random, &mut lines),
            }
        }
        let last_message = match deeds.last() {
            Some(Deed::Says(text) | Deed::SaysInTwo(_, text)) => Some(text.trim().to_owned()),
            _ => None,
        };
        Self {
            bytes: damage::file(lines, &mut random),
            turns: turns(&deeds),
            last_message,
        }
    }
}

/// The right answer, turn by turn.
fn turns(deeds: &[Deed]) -> Vec<Expected> {
    let mut turns = vec![Expected::default()];
    let mut same_stop = false;
    for deed in deeds {
        let turn = turns.last_mut().expect("there is one");
        let say = |turn: &mut Expected, text: &str, glue: bool| {
            if !turn.latest.is_empty() && !glue {
                turn.latest.push_str("\n\n");
            }
            turn.latest.push_str(text);
        };
        match deed {
            Deed::Human(text) => {
                turns.push(Expected {
                    user: Some(text.clone()),
                    ..Expected::default()
                });
                same_stop = false;
                continue;
            }
            Deed::Says(text) => say(turn, text, false),
            Deed::SaysInTwo(first, second) => {
                say(turn, first, false);
                say(turn, second, true);
            }
            Deed::Thinks => {}
            Deed::Runs { command, exit: 0 } => turn.did.push(format!("$ {command} => ok")),
            Deed::Runs { command, exit } => turn.did.push(format!("$ {command} => exit {exit}")),
            Deed::Edits(file) => turn.did.push(format!("edit {file}")),
            Deed::Feedback(words) => {
                let said = std::mem::take(&mut turn.latest);
                if !(turn.earlier.is_empty() || said.is_empty()) {
                    turn.earlier.push_str("\n\n");
                }
                turn.earlier.push_str(&said);
                if words.iter().any(|words| words.ours) {
                    turn.blocked_stops += usize::from(!same_stop);
                    same_stop = true;
                    turn.worked = true;
                }
                continue;
            }
            Deed::Noise(_) => continue,
        }
        turn.worked = true;
        same_stop = false;
    }
    for turn in &mut turns {
        turn.earlier = last_bytes(&turn.earlier, ROOM);
        turn.latest = last_bytes(&turn.latest, ROOM);
    }
    turns
}

/// The last bytes of `text`, from the beginning of a character.
pub fn last_bytes(text: &str, room: usize) -> String {
    let from = text.len().saturating_sub(room);
    let at = (from..=text.len()).find(|at| text.is_char_boundary(*at));
    at.and_then(|at| text.get(at..))
        .unwrap_or_default()
        .to_owned()
}

fn deeds(random: &mut Random, format: Format) -> Vec<Deed> {
    let mut deeds = Vec::new();
    for _ in 0..random.below(4) {
        deeds.push(Deed::Noise(random.next()));
    }
    for turn in 0..=random.below(4) {
        // A resumed or compacted file may begin in the middle of a turn.
        if turn > 0 || !random.one_in(8) {
            deeds.push(Deed::Human(text(random)));
        }
        for _ in 0..random.below(9) {
            deeds.push(match random.below(12) {
                0..3 => Deed::Says(text(random)),
                3 if format == Format::Claude => {
                    Deed::SaysInTwo(text(random), format!(" {}", text(random).trim()))
                }
                3 | 4 => Deed::Thinks,
                5 | 6 => runs(random),
                7 => Deed::Edits(random.pick(&["src/a.rs", "tests/b.rs", "c.md"])),
                8 => Deed::Feedback((0..=random.below(3)).map(|_| words(random)).collect()),
                _ => Deed::Noise(random.next()),
            });
        }
    }
    // The answer is mostly the last thing.
    if random.one_in(2) {
        deeds.push(Deed::Says(text(random)));
    }
    deeds
}

fn runs(random: &mut Random) -> Deed {
    let command = random.pick(&[
        "git status",
        "ls -la",
        "cargo test",
        "python app.py",
        "echo 'a b'",
    ]);
    let exit = if random.one_in(3) {
        i32::try_from(random.below(3) + 1).expect("small")
    } else {
        0
    };
    Deed::Runs { command, exit }
}

fn words(random: &mut Random) -> Words {
    let ours = random.one_in(2);
    let about = text(random);
    let text = match (ours, random.below(3)) {
        (true, n) => format!("[{}] {about}", HOOKS[usize::try_from(n).expect("small")]),
        (false, 0) => format!("[other-hook] {about}"),
        (false, 1) => format!("It said [{}] and more: {about}", HOOKS[0]),
        (false, _) => format!("Please look again. {about}"),
    };
    Words {
        ours,
        text: text.trim().to_owned(),
    }
}

/// A message. Some quote what a host or a hook would write.
fn text(random: &mut Random) -> String {
    const PARTS: [&str; 14] = [
        "I look at the parser first.",
        "All tests pass; 12 passed, 0 failed.",
        "第二段落です。コミットします。",
        "C'est déjà fait — \"vraiment\" ?",
        "A path: C:\\temp\\new and a tab:\tend",
        "line one\nline two\r\nline three",
        "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"nested\"}}",
        "It printed `Stop hook feedback:\\n[scope-check] no`.",
        "> Stop hook feedback:\n> [/bin/scope-check]: [scope-check] You cut the work short.",
        "The log says <hook_prompt hook_run_id=\"stop:0\">[scope-check] no</hook_prompt>",
        "Emoji 👩‍🔬 and a line separator\u{2028}end; a brace {",
        "}{\"a\":1}",
        "\u{7f}\u{1}control",
        "&lt;angle&gt; <angle> & ampersand",
    ];
    let mut text = String::from("Now: ");
    for _ in 0..=random.below(3) {
        let _ = write!(text, "{} ", random.pick(&PARTS));
    }
    if random.one_in(30) {
        text = text.repeat(usize::try_from(random.below(300)).expect("small") + 1);
    }
    let _ = write!(text, "#{}", random.below(1_000_000));
    text
}

fn id(prefix: &str, random: &mut Random) -> String {
    format!("{prefix}_{:016x}", random.next())
}
