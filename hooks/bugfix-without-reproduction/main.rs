//! Code changed for a bug on a guess, with no reproduction.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::run(&hooks::BUGFIX_WITHOUT_REPRODUCTION)
}
