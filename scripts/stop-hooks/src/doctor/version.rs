//! Which program stands under a hook's name: asked for its version, and not waited for without end.

use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// A hook answers within a millisecond.
const PATIENCE: Duration = Duration::from_secs(5);

/// An answer is one line.
const ANSWER_MAX_BYTES: u64 = 1 << 10;

/// What a program says.
#[derive(Debug, PartialEq, Eq)]
pub enum Said {
    /// It is the hook of this name, of a version.
    Version(String),
    /// It is another program.
    Foreign,
    /// It doesn't end.
    Silent,
    /// It can't be started, or fails.
    Broken,
}

/// Asks the program at `path`, which should be `name`.
pub fn ask(path: &Path, name: &str) -> Said {
    let child = Command::new(path)
        .arg("--version")
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else {
        return Said::Broken;
    };
    let until = Instant::now() + PATIENCE;
    let answer = answer(&mut child, until);
    let Some((text, status)) = answer.zip(ended(&mut child, until)) else {
        end(&child);
        // It is dead by now, or no signal reaches it.
        let _ = child.try_wait();
        return Said::Silent;
    };
    if !status.success() {
        return Said::Broken;
    }
    match text.split_whitespace().collect::<Vec<_>>().as_slice() {
        [told, version] if *told == name => Said::Version((*version).to_owned()),
        _ => Said::Foreign,
    }
}

/// All that it prints, if that ends in time.
fn answer(child: &mut Child, until: Instant) -> Option<String> {
    let stdout = child.stdout.take()?;
    let (send, said) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut stdout = stdout.take(ANSWER_MAX_BYTES);
        // What can't be read says nothing.
        let _ = stdout.read_to_end(&mut bytes);
        let _ = send.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    let left = until.saturating_duration_since(Instant::now());
    said.recv_timeout(left).ok()
}

/// How it ended, if it did in time.
fn ended(child: &mut Child, until: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(1)),
            Ok(status) => return status,
            Err(_) => return None,
        }
    }
}

/// Ends it with all that it started: a shell of its group sends the signal to that group, itself included.
fn end(child: &Child) {
    let group = i32::try_from(child.id()).unwrap_or_default();
    let _ = Command::new("/bin/sh")
        .args(["-c", "kill -s KILL 0"])
        .process_group(group)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}
