//! What the rules look at instead of the text itself.
//!
//! A token with a zero-width space in it is still a token, and so is one inside JSON, a URL or HTML. Both views know
//! which bytes of the text each of their characters stands for; the text itself is only changed where a secret was found.

use crate::fold;
use crate::traced::Traced;

/// The text without what takes no room: invisible characters, control characters, terminal sequences.
pub(super) fn visible(text: &str) -> Traced {
    let mut view = Traced::of_len(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let at = text.len() - rest.len();
        let skipped = terminal_sequence(rest);
        rest = rest.get(skipped.max(c.len_utf8())..).unwrap_or_default();
        if skipped == 0 && !is_hidden(c) {
            view.push(c, at);
        }
    }
    view
}

/// [`visible`] with JSON, percent and HTML escapes undone; `None` when there are none.
pub(super) fn decoded(text: &str) -> Option<Traced> {
    if !text.contains(['\\', '%', '&']) {
        return None;
    }
    let mut view = Traced::of_len(text.len());
    let mut found = false;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let at = text.len() - rest.len();
        let skipped = terminal_sequence(rest);
        if skipped > 0 {
            rest = rest.get(skipped..).unwrap_or_default();
            continue;
        }
        let escape = match c {
            '\\' => json_escape(rest),
            '%' => percent_escape(rest),
            '&' => fold::entity(rest),
            _ => None,
        };
        found |= escape.is_some();
        let (c, len) = escape.unwrap_or((c, c.len_utf8()));
        rest = rest.get(len..).unwrap_or_default();
        if !is_hidden(c) {
            view.push(c, at);
        }
    }
    found.then_some(view)
}

/// Not seen on a screen, and not a line break or tab either.
pub(crate) fn is_hidden(c: char) -> bool {
    fold::is_invisible(c) || (c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{85}'))
}

/// The length of the ANSI escape sequence that `text` begins with; 0 when it begins with none.
pub(crate) fn terminal_sequence(text: &str) -> usize {
    let parts = match text.strip_prefix('\u{9b}') {
        Some(body) => Some(('[', body)),
        None => text.strip_prefix('\u{1b}').and_then(|rest| {
            let introducer = rest.chars().next()?;
            Some((introducer, rest.get(introducer.len_utf8()..)?))
        }),
    };
    let Some((introducer, body)) = parts else {
        return 0;
    };
    let before_body = text.len() - body.len();
    match introducer {
        '[' => {
            let end = body.find(|c: char| !matches!(c, ' '..='?'));
            match end.and_then(|e| body.get(e..)?.chars().next().map(|c| (e, c))) {
                Some((e, last @ '@'..='~')) => before_body + e + last.len_utf8(),
                _ => before_body,
            }
        }
        // A title or link ends with BEL or ST; an unfinished one hides nothing.
        ']' | 'P' | '_' | '^' | 'X' => match body.find(['\u{7}', '\u{1b}', '\n']) {
            Some(end) if body.get(end..).is_some_and(|b| b.starts_with('\u{7}')) => {
                before_body + end + 1
            }
            Some(end) if body.get(end..).is_some_and(|b| b.starts_with("\u{1b}\\")) => {
                before_body + end + 2
            }
            _ => before_body,
        },
        ' '..='~' => before_body,
        _ => 1,
    }
}

/// `\n`, `\"`, `\/`, `\u0041` behind any number of backslashes: JSON within JSON doubles them.
fn json_escape(text: &str) -> Option<(char, usize)> {
    const DEEPEST: usize = 16;
    let before = text
        .bytes()
        .take(DEEPEST)
        .take_while(|b| *b == b'\\')
        .count();
    let body = text.get(before..)?;
    let escaped = body.chars().next()?;
    let c = match escaped {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        '"' | '\'' | '/' | '`' => escaped,
        'u' => {
            let code = u32::from_str_radix(body.get(1..5)?, 16).ok()?;
            return Some((char::from_u32(code)?, before + 5));
        }
        _ => return None,
    };
    Some((c, before + escaped.len_utf8()))
}

fn percent_escape(text: &str) -> Option<(char, usize)> {
    let code = u8::from_str_radix(text.get(1..3)?, 16).ok()?;
    let c = char::from(code);
    (c.is_ascii_graphic() || c == ' ' || c == '\n').then_some((c, 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_no_room_is_skipped() {
        let text = "a\u{200b}b\u{1b}[31mc\u{1b}]8;;x\u{7}d\u{0}e\nf";
        assert_eq!(visible(text).as_str(), "abcde\nf");
        assert_eq!(visible(text).origin(2), text.find('c').unwrap());
    }

    #[test]
    fn a_sequence_ends_where_a_terminal_ends_it() {
        for (text, len) in [
            ("\u{1b}[31mred", 5),
            ("\u{9b}31mred", 5),
            ("\u{1b}[999", 2), // without its end it hides nothing
            ("\u{1b}[12é", 2),
            ("\u{1b}]0;title\u{7}x", 10),
            ("\u{1b}]8;;u\u{1b}\\x", 8),
            ("\u{1b}]0;title", 2),
            ("\u{1b}cx", 2),
            ("\u{1b}é", 1),
            ("\u{1b}", 0),
            ("x", 0),
        ] {
            assert_eq!(terminal_sequence(text), len, "{text:?}");
        }
    }

    #[test]
    fn escapes_are_undone_at_any_depth() {
        let text = r#"{\"a\":\"x\\\/y\\n\u003d%2Fz&#61;&amp;"#;
        assert_eq!(decoded(text).unwrap().as_str(), "{\"a\":\"x/y\n=/z=&");
        assert_eq!(decoded(r"C:\dir 100% a & b"), None);
        assert_eq!(decoded("plain"), None);
    }
}
