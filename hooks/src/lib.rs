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
