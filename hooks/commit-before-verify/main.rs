//! A commit, push, merge, release or deployment put forward before anything was verified.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::run(&hooks::COMMIT_BEFORE_VERIFY)
}
