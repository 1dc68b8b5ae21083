//! One hook run with one hit, in a home of its own, and what it left behind.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// An answer that blocks.
pub const VIOLATION: &str =
    r#"{"new_proposal":true,"verification_reported":false,"reason":"it commits unverified"}"#;

/// What a hook takes on top of the deadline at most, a judge's end included.
const OVER_DEADLINE: Duration = Duration::from_millis(300);

/// How long the kernel may take to remove a process that was killed.
const REMOVAL: Duration = Duration::from_millis(300);

/// A place to run hooks in.
pub struct Scene {
    root: tempfile::TempDir,
}

/// What came of a run.
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// The one log record, and the line that it was.
    pub record: Value,
    pub line: String,
    pub elapsed: Duration,
}

impl Scene {
    pub fn new() -> Self {
        let root = tempfile::tempdir().expect("a directory");
        for dir in ["home", "project", "tmp", "bin"] {
            fs::create_dir(root.path().join(dir)).expect("a directory");
        }
        let scene = Self { root };
        scene.reply(VIOLATION);
        scene
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// What a judge says.
    pub fn reply(&self, text: impl AsRef<[u8]>) {
        fs::write(self.path("bin/reply"), text).expect("a file");
    }

    /// Links one of the programs of this directory; a copy that another thread holds open can't be executed.
    pub fn link(&self, program: &str, name: &str) -> PathBuf {
        let link = self.path("bin").join(name);
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/judge_faults");
        symlink(programs.join(program), &link).expect("a link");
        link
    }

    /// The flag for the judge that has this fault.
    pub fn faulty(&self, fault: &str) -> String {
        format!("command:{}", self.link("judge.sh", fault).display())
    }

    pub fn start(&self, args: &[&str], env: &[(&str, &str)]) -> Child {
        let input = json!({
            "hook_event_name": "Stop",
            "last_assistant_message": "The refactor is in place. I will commit and push it now.",
        });
        let mut hook = Command::new(env!("CARGO_BIN_EXE_commit-before-verify"))
            .args(args)
            .env_clear()
            .env(
                "PATH",
                format!("{}:/usr/bin:/bin", self.path("bin").display()),
            )
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .envs(env.iter().copied())
            .current_dir(self.path("project"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the hook starts");
        let mut stdin = hook.stdin.take().expect("a pipe");
        stdin
            .write_all(input.to_string().as_bytes())
            .expect("the hook reads");
        hook
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, &[])
    }

    /// Runs a hook to its end. The pipes of its judges aren't its own, or this would wait for them.
    pub fn run_with(&self, args: &[&str], env: &[(&str, &str)]) -> Ran {
        let started = Instant::now();
        let output = self
            .start(args, env)
            .wait_with_output()
            .expect("the hook ends");
        let elapsed = started.elapsed();
        let line = self.log();
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
            record: serde_json::from_str(&line).expect("one record"),
            line,
            elapsed,
        }
    }

    fn log(&self) -> String {
        fs::read_dir(self.path("home/.claude/logs"))
            .expect("a log directory")
            .map(|file| fs::read_to_string(file.expect("a file").path()).expect("a log"))
            .collect()
    }

    /// The processes that judges have told of.
    pub fn pids(&self) -> Vec<String> {
        let pids = fs::read_to_string(self.path("bin/pids")).unwrap_or_default();
        pids.lines().map(str::to_owned).collect()
    }

    /// Fails when a process or a file of a judge is left.
    #[track_caller]
    pub fn check_nothing_is_left(&self, what: &str) {
        let started = Instant::now();
        let left = loop {
            let processes = self
                .pids()
                .into_iter()
                .filter(|pid| is_alive(pid))
                .map(|pid| format!("process {pid}"));
            let files = fs::read_dir(self.path("tmp"))
                .expect("a directory")
                .map(|file| format!("{file:?}"));
            let left: Vec<String> = processes.chain(files).collect();
            if left.is_empty() || started.elapsed() > REMOVAL {
                break left;
            }
            thread::sleep(Duration::from_millis(5));
        };
        assert!(left.is_empty(), "left by {what}: {left:?}");
    }
}

impl Ran {
    /// The words that name how the attempts ended.
    pub fn outcomes(&self) -> Vec<&str> {
        let attempts = self.record["attempts"].as_array().expect("attempts");
        attempts
            .iter()
            .map(|attempt| attempt["outcome"].as_str().expect("a word"))
            .collect()
    }

    /// Fails unless the stop passed without a word, for want of an answer.
    #[track_caller]
    pub fn check_allowed(&self, what: &str) {
        assert_eq!(
            (self.code, &*self.stdout, &*self.stderr),
            (Some(0), "", ""),
            "{what}"
        );
        let said = ["decision", "stage", "verdict"].map(|key| self.record[key].as_str());
        assert_eq!(said, [Some("allow"), Some("judge"), Some("fail")], "{what}");
    }

    #[track_caller]
    pub fn check_blocked(&self, what: &str) {
        assert_eq!(
            (self.code, &*self.stdout),
            (Some(2), "."),
            "{what}: {}",
            self.line
        );
        assert!(
            self.stderr.starts_with("[commit-before-verify] "),
            "{what}: {}",
            self.stderr
        );
    }

    #[track_caller]
    pub fn check_time(&self, what: &str, limit: Duration) {
        assert!(
            self.elapsed < limit + OVER_DEADLINE,
            "{what} took {:?} of {limit:?}",
            self.elapsed
        );
    }
}

pub fn is_alive(pid: &str) -> bool {
    let ps = Command::new("ps")
        .args(["-o", "stat=", "-p", pid])
        .output()
        .expect("ps runs");
    let state = String::from_utf8_lossy(&ps.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}
