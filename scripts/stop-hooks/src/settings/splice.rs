//! Puts hook entries into a settings text, changes them in place, and takes them out.
//!
//! Pure functions from text to text. Every byte that isn't part of one of our entries stays: numbers, repeated keys,
//! indentation, key order, byte order mark, line ends. Claude Code's settings.json and Codex's hooks.json have the same
//! shape here: `{"hooks":{EVENT:[{"matcher":…,"hooks":[{"type":"command","command":…,"timeout":…}]}]}}`.
//!
//! Each step edits one place and the text is read again for the next: files are small, and no span is ever stale.

use std::fmt;
use std::ops::Range;

use serde_json::Value;

use super::json::{self, Node};
use super::layout::Layout;

/// One hook entry that a settings file should hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// `Stop`, `SubagentStop` or `PreToolUse`.
    pub event: &'static str,
    /// Which tools, for `PreToolUse`.
    pub matcher: Option<&'static str>,
    /// The shell command line.
    pub command: String,
    /// Seconds after which the host gives up.
    pub timeout_s: u64,
}

/// A hook entry that a settings file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registered {
    /// The event it stands under.
    pub event: String,
    /// The shell command line.
    pub command: String,
    /// Its timeout, as it stands there.
    pub timeout: Option<String>,
}

/// Why a text can't be edited. It is left alone then.
#[derive(Debug)]
pub enum Error {
    /// Not JSON by the client's strict rules, or too deep.
    Json(json::Error),
    /// A value on the way to the entries has another type than the client knows.
    Shape {
        /// The keys that lead to it; empty for the whole text.
        path: String,
        /// What it has to be.
        expected: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(e) => e.fmt(f),
            Self::Shape { path, expected } if path.is_empty() => {
                write!(f, "its value is not {expected}")
            }
            Self::Shape { path, expected } => write!(f, "\"{path}\" is not {expected}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Json(e) => Some(e),
            Self::Shape { .. } => None,
        }
    }
}

/// All command entries of a text, in its order. Of repeated keys only the last counts, as for the client.
///
/// # Errors
/// When the text is not JSON of the expected shape.
pub fn registered(text: &str) -> Result<Vec<Registered>, Error> {
    let root = read(text)?;
    let Some(hooks) = hooks_of(&root)? else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    for member in hooks.members().unwrap_or_default() {
        if hooks.get(&member.key).map(|last| &last.span) != Some(&member.value.span) {
            continue;
        }
        for hook in entries(&member.value) {
            let Some(command) = hook.get("command").and_then(Node::text) else {
                continue;
            };
            let timeout = hook
                .get("timeout")
                .and_then(|node| text.get(node.span.clone()));
            all.push(Registered {
                event: member.key.clone(),
                command: command.to_owned(),
                timeout: timeout.map(str::to_owned),
            });
        }
    }
    Ok(all)
}

/// The text with `entry` at the end of its event.
///
/// # Errors
/// When the text is not JSON of the expected shape.
pub fn append(text: &str, entry: &Entry) -> Result<String, Error> {
    let text = if is_blank(text) {
        format!("{text}{{}}\n")
    } else {
        text.to_owned()
    };
    let root = read(&text)?;
    let Some(hooks) = hooks_of(&root)? else {
        return Ok(insert(&text, &root, &root, |layout| {
            let inner = layout.deeper();
            let event = member(entry.event, &inner, &list(entry, &inner));
            let hooks = bracketed('{', &event, '}', &inner);
            member("hooks", layout, &hooks)
        }));
    };
    let Some(event) = hooks.get(entry.event) else {
        return Ok(insert(&text, &root, hooks, |layout| {
            member(entry.event, layout, &list(entry, layout))
        }));
    };
    if event.items().is_none() {
        return Err(Error::Shape {
            path: format!("hooks.{}", entry.event),
            expected: "a list",
        });
    }
    Ok(insert(&text, &root, event, |_| render(entry)))
}

/// The text with every command `old` under the entry's event replaced by `entry`, other keys of it kept.
///
/// # Errors
/// When the text is not JSON of the expected shape.
pub fn replace(text: &str, old: &str, entry: &Entry) -> Result<String, Error> {
    let root = read(text)?;
    let mut edits = Vec::new();
    let event = hooks_of(&root)?.and_then(|hooks| hooks.get(entry.event));
    for hook in event.into_iter().flat_map(entries) {
        let Some(command) = hook.get("command").filter(|c| c.text() == Some(old)) else {
            continue;
        };
        if entry.command != old {
            edits.push((command.span.clone(), quoted(&entry.command)));
        }
        let seconds = entry.timeout_s.to_string();
        if let Some(timeout) = hook.get("timeout") {
            edits.push((timeout.span.clone(), seconds));
        } else {
            let end = command.span.end;
            edits.push((end..end, format!(", \"timeout\": {seconds}")));
        }
    }
    let mut out = text.to_owned();
    edits.sort_by_key(|(span, _)| (span.start, span.end));
    for (span, new) in edits.into_iter().rev() {
        out.replace_range(span, &new);
    }
    Ok(out)
}

/// The text without the entries whose event and command `unwanted` picks. What becomes empty by that goes too.
///
/// # Errors
/// When the text is not JSON of the expected shape.
pub fn remove(text: &str, unwanted: impl Fn(&str, &str) -> bool) -> Result<String, Error> {
    let mut text = text.to_owned();
    if is_blank(&text) {
        return Ok(text);
    }
    loop {
        let root = read(&text)?;
        let cut = hooks_of(&root)?.and_then(|hooks| first_cut(&root, hooks, &unwanted));
        match cut {
            Some(span) => text.replace_range(span, ""),
            None => return Ok(text),
        }
    }
}

/// The bytes to cut for the first unwanted entry: the largest list item or member that holds nothing else.
fn first_cut(
    root: &Node,
    hooks: &Node,
    unwanted: &impl Fn(&str, &str) -> bool,
) -> Option<Range<usize>> {
    for member in hooks.members()? {
        let event = hooks.get(&member.key)?;
        let groups = event.items().unwrap_or_default();
        for (at, group) in groups.iter().enumerate() {
            let list = group.get("hooks");
            let entries = list.and_then(Node::items).unwrap_or_default();
            let is_unwanted = |entry: &Node| {
                let command = entry.get("command").and_then(Node::text);
                command.is_some_and(|command| unwanted(&member.key, command))
            };
            let Some(nth) = entries.iter().position(is_unwanted) else {
                continue;
            };
            if entries.len() > 1 {
                return Some(cut(list?, &spans(entries), nth));
            }
            if groups.len() > 1 || !can_go(hooks, &member.key) {
                return Some(cut(event, &spans(groups), at));
            }
            if hooks.members()?.len() > 1 || !can_go(root, "hooks") {
                return cut_member(hooks, &member.key);
            }
            return cut_member(root, "hooks");
        }
    }
    None
}

/// Whether a member can go: where its key is repeated, the one before it would count from then on.
fn can_go(object: &Node, key: &str) -> bool {
    let members = object.members().unwrap_or_default();
    members.iter().filter(|m| m.key == key).count() == 1
}

fn cut_member(object: &Node, key: &str) -> Option<Range<usize>> {
    let members = object.members()?;
    let at = members.iter().position(|m| m.key == key)?;
    let spans: Vec<_> = members.iter().map(|m| m.span.clone()).collect();
    Some(cut(object, &spans, at))
}

/// What two texts have in common that differ only in layout and in empty places for hooks.
///
/// Whether `"hooks"` or `"Stop"` stood there, empty, before ours came can't be seen from what is left after them.
///
/// # Errors
/// When the text is not JSON of the expected shape.
pub fn essence(text: &str) -> Result<String, Error> {
    let is_empty = |list: &Node| list.items().is_some_and(<[Node]>::is_empty);
    let bare = |object: &Node| {
        object
            .members()
            .is_some_and(|all| all.iter().all(|m| is_empty(&m.value)))
    };
    let root = read(text)?;
    let mut out = String::new();
    for top in root.members().unwrap_or_default() {
        if top.key != "hooks" {
            out.push_str(&json::minified(text, top));
        } else if !bare(&top.value) {
            for event in top.value.members().unwrap_or_default() {
                if !is_empty(&event.value) {
                    out.push_str(&json::minified(text, event));
                }
            }
            out.push('\n');
        }
    }
    Ok(out)
}

fn spans(nodes: &[Node]) -> Vec<Range<usize>> {
    nodes.iter().map(|node| node.span.clone()).collect()
}

/// The bytes to cut so that child `at` of `container` goes with one comma and the white space that came with it.
fn cut(container: &Node, children: &[Range<usize>], at: usize) -> Range<usize> {
    let child = |at: usize| children.get(at).cloned();
    let own = child(at).unwrap_or_default();
    match (at.checked_sub(1).and_then(child), child(at + 1)) {
        (Some(previous), _) => previous.end..own.end,
        (None, Some(next)) => own.start..next.start,
        (None, None) => container.span.start + 1..container.span.end - 1,
    }
}

fn read(text: &str) -> Result<Node, Error> {
    let root = if is_blank(text) {
        json::parse("{}")
    } else {
        json::parse(text)
    }
    .map_err(Error::Json)?;
    match root.members() {
        Some(_) => Ok(root),
        None => Err(Error::Shape {
            path: String::new(),
            expected: "an object",
        }),
    }
}

fn hooks_of(root: &Node) -> Result<Option<&Node>, Error> {
    match root.get("hooks") {
        Some(hooks) if hooks.members().is_none() => Err(Error::Shape {
            path: "hooks".to_owned(),
            expected: "an object",
        }),
        hooks => Ok(hooks),
    }
}

/// The hooks under an event, whatever entry they stand in.
fn entries(event: &Node) -> impl Iterator<Item = &Node> {
    let groups = event.items().unwrap_or_default().iter();
    groups.flat_map(|group| group.get("hooks").and_then(Node::items).unwrap_or_default())
}

/// Whether there is nothing in the text, which stands for an empty object.
pub fn is_blank(text: &str) -> bool {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    bare.trim_ascii().is_empty()
}

/// The text with one more child at the end of `container`.
fn insert(text: &str, root: &Node, container: &Node, child: impl Fn(&Layout) -> String) -> String {
    let layout = Layout::of(text, root, container);
    let last = match &container.kind {
        json::Kind::Object(members) => members.last().map(|m| m.span.end),
        json::Kind::Array(items) => items.last().map(|i| i.span.end),
        json::Kind::Text(_) | json::Kind::Other => None,
    };
    let (span, new) = match last {
        Some(end) => (
            end..end,
            format!(",{}{}", layout.before_child(false), child(&layout)),
        ),
        None => (
            container.span.start + 1..container.span.end - 1,
            format!(
                "{}{}{}",
                layout.before_child(true),
                child(&layout),
                layout.before_close()
            ),
        ),
    };
    let mut out = text.to_owned();
    out.replace_range(span, &new);
    out
}

/// A list with `entry` alone, as the value of a member that is laid out by `layout`.
fn list(entry: &Entry, layout: &Layout) -> String {
    bracketed('[', &render(entry), ']', &layout.deeper())
}

fn bracketed(open: char, only_child: &str, close: char, layout: &Layout) -> String {
    format!(
        "{open}{}{only_child}{}{close}",
        layout.before_child(true),
        layout.before_close()
    )
}

fn member(key: &str, layout: &Layout, value: &str) -> String {
    format!("{}:{}{value}", quoted(key), layout.after_colon())
}

/// The minimal shape, on one line: one key too many that some later client doesn't know, and it drops the whole file.
fn render(entry: &Entry) -> String {
    let matcher = entry
        .matcher
        .map(|m| format!("\"matcher\":{},", quoted(m)))
        .unwrap_or_default();
    format!(
        "{{{matcher}\"hooks\":[{{\"type\":\"command\",\"command\":{},\"timeout\":{}}}]}}",
        quoted(&entry.command),
        entry.timeout_s
    )
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(command: &str) -> Entry {
        Entry {
            event: "Stop",
            matcher: None,
            command: command.to_owned(),
            timeout_s: 30,
        }
    }

    const E: &str = r#"{"hooks":[{"type":"command","command":"/h/a","timeout":30}]}"#;
    const F: &str = r#"{"hooks":[{"type":"command","command":"/h/b","timeout":30}]}"#;

    /// Puts two entries in, compares, and takes them out again.
    #[track_caller]
    fn check(before: &str, expected: &str) {
        let with = append(&append(before, &entry("/h/a")).unwrap(), &entry("/h/b")).unwrap();
        let expected = expected.replace("$E", E).replace("$F", F);
        assert_eq!(with, expected);
        let without = remove(&with, |_, c| c.starts_with("/h/")).unwrap();
        assert_eq!(essence(&without).unwrap(), essence(before).unwrap());
        assert!(!without.contains("/h/") && without.len() <= before.len());
    }

    #[test]
    fn entries_look_like_what_is_there() {
        check(
            "{\n  \"a\": 1\n}\n",
            "{\n  \"a\": 1,\n  \"hooks\": {\n    \"Stop\": [\n      $E,\n      $F\n    ]\n  }\n}\n",
        );
        check(
            "{\r\n\t\"hooks\": {\r\n\t\t\"Stop\": []\r\n\t}\r\n}",
            "{\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [\r\n\t\t\t$E,\r\n\t\t\t$F\r\n\t\t]\r\n\t}\r\n}",
        );
        check(
            r#"{"a":1,"hooks":{"Stop":[]}}"#,
            r#"{"a":1,"hooks":{"Stop":[$E,$F]}}"#,
        );
        check(
            r#"{"a": 1, "b": 2}"#,
            r#"{"a": 1, "b": 2, "hooks": {"Stop": [$E, $F]}}"#,
        );
        check(
            "\u{feff}{\n    \"hooks\": {\n        \"Stop\": [\n            {\"hooks\": []}\n        ],\n        \"x\": 1e3\n    },\n    \"hooks2\": 0.10\n}",
            "\u{feff}{\n    \"hooks\": {\n        \"Stop\": [\n            {\"hooks\": []},\n            $E,\n            $F\n        ],\n        \"x\": 1e3\n    },\n    \"hooks2\": 0.10\n}",
        );
        check(
            r#"{"hooks":{"Stop":[]},"hooks":{"Stop":1,"Stop":[]}}"#,
            r#"{"hooks":{"Stop":[]},"hooks":{"Stop":1,"Stop":[$E,$F]}}"#,
        );
        check(
            "{}",
            "{\n  \"hooks\": {\n    \"Stop\": [\n      $E,\n      $F\n    ]\n  }\n}",
        );
    }

    #[test]
    fn a_change_keeps_the_other_keys_of_an_entry() {
        let text = r#"{"hooks":{"Stop":[{"hooks":[{"statusMessage":"…","command":"/h/a","type":"command"},{"type":"command","command":"/h/b","timeout":5}]}]}}"#;
        let mut new = entry("/h/a --mode warn");
        new.timeout_s = 45;
        assert_eq!(
            replace(text, "/h/a", &new).unwrap(),
            text.replace(r#""/h/a""#, r#""/h/a --mode warn", "timeout": 45"#)
        );
        let mut new = entry("/h/\"b\"");
        new.timeout_s = 45;
        assert_eq!(
            replace(text, "/h/b", &new).unwrap(),
            text.replace(r#""/h/b","timeout":5"#, r#""/h/\"b\"","timeout":45"#)
        );
    }

    #[test]
    fn other_hooks_of_a_shared_entry_stay() {
        let text = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"/h/a"},{"type":"command","command":"mine"}]}]}}"#;
        assert_eq!(
            remove(text, |_, c| c == "/h/a").unwrap(),
            r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}]}]}}"#
        );
    }

    #[test]
    fn what_is_put_in_goes_byte_for_byte() {
        #[track_caller]
        fn check(before: &str) {
            let with = append(&append(before, &entry("/h/a")).unwrap(), &entry("/h/b")).unwrap();
            assert_eq!(remove(&with, |_, c| c.starts_with("/h/")).unwrap(), before);
        }
        check("{}");
        check("{\n  \"a\": 1\n}\n");
        check("{\r\n\t\"hooks\": {\r\n\t\t\"x\": 1e3\r\n\t}\r\n}");
        check(r#"{"hooks": {"Stop": [{"hooks": [ ]} ]}}"#);
        check(r#"{"hooks":{"Stop":[]},"hooks":{"Stop":1,"Stop":[]}}"#);
        check(r#"{"hooks":{"Stop":[1]},"hooks":{}}"#);
    }

    #[test]
    fn only_layout_and_empty_places_are_no_difference() {
        let text = essence(r#"{"a":[1.0,{"b":"x y"}],"hooks":{"Stop":[]}}"#).unwrap();
        assert_eq!(
            text,
            essence("{ \"a\": [ 1.0, {\n\"b\":\"x y\"} ] }").unwrap()
        );
        for other in [
            r#"{"a":[1,{"b":"x y"}]}"#,
            r#"{"a":[1.0,{"b":"xy"}]}"#,
            r#"{"a":[1.0,{"b":"x y"}],"hooks":{"Stop":[{}]}}"#,
            r#"{"a":[1.0,{"b":"x y"}],"Stop":[]}"#,
        ] {
            assert_ne!(text, essence(other).unwrap(), "{other}");
        }
    }

    #[test]
    fn a_text_of_another_shape_is_refused() {
        for (text, expected) in [
            ("[]", "its value is not an object"),
            (r#"{"hooks":[]}"#, "\"hooks\" is not an object"),
            (r#"{"hooks":{"Stop":{}}}"#, "\"hooks.Stop\" is not a list"),
            (
                "{\"a\":1,}",
                "not valid JSON: key must be a string at line 1 column 8",
            ),
        ] {
            let error = append(text, &entry("/h/a")).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }
}
