//! The decision log: one JSON line for every decision, the material for better prompts.
//!
//! Texts are in it only for turns that a judge read, redacted. A log that can't be written changes no decision, so
//! nothing here returns an error: a run has nobody to tell.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;

/// A reply is logged up to here.
pub const REPLY_MAX_BYTES: usize = 4000;

const FILE_PREFIX: &str = "stop-hook-llm-decisions-";
const FILE_SUFFIX: &str = ".log";

/// One decision.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    /// When, RFC 3339 with the local offset.
    pub time: String,
    /// What names this record.
    pub id: String,
    /// Which hook.
    pub hook: String,
    /// The hook's version.
    pub version: String,
    /// `Stop`, `SubagentStop`, `PreToolUse`; none when stdin could not be read.
    pub event: Option<String>,
    /// `claude-code`, `codex`.
    pub host: Option<String>,
    /// The host's session id.
    pub session: Option<String>,
    /// The host's name of the turn.
    pub turn: Option<String>,
    /// `block`, `warn`, `shadow`.
    pub mode: String,
    /// `allow`, `block`, `deny`, `ask`: what mode block does.
    pub decision: String,
    /// The stage that settled it.
    pub stage: String,
    /// The strongest signal of layer 1.
    pub signal: Option<String>,
    /// The bypass that settled it.
    pub bypass: Option<String>,
    /// `violation`, `allow`, `fail`.
    pub verdict: Option<String>,
    /// The hook's own fields of the answer.
    pub fields: Option<Value>,
    /// The judge's, cleaned; or what went wrong.
    pub reason: Option<String>,
    /// Every backend tried, in order.
    pub attempts: Vec<Attempt>,
    /// What the agent or the user is told in mode block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
    /// What is wrong with the user's own rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rule_faults: Vec<String>,
    /// All attempts together, in milliseconds.
    pub judge_ms: u64,
    /// The whole run, in milliseconds.
    pub total_ms: u64,
    /// How long the transcript was waited for, in milliseconds.
    pub transcript_wait_ms: u64,
    /// Secrets found, by kind.
    pub redactions: BTreeMap<String, usize>,
    /// Bytes of the turn's text that layer 1 looked at.
    pub text_bytes: usize,
    /// The turn's text was longer than that.
    pub truncated: bool,
    /// Judged turns: the text, redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Judged turns: what was said before the last feedback, redacted. Apart from the text, so that the very same prompt
    /// can be put to a judge again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earlier: Option<String>,
    /// A gate: the command line, redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Judged turns: what the agent did, redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activity: Option<String>,
    /// Judged turns: the end of the user's last message, redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Judged turns: what tells the prompt that was sent from any other; it is made of the texts above, the hook's prompt
    /// and the user's own rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Judged turns: the raw reply, redacted, cut at [`REPLY_MAX_BYTES`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
}

/// One backend that was tried.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Attempt {
    /// `codex`, `claude`, `openai`, `anthropic`, `command`.
    pub backend: String,
    /// The model it was asked for.
    pub model: Option<String>,
    /// `answered`, or the failure's name.
    pub outcome: String,
    /// In milliseconds.
    pub ms: u64,
    /// The backend's own words for a failure, cleaned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// The log of one day in `dir`.
pub fn file(dir: &Path, day: time::Date) -> PathBuf {
    let (year, month, day) = day.to_calendar_date();
    dir.join(format!(
        "{FILE_PREFIX}{year:04}-{:02}-{day:02}{FILE_SUFFIX}",
        u8::from(month)
    ))
}

/// The day of a log's file, `2026-01-31`; none for a file that is no log.
pub fn day_of(file: &Path) -> Option<&str> {
    file.file_name()?
        .to_str()?
        .strip_prefix(FILE_PREFIX)?
        .strip_suffix(FILE_SUFFIX)
}

/// Appends `record` to the log of `now`'s day, or does nothing where that isn't safe or possible.
pub fn append(record: &Record, dir: &Path, home: &Path, now: OffsetDateTime) {
    let _ = append_line(record, &file(dir, now.date()), home);
}

/// Appends `line` as JSON to the file at `path`, which is made for its owner alone, with its directory. `home` is of who
/// may own them.
///
/// # Errors
/// When the file system refuses, or the file or its directory is a link or belongs to somebody else.
pub fn append_line(line: &impl Serialize, path: &Path, home: &Path) -> io::Result<()> {
    let mut line = serde_json::to_vec(line)?;
    line.push(b'\n');
    // A trailing slash or dot in the directory would have a link looked through.
    let path: PathBuf = path.components().collect();
    let mut file = open(path.parent().unwrap_or(&path), &path, home)?;
    if !ends_whole(&file)? {
        line.insert(0, b'\n');
    }
    // One write: the kernel never mixes two appends, so five hooks at once each leave a whole line.
    file.write_all(&line)
}

/// Whether the last record is whole. One that a full disk has cut must not spoil the next.
///
/// Another hook's record is seen in half while it is being written, so an end counts as torn only when it stays so.
fn ends_whole(file: &File) -> io::Result<bool> {
    const LOOKS: u32 = 20;
    const PAUSE: Duration = Duration::from_millis(2);

    for look in 0..LOOKS {
        if look > 0 {
            thread::sleep(PAUSE);
        }
        let mut last = [b'\n'];
        if let Some(end) = file.metadata()?.len().checked_sub(1) {
            file.read_at(&mut last, end)?;
        }
        if last == [b'\n'] {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Opens a file for appending: mode 0600 in a directory of mode 0700, neither of them a symlink, both of the user.
fn open(dir: &Path, path: &Path, home: &Path) -> io::Result<File> {
    let owner = fs::metadata(home)?.uid();
    let refused = |what: &str| {
        Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            what.to_owned(),
        ))
    };

    DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    let found = fs::symlink_metadata(dir)?;
    if !found.is_dir() || found.uid() != owner {
        return refused("its directory is a link or belongs to somebody else");
    }
    match fs::symlink_metadata(path) {
        // Opening a pipe would wait for its reader.
        Ok(found) if !found.is_file() => return refused("a link, or no regular file"),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .mode(0o600)
        .open(path)?;
    let (opened, named) = (file.metadata()?, fs::symlink_metadata(path)?);
    if (opened.dev(), opened.ino()) != (named.dev(), named.ino()) || opened.uid() != owner {
        return refused("a link, or somebody else's file");
    }
    if opened.mode() & 0o077 != 0 {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn now() -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp(1_769_860_800).unwrap() // 2026-01-31 12:00 UTC
    }

    fn record() -> Record {
        Record {
            id: "1".into(),
            hook: "scope-check".into(),
            ..Record::default()
        }
    }

    fn read(dir: &Path) -> Vec<Record> {
        let text = fs::read_to_string(file(dir, now().date())).unwrap_or_default();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    #[test]
    fn a_record_is_a_line_of_a_private_file_of_the_day() {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("a/logs");
        append(&record(), &dir, home.path(), now());
        append(&record(), &dir, home.path(), now());
        assert_eq!(read(&dir), [record(), record()]);
        let path = dir.join("stop-hook-llm-decisions-2026-01-31.log");
        assert_eq!(day_of(&path), Some("2026-01-31"));
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(&dir).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_log_that_others_could_read_is_closed() {
        let home = tempfile::tempdir().unwrap();
        let path = file(home.path(), now().date());
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        append(&record(), home.path(), home.path(), now());
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_link_is_never_followed() {
        let home = tempfile::tempdir().unwrap();
        let (real, link) = (home.path().join("real"), home.path().join("link"));
        fs::create_dir(&real).unwrap();
        symlink(&real, &link).unwrap();
        for way in ["link", "link/", "link/.", "link//"] {
            append(&record(), &home.path().join(way), home.path(), now());
            assert_eq!(read(&real), [], "{way}");
        }

        let victim = home.path().join("victim");
        fs::write(&victim, "").unwrap();
        symlink(&victim, file(&real, now().date())).unwrap();
        append(&record(), &real, home.path(), now());
        assert_eq!(fs::read(&victim).unwrap(), b"");
    }

    /// A record that crosses a page is seen in half for a moment, and is not torn for that.
    #[test]
    fn records_of_many_at_once_stand_line_by_line() {
        let home = tempfile::tempdir().unwrap();
        let long = Record {
            text: Some("x".repeat(6000)),
            ..record()
        };
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..300 {
                        append(&long, home.path(), home.path(), now());
                    }
                });
            }
        });
        assert_eq!(read(home.path()).len(), 8 * 300);
    }

    #[test]
    fn a_torn_record_costs_only_itself() {
        let home = tempfile::tempdir().unwrap();
        let path = file(home.path(), now().date());
        fs::write(&path, r#"{"id":"0","ho"#).unwrap();
        append(&record(), home.path(), home.path(), now());
        append(&record(), home.path(), home.path(), now());
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<_> = text.lines().map(serde_json::from_str::<Record>).collect();
        assert!(lines[0].is_err() && lines.len() == 3, "{text}");
        assert_eq!(lines[2].as_ref().unwrap(), lines[1].as_ref().unwrap());
    }

    #[test]
    fn a_log_that_cannot_be_written_is_nothing() {
        let home = tempfile::tempdir().unwrap();
        append(&record(), Path::new("/dev/null/logs"), home.path(), now());
        append(&record(), home.path(), &home.path().join("absent"), now());
        fs::create_dir(file(home.path(), now().date())).unwrap();
        append(&record(), home.path(), home.path(), now());
    }
}
