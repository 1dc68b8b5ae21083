//! The work or the session cut short, unasked, while work is open.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::run(&hooks::SCOPE_CHECK)
}
