//! The five executables on case files: `cases/<hook>/<folder>/<sentence>.json`, each file a test of its own name,
//! once for every way to reach a judge.

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
use harness::run;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let dir = tempfile::tempdir().expect("a directory");
    // Written before there is a second thread: a file that is open for writing anywhere can't be executed.
    let program = dir.path().join("canned-judge.sh");
    fs::write(&program, include_str!("harness/canned-judge.sh")).expect("the judge is written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))
        .expect("the judge is made executable");

    let program: Arc<Path> = program.into();
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases");
    let trials = Case::files(&cases).into_iter().flat_map(|(hook, file)| {
        let name = file.with_extension("");
        let name = name
            .strip_prefix(&cases)
            .expect("a file below")
            .display()
            .to_string();
        let program = &program;
        Way::ALL.map(move |way| {
            let (hook, file, program) = (hook.clone(), file.clone(), Arc::clone(program));
            Trial::test(format!("{name} ({})", way.name()), move || {
                let case = Case::read(&file)?;
                Ok(run::check(
                    &hook,
                    &case,
                    &run::run(&hook, &case, way, &program),
                )?)
            })
        })
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}
