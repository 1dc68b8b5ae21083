//! A process group that ends with us.
//!
//! The group's leader is a shell of ours, the reaper: it waits for its stdin and then kills the whole group, itself
//! included. Only this process holds the other end of that pipe, so when this process ends, in whatever way, the pipe
//! closes and the group dies. The group exists before a judge is started into it: there is no moment in which the judge
//! could be orphaned, and no `unsafe` is needed for it.
//!
//! Not caught: a process that makes a session of its own leaves the group, and is left alone.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

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

/// How long the group's end is waited for before it is killed in another way. Together with the reaper's own pause it
/// has to fit into the 300 ms that a hook may take on top of its deadline.
const END: Duration = Duration::from_millis(180);

/// The judge's process group. All of it is dead once this is dropped.
pub(super) struct Group {
    reaper: Child,
    pipe: Option<ChildStdin>,
    /// Whether the judge itself still runs when the group ends.
    pub(super) is_busy: bool,
}

impl Group {
    /// `scratch` is removed by the reaper if this process can't do it any more.
    pub(super) fn start(scratch: &Path) -> io::Result<Self> {
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

    /// For [`CommandExt::process_group`].
    pub(super) fn id(&self) -> i32 {
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
