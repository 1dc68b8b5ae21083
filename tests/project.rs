//! What a project can't choose, by whatever name it calls its own directory: the user's rules, and where the log is.

#![allow(
    clippy::unwrap_used,
    reason = "a test that can't go on fails where it stands"
)]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

const HOOK: &str = "commit-before-verify";

/// A project with rules that let everything pass, and a home.
struct Scene(TempDir);

impl Scene {
    fn new() -> Self {
        let scene = Self(tempfile::tempdir().unwrap());
        for path in ["home", "outside", "project/.git", "project/sub"] {
            fs::create_dir_all(scene.path(path)).unwrap();
        }
        for place in ["project", "outside"] {
            let rules = scene.path(place).join(format!(".claude/hooks/{HOOK}.json"));
            fs::create_dir_all(rules.parent().unwrap()).unwrap();
            fs::write(rules, r#"{"bypasses": ["commit"]}"#).unwrap();
        }
        scene
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.0.path().join(relative)
    }

    /// Runs `program` in `cwd` with `CLAUDE_CONFIG_DIR`, and gives the records in `log`.
    fn run(
        &self,
        program: &Path,
        moved: &Path,
        cwd: &str,
        args: &[&str],
        log: &Path,
    ) -> Vec<Value> {
        let mut child = Command::new(program)
            .args(["--judge", "none"])
            .args(args)
            .current_dir(self.path(cwd))
            .env_clear()
            .env("HOME", self.path("home"))
            .env("CLAUDE_CONFIG_DIR", moved)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = json!({
            "hook_event_name": "Stop",
            "last_assistant_message": "The fix is in. I will commit and push it now.",
        });
        let mut stdin = child.stdin.take().unwrap();
        write!(stdin, "{input}").unwrap();
        drop(stdin);
        assert!(child.wait().unwrap().success());
        let files = fs::read_dir(log).into_iter().flatten();
        files
            .flat_map(|file| {
                let text = fs::read_to_string(file.unwrap().path()).unwrap();
                let records = text.lines().map(|line| serde_json::from_str(line).unwrap());
                records.collect::<Vec<Value>>()
            })
            .collect()
    }

    /// Whether the rules that `moved` leads to are read in `cwd`, and whether the log is written there.
    fn follows(&self, program: &Path, moved: &Path, cwd: &str) -> (bool, bool) {
        let log = self.path("outside/log");
        let records = self.run(
            program,
            moved,
            cwd,
            &["--log-dir", log.to_str().unwrap()],
            &log,
        );
        fs::remove_dir_all(&log).unwrap();
        assert_eq!(records.len(), 1);
        let rules = records
            .iter()
            .any(|record| record["bypass"] == "own-bypasses[0]");
        let log = moved.join("logs");
        let written = !self.run(program, moved, cwd, &[], &log).is_empty();
        (rules, written)
    }
}

#[test]
fn nothing_is_read_or_logged_in_a_project_by_any_name_of_it() {
    let hook = Path::new(env!("CARGO_BIN_EXE_commit-before-verify"));
    let scene = Scene::new();
    let project = scene.path("project/.claude");
    let (name, inside) = (project.to_str().unwrap(), scene.path("project"));
    symlink(&project, scene.path("outside/link")).unwrap();
    fs::create_dir(scene.path("outside/half")).unwrap();
    for part in ["hooks", "logs"] {
        fs::create_dir_all(project.join("logs")).unwrap();
        symlink(project.join(part), scene.path("outside/half").join(part)).unwrap();
    }
    let mut names = vec![
        project.clone(),
        scene.path("home/../project/.claude"),
        scene.path("outside/link"),
        scene.path("outside/half"),
        inside.join("sub/../.claude"),
    ];
    if cfg!(target_os = "linux") {
        names.push(format!("/proc/self/root{name}").into());
        names.push("/proc/self/cwd/.claude".into());
        names.push("/proc/self/cwd/../project/.claude".into());
    }
    for moved in &names {
        assert_eq!(
            scene.follows(hook, moved, "project"),
            (false, false),
            "{}",
            moved.display()
        );
    }
    // The working tree that the session stands in is the project, too.
    assert_eq!(scene.follows(hook, &project, "project/sub"), (false, false));
    // A directory that isn't there yet is no way in.
    fs::remove_dir_all(project.join("logs")).unwrap();
    let new = scene.path("outside/new/../../project/new");
    assert_eq!(
        scene.run(hook, &new, "project", &[], &new.join("logs")),
        Vec::<Value>::new()
    );
    assert!(!scene.path("project/new").exists());
    assert!(!project.join("logs").exists());

    let outside = scene.path("outside/.claude");
    assert_eq!(scene.follows(hook, &outside, "project"), (true, true));
}

/// Some people keep all of Claude Code's directory in a project, this program with it.
#[test]
fn what_is_installed_in_a_project_goes_by_its_own_directory() {
    let scene = Scene::new();
    let project = scene.path("project/.claude");
    let installed = project.join("hooks").join(HOOK);
    fs::copy(env!("CARGO_BIN_EXE_commit-before-verify"), &installed).unwrap();
    assert_eq!(scene.follows(&installed, &project, "project"), (true, true));
}
