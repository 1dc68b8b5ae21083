//! A token that goes on behind a line break, or was split like a string literal in code.

use super::shape;

/// What stands before `=` and is longer is a part of a token, not the name of a variable.
const NAME_MAX_BYTES: usize = 32;

/// Shorter pieces can't be told from words.
const PIECE_MIN_BYTES: usize = 5;

/// The end of the token that seems to end at `end`, with the pieces that continue it behind a line break, `" + "` or two backticks.
pub(super) fn extend(view: &str, end: usize) -> usize {
    let mut end = end;
    loop {
        let rest = view.get(end..).unwrap_or_default();
        let Some(piece) = joint(rest).and_then(|joint| {
            let after = rest.get(joint..)?;
            let len = after.bytes().take_while(|b| is_token_byte(*b)).count();
            let piece = after.get(..len)?.trim_end_matches('.');
            let next = after.get(piece.len()..)?.chars().next();
            continues(piece, next).then_some(joint + piece.len())
        }) else {
            return end;
        };
        end += piece;
    }
}

fn is_token_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"+/=_-.%~".contains(&b)
}

/// The length of what separates two pieces of one token.
fn joint(text: &str) -> Option<usize> {
    let blank = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
    if let Some(quote) = text.chars().next().filter(|c| "\"'`".contains(*c)) {
        let inner = text.get(1..)?.trim_start_matches(blank);
        let inner = inner.strip_prefix(['+', '.', '\\']).unwrap_or(inner);
        let piece = inner.trim_start_matches(blank).strip_prefix(quote)?;
        return Some(text.len() - piece.len());
    }
    let line = text.strip_prefix('\\').unwrap_or(text);
    let line = line.strip_prefix('\r').unwrap_or(line).strip_prefix('\n')?;
    let piece = line.trim_start_matches([' ', '\t', '>', '|', '+']);
    Some(text.len() - piece.len())
}

/// The rest of something random, and no word, name or assignment of the next line.
fn continues(piece: &str, next: Option<char>) -> bool {
    let assigned = piece
        .trim_end_matches('=')
        .split_once('=')
        .is_some_and(|(name, _)| name.len() <= NAME_MAX_BYTES);
    piece.len() >= PIECE_MIN_BYTES
        && !assigned
        && !next.is_some_and(|c| ":([{".contains(c))
        && !shape::is_wordy(piece)
        && !shape::is_camel(piece)
}
