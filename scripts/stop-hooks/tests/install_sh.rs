//! `install.sh` with stand-ins for cargo and the C compiler: what it checks, passes on and says.
//!
//! The stand-in for cargo puts this crate's own executable, and empty scripts for the hooks, where a build would.

#![allow(
    clippy::unwrap_used,
    reason = "a test that can't go on fails where it stands"
)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

const TOOLS: [&str; 10] = [
    "bash", "cat", "chmod", "cp", "cut", "dirname", "mkdir", "sed", "sh", "env",
];

struct Checkout {
    directory: TempDir,
}

impl Checkout {
    /// A checkout on a machine with `cargo` of this version and a C compiler.
    fn new(cargo_version: &str) -> Self {
        let checkout = Self {
            directory: tempfile::tempdir().unwrap(),
        };
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        fs::create_dir(checkout.path("bin")).unwrap();
        for name in ["install.sh", "Cargo.toml"] {
            fs::copy(root.join(name), checkout.path(name)).unwrap();
        }
        for name in TOOLS {
            let real = ["/usr/bin", "/bin"].map(|dir| Path::new(dir).join(name));
            let real = real.iter().find(|path| path.exists()).unwrap();
            symlink(real, checkout.path("bin").join(name)).unwrap();
        }
        checkout.program("cc", "exit 1");
        checkout.program(
            "cargo",
            &format!(
                "case $1 in --version) echo 'cargo {cargo_version} (0000000 2026-01-01)'; exit;; esac\n\
                 echo \"$*\" >> cargo-calls\n\
                 mkdir -p target/release; cd target/release\n\
                 cp {} stop-hooks\n\
                 for name in commit-before-verify scope-check scope-change shallow-bugfix bugfix-without-reproduction\n\
                 do echo '#!/bin/sh' > $name; chmod +x $name; done",
                env!("CARGO_BIN_EXE_stop-hooks")
            ),
        );
        checkout
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.directory.path().join(relative)
    }

    fn program(&self, name: &str, body: &str) {
        let path = self.path("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new(self.path("install.sh"))
            .args(args)
            .current_dir("/")
            .env_clear()
            .env("HOME", self.path("home"))
            .env("PATH", self.path("bin"))
            .output()
            .unwrap()
    }

    #[track_caller]
    fn succeed(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{stderr}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn settings(&self) -> String {
        fs::read_to_string(self.path("home/.claude/settings.json")).unwrap()
    }
}

#[test]
fn it_builds_locked_into_target_installs_and_says_what_is_next() {
    let checkout = Checkout::new("1.95.0");
    let said = checkout.succeed(&[]);
    assert_eq!(
        fs::read_to_string(checkout.path("cargo-calls")).unwrap(),
        "build --release --locked --target-dir target -p hooks -p stop-hooks\n"
    );
    assert_eq!(
        said.matches("added to ~/.claude/settings.json: Stop ")
            .count(),
        5
    );
    assert!(said.contains("\nNo judge found: "), "{said}");
    assert!(said.ends_with("\nNow restart Claude Code.\n"), "{said}");

    let first = checkout.settings();
    assert!(checkout.succeed(&[]).starts_with("Nothing to change.\n"));
    assert_eq!(checkout.settings(), first);
}

#[test]
fn flags_of_the_hooks_are_passed_on_whole() {
    let checkout = Checkout::new("1.88.0");
    let said = checkout.succeed(&["--judge", "command:/opt/a b", "--mode", "shadow"]);
    let tail = "/scope-check --judge 'command:/opt/a b' --mode shadow";
    assert!(
        checkout.settings().contains(tail),
        "{}",
        checkout.settings()
    );
    assert!(
        said.contains("\nJudge: command:/opt/a b, as you chose.\n"),
        "{said}"
    );
}

#[test]
fn the_judges_that_are_there_are_named() {
    let checkout = Checkout::new("1.95.0");
    checkout.program("claude", "exit 1");
    assert!(
        checkout
            .succeed(&["--dry-run"])
            .contains("\nJudge found: claude.\n")
    );
    checkout.program("codex", "exit 1");
    let said = checkout.succeed(&["--dry-run"]);
    assert!(
        said.contains("\nJudge found: codex, then claude.\n"),
        "{said}"
    );
    assert!(!checkout.path("home").exists(), "a dry run");
}

#[test]
fn uninstalling_leaves_no_trace() {
    let checkout = Checkout::new("1.95.0");
    let dir = checkout.path("a dir");
    let dir = dir.to_str().unwrap();
    checkout.succeed(&["--claude-dir", dir]);
    fs::remove_dir_all(checkout.path("target")).unwrap();
    checkout.succeed(&["--uninstall", "--claude-dir", dir]);
    assert_eq!(fs::read_dir(dir).unwrap().count(), 0);
    assert!(!checkout.path("home").exists());
    assert!(
        !checkout.path("target").exists(),
        "the installed tool did it"
    );
}

#[test]
fn what_is_missing_is_named_in_one_sentence() {
    #[track_caller]
    fn check(checkout: &Checkout, expected: &str) {
        let output = checkout.run(&[]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(
            stderr.starts_with(&format!("install.sh: {expected}")),
            "{stderr}"
        );
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(!checkout.path("home").exists() && !checkout.path("target").exists());
    }
    let checkout = Checkout::new("1.70.1");
    check(
        &checkout,
        "cargo 1.70 is too old: Rust 1.88 or newer is needed",
    );

    let checkout = Checkout::new("1.88.0");
    fs::remove_file(checkout.path("bin/cc")).unwrap();
    check(&checkout, "no C compiler (cc) is on PATH");

    fs::remove_file(checkout.path("bin/cargo")).unwrap();
    check(
        &checkout,
        "cargo is not on PATH: install Rust 1.88 or newer",
    );
}
