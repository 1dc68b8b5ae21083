//! Where the project's files are: what a repository brings along, or the agent wrote, chooses nothing.
//!
//! A hook runs in the project's directory, with the project's environment, so any name may lead there: a link, `..`,
//! `/proc/self/cwd`. Paths are resolved before they are compared.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The directories of a project. They are looked up when something is first held against them: most runs never ask.
#[derive(Debug, Clone, Default)]
pub struct Project {
    dirs: Vec<PathBuf>,
    /// A directory in the working tree, and the user's home.
    tree: Option<(PathBuf, Option<PathBuf>)>,
    roots: OnceLock<Vec<PathBuf>>,
}

impl Project {
    /// The project in these directories; those that don't exist hold nothing.
    pub fn new(dirs: impl IntoIterator<Item = PathBuf>) -> Self {
        Self {
            dirs: dirs.into_iter().collect(),
            ..Self::default()
        }
    }

    /// The same with the working tree that `cwd` is in, where no one names the project. One around the user's `home` is
    /// no project: some keep that under version control.
    #[must_use]
    pub fn with_tree_of(mut self, cwd: &Path, home: Option<&Path>) -> Self {
        self.tree = Some((cwd.to_owned(), home.map(Path::to_owned)));
        self
    }

    /// Whether `path` leads into the project. It need not exist; one that can't be resolved counts as a yes.
    pub fn holds(&self, path: &Path) -> bool {
        let roots = self.roots.get_or_init(|| self.resolve());
        let inside = |path: PathBuf| roots.iter().any(|root| path.starts_with(root));
        !roots.is_empty() && resolved(path).is_none_or(inside)
    }

    fn resolve(&self) -> Vec<PathBuf> {
        let dirs = self
            .dirs
            .iter()
            .filter_map(|dir| fs::canonicalize(dir).ok());
        let tree = self.tree.as_ref().and_then(|(cwd, home)| {
            let cwd = fs::canonicalize(cwd).ok()?;
            let tree = cwd.ancestors().find(|dir| dir.join(".git").exists())?;
            let home = home.as_ref().and_then(|home| fs::canonicalize(home).ok());
            let is_around_home = home.is_some_and(|home| home.starts_with(tree));
            (!is_around_home).then(|| tree.to_owned())
        });
        dirs.chain(tree).collect()
    }
}

/// `path` without links, as far as it exists.
fn resolved(path: &Path) -> Option<PathBuf> {
    match fs::canonicalize(path) {
        Ok(path) => Some(path),
        Err(_) => Some(resolved(path.parent()?)?.join(path.file_name()?)),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_project_is_known_by_any_name_of_it() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        fs::create_dir_all(at("project/src")).unwrap();
        fs::create_dir(at("home")).unwrap();
        symlink(at("project/src"), at("home/link")).unwrap();
        let project = Project::new([at("project"), at("nowhere")]);
        for (path, expected) in [
            ("project", true),
            ("project/new/one", true),
            ("home/../project/src", true),
            ("home/link/new", true),
            ("home/new/../../project", true),
            ("home", false),
            ("project-2", false),
            ("nowhere", false),
        ] {
            assert_eq!(project.holds(&at(path)), expected, "{path}");
        }
        assert!(!Project::default().holds(&at("project")));
    }

    #[test]
    fn a_working_tree_is_a_project_unless_the_home_is_in_it() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        fs::create_dir_all(at("tree/.git")).unwrap();
        fs::create_dir_all(at("tree/sub/home")).unwrap();
        let holds = |home: &str| {
            let project = Project::default().with_tree_of(&at("tree/sub"), Some(&at(home)));
            project.holds(&at("tree/bin"))
        };
        assert!(holds("elsewhere"));
        assert!(!holds("tree"));
        assert!(!holds("tree/sub/home"));
    }
}
