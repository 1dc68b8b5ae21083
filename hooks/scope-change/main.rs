//! A part of what was asked dropped, postponed or replaced by something lesser.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::run(&hooks::SCOPE_CHANGE)
}
