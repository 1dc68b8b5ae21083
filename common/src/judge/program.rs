//! Finds a program where the agent can't have put it.
//!
//! A hook runs in the project's directory, with the project's environment. A relative `PATH` entry, or one inside the
//! project, would let whoever writes the project's files choose the judge.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::outcome::Outcome;
use crate::project::Project;

/// The directories that programs are taken from.
#[derive(Debug)]
pub(super) struct SearchPath {
    trusted: Vec<PathBuf>,
    in_project: Vec<PathBuf>,
    project: Project,
}

impl SearchPath {
    /// Sorts the entries of `PATH`. Those that are relative or don't exist are dropped.
    pub(super) fn new(entries: &[PathBuf], project: &Project) -> Self {
        let (in_project, trusted) = entries
            .iter()
            .filter(|entry| entry.is_absolute() && entry.is_dir())
            .cloned()
            .partition(|entry| project.holds(entry));
        Self {
            trusted,
            in_project,
            project: project.clone(),
        }
    }

    /// The absolute path of the program called `name`.
    pub(super) fn find(&self, name: impl AsRef<Path>) -> Result<PathBuf, Outcome> {
        let name = name.as_ref();
        let mut missing = Outcome::ProgramMissing;
        for program in self.trusted.iter().map(|dir| dir.join(name)) {
            match check(&program) {
                Ok(()) if self.project.holds(&program) => {
                    missing = Outcome::ProgramInProject;
                }
                Ok(()) => return Ok(program),
                Err(Outcome::NotExecutable) => missing = Outcome::NotExecutable,
                Err(_) => {}
            }
        }
        if missing == Outcome::ProgramMissing
            && self
                .in_project
                .iter()
                .any(|dir| check(&dir.join(name)).is_ok())
        {
            missing = Outcome::ProgramInProject;
        }
        Err(missing)
    }

    /// Whether `path` leads into the project.
    pub(super) fn forbids(&self, path: &Path) -> bool {
        self.project.holds(path)
    }

    /// The value of `PATH` for a judge.
    pub(super) fn variable(&self) -> OsString {
        env::join_paths(&self.trusted).unwrap_or_default()
    }
}

/// Whether there is a program at `path`.
pub(super) fn check(path: &Path) -> Result<(), Outcome> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() && found.permissions().mode() & 0o111 != 0 => Ok(()),
        Ok(found) if found.is_file() => Err(Outcome::NotExecutable),
        _ => Err(Outcome::ProgramMissing),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// `system/judge` is a program, `system/notes` a file; the project has programs too, and a link to its own `bin`
    /// lies outside.
    fn scene() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        for (path, mode) in [
            ("system/judge", 0o755),
            ("system/notes", 0o644),
            ("project/bin/judge", 0o755),
            ("project/bin/notes", 0o755),
            ("project/bin/own", 0o755),
        ] {
            fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            fs::write(at(path), "#!/bin/sh\n").unwrap();
            fs::set_permissions(at(path), fs::Permissions::from_mode(mode)).unwrap();
        }
        symlink(at("project/bin"), at("link")).unwrap();
        symlink(at("project/bin/own"), at("system/borrowed")).unwrap();
        root
    }

    #[track_caller]
    fn check_find(entries: &[&str], name: &str, expected: Result<&str, Outcome>) {
        let root = scene();
        let at = |path: &str| root.path().join(path);
        let entries: Vec<PathBuf> = entries.iter().map(|entry| at(entry)).collect();
        let found = SearchPath::new(&entries, &Project::new([at("project")])).find(name);
        assert_eq!(found, expected.map(at), "{name} in {entries:?}");
    }

    #[test]
    fn a_program_is_taken_from_outside_the_project_alone() {
        check_find(&["project/bin", "system"], "judge", Ok("system/judge"));
        check_find(&["link", "nowhere", "system"], "judge", Ok("system/judge"));
        check_find(&["project/bin"], "judge", Err(Outcome::ProgramInProject));
        check_find(&["link"], "judge", Err(Outcome::ProgramInProject));
        check_find(&["system"], "borrowed", Err(Outcome::ProgramInProject));
        check_find(&["system"], "notes", Err(Outcome::NotExecutable));
        check_find(&["system"], "own", Err(Outcome::ProgramMissing));
        check_find(&[], "judge", Err(Outcome::ProgramMissing));
    }

    #[test]
    fn a_judges_own_path_has_no_entry_of_the_project() {
        let root = scene();
        let at = |path: &str| root.path().join(path);
        let entries = [
            at("project/bin"),
            ".".into(),
            "bin".into(),
            at("system"),
            at("link"),
        ];
        let path = SearchPath::new(&entries, &Project::new([at("project")]));
        assert_eq!(path.variable(), at("system").into_os_string());
    }
}
