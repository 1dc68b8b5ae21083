//! From entries, newest first, to a turn.
//!
//! Newest first is how a hook reads: what is far back can then be dropped as soon as enough text is there. Whoever
//! reads a file forwards keeps one turn's entries and hands them over in this order, so there is one set of rules.

use std::time::Duration;

use super::entry::{Entry, Source};
use super::{REDACTION_MARGIN_BYTES, TURN_TEXT_MAX_BYTES, Turn, USER_TEXT_MAX_BYTES, last_bytes};
use crate::activity::{Activity, Log};

/// A turn being put together.
#[derive(Default)]
pub struct Gather<'n> {
    /// Something in the file was marked as shown.
    is_shown: bool,
    shown: Words,
    history: Words,
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
    as_wanted: bool,
}

/// Texts from one source, said before and after the last feedback.
#[derive(Default)]
struct Words {
    earlier: Tail,
    latest: Tail,
}

impl<'n> Gather<'n> {
    /// A turn that the hook's input calls `turn`.
    pub fn new(turn: Option<&'n str>) -> Self {
        Self {
            named: Named {
                wanted: turn,
                ..Named::default()
            },
            ..Self::default()
        }
    }

    /// Takes the final message where the transcript lacks it. From which source it would have come isn't known.
    pub fn message(&mut self, text: &str) {
        self.shown.latest.add(text, false);
        self.history.latest.add(text, false);
        self.work();
    }

    /// Takes one entry; the next one is older. False: the turn is complete.
    pub fn add(&mut self, entry: Entry<'_>) -> bool {
        let reach = match entry {
            Entry::Turn(_) => Reach::Nothing,
            Entry::Human(_) | Entry::Command(_) => Reach::Beginning,
            _ => Reach::Part,
        };
        self.reach = std::mem::take(&mut self.reach).max(reach);
        match entry {
            Entry::Human(text) => {
                let room = USER_TEXT_MAX_BYTES + REDACTION_MARGIN_BYTES;
                self.user.push(last_bytes(&text, room).to_owned());
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
            Entry::Compacted(summary) => self.summary = Some(summary.into_owned()),
            Entry::Turn(id) => {
                self.named.as_wanted |= self.named.wanted == Some(id.as_ref());
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
        let words = match source {
            Source::Shown => {
                self.is_shown = true;
                &mut self.shown
            }
            Source::History => match self.summary.take() {
                Some(summary) if summary.contains(text.trim()) => return,
                _ => &mut self.history,
            },
        };
        if self.before_feedback {
            &mut words.earlier
        } else {
            &mut words.latest
        }
        .add(text, cut);
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

    /// Lines of this turn are named, and none as the hook's input says.
    pub fn is_another(&self) -> bool {
        self.named.wanted.is_some() && self.named.newest.is_some() && !self.named.as_wanted
    }

    /// The turn. A file that says nothing is as good as none: what wasn't read there may have been done all the same.
    pub fn finish(mut self, waited: Duration) -> Turn {
        let from_transcript = self.reach != Reach::Nothing;
        let activity = match self.reach {
            Reach::Nothing => Activity::default(),
            Reach::Part => {
                self.log.cut();
                self.log.finish()
            }
            Reach::Beginning => self.log.finish(),
        };
        // A message that was shown stands in the history as well.
        let words = if self.is_shown {
            self.shown
        } else {
            self.history
        };
        Turn {
            truncated: words.latest.total > TURN_TEXT_MAX_BYTES,
            earlier: words.earlier.text(),
            latest: words.latest.text(),
            blocked_stops: self.blocked.stops,
            user_text: (!self.user.is_empty()).then(|| {
                let text = self.user.into_iter().rev().collect::<Vec<_>>().join("\n\n");
                last_bytes(&text, USER_TEXT_MAX_BYTES + REDACTION_MARGIN_BYTES).to_owned()
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
    /// Newest first, each with what stands behind it.
    pieces: Vec<(String, &'static str)>,
    kept: usize,
    total: usize,
}

impl Tail {
    const ROOM: usize = TURN_TEXT_MAX_BYTES + REDACTION_MARGIN_BYTES;

    fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    fn add(&mut self, text: &str, cut: bool) {
        // Behind a piece that was cut, the next one goes on in mid-sentence.
        let behind = if self.is_empty() || cut { "" } else { "\n\n" };
        self.total += text.len() + behind.len();
        if self.total <= Self::ROOM {
            self.pieces.push((text.to_owned(), behind));
            self.kept = self.total;
        } else if self.kept < Self::ROOM {
            // This piece is cut, maybe a few bytes short of a character's boundary; what is older has no place here.
            let piece = last_bytes(text, Self::ROOM.saturating_sub(self.kept + behind.len()));
            self.pieces.push((piece.to_owned(), behind));
            self.kept = Self::ROOM;
        }
    }

    fn text(self) -> String {
        let mut text = String::with_capacity(self.kept);
        for (piece, behind) in self.pieces.into_iter().rev() {
            text.push_str(&piece);
            text.push_str(behind);
        }
        text
    }
}
