//! What of a text is *said*: folded, without what is only mentioned, cut into sentences.
//!
//! Fenced code, block quotes, quoted spans, link targets, diff and log lines are mentioned. They are blanked, not removed,
//! so that every byte keeps its place. Inline code stays where it names an action or a stand-in, since `git push` in a
//! sentence means what it says.

use std::ops::Range;

use super::vocabulary::{self, Concept, Concepts, Mark};
use crate::fold::Folded;
use crate::hook::NAMES;

/// A text, read.
#[derive(Clone)]
pub struct Reading {
    folded: Folded,
    /// As long as the folded text; what is only mentioned is blank.
    said: String,
    /// What is said, sentence by sentence.
    pub sentences: Vec<Sentence>,
    /// The concepts of all sentences.
    pub concepts: Concepts,
}

/// One sentence, list item or line.
#[derive(Clone)]
pub struct Sentence {
    /// Its bytes in what is said, as the reading keeps it.
    pub at: Range<usize>,
    /// The words of the vocabulary in it.
    pub marks: Vec<Mark>,
    /// All their concepts.
    pub concepts: Concepts,
    /// It speaks to a judge, names a field of its answer, or claims what is known to be otherwise: it settles nothing.
    pub to_judge: bool,
}

impl Reading {
    /// Reads `text`.
    pub fn of(text: &str) -> Self {
        let folded = Folded::lowercase(text);
        let said = said(folded.as_str());
        let sentences: Vec<Sentence> = cut(&said)
            .into_iter()
            .filter_map(|at| Sentence::read(&said, at))
            .collect();
        let concepts = sentences
            .iter()
            .fold(Concepts::default(), |all, s| all.and(s.concepts));
        Self {
            folded,
            said,
            sentences,
            concepts,
        }
    }

    /// The bytes of the original text that `at` of the folded one stands for.
    pub fn origin(&self, at: &Range<usize>) -> Range<usize> {
        self.folded.original_range(at)
    }

    /// The words of a sentence.
    pub fn words(&self, sentence: &Sentence) -> &str {
        self.said.get(sentence.at.clone()).unwrap_or_default()
    }
}

impl Sentence {
    fn read(said: &str, at: Range<usize>) -> Option<Self> {
        let words = said.get(at.clone())?;
        if !words
            .bytes()
            .any(|b| b.is_ascii_alphanumeric() || !b.is_ascii())
        {
            return None;
        }
        let mut marks = vocabulary::marks(words);
        for mark in &mut marks {
            mark.at = mark.at.start + at.start..mark.at.end + at.start;
        }
        let concepts = marks
            .iter()
            .fold(Concepts::default(), |all, mark| all.and(mark.concepts));
        if concepts.meets(Concepts::of(&[Concept::HookName])) {
            return None; // talk about the hooks
        }
        let to_judge = concepts.meets(Concepts::of(&[Concept::ToJudge]));
        Some(Self {
            at,
            marks,
            concepts,
            to_judge,
        })
    }
}

/// `text` with all blanked that is only mentioned.
fn said(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut fence: Option<&str> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let span = at..at + line.len();
        at = span.end;
        let start = line.trim_start();
        let marker = ["```", "~~~"].into_iter().find(|m| start.starts_with(m));
        match (fence, marker) {
            (Some(open), Some(close)) if open == close => fence = None,
            (None, Some(open)) => fence = Some(open),
            (None, None) if !is_mentioned(start) && !is_feedback(line) => {
                spans(line, span.start, &mut bytes);
                continue;
            }
            _ => {}
        }
        blank(&mut bytes, &span);
    }
    // Only whole characters were overwritten, with ASCII.
    String::from_utf8(bytes).unwrap_or_default()
}

/// Our own feedback, or somebody quoting it.
fn is_feedback(line: &str) -> bool {
    let of = |name: &str| {
        let mut places = line.match_indices(name);
        places.any(|(at, _)| line.get(..at).is_some_and(|before| before.ends_with('[')))
    };
    line.contains('[') && NAMES.iter().any(|name| of(name))
}

/// Overwrites a span with spaces, line ends excepted.
fn blank(bytes: &mut [u8], span: &Range<usize>) {
    for byte in bytes.get_mut(span.clone()).unwrap_or_default() {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

/// A line of a block quote, a diff or a log.
fn is_mentioned(line: &str) -> bool {
    const STARTS: [&str; 6] = [">", "@@ ", "+++ ", "--- a/", "--- b/", "diff --git"];
    if STARTS.iter().any(|start| line.starts_with(start)) {
        return true;
    }
    let bytes = line.as_bytes();
    match bytes {
        [b'+' | b'-', next, ..] => {
            !next.is_ascii_whitespace()
                && !next.is_ascii_digit()
                && !matches!(next, b'+' | b'-')
                && line.contains(['(', ')', '{', '}', ';', '='])
        }
        [b'[', rest @ ..] => is_time(rest),
        _ => {
            is_time(bytes)
                || ["error", "warn", "info", "debug"].iter().any(|level| {
                    line.strip_prefix(level)
                        .is_some_and(|rest| rest.starts_with(": ") || rest.starts_with("  "))
                })
        }
    }
}

/// Does a line begin with a date and time, or a time with seconds?
fn is_time(line: &[u8]) -> bool {
    let looks_like = |shape: &[u8]| {
        line.len() >= shape.len()
            && line.iter().zip(shape).all(|(byte, shape)| match shape {
                b'0' => byte.is_ascii_digit(),
                b' ' => matches!(byte, b' ' | b't'),
                _ => byte == shape,
            })
    };
    looks_like(b"0000-00-00 00:") || looks_like(b"00:00:00")
}

/// Blanks inline code, quoted spans, link targets and emphasis marks in one line.
fn spans(line: &str, offset: usize, bytes: &mut [u8]) {
    const CLOSING: [(char, char); 5] = [
        ('`', '`'),
        ('"', '"'),
        ('«', '»'),
        ('「', '」'),
        ('『', '』'),
    ];
    // The first bytes of what is looked for below, but for links, of which the colon is rarer than the letter.
    static OPENS: ByteSet = ByteSet::of(b"`\"*#:\xc2\xe3");
    let mut rest = line;
    while let Some(at) = OPENS.position(rest.as_bytes()) {
        let at = line.len() - rest.len() + at;
        let Some(c) = line.get(at..).and_then(|rest| rest.chars().next()) else {
            return;
        };
        let after = at + c.len_utf8();
        let mut end = after;
        let tail = line.get(after..).unwrap_or_default();
        if let Some((_, close)) = CLOSING.iter().find(|(open, _)| *open == c) {
            if let Some(length) = tail.find(*close).filter(|n| (1..=240).contains(n)) {
                let inner = tail.get(..length).unwrap_or_default();
                end = after + length + close.len_utf8();
                if c != '`' {
                    blank(bytes, &(offset + at..offset + end));
                } else if !keeps_meaning(inner) {
                    blank(bytes, &(offset + after..offset + after + length));
                }
            }
        } else if c == '*' || c == '#' {
            blank(bytes, &(offset + at..offset + after));
        } else if c == ':' && tail.starts_with("//") {
            let before = line.get(line.len() - rest.len()..at).unwrap_or_default();
            if let Some(scheme) = ["https", "http"].iter().find(|s| before.ends_with(**s)) {
                let length = tail.find([' ', ')', '\n', '>']).unwrap_or(tail.len());
                end = after + length;
                blank(bytes, &(offset + at - scheme.len()..offset + end));
            }
        }
        rest = line.get(end..).unwrap_or_default();
    }
}

/// Inline code that means in a sentence what it says: a command that changes shared state, a branch, a stand-in.
fn keeps_meaning(code: &str) -> bool {
    const COMMANDS: [&str; 22] = [
        "git push",
        "git commit",
        "git merge",
        "git tag",
        "gh pr",
        "gh release",
        "npm publish",
        "yarn publish",
        "pnpm publish",
        "cargo publish",
        "twine",
        "kubectl apply",
        "helm upgrade",
        "terraform apply",
        "fly deploy",
        "firebase deploy",
        "vercel",
        "docker push",
        "aws s3 sync",
        "rsync",
        "ansible-playbook",
        "netlify deploy",
    ];
    const BRANCHES: [&str; 9] = [
        "main",
        "master",
        "origin",
        "upstream",
        "develop",
        "trunk",
        "production",
        "staging",
        "prod",
    ];
    const STAND_INS: [&str; 10] = [
        "todo",
        "fixme",
        "notimplemented",
        "unimplemented",
        "stub",
        "mock",
        "placeholder",
        "xfail",
        ".skip",
        "ts-ignore",
    ];
    let is_hash = (7..=40).contains(&code.len()) && code.bytes().all(|b| b.is_ascii_hexdigit());
    is_hash
        || COMMANDS.iter().any(|command| code.starts_with(command))
        || BRANCHES
            .iter()
            .any(|branch| code.strip_prefix("origin/").unwrap_or(code) == *branch)
        || STAND_INS.iter().any(|word| code.contains(word))
}

/// Bytes to look for.
struct ByteSet([bool; 256]);

impl ByteSet {
    #[expect(
        clippy::indexing_slicing,
        reason = "a byte is below 256, and `get_mut` can't be used in a constant"
    )]
    const fn of(bytes: &[u8]) -> Self {
        let mut set = [false; 256];
        let mut rest = bytes;
        while let [first, others @ ..] = rest {
            set[*first as usize] = true;
            rest = others;
        }
        Self(set)
    }

    /// Where the first of them stands in `bytes`.
    fn position(&self, bytes: &[u8]) -> Option<usize> {
        let is_in = |byte: &u8| self.0.get(usize::from(*byte)).copied().unwrap_or_default();
        bytes.iter().position(is_in)
    }
}

/// Where sentences, list items and lines stand.
fn cut(said: &str) -> Vec<Range<usize>> {
    // The last byte of '。' is enough to look closer.
    static ENDS: ByteSet = ByteSet::of(b"\n.!?\x82");
    let mut found = Vec::new();
    let bytes = said.as_bytes();
    let mut start = 0;
    let mut end = 0;
    while let Some(at) = bytes.get(end..).and_then(|rest| ENDS.position(rest)) {
        let byte = bytes.get(end + at).copied().unwrap_or_default();
        end += at + 1;
        let next = || said.get(end..).and_then(|rest| rest.chars().next());
        let ends = match byte {
            b'\n' => true,
            b'.' => next().is_none_or(char::is_whitespace),
            b'!' | b'?' => !matches!(next(), Some('!' | '?' | '.' | '=')),
            _ => said.get(..end).is_some_and(|text| text.ends_with('。')),
        };
        if ends {
            found.push(start..end);
            start = end;
        }
    }
    found.push(start..said.len());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, sentences: &[&str]) {
        let reading = Reading::of(text);
        let found: Vec<&str> = reading
            .sentences
            .iter()
            .map(|s| reading.words(s).trim())
            .collect();
        assert_eq!(found, sentences, "{text:?}");
    }

    #[test]
    fn sentences_end_where_a_reader_stops() {
        check(
            "One v1.2 is out. Two!\nThree",
            &["one v1.2 is out.", "two!", "three"],
        );
        check("直しました。次は？はい", &["直しました。", "次は?", "はい"]);
    }

    #[test]
    fn what_is_only_mentioned_is_not_said() {
        check("a\n```\nI will push\n```\nb", &["a", "b"]);
        check("> I will push\nb", &["b"]);
        let reading = Reading::of("the rule “stop here” and 「push」 hold");
        let words: String = reading.sentences.iter().map(|s| reading.words(s)).collect();
        assert_eq!(
            words.split_whitespace().collect::<Vec<_>>(),
            ["the", "rule", "and", "hold"]
        );
    }

    #[test]
    fn talk_about_a_hook_is_left_out() {
        check(
            "[scope-check] You stopped. Go on.\nGoing on.",
            &["going on."],
        );
        check("A stop by scope-check. Going on.", &["going on."]);
    }
}
