//! Files that are replaced whole: whoever reads at that moment sees the old one or the new one.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Puts `bytes` at `path` by a rename, with `permissions` from the first moment on where they are given. Makes the
/// directory when there is none.
///
/// # Errors
/// When the file system refuses; nothing is left behind then.
pub fn replace(path: &Path, bytes: &[u8], permissions: Option<&Permissions>) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        make(directory)?;
    }
    let new = with_suffix(path, &format!(".{}.tmp", std::process::id()));
    let written = create(&new, permissions).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&new, path)
    });
    if written.is_err() {
        // The reason why writing failed is told; that the remains can't be removed either adds nothing.
        let _ = fs::remove_file(&new);
    }
    written
}

/// Makes `directory` and what is missing above it, for its owner alone whatever the umask is: whoever may write there
/// may put another program in a hook's place.
fn make(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(directory)
}

fn create(path: &Path, permissions: Option<&Permissions>) -> io::Result<File> {
    gone(fs::remove_file(path))?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    // A settings file may hold keys, and then others may not even for a moment read it.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions.clone())?;
    }
    Ok(file)
}

/// Success where the file to be removed wasn't there.
pub fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// The path with `suffix` at the end of its name.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}
