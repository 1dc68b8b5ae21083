//! Runs a judge's program so that nothing of it is left, whatever it does.
//!
//! It may sleep, flood, ignore signals, fork a child that holds its pipes, or never end. So it is started into a process
//! group that already has a leader of ours, the reaper: a shell that waits for its stdin and then kills the whole group,
//! itself included. Only this process holds the other end of that pipe; when this process ends, in whatever way, the pipe
//! closes and the group dies. The group exists before the judge does, so there is no moment in which the judge could be
//! orphaned, and no `unsafe` is needed for it.
//!
//! Output is read by threads that are never waited for: a pipe may stay open for as long as somebody holds it.
//!
//! Not caught: a process that makes a session of its own leaves the group, and is left alone.

use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io::{self, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{self, Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::OUTPUT_MAX_BYTES;
use super::outcome::{Failure, Outcome};
use crate::guard::JUDGE_ACTIVE;

/// Waits for a line or the end of stdin, then ends its own process group, itself included. It outlives the signals that
/// can be ignored. A client that still runs is asked first, because it may have files to remove. The end of stdin
/// without a line means that nobody is left to remove the directory.
const REAPER: &str = r#"
trap '' HUP INT QUIT TERM
read -r how || how=orphaned
[ "$how" = now ] || { kill -s TERM 0; sleep 0.1; }
[ "$how" != orphaned ] || rm -rf -- "$1"
kill -s KILL 0
"#;

/// How long a judge's pipes are read on after it exited: what it wrote is there, what a child of it holds open may never
/// end.
const DRAIN: Duration = Duration::from_millis(100);

/// How long the group's end is waited for before it is killed in another way. Together with the reaper's own pause it
/// has to fit into the 300 ms that a hook may take on top of its deadline.
const END: Duration = Duration::from_millis(180);

/// What is kept of stderr, from its end.
const STDERR_MAX_BYTES: usize = 64 << 10;

/// A program and what it is given.
pub(super) struct Job<'a> {
    pub(super) program: &'a Path,
    pub(super) args: Vec<OsString>,
    pub(super) env: Vec<(&'static str, OsString)>,
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
    let mut group = Group::start(&scratch.root).map_err(not_started)?;
    let mut judge = Command::new(job.program)
        .args(&job.args)
        .envs(job.env.iter().map(|(name, value)| (name, value)))
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
        let limit = exited.map_or(until, |(_, drained)| drained);
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
                exited = Some((status, until.min(Instant::now() + DRAIN)));
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

/// The judge's process group. All of it is dead once this is dropped.
struct Group {
    reaper: Child,
    pipe: Option<ChildStdin>,
    /// The judge itself still runs.
    is_busy: bool,
}

impl Group {
    fn start(scratch: &Path) -> io::Result<Self> {
        let mut reaper = Command::new("/bin/sh")
            .args(["-c", REAPER, "reaper"])
            .arg(scratch)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .current_dir("/")
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let pipe = reaper.stdin.take();
        Ok(Self {
            reaper,
            pipe,
            is_busy: false,
        })
    }

    fn id(&self) -> i32 {
        i32::try_from(self.reaper.id()).unwrap_or_default()
    }

    /// Whether the reaper is dead, and so the group, before the time is up. It is reaped by that, and only then can its
    /// number be given to another process.
    fn ends_within(&mut self, limit: Duration) -> bool {
        let started = Instant::now();
        while started.elapsed() < limit {
            match self.reaper.try_wait() {
                Ok(None) => thread::sleep(Duration::from_micros(500)),
                Ok(Some(_)) | Err(_) => return true,
            }
        }
        false
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let how = if self.is_busy {
            "asked first\n"
        } else {
            "now\n"
        };
        // A broken pipe tells that the judge has killed the reaper. It is not reaped then, so the group's number is still
        // its own.
        let told = self
            .pipe
            .take()
            .is_some_and(|mut pipe| pipe.write_all(how.as_bytes()).is_ok());
        if told && self.ends_within(END) {
            return;
        }
        // Or the judge has stopped it, with the whole group. A newcomer is neither dead nor stopped.
        let killer = Command::new("/bin/sh")
            .args(["-c", "kill -s KILL 0"])
            .env_clear()
            .process_group(self.id())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        if let Ok(mut killer) = killer
            && self.ends_within(END)
        {
            let _ = killer.wait();
        }
    }
}

/// A directory of our own for one call, mode 0700, removed when dropped: an empty one to run in, one for the temporary
/// files that a client leaves behind, and beside them room for a file that it wants by name.
pub(super) struct Scratch {
    root: PathBuf,
}

impl Scratch {
    pub(super) fn new(temp_dir: &Path) -> Result<Self, Failure> {
        Self::create(temp_dir).map_err(|e| Failure::new(Outcome::NotStarted, e.to_string()))
    }

    fn create(temp_dir: &Path) -> io::Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let nanos = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .subsec_nanos();
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("stop-hook-judge-{}-{nanos}-{count}", process::id());
        let root = std::path::absolute(temp_dir)?.join(name);
        let mut builder = DirBuilder::new();
        builder.mode(0o700);
        builder.create(&root)?;
        let scratch = Self { root };
        builder.create(scratch.empty())?;
        builder.create(scratch.temp())?;
        Ok(scratch)
    }

    /// Where the judge runs.
    pub(super) fn empty(&self) -> PathBuf {
        self.root.join("empty")
    }

    fn temp(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// Writes a file beside them.
    pub(super) fn file(&self, name: &str, text: &str) -> Result<PathBuf, Failure> {
        let path = self.root.join(name);
        match fs::write(&path, text) {
            Ok(()) => Ok(path),
            Err(e) => Err(Failure::new(Outcome::NotStarted, e.to_string())),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What came of a shell script, how long it took, and which of the processes that it named on stdout by `pid=N` are
    /// left after half a second at most.
    struct Ran {
        result: Result<Output, Failure>,
        elapsed: Duration,
        left: Vec<String>,
        scratch: PathBuf,
    }

    fn sh(script: &str, until: Duration) -> Ran {
        let temp_dir = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(temp_dir.path()).unwrap();
        let pids = temp_dir.path().join("pids");
        let job = Job {
            program: Path::new("/bin/sh"),
            args: ["-c", script, "sh"]
                .map(OsString::from)
                .into_iter()
                .chain([pids.clone().into()])
                .collect(),
            env: Vec::new(),
            stdin: "the prompt",
        };
        let started = Instant::now();
        let result = run(&job, &scratch, started + until);
        let elapsed = started.elapsed();
        let pids = fs::read_to_string(pids).unwrap_or_default();
        Ran {
            result,
            elapsed,
            left: left(&pids),
            scratch: scratch.root.clone(),
        }
    }

    /// The kernel needs a moment to take a killed process off its list.
    fn left(pids: &str) -> Vec<String> {
        let started = Instant::now();
        loop {
            let left: Vec<String> = pids
                .lines()
                .filter(|pid| is_alive(pid))
                .map(str::to_owned)
                .collect();
            if left.is_empty() || started.elapsed() > Duration::from_millis(500) {
                return left;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn is_alive(pid: &str) -> bool {
        let ps = Command::new("ps")
            .args(["-o", "stat=", "-p", pid])
            .output()
            .unwrap();
        let state = String::from_utf8_lossy(&ps.stdout).trim().to_owned();
        !state.is_empty() && !state.starts_with('Z')
    }

    #[track_caller]
    fn check(script: &str, stdout: &str) {
        let ran = sh(script, Duration::from_secs(10));
        let output = ran
            .result
            .unwrap_or_else(|e| panic!("{script}: {:?}", e.outcome));
        assert!(output.failed().is_none(), "{script}: {output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), stdout, "{script}");
        assert_eq!(ran.left, Vec::<String>::new(), "left by {script}");
        assert!(
            ran.elapsed < Duration::from_secs(2),
            "{script}: {:?}",
            ran.elapsed
        );
        assert!(!ran.scratch.exists(), "{script}");
    }

    const DEADLINE: Duration = Duration::from_millis(400);

    #[track_caller]
    fn check_killed(script: &str, expected: Outcome) {
        let ran = sh(&format!("echo $$ >>\"$1\"; {script}"), DEADLINE);
        let outcome = match ran.result {
            Ok(output) => output.failed().map(|failure| failure.outcome),
            Err(failure) => Some(failure.outcome),
        };
        assert_eq!(outcome, Some(expected), "{script}");
        assert_eq!(ran.left, Vec::<String>::new(), "left by {script}");
        assert!(
            ran.elapsed < DEADLINE + Duration::from_millis(300),
            "{script}: {:?}",
            ran.elapsed
        );
        assert!(!ran.scratch.exists(), "{script}");
    }

    #[test]
    fn a_program_gets_the_prompt_and_an_empty_directory_of_its_own() {
        check("cat", "the prompt");
        check("ls -A | wc -l | tr -d ' '", "0\n");
        check("ls -ld . .. | cut -c1-10", "drwx------\ndrwx------\n");
        check("echo $STOP_HOOK_LLM_JUDGE_ACTIVE", "1\n");
        check("touch $TMPDIR/left && echo ok", "ok\n");
        check("echo noise >&2; echo ok", "ok\n");
        check("[ $(ps -o pgid= -p $$) -ne $$ ] && echo member", "member\n");
    }

    #[test]
    fn a_program_that_reads_nothing_has_answered() {
        check("exec <&-; echo ok", "ok\n");
    }

    #[test]
    fn children_are_killed_when_the_program_has_answered() {
        check("(echo $$; exec sleep 30) >>\"$1\" & echo ok", "ok\n");
        // This one holds the pipes open.
        check("sleep 30 & echo $! >>\"$1\"; echo ok", "ok\n");
        check(
            "(trap '' TERM HUP INT; sleep 30) & echo $! >>\"$1\"; echo ok",
            "ok\n",
        );
    }

    #[test]
    fn what_does_not_end_is_killed() {
        check_killed("sleep 30", Outcome::Timeout);
        check_killed("exec sleep 30", Outcome::Timeout);
        check_killed(
            "trap '' TERM INT HUP QUIT; while :; do sleep 1; done",
            Outcome::Timeout,
        );
        check_killed("exec >&- 2>&- <&-; sleep 30", Outcome::Timeout);
        check_killed("while :; do echo x; sleep 0.1; done", Outcome::Timeout);
        check_killed("while :; do echo noise >&2; done", Outcome::Timeout);
        check_killed("sleep 30 & echo $! >>\"$1\"; sleep 30", Outcome::Timeout);
        check_killed("cat /dev/zero", Outcome::TooLarge);
    }

    /// A client may have files of its own to remove.
    #[test]
    fn what_still_runs_is_asked_to_end_first() {
        let temp_dir = tempfile::tempdir().unwrap();
        let note = temp_dir.path().join("note");
        let goodbye = format!(
            "trap 'echo bye >{}; exit' TERM; while :; do sleep 0.01; done",
            note.display()
        );
        check_killed(&goodbye, Outcome::Timeout);
        assert_eq!(fs::read_to_string(note).unwrap(), "bye\n");
    }

    #[test]
    fn what_turns_against_the_reaper_is_killed_too() {
        let child = "sleep 30 & echo $! >>\"$1\";";
        check_killed(
            &format!("{child} trap '' TERM; kill -s TERM 0; sleep 30"),
            Outcome::Timeout,
        );
        check_killed(&format!("{child} kill -s STOP 0"), Outcome::Timeout);
        check_killed("kill -s KILL 0", Outcome::Killed(9));
        let reaper = "kill -s KILL $(ps -o pgid= -p $$);";
        check_killed(&format!("{reaper} {child} sleep 30"), Outcome::Timeout);
    }

    #[test]
    fn an_exit_is_told_with_the_last_words() {
        let ran = sh(
            "echo first >&2; echo 'no model' >&2; echo >&2; exit 3",
            DEADLINE,
        );
        let failure = ran.result.unwrap().failed().unwrap();
        assert_eq!(failure.outcome, Outcome::Exited(3));
        assert_eq!(failure.detail.as_deref(), Some("no model"));
        check_killed("kill -s SEGV $$", Outcome::Killed(11));
    }

    #[test]
    fn what_is_no_program_is_told() {
        let temp_dir = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(temp_dir.path()).unwrap();
        let text = scratch.file("text", "no program\n").unwrap();
        let interpreter = scratch.file("script", "#!/nowhere/sh\n").unwrap();
        for program in [&text, &interpreter] {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            fs::set_permissions(program, mode).unwrap();
            let job = Job {
                program,
                args: Vec::new(),
                env: Vec::new(),
                stdin: "",
            };
            let failure = run(&job, &scratch, Instant::now() + DEADLINE).unwrap_err();
            assert_eq!(failure.outcome, Outcome::NotExecutable, "{program:?}");
        }
    }
}
