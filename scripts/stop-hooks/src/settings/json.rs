//! Where the values of a JSON text stand.
//!
//! A settings file belongs to its owner: what we don't understand in it has to stay byte for byte, so it is never
//! parsed into values and printed again. This gives the spans at which an edit may be spliced in. Whether the text is
//! JSON at all, by the client's strict rules, is `serde_json`'s question; the scanner runs only on a text that
//! is.

use std::fmt;
use std::ops::Range;

use serde::de::IgnoredAny;

/// The depth to which a text is read, as `serde_json` does: each level takes some of the stack.
const DEEPEST: usize = 128;

/// Why a text isn't read.
#[derive(Debug)]
pub enum Error {
    /// It is not exactly one JSON value.
    Syntax(serde_json::Error),
    /// It is deeper than is read here.
    Deep,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // serde_json quotes no content in syntax errors, only the place and the kind.
            Self::Syntax(e) => write!(f, "not valid JSON: {e}"),
            Self::Deep => write!(f, "it nests deeper than {DEEPEST}, which is not read here"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Syntax(e) => Some(e),
            Self::Deep => None,
        }
    }
}

/// One value and its bytes in the text.
#[derive(Debug, Clone)]
pub struct Node {
    /// From its first byte to behind its last, white space excluded.
    pub span: Range<usize>,
    /// What it is.
    pub kind: Kind,
}

/// The kinds of value that an edit tells apart.
#[derive(Debug, Clone)]
pub enum Kind {
    /// Its members in the order of the text, repeated keys included.
    Object(Vec<Member>),
    /// Its items in the order of the text.
    Array(Vec<Node>),
    /// A string, decoded.
    Text(String),
    /// A number, `true`, `false` or `null`.
    Other,
}

/// One member of an object.
#[derive(Debug, Clone)]
pub struct Member {
    /// The key, decoded.
    pub key: String,
    /// From the key's first byte to behind the value's last.
    pub span: Range<usize>,
    /// The value.
    pub value: Node,
}

impl Node {
    /// The value of `key`. Of repeated keys the last counts, as in the clients' `JSON.parse`.
    pub fn get(&self, key: &str) -> Option<&Node> {
        let members = self.members()?;
        members.iter().rfind(|m| m.key == key).map(|m| &m.value)
    }

    /// The members of an object.
    pub fn members(&self) -> Option<&[Member]> {
        match &self.kind {
            Kind::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The items of an array.
    pub fn items(&self) -> Option<&[Node]> {
        match &self.kind {
            Kind::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Every string below this node, with the keys that lead to it.
    pub fn texts(&self) -> Vec<(String, &str)> {
        match &self.kind {
            Kind::Text(text) => vec![(String::new(), text)],
            Kind::Other => Vec::new(),
            Kind::Object(members) => members
                .iter()
                .flat_map(|member| below(&member.key, &member.value))
                .collect(),
            Kind::Array(items) => items
                .iter()
                .enumerate()
                .flat_map(|(at, item)| below(&format!("[{at}]"), item))
                .collect(),
        }
    }

    /// A string.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }
}

fn below<'a>(key: &str, node: &'a Node) -> Vec<(String, &'a str)> {
    let mut texts = node.texts();
    for (place, _) in &mut texts {
        let dot = if place.is_empty() || place.starts_with('[') {
            ""
        } else {
            "."
        };
        *place = format!("{key}{dot}{place}");
    }
    texts
}

/// Reads `text`, which may start with a byte order mark.
///
/// # Errors
/// When it is not exactly one JSON value, or too deep.
pub fn parse(text: &str) -> Result<Node, Error> {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str::<IgnoredAny>(bare).map_err(Error::Syntax)?;
    if depth(bare) > DEEPEST {
        return Err(Error::Deep);
    }
    let mut scanner = Scanner {
        text,
        at: text.len() - bare.len(),
    };
    Ok(scanner.value())
}

/// How many brackets of the JSON `text` stand open at most.
fn depth(text: &str) -> usize {
    let (mut open, mut deepest) = (0_usize, 0);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' => {
                open += 1;
                deepest = deepest.max(open);
            }
            b']' | b'}' => open = open.saturating_sub(1),
            b'"' => {
                while let Some(byte) = bytes.next().filter(|byte| *byte != b'"') {
                    if byte == b'\\' {
                        bytes.next();
                    }
                }
            }
            _ => {}
        }
    }
    deepest
}

/// One member of `text` without the white space around its values, for comparing two layouts of the same settings.
pub fn minified(text: &str, member: &Member) -> String {
    fn write(text: &str, node: &Node, to: &mut String) {
        match &node.kind {
            Kind::Object(members) => {
                to.push('{');
                for member in members {
                    write_member(text, member, to);
                }
                to.push('}');
            }
            Kind::Array(items) => {
                to.push('[');
                for item in items {
                    write(text, item, to);
                    to.push(',');
                }
                to.push(']');
            }
            Kind::Text(_) | Kind::Other => {
                to.push_str(text.get(node.span.clone()).unwrap_or_default());
            }
        }
    }
    fn write_member(text: &str, member: &Member, to: &mut String) {
        to.push_str(&serde_json::Value::from(member.key.as_str()).to_string());
        to.push(':');
        write(text, &member.value, to);
        to.push(',');
    }
    let mut out = String::new();
    write_member(text, member, &mut out);
    out
}

/// Walks a text that is known to be JSON; on any other it stops early or at the end, and finds nothing useful.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn value(&mut self) -> Node {
        self.skip_space();
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => Kind::Object(self.list(b'}', Self::member)),
            Some(b'[') => Kind::Array(self.list(b']', Self::value)),
            Some(b'"') => Kind::Text(self.string()),
            _ => {
                self.at += 1;
                while self
                    .peek()
                    .is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
                {
                    self.at += 1;
                }
                Kind::Other
            }
        };
        Node {
            span: start..self.at,
            kind,
        }
    }

    /// What stands between two brackets, separated by commas.
    fn list<T>(&mut self, close: u8, item: impl Fn(&mut Self) -> T) -> Vec<T> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.skip_space();
            match self.peek() {
                None => return items,
                Some(b) if b == close => {
                    self.at += 1;
                    return items;
                }
                Some(b',') => self.at += 1,
                Some(_) => items.push(item(self)),
            }
        }
    }

    fn member(&mut self) -> Member {
        let start = self.at;
        let key = self.string();
        self.skip_space();
        self.at += 1; // the colon
        let value = self.value();
        Member {
            key,
            span: start..self.at,
            value,
        }
    }

    fn string(&mut self) -> String {
        let start = self.at;
        self.at += 1;
        while let Some(b) = self.peek() {
            self.at += if b == b'\\' { 2 } else { 1 };
            if b == b'"' {
                break;
            }
        }
        let raw = self.text.get(start..self.at).unwrap_or_default();
        // A lone surrogate escape is JSON, but no Rust string; such a key or command is none of ours.
        serde_json::from_str(raw).unwrap_or_else(|_| raw.to_owned())
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(|b| b.is_ascii_whitespace()) {
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, path: &[&str], expected: &str) {
        let root = parse(text).unwrap();
        let node = path.iter().fold(&root, |node, key| node.get(key).unwrap());
        assert_eq!(text.get(node.span.clone()), Some(expected));
    }

    #[test]
    fn spans_are_those_of_the_text() {
        check(r#" {"a" : [1, "]", {}] } "#, &["a"], r#"[1, "]", {}]"#);
        check("\u{feff}{\"a\":-1.50e+3}", &["a"], "-1.50e+3");
        check(r#"{"a":{"b\"}":"x\\"}}"#, &["a", "b\"}"], r#""x\\""#);
        check("{\"ä\":{\"日本\":\"語\"}}", &["ä", "日本"], "\"語\"");
        check(r#"{"\u0053top":true}"#, &["Stop"], "true");
        check(r#"{"a":1,"a":2}"#, &["a"], "2");
        check(r#"{"a":"\ud800","b":null}"#, &["b"], "null");
    }

    #[test]
    fn what_the_client_rejects_is_rejected() {
        for text in [
            "",
            "{",
            "{}}",
            "{\"a\":1,}",
            "// c\n{}",
            "{'a':1}",
            "{\"a\":01}",
            "{a:1}",
            "[1]]",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
