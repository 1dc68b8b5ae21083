//! What the assistant did in a turn, as opposed to what it said.

/// The tool calls of a turn. The default knows of none, which isn't the same as there being none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Activity {
    known: bool,
}

impl Activity {
    /// Whether a transcript told what was done.
    pub fn is_known(&self) -> bool {
        self.known
    }
}
