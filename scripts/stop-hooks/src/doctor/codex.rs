//! Does Codex trust the hooks? It skips one that it doesn't trust without a word.
//!
//! Trust is kept as a hash in Codex's config, under the hook's place in the file. How the hash is made is Codex's own
//! business, so Codex is asked: its app server lists the hooks with their trust. Where it can't be asked, the config tells
//! at least whether there ever was any.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{File, Finding};
use crate::places::Places;
use crate::registration::{Owner, Whose};
use crate::settings::{self, json};
use crate::terminal::count_of;

const AREA: &str = "codex";

/// The app server starts in half a second.
const PATIENCE: Duration = Duration::from_secs(10);

const TODO: &str =
    "start codex, choose \"Review hooks\" when it asks (later: /hooks), and trust it";

/// Checks the hooks of ours in Codex's hooks file.
pub fn check(file: &File, owner: &Owner, places: &Places, offline: bool) -> Vec<Finding> {
    if let Err(e) = json::parse(file.settings.text()) {
        let what = format!("{}: {e}", file.shown);
        return vec![Finding::error(
            AREA,
            what,
            "Codex runs none of its hooks; correct it",
        )];
    }
    let ours: Vec<_> = file
        .registered
        .iter()
        .filter(|r| owner.whose(&r.command) != Whose::Other)
        .collect();
    if ours.is_empty() {
        return Vec::new();
    }
    let states = if offline { None } else { states(&places.codex) };
    let Some(states) = states else {
        return vec![recorded(file, places)];
    };
    let mut trusted = 0_usize;
    let mut findings = Vec::new();
    for registered in ours {
        let state = states.iter().find(|state| {
            state.event.eq_ignore_ascii_case(&registered.event)
                && state.command == registered.command
        });
        let wrong = |what: &str, todo: &str| {
            let hook = match owner.whose(&registered.command) {
                Whose::Ours { hook, .. } | Whose::Wrapped { hook, .. } => hook,
                Whose::Other => "?",
            };
            let entry = format!("{} of {hook}", registered.event);
            Finding::error(AREA, format!("{}: {what}", file.shown), todo).of(entry)
        };
        match state.map(|state| state.trust.as_str()) {
            Some(_) if state.is_some_and(|state| !state.enabled) => findings.push(wrong(
                "switched off in Codex, so skipped",
                "switch it on: start codex, /hooks",
            )),
            Some("trusted") => trusted += 1,
            Some("modified") => {
                findings.push(wrong("changed since it was trusted, so skipped", TODO));
            }
            Some(_) => findings.push(wrong("not trusted, so skipped", TODO)),
            None => findings.push(wrong(
                "not in Codex's list of hooks",
                "check that the feature `hooks` is on and the file is valid",
            )),
        }
    }
    if trusted > 0 {
        findings.insert(
            0,
            Finding::ok(
                AREA,
                format!(
                    "Codex trusts {} of {}",
                    count_of(trusted, "hook"),
                    file.shown
                ),
            ),
        );
    }
    findings
}

/// What the config tells without Codex.
fn recorded(file: &File, places: &Places) -> Finding {
    let config = settings::read_file(&places.codex.join("config.toml")).unwrap_or_default();
    let config = String::from_utf8_lossy(&config);
    let path = file.settings.path().display().to_string();
    if config.contains(&format!("hooks.state.\"{path}:")) {
        Finding::ok(
            AREA,
            format!(
                "hooks of {} were trusted once; Codex was not asked",
                file.shown
            ),
        )
    } else {
        let what = format!(
            "no hook of {} was ever trusted, as far as config.toml tells",
            file.shown
        );
        Finding::warning(AREA, what, TODO)
    }
}

/// A hook as Codex lists it.
struct State {
    event: String,
    command: String,
    trust: String,
    enabled: bool,
}

/// The hooks that Codex knows; none when it can't be asked.
fn states(codex_dir: &Path) -> Option<Vec<State>> {
    let mut server = Command::new("codex")
        .arg("app-server")
        .env("CODEX_HOME", codex_dir)
        .current_dir(codex_dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let answer = list_hooks(&mut server, codex_dir);
    // It ends by itself with its stdin; what it does after the answer doesn't matter.
    let _ = server.kill();
    let _ = server.wait();
    let hooks = answer?.pointer("/result/data/0/hooks")?.as_array()?.clone();
    let states = hooks.iter().filter_map(|hook| {
        let text = |key| Some(hook.get(key)?.as_str()?.to_owned());
        Some(State {
            event: text("eventName")?,
            command: text("command")?,
            trust: text("trustStatus")?,
            enabled: hook.get("enabled").and_then(Value::as_bool) != Some(false),
        })
    });
    Some(states.collect())
}

fn list_hooks(server: &mut Child, directory: &Path) -> Option<Value> {
    let mut stdin = server.stdin.take()?;
    let stdout = BufReader::new(server.stdout.take()?);
    let (send, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in stdout.lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                return;
            }
        }
    });
    let client = json!({ "name": "stop-hooks", "version": env!("CARGO_PKG_VERSION") });
    for message in [
        json!({ "id": 0, "method": "initialize", "params": { "clientInfo": client } }),
        json!({ "method": "initialized" }),
        json!({ "id": 1, "method": "hooks/list", "params": { "cwds": [directory] } }),
    ] {
        writeln!(stdin, "{message}").ok()?;
    }
    let until = Instant::now() + PATIENCE;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let line = lines.recv_timeout(left).ok()?;
        let message: Value = serde_json::from_str(&line).unwrap_or_default();
        if message.get("id") == Some(&json!(1)) {
            return Some(message);
        }
    }
}
