//! Any program that reads the prompt on stdin and prints the JSON.

use std::path::Path;

use super::process::{self, Job};
use super::scratch::Scratch;
use super::{Answer, Attempts, Call, program, reply};

pub(super) fn ask(call: Call<'_>, name: &Path, attempts: &mut Attempts) -> Option<Answer> {
    let request = || {
        let program = if name.is_absolute() {
            program::check(name)?;
            name.to_owned()
        } else {
            call.programs.find(name)?
        };
        let job = Job {
            program: &program,
            path: call.programs.variable(),
            args: Vec::new(),
            env: Vec::new(),
            stdin: call.prompt.user(),
        };
        let output = process::run(&job, &Scratch::of(call)?, call.until)?;
        match output.failed() {
            Some(failure) => Err(failure),
            None => reply::read(&output.stdout),
        }
    };
    attempts
        .record("command", Some(&name.to_string_lossy()), request)
        .ok()
}
