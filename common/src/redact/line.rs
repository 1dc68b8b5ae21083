//! Text of others on one line: reasons, error messages.

use super::{Redacted, redact, view};

/// Read beyond a cut, so that a secret across it is seen whole.
const MARGIN_BYTES: usize = 8192;

/// A reason or an error message as it may stand in the log and before the agent: one line, redacted before it is cut at
/// `max_bytes`. Control characters and what else is not seen go; terminal sequences go whole.
pub fn clean_line(text: &str, max_bytes: usize) -> Redacted {
    let mut words = String::new();
    let mut rest = text;
    while words.len() < max_bytes.saturating_add(MARGIN_BYTES) {
        let Some(c) = rest.chars().next() else { break };
        let sequence = view::terminal_sequence(rest);
        rest = rest.get(sequence.max(c.len_utf8())..).unwrap_or_default();
        if sequence > 0 || view::is_hidden(c) {
            continue;
        }
        if !c.is_whitespace() {
            words.push(c);
        } else if !words.ends_with(' ') {
            words.push(' ');
        }
    }
    redact(words.trim()).head(max_bytes)
}
