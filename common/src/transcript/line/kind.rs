//! What the first bytes of a line tell, without parsing it.

use super::find;

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
                            b"McpToolCall",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_top_level_tells() {
        let rows = [
            (r#"{"type":"user","message":{}}"#, Kind::Claude),
            (
                r#"{"parentUuid":"a","isSidechain":false,"message":{"type":"system"}}"#,
                Kind::Claude,
            ),
            (r#"{"type":"system","data":{"type":"user"}}"#, Kind::Nothing),
            (
                r#"{"snapshot":{"type":"user"},"type":"file-history-snapshot"}"#,
                Kind::Nothing,
            ),
            (r#"{"a":"\"type\":\"user\"","type":"mode"}"#, Kind::Nothing),
            (r#"{"a":["{",{"type":"user"}],"type":"user"}"#, Kind::Claude),
            (
                r#"{"attachment":{"type":"queued_command"},"type":"attachment"}"#,
                Kind::Claude,
            ),
            (
                r#"{"attachment":{"type":"file","x":{"type":"queued_command"}}}"#,
                Kind::Nothing,
            ),
            (
                r#"{"type":"event_msg","payload":{"type":"token_count"}}"#,
                Kind::Nothing,
            ),
            (
                r#"{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"AgentMessage"}}}"#,
                Kind::Codex,
            ),
            (
                r#"{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"Reasoning"}}}"#,
                Kind::Nothing,
            ),
            (
                r#"{"type":"response_item","payload":{"type":"reasoning"}}"#,
                Kind::Nothing,
            ),
            (
                r#"{"type":"response_item","payload":{"type":"message"}}"#,
                Kind::Codex,
            ),
            (r#"{"type":"message","role":"user"}"#, Kind::Codex),
            (r#"{ "type" : "user" }"#, Kind::Claude),
            (r#"{"a":1}"#, Kind::Unknown),
            (r#"["type","user"]"#, Kind::Unknown),
            ("{\"type", Kind::Unknown),
            ("", Kind::Unknown),
        ];
        for (line, kind) in rows {
            assert_eq!(Kind::of(line.as_bytes()), kind, "{line}");
        }
    }
}
