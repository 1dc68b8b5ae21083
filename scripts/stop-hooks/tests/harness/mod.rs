//! Shared by the tests of this crate.

#![allow(
    dead_code,
    reason = "each test program is compiled with all of it and uses some"
)]
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that can't go on fails where it stands"
)]

pub mod checkout;

use std::fs;
use std::path::Path;

/// Compares with `tests/golden/<name>`. Where they differ, what was printed is left under `target/tmp` to look at, and
/// to be copied over when it is right.
#[track_caller]
pub fn agree(name: &str, printed: &str) {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    let expected = fs::read_to_string(&golden).unwrap_or_default();
    if printed != expected {
        let left = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::write(&left, printed).unwrap();
        panic!(
            "{} differs from {}:\n{printed}",
            left.display(),
            golden.display()
        );
    }
}
