//! What a tool is called with, and what that tells of a tool that we don't know by name.
//!
//! Editors come by many names: every MCP server has its own. A tool changes files as far as its name says so, in a word
//! like `write` or `patch`, and if it is given a path. What a tool really does isn't looked into; one that edits under
//! another name is told by its name alone.

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess};

use super::line::{Loose, Take, Text, take};
use crate::activity::What;

/// The arguments that anything is told by. Any tool may call anything by these names.
#[derive(Debug, Default)]
pub struct Given<'a> {
    /// A command line, or the words of one.
    pub command: Vec<Cow<'a, str>>,
    pub pattern: Option<Cow<'a, str>>,
    pub description: Option<Cow<'a, str>>,
    /// Codex: a command line.
    pub cmd: Option<Cow<'a, str>>,
    /// Codex: a patch.
    pub input: Option<Cow<'a, str>>,
    /// Codex: what is typed into a running command.
    pub chars: Option<Cow<'a, str>>,
    /// The name of a command that was left running.
    pub task: Option<String>,
    /// Where a tool does several things: which.
    operation: Option<Cow<'a, str>>,
    /// What is named as a file.
    pub paths: Vec<Cow<'a, str>>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Given<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        take(from)
    }
}

impl<'de: 'a, 'a> Take<'de> for Given<'a> {
    fn object<A: MapAccess<'de>>(mut object: A) -> Result<Self, A::Error> {
        let mut given = Self::default();
        while let Some(key) = object.next_key::<Text<'de>>()? {
            let field = match key.as_str() {
                "command" => {
                    given.command = object.next_value::<Strings<'de>>()?.0;
                    continue;
                }
                "pattern" => &mut given.pattern,
                "description" => &mut given.description,
                "cmd" => &mut given.cmd,
                "input" => &mut given.input,
                "chars" => &mut given.chars,
                "operation" | "action" => &mut given.operation,
                "task_id" | "bash_id" | "shell_id" | "session_id" | "agentId" => {
                    given.task = object.next_value::<Name>()?.0;
                    continue;
                }
                key if is_path(key) => {
                    given
                        .paths
                        .append(&mut object.next_value::<Strings<'de>>()?.0);
                    continue;
                }
                _ => {
                    object.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *field = object.next_value::<Loose<'de>>()?.0;
        }
        given.paths.retain(|path| !path.trim().is_empty());
        given.paths = given.paths.into_iter().filter_map(on_disk).collect();
        Ok(given)
    }
}

/// A string or a number.
#[derive(Default)]
struct Name(Option<String>);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        take(from)
    }
}

impl<'de> Take<'de> for Name {
    fn text(text: Cow<'de, str>) -> Self {
        Self(Some(text.into_owned()))
    }

    fn number(number: u64) -> Self {
        Self(Some(number.to_string()))
    }
}

/// A string, or those of a list; of an object in a list what it names as files.
#[derive(Default)]
pub struct Strings<'a>(pub Vec<Cow<'a, str>>);

impl<'de: 'a, 'a> Deserialize<'de> for Strings<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        take(from)
    }
}

impl<'de: 'a, 'a> Take<'de> for Strings<'a> {
    fn text(text: Cow<'de, str>) -> Self {
        Self(vec![text])
    }

    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut all = Vec::new();
        while let Some(Item(strings)) = list.next_element()? {
            all.extend(strings);
        }
        Ok(Self(all))
    }
}

/// One of a list.
#[derive(Default)]
struct Item<'a>(Vec<Cow<'a, str>>);

impl<'de: 'a, 'a> Deserialize<'de> for Item<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        take(from)
    }
}

impl<'de: 'a, 'a> Take<'de> for Item<'a> {
    fn text(text: Cow<'de, str>) -> Self {
        Self(vec![text])
    }

    fn object<A: MapAccess<'de>>(object: A) -> Result<Self, A::Error> {
        Ok(Self(Given::object(object)?.paths))
    }
}

/// The path that an URI names; `None` where it lies elsewhere.
fn on_disk(path: Cow<'_, str>) -> Option<Cow<'_, str>> {
    match path.split_once("://") {
        Some(("file", rest)) => Some(rest.to_owned().into()),
        Some((scheme, _)) if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) => None,
        _ => Some(path),
    }
}

/// Whether an argument of this name is a file: `path`, `file_path`, `relativePath`, `filename`, `files`, `uri`.
fn is_path(key: &str) -> bool {
    const LAST: &str =
        "file|files|filename|filenames|filepath|pathname|destination|notebook|uri|uris";
    let words = words(key);
    words
        .iter()
        .any(|word| matches!(word.as_str(), "path" | "paths"))
        || words.last().is_some_and(|last| is_one_of(LAST, last))
}

/// Words by which a tool says that it changes what it is given.
const EDITS: &str = "write|edit|multiedit|patch|create|replace|overwrite|insert|append|prepend|update|modify|rewrite|\
    delete|remove|rename|move|save|apply|undo|refactor|change|put|format|reformat|organize";

/// What a tool that sets something may set of a file: `set_file_contents`, and not `set_active_file`.
const IN_FILES: &str = "content|contents|text|line|lines";

/// Verbs of tools that only look, whatever stands behind them.
const LOOKS: &str = "read|list|get|view|show|fetch|find|search|describe|inspect|check|validate|preview|count|watch|\
    diff|compare|open|stat|tree|grep|glob|lookup|query|explain|analyze|analyse|lint|is|has|status|git";

/// Things other than files that are created and changed, and have a path.
const NO_FILES: &str = "directory|directories|dir|folder|folders|branch|tag|commit|worktree|issue|pull|release|table|\
    row|rows|record|index|session|memory";

impl Given<'_> {
    /// What the tool `name`, which isn't the host's own, is called for.
    pub fn unknown(self, name: &str) -> What {
        if is_edit(name, &self) {
            What::Edit(self.paths.into_iter().map(Cow::into_owned).collect())
        } else {
            What::other(name)
        }
    }
}

/// Whether the tool `name`, called with `given`, changes files.
fn is_edit(name: &str, given: &Given<'_>) -> bool {
    // What stands before is the server's name.
    let tool = name.rsplit(['.', '/', ':']).next().unwrap_or(name);
    let tool = tool.rsplit("__").next().unwrap_or(tool);
    let tool = words(tool);
    let operation = match (&given.operation, given.command.as_slice()) {
        (Some(operation), _) => words(operation),
        (None, [command]) if !command.trim().contains(char::is_whitespace) => words(command),
        _ => Vec::new(),
    };
    let looks = |words: &[String]| {
        words.first().is_some_and(|first| is_one_of(LOOKS, first))
            && !words.iter().any(|word| word == "replace")
    };
    let any = |of: &str| {
        tool.iter()
            .chain(&operation)
            .any(|word| is_one_of(of, word))
    };
    let sets = any("set") && any(IN_FILES);
    !given.paths.is_empty()
        && (any(EDITS) || sets)
        && !any(NO_FILES)
        && !looks(&tool)
        && !looks(&operation)
}

/// The words of a name, in lower case: `write_file`, `write-file`, `writeFile`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || after_small && c.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        after_small = c.is_lowercase() || c.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

fn is_one_of(list: &str, word: &str) -> bool {
    list.split('|').any(|one| one == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, given: &str, files: &[&str]) {
        let given: Given<'_> = serde_json::from_str(given).unwrap();
        let found: &[_] = if is_edit(name, &given) {
            &given.paths
        } else {
            &[]
        };
        assert_eq!(found, files, "{name}");
    }

    #[test]
    fn tools_that_change_files() {
        for (name, given) in [
            (
                "mcp__fs__write_file",
                r#"{"path":"a.rs","content":"fn main() {}"}"#,
            ),
            (
                "mcp__filesystem__edit_file",
                r#"{"path":"a.rs","edits":[{"oldText":"a","newText":"b"}],"dryRun":false}"#,
            ),
            ("write_file", r#"{"path":"a.rs","content":""}"#),
            ("fs.write_file", r#"{"path":"a.rs"}"#),
            (
                "mcp__serena__replace_symbol_body",
                r#"{"relative_path":"a.rs","body":"x"}"#,
            ),
            (
                "mcp__serena__insert_after_symbol",
                r#"{"body":"x","relative_path":"a.rs"}"#,
            ),
            (
                "mcp__jetbrains__create_new_file",
                r#"{"pathInProject":"a.rs","text":""}"#,
            ),
            ("search_replace", r#"{"file_path":"a.rs"}"#),
            ("insertEditIntoFile", r#"{"filePath":"a.rs"}"#),
            (
                "str_replace_based_edit_tool",
                r#"{"command":"create","path":"a.rs","file_text":"x"}"#,
            ),
            (
                "mcp__disk__file",
                r#"{"operation":"write","filename":"a.rs"}"#,
            ),
            ("mcp__desk-top__delete-file", r#"{"path":"a.rs"}"#),
            (
                "mcp__ide__applyEdit",
                r#"{"uri":"file://a.rs","edit":{"changes":[]}}"#,
            ),
            ("mcp__lsp__rename", r#"{"targetUri":"a.rs"}"#),
            (
                "mcp__x__set_file_contents",
                r#"{"path":"a.rs","contents":"x"}"#,
            ),
            ("mcp__x__setText", r#"{"uri":"file://a.rs","text":"x"}"#),
            ("mcp__x__put", r#"{"path":"a.rs"}"#),
            ("mcp__ide__format_file", r#"{"path":"a.rs"}"#),
            ("mcp__git-read-only__patch", r#"{"file":"a.rs"}"#),
        ] {
            check(name, given, &["a.rs"]);
        }
        check(
            "mcp__x__write_files",
            r#"{"files":[{"path":"a.rs","content":""},"b.rs",7,[1],{"file":"c.rs"}]}"#,
            &["a.rs", "b.rs", "c.rs"],
        );
    }

    #[test]
    fn tools_that_do_not() {
        for (name, given) in [
            ("mcp__fs__read_file", r#"{"path":"a.rs"}"#),
            ("mcp__fs__list_directory", r#"{"path":"a"}"#),
            ("mcp__fs__search_files", r#"{"path":"a","pattern":"edit"}"#),
            ("mcp__fs__get_file_info", r#"{"path":"a"}"#),
            ("mcp__fs__get_file_contents", r#"{"path":"a"}"#),
            ("mcp__ide__set_active_file", r#"{"path":"a"}"#),
            ("mcp__ide__set_breakpoint", r#"{"path":"a","at":3}"#),
            ("mcp__web__save", r#"{"uri":"https://example.com/a"}"#),
            ("mcp__lsp__hover", r#"{"uri":"file:///a.rs"}"#),
            ("mcp__fs__create_directory", r#"{"path":"a"}"#),
            ("mcp__write_edit__read_file", r#"{"path":"a.rs"}"#),
            (
                "mcp__git__git_create_branch",
                r#"{"repo_path":".","branch_name":"b"}"#,
            ),
            (
                "str_replace_based_edit_tool",
                r#"{"command":"view","path":"a.rs"}"#,
            ),
            ("mcp__gh__push_files", r#"{"files":[{"path":"a.rs"}]}"#),
            ("mcp__gh__create_issue", r#"{"title":"a","body":"path"}"#),
            ("mcp__memory__write_note", r#"{"name":"a","content":"x"}"#),
            (
                "TodoWrite",
                r#"{"todos":[{"content":"x","status":"pending"}]}"#,
            ),
            ("update_plan", r#"{"plan":[]}"#),
            ("view_image", r#"{"path":"a.png"}"#),
            ("LSP", r#"{"operation":"goToDefinition","filePath":"a.rs"}"#),
            ("mcp__fs__write_file", r#"{"path":"","content":"x"}"#),
            ("mcp__fs__write_file", r#""a.rs""#),
            ("mcp__fs__write_file", "[]"),
        ] {
            check(name, given, &[]);
        }
    }
}
