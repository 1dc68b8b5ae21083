//! A bug reported fixed with no cause given.

use std::process::ExitCode;

fn main() -> ExitCode {
    common::run(&hooks::SHALLOW_BUGFIX)
}
