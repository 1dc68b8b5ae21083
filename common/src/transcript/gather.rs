//! From entries, newest first, to a turn.
//!
//! Newest first is how a hook reads: what is far back can then be dropped as soon as enough text is there. Whoever
//! reads a file forwards keeps one turn's entries and hands them over in this order, so there is one set of rules.

use std::time::Duration;

use super::entry::{Entry, Source};
use super::{REDACTION_MARGIN_BYTES, TURN_TEXT_MAX_BYTES, Turn, both_ends, last_bytes};
use crate::activity::{Activity, Log};

/// A turn being put together.
#[derive(Default)]
pub struct Gather<'n> {
    /// Said before and after the last feedback.
    earlier: Tail,
    latest: Tail,
    last: Last<'n>,
    /// The human message and the slash commands after it that the assistant answered, newest first.
    user: Vec<String>,
    /// There were assistant entries since the last slash command.
    answers: bool,
    /// A stop hook's feedback was met: what comes now was said before it.
    before_feedback: bool,
    blocked: Blocked,
    /// A summary that the assistant's entry before it may repeat.
    summary: Option<String>,
    named: Named<'n>,
    log: Log,
    reach: Reach,
}

/// How much of the turn the transcript told.
#[derive(Default, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    #[default]
    Nothing,
    Part,
    /// Where it begins, or a slash command, with which a session may begin.
    Beginning,
}

/// Stops that our hooks blocked. Several of them may block one.
#[derive(Default)]
struct Blocked {
    stops: usize,
    /// Assistant entries since the last one of them; the newest needs none.
    work_between: usize,
}

/// What the lines of the turn are called, against the turn that the hook's input names.
#[derive(Default)]
struct Named<'n> {
    wanted: Option<&'n str>,
    newest: Option<String>,
    /// A line is called as wanted, or a notice without a name, newer than all that have one, may have been.
    explained: bool,
}

/// The final message, as the hook's input tells it.
#[derive(Default)]
struct Last<'n> {
    message: Option<&'n str>,
    /// Whether the transcript ends with it; not known before the first entry that tells.
    there: Option<bool>,
}

impl<'n> Gather<'n> {
    /// A turn that the hook's input calls `turn` and that ends with `message`, as far as it tells.
    pub fn new(turn: Option<&'n str>, message: Option<&'n str>) -> Self {
        Self {
            named: Named {
                wanted: turn,
                ..Named::default()
            },
            last: Last {
                message,
                there: None,
            },
            answers: message.is_some(),
            ..Self::default()
        }
    }

    /// Takes one entry; the next one is older. False: the turn is complete.
    pub fn add(&mut self, entry: Entry<'_>) -> bool {
        let reach = match entry {
            Entry::Turn(_) | Entry::Notice => Reach::Nothing,
            Entry::Human(_) | Entry::Command(_) => Reach::Beginning,
            _ => Reach::Part,
        };
        self.reach = std::mem::take(&mut self.reach).max(reach);
        // A text tells for itself, since a summary of the host's is none.
        if !matches!(
            entry,
            Entry::Said { .. }
                | Entry::Thought
                | Entry::Turn(_)
                | Entry::Notice
                | Entry::Compacted(_)
        ) {
            self.last.there.get_or_insert(false);
        }
        match entry {
            Entry::Human(text) => {
                self.user.push(both_ends(&text).into_owned());
                return false;
            }
            Entry::Command(typed) => {
                if std::mem::take(&mut self.answers) {
                    self.user.push(typed);
                }
            }
            Entry::Said { text, cut, source } => self.said(&text, cut, source),
            Entry::Thought => self.work(),
            Entry::Call(call) => {
                self.work();
                self.log.call(call);
            }
            Entry::Outcome(outcome) => self.log.outcome(outcome),
            Entry::Feedback { ours } => {
                self.before_feedback = true;
                if ours && (self.blocked.stops == 0 || self.blocked.work_between > 0) {
                    self.blocked = Blocked {
                        stops: self.blocked.stops + 1,
                        work_between: 0,
                    };
                }
            }
            Entry::Notice => self.named.explained |= self.named.newest.is_none(),
            Entry::Compacted(summary) => self.summary = Some(summary.into_owned()),
            Entry::Turn(id) => {
                self.named.explained |= self.named.wanted == Some(id.as_ref());
                self.named.newest.get_or_insert_with(|| id.into_owned());
            }
        }
        true
    }

    fn work(&mut self) {
        self.blocked.work_between += 1;
        self.answers = true;
    }

    fn said(&mut self, text: &str, cut: bool, source: Source) {
        if source == Source::History
            && let Some(summary) = self.summary.take()
            && summary.contains(text.trim())
        {
            return;
        }
        let is_last = self.last.message.map(str::trim) == Some(text.trim());
        self.last.there.get_or_insert(is_last);
        if self.before_feedback {
            &mut self.earlier
        } else {
            &mut self.latest
        }
        .add(text, cut, source);
        self.work();
    }

    /// The beginning of the turn is out of reach.
    pub fn cut(&mut self) {
        self.log.cut();
    }

    /// Whether the assistant did or said anything.
    pub fn has_work(&self) -> bool {
        self.blocked.stops > 0 || self.blocked.work_between > 0
    }

    /// What the newest line that bears a name calls the turn.
    pub fn id(&self) -> Option<&str> {
        self.named.newest.as_deref()
    }

    /// Lines of this turn are named, and none as the hook's input says: it is the turn before. A notice that woke the
    /// agent brings a name of its own.
    pub fn is_another(&self) -> bool {
        self.named.wanted.is_some() && self.named.newest.is_some() && !self.named.explained
    }

    /// The turn that the hook's input means is there, with its final message where the input tells one.
    pub fn has_end(&self) -> bool {
        !self.lacks_message() && !self.is_another()
    }

    /// The hook's input tells a final message, and the transcript doesn't end with it.
    fn lacks_message(&self) -> bool {
        self.last.message.is_some() && self.last.there != Some(true)
    }

    /// The turn. A file that says nothing is as good as none: what wasn't read there may have been done all the same.
    /// Where it lacks the final message, it may lack more.
    pub fn finish(mut self, waited: Duration) -> Turn {
        if self.lacks_message() {
            self.latest.add_last(self.last.message.unwrap_or_default());
            self.log.lacks_end();
        }
        let from_transcript = self.reach != Reach::Nothing;
        let activity = match self.reach {
            Reach::Nothing => Activity::default(),
            Reach::Part => {
                self.log.cut();
                self.log.finish()
            }
            Reach::Beginning => self.log.finish(),
        };
        Turn {
            truncated: self.latest.total > TURN_TEXT_MAX_BYTES,
            earlier: self.earlier.text(),
            latest: self.latest.text(),
            blocked_stops: self.blocked.stops,
            user_text: (!self.user.is_empty()).then(|| {
                let text = self.user.into_iter().rev().collect::<Vec<_>>().join("\n\n");
                both_ends(&text).into_owned()
            }),
            activity,
            from_transcript,
            waited,
        }
    }
}

/// The last bytes of a text that is put together from its end.
#[derive(Default)]
struct Tail {
    /// Newest first.
    pieces: Vec<Piece>,
    /// The bytes of what was said, without what came twice as far as it is kept.
    total: usize,
}

struct Piece {
    text: String,
    /// The next one goes on in mid-sentence.
    cut: bool,
    /// The only source that it came from.
    alone_from: Option<Source>,
}

impl Piece {
    /// What stands between it and the next one.
    fn behind(&self) -> &'static str {
        if self.cut { "" } else { BETWEEN }
    }
}

const BETWEEN: &str = "\n\n";

impl Tail {
    const ROOM: usize = TURN_TEXT_MAX_BYTES + REDACTION_MARGIN_BYTES;

    /// Adds what was said before. What came from the other source already is the same message: each is written twice,
    /// as far as both lines can be read.
    fn add(&mut self, text: &str, cut: bool, source: Source) {
        if self.total >= Self::ROOM {
            return;
        }
        let twin = self.pieces.iter_mut().find(|piece| {
            piece.alone_from.is_some_and(|from| from != source) && piece.text.trim() == text.trim()
        });
        if let Some(twin) = twin {
            twin.alone_from = None;
            return;
        }
        let piece = Piece {
            // Maybe cut a few bytes short of a character's boundary.
            text: last_bytes(text, Self::ROOM - self.total).to_owned(),
            cut,
            alone_from: Some(source),
        };
        let behind = if self.pieces.is_empty() {
            ""
        } else {
            piece.behind()
        };
        self.total += text.len() + behind.len();
        self.pieces.push(piece);
    }

    /// Adds what was said after all else.
    fn add_last(&mut self, text: &str) {
        let before = self.pieces.first().map_or("", Piece::behind);
        self.total += before.len() + text.len();
        let piece = Piece {
            text: last_bytes(text, Self::ROOM).to_owned(),
            cut: false,
            alone_from: None,
        };
        self.pieces.insert(0, piece);
    }

    fn text(self) -> String {
        let mut text = String::new();
        for (at, piece) in self.pieces.iter().enumerate().rev() {
            text.push_str(&piece.text);
            text.push_str(if at == 0 { "" } else { piece.behind() });
        }
        last_bytes(&text, Self::ROOM).to_owned()
    }
}
