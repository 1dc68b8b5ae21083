//! The straight line that every stop hook runs: from the hook's stdin to a decision.
//!
//! ```text
//! guard ─ stdin ─ input ─▶ HookInput ─ transcript ─▶ Turn ─ signal ─▶ Look ── no hit / bypassed ─▶ allow
//! Turn ─ redact ─▶ Redacted ─ wrap ─▶ Prompt ─ judge ─▶ Answer ─ verdict ─▶ Verdict ─ decision ─▶ Decision ─ log ─▶ exit
//! ```
//!
//! A hook ([`Hook`]) is data; its `main` is one call of [`run()`]. Layer 1 ([`signal`]) lets nearly every turn through in
//! about a millisecond; only a hit costs a judge ([`judge`]).
//!
//! # Invariants
//! - I/O lives in named places: stdin and clock in [`mod@run`], the environment in [`config`], files in [`transcript`] and
//!   [`log`], processes and sockets in [`judge`], stdout and stderr in [`decision`]. All else is functions over values.
//! - Nothing reaches a judge, a log or the agent unless it is [`redact::Redacted`], whose only constructor redacts. The
//!   judge's reason and raw reply are no exception.
//! - On `Stop` every error allows, and is logged as an error of its stage: "the judge broke" is never "you did wrong".
//!   On `PreToolUse` every error asks the human.
//! - A run never blocks longer than its deadline, leaves no child process behind and never panics on input.
//!
//! Absent on purpose: unsafe code, async, a plugin system, global state, a daemon.

pub mod activity;
pub mod args;
pub mod command;
pub mod config;
pub mod decision;
pub mod evaluation;
pub mod fold;
pub mod guard;
mod help;
pub mod hook;
pub mod input;
pub mod judge;
pub mod log;
mod loose;
pub mod project;
pub mod redact;
pub mod rules;
pub mod run;
pub mod signal;
pub mod surrogates;
mod traced;
pub mod transcript;
pub mod verdict;
pub mod wrap;

pub use hook::{Field, Hook};
pub use run::run;
