//! Files that are replaced whole: whoever reads at that moment sees the old one or the new one.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::settings::resolve;

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

/// Puts `text` where a person said: `-` is `out`, the file that a link names is replaced, and what is no file, such as a
/// pipe or a device, is written to. A new file is for its owner alone: it holds what was said in sessions.
///
/// # Errors
/// When the file system refuses, or nobody reads `out`.
pub fn put(path: &Path, text: &str, out: &mut dyn Write) -> Result<(), Error> {
    if is_stdout(path) {
        return Ok(out.write_all(text.as_bytes())?);
    }
    let written = match fs::metadata(path) {
        Ok(meta) if !meta.is_file() && !meta.is_dir() => OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|mut to| to.write_all(text.as_bytes())),
        // Links that lead round and round, for one.
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => replace(
            &resolve(path),
            text.as_bytes(),
            Some(&Permissions::from_mode(0o600)),
        ),
    };
    written.map_err(|e| Error::file(path, e))
}

/// Whether `path` means stdout. By its name in the file system it would be written to from its beginning.
pub fn is_stdout(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]
        .iter()
        .any(|stdout| path == Path::new(stdout))
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
