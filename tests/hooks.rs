//! The five executables on case files: `cases/<hook>/<folder>/<sentence>.json`, each file a test of its own name,
//! through every way to reach a judge. Then every stop that was recorded from the real clients, and all five at once.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "what fails here fails the test"
)]

mod harness;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};

use harness::canned::Way;
use harness::case::Case;
use harness::{attacks, recorded, run, together};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let dir = tempfile::tempdir().expect("a directory");
    // Written before there is a second thread: a file that is open for writing anywhere can't be executed.
    let program = dir.path().join("canned-judge.sh");
    fs::write(&program, include_str!("harness/canned-judge.sh")).expect("the judge is written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))
        .expect("the judge is made executable");

    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
    let program: Arc<Path> = program.into();
    let mut trials = cases(&tests.join("cases"), &program);
    trials.extend(attacks::trials(&tests.join("attacks.jsonl"), &program));
    trials.extend(recorded::trials(&tests.join("fixtures"), &program));
    trials.push(Trial::test(
        "five hooks at once each log one whole line",
        move || together::each_logs_one_whole_line(&program),
    ));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A test for every case file below `root`.
fn cases(root: &Path, program: &Arc<Path>) -> Vec<Trial> {
    let files = Case::files(root).into_iter().map(|(hook, file)| {
        let name = file.with_extension("");
        let name = name
            .strip_prefix(root)
            .expect("a file below")
            .display()
            .to_string();
        let program = Arc::clone(program);
        Trial::test(name, move || {
            let case = Case::read(&file)?;
            for way in Way::ALL {
                run::check(&hook, &case, &run::run(&hook, &case, way, &program))
                    .map_err(|wrong| format!("{} (judge by {})\n{wrong}", case.why, way.name()))?;
            }
            Ok(())
        })
    });
    files.collect()
}
