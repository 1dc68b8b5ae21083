//! The five hooks, as data.

use common::Hook;

#[path = "../bugfix-without-reproduction/hook.rs"]
mod bugfix_without_reproduction;
#[path = "../commit-before-verify/hook.rs"]
mod commit_before_verify;
#[path = "../scope-change/hook.rs"]
mod scope_change;
#[path = "../scope-check/hook.rs"]
mod scope_check;
#[path = "../shallow-bugfix/hook.rs"]
mod shallow_bugfix;

pub use bugfix_without_reproduction::HOOK as BUGFIX_WITHOUT_REPRODUCTION;
pub use commit_before_verify::HOOK as COMMIT_BEFORE_VERIFY;
pub use scope_change::HOOK as SCOPE_CHANGE;
pub use scope_check::HOOK as SCOPE_CHECK;
pub use shallow_bugfix::HOOK as SHALLOW_BUGFIX;

/// All five, in the order of the README.
pub const ALL: [&Hook; 5] = [
    &COMMIT_BEFORE_VERIFY,
    &SCOPE_CHECK,
    &SCOPE_CHANGE,
    &SHALLOW_BUGFIX,
    &BUGFIX_WITHOUT_REPRODUCTION,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// What a prompt may cost: every judged stop sends it.
    const PROMPT_MAX_BYTES: usize = 4096;
    const REMEDY_MAX_CHARS: usize = 400;

    #[test]
    fn every_prompt_names_each_of_its_fields_and_shows_the_answer_last() {
        for hook in ALL {
            let answer = hook.prompt.lines().last().unwrap_or_default();
            let keys: Vec<_> = hook.fields.iter().map(|field| field.key()).collect();
            let wanted = format!(
                "{{\"{}\":BOOL,\"reason\":\"TEXT\"}}",
                keys.join("\":BOOL,\"")
            );
            assert_eq!(answer, wanted, "{}", hook.name);
            for field in hook.fields {
                let definition = format!("\n{}: ", field.key());
                assert!(
                    hook.prompt.contains(&definition),
                    "{}: {definition}",
                    hook.name
                );
            }
        }
    }

    #[test]
    fn prompts_and_remedies_keep_their_size() {
        for hook in ALL {
            assert!(hook.prompt.len() <= PROMPT_MAX_BYTES, "{}", hook.name);
            assert!(
                hook.remedy.chars().count() <= REMEDY_MAX_CHARS,
                "{}",
                hook.name
            );
        }
    }

    #[test]
    fn claims_are_bypasses() {
        for hook in ALL {
            let known: Vec<_> = hook.bypasses.iter().map(|bypass| bypass.id).collect();
            assert!(
                hook.claims.iter().all(|id| known.contains(id)),
                "{}",
                hook.name
            );
        }
    }

    #[test]
    fn all_of_them_share_the_block_budget() {
        assert_eq!(ALL.map(|hook| hook.name), common::hook::NAMES);
    }
}
