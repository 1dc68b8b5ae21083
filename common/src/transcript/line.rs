//! One line of a transcript: the JSON objects in it, what their first bytes tell, and strings as they really are.
//!
//! Nothing here knows what a host means by a line. A line ought to hold one object; after a crash it holds a torn one
//! with the next glued to it, or a run of NULs that the file system left behind. What can be read of it is read.

use std::borrow::Cow;
use std::fmt;
use std::io::BufRead as _;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Where `needle` first stands in `hay`. `skip_until` searches with the platform's `memchr`, which the iterator
/// adaptors do not.
pub fn find(needle: u8, hay: &[u8]) -> Option<usize> {
    let mut rest = hay;
    let passed = rest.skip_until(needle).ok()?;
    let at = passed.checked_sub(1)?;
    (hay.get(at) == Some(&needle)).then_some(at)
}

/// Whether a line holds more than the object that it begins with.
pub fn is_glued(line: &[u8]) -> bool {
    line.contains(&0) || !glue_points(line).is_empty()
}

/// The objects of a line that isn't one object, in order.
pub fn objects(line: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let mut found = Vec::new();
    if line.contains(&0) {
        // JSON never holds a raw NUL, so nothing reaches over one.
        for part in line.split(|byte| *byte == 0) {
            unglue(part, &mut found);
        }
    } else {
        unglue(line, &mut found);
    }
    found.into_iter()
}

/// Splits `part` where an object begins that nothing in JSON allows to begin there.
fn unglue<'a>(part: &'a [u8], found: &mut Vec<&'a [u8]>) {
    let part = part.trim_ascii();
    if part.is_empty() {
        return;
    }
    let mut from = 0;
    let mut starts = glue_points(part).into_iter().peekable();
    loop {
        let Some(rest) = part.get(from..) else { return };
        let mut stream = serde_json::Deserializer::from_slice(rest).into_iter::<IgnoredAny>();
        let end = match stream.next() {
            Some(Ok(_)) => from + stream.byte_offset(),
            // The part is torn: go on with the object that was glued to it.
            Some(Err(_)) | None => from + 1,
        };
        if end > from + 1 {
            found.extend(part.get(from..end));
        }
        while starts.next_if(|start| *start < end).is_some() {}
        match starts.next() {
            Some(start) => from = start,
            None => return,
        }
    }
}

/// Where `{"` follows a byte that can't precede an object inside JSON. Within a string the quote would be escaped.
fn glue_points(part: &[u8]) -> Vec<usize> {
    let mut points = Vec::new();
    let mut from = 1;
    while let Some(at) = part
        .get(from..)
        .and_then(|rest| find(b'{', rest))
        .map(|at| at + from)
    {
        from = at + 1;
        let before = part
            .get(..at)
            .and_then(|before| before.trim_ascii_end().last());
        if part.get(at + 1) == Some(&b'"') && !matches!(before, None | Some(b':' | b',' | b'[')) {
            points.push(at);
        }
    }
    points
}

/// What an object's first bytes tell of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A Claude Code line that may matter.
    Claude,
    /// A Codex line that may matter.
    Codex,
    /// Nobody's words and no tool call.
    Nothing,
    /// The first bytes don't tell.
    Unknown,
}

/// How far a line is looked at. The longest head seen (a Codex `item_completed` with its ids) is 350 bytes.
const HEAD_MAX_BYTES: usize = 2048;

impl Kind {
    /// Looks at the top-level keys of `object` until they tell its kind; a `"type"` in a nested object tells nothing.
    /// Only the head is read.
    pub fn of(object: &[u8]) -> Self {
        let head = object.get(..HEAD_MAX_BYTES).unwrap_or(object);
        Self::look(&mut Head { rest: head }).unwrap_or(Self::Unknown)
    }

    fn look(head: &mut Head<'_>) -> Option<Self> {
        head.open()?;
        let mut outer: &[u8] = b"";
        while let Some(key) = head.key() {
            match key {
                b"type" => {
                    outer = head.string()?;
                    match outer {
                        b"user" | b"assistant" => return Some(Self::Claude),
                        b"attachment" | b"event_msg" | b"response_item" => {}
                        b"compacted"
                        | b"message"
                        | b"function_call"
                        | b"function_call_output"
                        | b"custom_tool_call"
                        | b"custom_tool_call_output"
                        | b"local_shell_call" => {
                            return Some(Self::Codex);
                        }
                        _ => return Some(Self::Nothing),
                    }
                }
                b"message" => return Some(Self::Claude),
                b"attachment" => {
                    let wanted: &[&[u8]] = &[b"queued_command", b"hook_additional_context"];
                    return Some(Self::if_any(wanted, head.inner_type()?, Self::Claude));
                }
                b"payload" => return Self::payload(outer, head),
                _ => head.skip()?,
            }
        }
        // A line without a type, or one whose type is said after everything else.
        None
    }

    fn payload(outer: &[u8], head: &mut Head<'_>) -> Option<Self> {
        let inner = head.inner_type()?;
        let wanted: &[&[u8]] = match outer {
            b"event_msg" if inner == b"item_completed" => {
                while let Some(key) = head.key() {
                    if key == b"item" {
                        let items: &[&[u8]] = &[
                            b"AgentMessage",
                            b"UserMessage",
                            b"HookPrompt",
                            b"CommandExecution",
                            b"FileChange",
                        ];
                        return Some(Self::if_any(items, head.inner_type()?, Self::Codex));
                    }
                    head.skip()?;
                }
                return None;
            }
            b"event_msg" => &[b"user_message", b"agent_message"],
            b"response_item" => &[
                b"message",
                b"function_call",
                b"function_call_output",
                b"custom_tool_call",
                b"custom_tool_call_output",
                b"local_shell_call",
            ],
            _ => return Some(Self::Codex),
        };
        Some(Self::if_any(wanted, inner, Self::Codex))
    }

    fn if_any(wanted: &[&[u8]], name: &[u8], kind: Self) -> Self {
        if wanted.contains(&name) {
            kind
        } else {
            Self::Nothing
        }
    }
}

/// Whether a line that is too long to be held is a human message, by its ends: it begins with text or with an image
/// that was pasted, and isn't the host's own.
pub fn is_long_message(head: &[u8], tail: &[u8]) -> bool {
    let begins = long_message_begins(&mut Head { rest: head }).unwrap_or(false);
    begins && !tail.windows(META.len()).any(|part| part == META)
}

/// After the content, on lines that the host wrote in the user's name.
const META: &[u8] = br#""isMeta":true"#;

fn long_message_begins(head: &mut Head<'_>) -> Option<bool> {
    head.open()?;
    while let Some(key) = head.key() {
        match key {
            b"type" => {
                let way: &[&[u8]] = &[b"user", b"event_msg", b"item_completed", b"UserMessage"];
                if !way.contains(&head.string()?) {
                    return Some(false);
                }
            }
            b"message" | b"payload" | b"item" => head.open()?,
            b"content" => {
                if head.next()? != b'[' {
                    return Some(true);
                }
                head.open()?;
                let first = head.key()?;
                let types: &[&[u8]] = &[b"text", b"image", b"document", b"local_image"];
                return Some(first == b"type" && types.contains(&head.string()?));
            }
            _ => head.skip()?,
        }
    }
    None
}

/// Reads keys and values off the beginning of an object.
struct Head<'a> {
    rest: &'a [u8],
}

impl<'a> Head<'a> {
    fn next(&mut self) -> Option<u8> {
        let (byte, rest) = self.rest.trim_ascii_start().split_first()?;
        self.rest = rest;
        Some(*byte)
    }

    fn open(&mut self) -> Option<()> {
        (self.next()? == b'{').then_some(())
    }

    /// The next key of the object, with the colon behind it.
    fn key(&mut self) -> Option<&'a [u8]> {
        if self.rest.trim_ascii_start().first() == Some(&b',') {
            self.next();
        }
        let key = self.string()?;
        (self.next()? == b':').then_some(key)
    }

    /// A string, as it is written.
    fn string(&mut self) -> Option<&'a [u8]> {
        if self.next()? != b'"' {
            return None;
        }
        let text = self.rest;
        let mut from = 0;
        loop {
            let at = from + find(b'"', text.get(from..)?)?;
            let written = text.get(..at)?;
            let escapes = written
                .iter()
                .rev()
                .take_while(|byte| **byte == b'\\')
                .count();
            if escapes % 2 == 0 {
                self.rest = text.get(at + 1..)?;
                return Some(written);
            }
            from = at + 1;
        }
    }

    /// The value of `type` where the next value is an object that says it.
    fn inner_type(&mut self) -> Option<&'a [u8]> {
        self.open()?;
        while let Some(key) = self.key() {
            if key == b"type" {
                return self.string();
            }
            self.skip()?;
        }
        None
    }

    /// Passes over one value.
    fn skip(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.rest.trim_ascii_start().first()? {
                b'"' => {
                    self.string()?;
                }
                b'{' | b'[' => {
                    depth += 1;
                    self.next();
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.next();
                }
                b',' | b':' => {
                    self.next();
                }
                _ => {
                    let rest = self.rest.trim_ascii_start();
                    let end = rest.iter().position(|byte| b",]} \t".contains(byte))?;
                    self.rest = rest.get(end..)?;
                }
            }
            if depth == 0 {
                return Some(());
            }
        }
    }
}

/// A JSON string as hosts write it. They cut texts in the middle of a UTF-16 pair and pass on what programs print, so
/// lone surrogates and bad UTF-8 occur; they become U+FFFD instead of costing the line.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Text<'a>(pub Cow<'a, str>);

impl Text<'_> {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl<'de> Visitor<'de> for Bytes {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
                Ok(Text(String::from_utf8_lossy(bytes)))
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(lossy(bytes.to_vec()))))
            }
        }
        // serde_json hands out a string's bytes unchecked when asked for bytes.
        from.deserialize_bytes(Bytes)
    }
}

/// A string; whatever else stands in its place is passed over.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Loose<'a>(pub Option<Cow<'a, str>>);

impl<'de: 'a, 'a> Deserialize<'de> for Loose<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Loose<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Loose(Some(Cow::Borrowed(text))))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Loose(Some(Cow::Owned(text.to_owned()))))
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Loose(None))
            }

            fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
                Ok(Loose(None))
            }

            fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
                Ok(Loose(None))
            }

            fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
                Ok(Loose(None))
            }

            fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
                Ok(Loose(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Loose(None))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Loose(None))
            }
        }
        from.deserialize_any(Any)
    }
}

/// The keys of an object, whose values are passed over.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Keys(pub Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Keys;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut keys = Vec::new();
                while let Some((key, IgnoredAny)) = map.next_entry()? {
                    keys.push(key);
                }
                Ok(Keys(keys))
            }
        }
        from.deserialize_map(Object)
    }
}

/// A value that is a string or a list of `T`.
#[derive(Debug, Clone)]
pub enum TextOr<'a, T> {
    /// A string.
    Text(Text<'a>),
    /// A list.
    List(Vec<T>),
}

impl<T> Default for TextOr<'_, T> {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

impl<'de: 'a, 'a, T: Deserialize<'de>> Deserialize<'de> for TextOr<'a, T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Either<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Either<T> {
            type Value = TextOr<'de, T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a list")
            }

            fn visit_borrowed_bytes<E>(self, bytes: &'de [u8]) -> Result<Self::Value, E> {
                Ok(TextOr::Text(Text(String::from_utf8_lossy(bytes))))
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(TextOr::Text(Text(Cow::Owned(lossy(bytes.to_vec())))))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = list.next_element()? {
                    items.push(item);
                }
                Ok(TextOr::List(items))
            }
        }
        // As for `Text`: a list answers to this call too.
        from.deserialize_bytes(Either(std::marker::PhantomData))
    }
}
