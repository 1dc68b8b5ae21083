//! The straight line that every stop hook runs: from the hook's stdin to a decision.

pub mod activity;
pub mod fold;
pub mod hook;
pub mod input;
pub mod judge;
pub mod redact;
pub mod signal;
mod traced;
pub mod transcript;
pub mod verdict;
pub mod wrap;

pub use hook::{Field, Hook};

/// Runs one hook.
pub fn run(_hook: &Hook) -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
