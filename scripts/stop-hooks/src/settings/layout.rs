//! How a file lays its values out, so that what is put in looks like what is there.

use super::json::{Kind, Node};

/// The layout of the children of one object or array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    /// One child a line.
    Lines {
        /// `\n` or `\r\n`.
        newline: &'static str,
        /// The white space before a child.
        indent: String,
        /// The white space that one more level adds.
        unit: String,
    },
    /// All on one line.
    Inline {
        /// Between two children, after the comma.
        gap: String,
    },
}

impl Layout {
    /// The layout of the children of `node`, which stands in `text` under `root`.
    pub fn of(text: &str, root: &Node, node: &Node) -> Self {
        match first_child(node) {
            Some(start) => {
                let inside = text.get(node.span.start + 1..start).unwrap_or_default();
                match inside.rsplit_once('\n') {
                    Some((_, indent)) => Self::Lines {
                        newline: newline(text),
                        indent: indent.to_owned(),
                        unit: unit(text, root),
                    },
                    None => Self::Inline {
                        gap: gap(text, root, node),
                    },
                }
            }
            // An empty file or object says nothing about a taste in lines, unless all around it is on one line.
            None if node.span == root.span || is_multiline(text, root) => {
                let unit = unit(text, root);
                Self::Lines {
                    newline: newline(text),
                    indent: format!("{}{unit}", line_indent(text, node.span.start)),
                    unit,
                }
            }
            None => Self::Inline {
                gap: gap(text, root, root),
            },
        }
    }

    /// The layout one level further in.
    #[must_use]
    pub fn deeper(&self) -> Self {
        match self {
            Self::Lines {
                newline,
                indent,
                unit,
            } => Self::Lines {
                newline,
                indent: format!("{indent}{unit}"),
                unit: unit.clone(),
            },
            Self::Inline { gap } => Self::Inline { gap: gap.clone() },
        }
    }

    /// What stands between a comma or an opening bracket and a child.
    pub fn before_child(&self, first: bool) -> String {
        match self {
            Self::Lines {
                newline, indent, ..
            } => format!("{newline}{indent}"),
            Self::Inline { gap } if !first => gap.clone(),
            Self::Inline { .. } => String::new(),
        }
    }

    /// What stands between the last child and the closing bracket.
    pub fn before_close(&self) -> String {
        match self {
            Self::Lines {
                newline,
                indent,
                unit,
            } => format!(
                "{newline}{}",
                indent.strip_suffix(unit.as_str()).unwrap_or_default()
            ),
            Self::Inline { .. } => String::new(),
        }
    }

    /// What stands between a colon and a value.
    pub fn after_colon(&self) -> &str {
        match self {
            Self::Lines { .. } => " ",
            Self::Inline { gap } => gap,
        }
    }
}

fn first_child(node: &Node) -> Option<usize> {
    match &node.kind {
        Kind::Object(members) => members.first().map(|m| m.span.start),
        Kind::Array(items) => items.first().map(|i| i.span.start),
        Kind::Text(_) | Kind::Other => None,
    }
}

fn is_multiline(text: &str, node: &Node) -> bool {
    first_child(node)
        .and_then(|start| text.get(node.span.start..start))
        .is_some_and(|inside| inside.contains('\n'))
}

fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text.get(..at).is_some_and(|line| line.ends_with('\r')) => "\r\n",
        _ => "\n",
    }
}

/// One level of indentation: that of the root's first member; two spaces, as the client writes, when there is none.
fn unit(text: &str, root: &Node) -> String {
    first_child(root)
        .map(|start| line_indent(text, start))
        .filter(|indent| !indent.is_empty())
        .unwrap_or("  ")
        .to_owned()
}

/// The white space at the start of the line that holds byte `at`.
fn line_indent(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let trimmed = line.trim_start_matches([' ', '\t']);
    line.get(..line.len() - trimmed.len()).unwrap_or_default()
}

/// What stands after a comma of a one-line container; where it has none yet, after its colons or those of `root`.
fn gap(text: &str, root: &Node, node: &Node) -> String {
    let second = match &node.kind {
        Kind::Array(items) => items.get(1).map(|item| item.span.start),
        Kind::Object(members) => members.first().map(|m| m.value.span.start),
        Kind::Text(_) | Kind::Other => None,
    };
    let of_root = || Some(root.members()?.first()?.value.span.start);
    let spaced = second
        .or_else(of_root)
        .and_then(|start| text.get(..start))
        .is_some_and(|head| head.ends_with(' '));
    if spaced {
        " ".to_owned()
    } else {
        String::new()
    }
}
