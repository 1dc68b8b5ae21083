//! A copy of this checkout's scripts on a machine of its own: with stand-ins for cargo and the C compiler.
//!
//! The stand-in for cargo puts this crate's own executable, and empty scripts for the hooks, where a build would.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The programs that a script may use besides Rust.
const TOOLS: [&str; 11] = [
    "bash", "cat", "chmod", "cp", "cut", "dirname", "env", "grep", "mkdir", "sed", "sh",
];

pub struct Checkout {
    /// `checkout` and, outside of it, `bin`: a judge is not started from inside a project.
    machine: TempDir,
}

impl Checkout {
    /// A machine with `cargo` of this version and a C compiler.
    pub fn new(cargo_version: &str) -> Self {
        let checkout = Self {
            machine: tempfile::tempdir().unwrap(),
        };
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        fs::create_dir(checkout.bin()).unwrap();
        fs::create_dir_all(checkout.path("scripts")).unwrap();
        for name in [
            "install.sh",
            "Cargo.toml",
            "scripts/try.sh",
            "scripts/stand-in-judge.sh",
        ] {
            fs::copy(root.join(name), checkout.path(name)).unwrap();
        }
        for name in TOOLS {
            let real = ["/usr/bin", "/bin"].map(|dir| Path::new(dir).join(name));
            let real = real.iter().find(|path| path.exists()).unwrap();
            symlink(real, checkout.bin().join(name)).unwrap();
        }
        checkout.program("cc", "exit 1");
        checkout.program(
            "cargo",
            &format!(
                "case $1 in --version) echo 'cargo {cargo_version} (0000000 2026-01-01)'; exit;; esac\n\
                 echo \"$*\" >> cargo-calls\n\
                 case \" $* \" in *' --release '*) to=target/release;; *) to=target/debug;; esac\n\
                 mkdir -p $to; cd $to\n\
                 cp {} stop-hooks\n\
                 for name in commit-before-verify scope-check scope-change shallow-bugfix bugfix-without-reproduction\n\
                 do echo '#!/bin/sh' > $name; chmod +x $name; done",
                env!("CARGO_BIN_EXE_stop-hooks")
            ),
        );
        checkout
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.machine.path().join("checkout").join(relative)
    }

    /// The directory that PATH names.
    pub fn bin(&self) -> PathBuf {
        self.machine.path().join("bin")
    }

    /// Puts a shell script called `name` on PATH.
    pub fn program(&self, name: &str, body: &str) {
        let path = self.bin().join(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub fn run(&self, script: &str, args: &[&str]) -> Output {
        Command::new(self.path(script))
            .args(args)
            .current_dir("/")
            .env_clear()
            .env("HOME", self.path("home"))
            .env("PATH", self.bin())
            .output()
            .unwrap()
    }

    #[track_caller]
    pub fn succeed(&self, script: &str, args: &[&str]) -> String {
        let output = self.run(script, args);
        let stderr = String::from_utf8(output.stderr).unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{stderr}{stdout}");
        stdout
    }
}
