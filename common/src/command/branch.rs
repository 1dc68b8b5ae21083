//! The branch that a line goes to before it merges.

use super::arguments::is_one_of;
use super::given::{self, Given};
use super::rules::NO_MERGE;
use super::words::Word;

/// Branches that others share. A merge into one counts, even of the main branch.
const SHARED: &str =
    "main|master|trunk|prod|production|live|stable|staging|release|release/*|release-*";

/// Options that make a branch.
const NEW: &str = "-b|-B|-c|-C|--create|--force-create|--orphan";

/// The shared branch that the line is on, where it says so.
#[derive(Debug, Default)]
pub(super) struct Branch(Option<String>);

impl Branch {
    /// Whether the command merges another branch into the shared one. Where it goes to a branch, that one is the next.
    pub fn is_merged_into(&mut self, program: &str, words: &[Word]) -> bool {
        if given::family(program) != "git" {
            return false;
        }
        let given = Given::of(program, words);
        let others = match given.operands.as_slice() {
            ["checkout" | "switch", ..] if given.has(NEW) => {
                self.0 = None;
                return false;
            }
            // With more behind it, a file is taken out of the branch.
            ["checkout" | "switch", branch] => {
                self.0 = is_one_of(SHARED, branch).then(|| (*branch).to_owned());
                return false;
            }
            ["merge", branches @ ..] | ["pull", _, branches @ ..] => branches,
            _ => return false,
        };
        let Some(shared) = self.0.as_deref() else {
            return false;
        };
        let is_same = |branch: &&str| {
            let before = branch.strip_suffix(shared);
            before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        !others.iter().all(is_same) && !given.is_harmless(NO_MERGE)
    }
}
