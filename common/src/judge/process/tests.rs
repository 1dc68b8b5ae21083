//! Shell scripts as judges. Each names its processes in the file that is its first argument.

use std::fs;
use std::path::PathBuf;

use super::*;

/// What came of a shell script, how long it took, and which of the processes that it named are left half a second
/// later.
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
        path: "/usr/bin:/bin".into(),
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
        scratch: scratch.root().to_owned(),
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
    check_killed("cat /dev/zero >&2", Outcome::Timeout);
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
    for text in ["no program", "#!/nowhere/sh"] {
        let program = scratch.root().join("program");
        // Written by another process: what this one has open for writing, a thread that forks keeps open.
        let written = Command::new("/bin/sh")
            .args(["-c", r#"echo "$1" >"$2"; chmod 755 "$2""#, "sh", text])
            .arg(&program)
            .status();
        assert!(written.unwrap().success());
        let job = Job {
            program: &program,
            args: Vec::new(),
            path: "/usr/bin:/bin".into(),
            env: Vec::new(),
            stdin: "",
        };
        let failure = run(&job, &scratch, Instant::now() + DEADLINE).unwrap_err();
        assert_eq!(failure.outcome, Outcome::NotExecutable, "{text}");
    }
}
