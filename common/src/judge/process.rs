//! Runs a judge's program: gives it the prompt, reads what it prints, and ends it in time.
//!
//! It may sleep, flood, ignore signals, fork a child that holds its pipes, or never end. That nothing of it is left is
//! the promise of its [`Group`]. Output is read by threads that are never waited for: a pipe may stay open for as long
//! as somebody holds it.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use super::OUTPUT_MAX_BYTES;
use super::group::Group;
use super::outcome::{Failure, Outcome};
use super::scratch::Scratch;
use crate::guard::JUDGE_ACTIVE;

/// How long a judge's pipes are read on after it exited: what it wrote is there, what a child of it holds open may never
/// end.
const DRAIN: Duration = Duration::from_millis(100);

/// The same while nothing was read of it: on a busy machine the reading thread may not have run yet, and then an answer
/// that is there would count as none.
const DRAIN_UNREAD: Duration = Duration::from_secs(2);

/// What is kept of stderr, from its end.
const STDERR_MAX_BYTES: usize = 64 << 10;

/// A program and what it is given.
pub(super) struct Job<'a> {
    pub(super) program: &'a Path,
    /// Its own first line may say `env node`.
    pub(super) path: OsString,
    pub(super) args: Vec<OsString>,
    pub(super) env: Vec<(&'static str, String)>,
    /// Written, then closed.
    pub(super) stdin: &'a str,
}

/// What a program left behind.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    /// The end of it. It may echo the prompt.
    pub(super) stderr: String,
}

impl Output {
    /// The failure that the exit status stands for, if it does.
    pub(super) fn failed(&self) -> Option<Failure> {
        let outcome = match (self.status.code(), self.status.signal()) {
            (Some(0), _) => return None,
            (Some(code), _) => Outcome::Exited(code),
            (None, signal) => Outcome::Killed(signal.unwrap_or_default()),
        };
        let last_line = self
            .stderr
            .lines()
            .rev()
            .find(|line| !line.trim().is_empty());
        Some(Failure {
            outcome,
            detail: last_line.map(str::to_owned),
        })
    }
}

/// Runs `job` in the empty directory of `scratch`, until it ends or `until` has passed.
pub(super) fn run(job: &Job<'_>, scratch: &Scratch, until: Instant) -> Result<Output, Failure> {
    let not_started = |e: io::Error| Failure::new(Outcome::NotStarted, e.to_string());
    // Starting and ending one takes a while, and nobody could wait for its answer.
    if until <= Instant::now() {
        return Err(Outcome::Timeout.into());
    }
    let mut group = Group::start(scratch.root()).map_err(not_started)?;
    let mut judge = Command::new(job.program)
        .args(&job.args)
        .envs(job.env.iter().map(|(name, value)| (name, value)))
        // Both clients are Node programs, and a project's settings can set this to code of its own.
        .env_remove("NODE_OPTIONS")
        .env("PATH", &job.path)
        .env(JUDGE_ACTIVE, "1")
        .env("TMPDIR", scratch.temp())
        .current_dir(scratch.empty())
        .process_group(group.id())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| match e.kind() {
            // The file was there a moment ago: what is missing is the interpreter that its first line names.
            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => {
                Outcome::NotExecutable.into()
            }
            _ if e.raw_os_error() == Some(ENOEXEC) => Outcome::NotExecutable.into(),
            _ => not_started(e),
        })?;

    let (send, events) = mpsc::sync_channel(16);
    if let Some(stdin) = judge.stdin.take() {
        let text = job.stdin.to_owned();
        spawn(move || write(stdin, &text)).map_err(not_started)?;
    }
    if let Some(stdout) = judge.stdout.take() {
        let send = send.clone();
        spawn(move || read(stdout, &send, Event::Stdout)).map_err(not_started)?;
    }
    if let Some(stderr) = judge.stderr.take() {
        let send = send.clone();
        spawn(move || read(stderr, &send, Event::Stderr)).map_err(not_started)?;
    }
    spawn(move || {
        if let Ok(status) = judge.wait() {
            // Nobody listens any more when the judge had to be killed.
            let _ = send.send(Event::Exited(status));
        }
    })
    .map_err(not_started)?;

    let output = collect(&events, until);
    group.is_busy = output.is_err();
    drop(group);
    output
}

/// "Exec format error" has no [`io::ErrorKind`]; the number is the same on Linux and macOS.
const ENOEXEC: i32 = 8;

fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().spawn(work).map(drop)
}

/// A program that answers without reading its stdin has answered: a broken pipe is no failure.
fn write(mut stdin: ChildStdin, text: &str) {
    let _ = stdin.write_all(text.as_bytes());
}

enum Event {
    /// Bytes of stdout; none at its end.
    Stdout(Vec<u8>),
    /// Bytes of stderr; none at its end.
    Stderr(Vec<u8>),
    Exited(ExitStatus),
}

fn read(mut pipe: impl Read, send: &SyncSender<Event>, event: fn(Vec<u8>) -> Event) {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let bytes = match pipe.read(&mut buffer) {
            Ok(count) => buffer.get(..count).unwrap_or_default().to_vec(),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => Vec::new(),
        };
        let at_end = bytes.is_empty();
        if send.send(event(bytes)).is_err() || at_end {
            return;
        }
    }
}

fn collect(events: &Receiver<Event>, until: Instant) -> Result<Output, Failure> {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let (mut stdout_open, mut stderr_open) = (true, true);
    let mut exited: Option<(ExitStatus, Instant)> = None;
    loop {
        let drain = if stdout.is_empty() {
            DRAIN_UNREAD
        } else {
            DRAIN
        };
        let limit = exited.map_or(until, |(_, at)| until.min(at + drain));
        let left = limit.saturating_duration_since(Instant::now());
        // A judge that floods us always has something to say: the clock is looked at first.
        let event = if left.is_zero() {
            None
        } else {
            events.recv_timeout(left).ok()
        };
        match event {
            Some(Event::Stdout(bytes)) => {
                stdout_open = !bytes.is_empty();
                stdout.extend(bytes);
                if stdout.len() > OUTPUT_MAX_BYTES {
                    return Err(Outcome::TooLarge.into());
                }
            }
            Some(Event::Stderr(bytes)) => {
                stderr_open = !bytes.is_empty();
                stderr.extend(bytes);
                stderr.drain(..stderr.len().saturating_sub(STDERR_MAX_BYTES));
            }
            Some(Event::Exited(status)) => {
                exited = Some((status, Instant::now()));
            }
            None if exited.is_none() => return Err(Outcome::Timeout.into()),
            // It has exited. What is still open is held by a child of it.
            None => (stdout_open, stderr_open) = (false, false),
        }
        // Stderr matters only where something went wrong.
        if let Some((status, _)) = exited
            && !stdout_open
            && (!stderr_open || status.success())
        {
            let stderr = String::from_utf8_lossy(&stderr).into_owned();
            return Ok(Output {
                status,
                stdout,
                stderr,
            });
        }
    }
}

#[cfg(test)]
mod tests;
