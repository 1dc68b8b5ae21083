//! `stop-hooks doctor` in homes that are well and in homes that are not.

#![allow(
    clippy::unwrap_used,
    reason = "a test that can't go on fails where it stands"
)]

mod harness;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::{Command, Output};

use common::hook::NAMES;
use common::log::{self, Record};
use harness::agree;
use tempfile::TempDir;
use time::OffsetDateTime;

/// A home with the hooks installed, a judge, and a project to stand in.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        for directory in ["built", "bin", "project/.claude"] {
            fs::create_dir_all(home.path(directory)).unwrap();
        }
        let version = env!("CARGO_PKG_VERSION");
        for name in NAMES.into_iter().chain(["stop-hooks"]) {
            home.program(&format!("built/{name}"), &format!("echo {name} {version}"));
        }
        home.program("judge", "cat > /dev/null; echo '{\"new_proposal\":true}'");
        home
    }

    /// The hooks installed with the judge and `args`.
    fn install(self, args: &[&str]) -> Self {
        let judge = format!("command:{}", self.path("judge").display());
        let mut all = vec!["install", "--from", "../built", "--judge", &judge];
        all.extend(args);
        let output = self.run(&all);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        self
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.0.path().join(relative)
    }

    fn program(&self, path: &str, body: &str) {
        let path = self.path(path);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn run(&self, args: &[&str]) -> Output {
        self.run_with(args, &[])
    }

    fn run_with(&self, args: &[&str], variables: &[(&str, &str)]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_stop-hooks"))
            .args(args)
            .current_dir(self.path("project"))
            .env_clear()
            .env("HOME", self.0.path())
            .env(
                "PATH",
                format!("{}:/usr/bin:/bin", self.path("bin").display()),
            )
            .envs(variables.iter().copied())
            .output()
            .unwrap()
    }

    /// What the doctor says, without times, and whether something is broken.
    fn doctor(&self, args: &[&str]) -> (String, bool) {
        self.doctor_with(args, &[])
    }

    fn doctor_with(&self, args: &[&str], variables: &[(&str, &str)]) -> (String, bool) {
        let mut all = vec!["doctor"];
        all.extend(args);
        let output = self.run_with(&all, variables);
        let said = String::from_utf8(output.stdout).unwrap();
        let said = said.replace(self.0.path().to_str().unwrap(), "~");
        let mut lines = String::new();
        for line in said.lines() {
            let (before, after) = line.split_once(": answered in ").unwrap_or((line, ""));
            lines += before;
            if !after.is_empty() {
                lines += ": answered";
            }
            lines.push('\n');
        }
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(stderr.is_empty(), output.status.success(), "{stderr}");
        (lines, !output.status.success())
    }

    /// Expects a line of the doctor's.
    #[track_caller]
    fn told(&self, args: &[&str], expected: &str) {
        let (said, _) = self.doctor(args);
        assert!(said.lines().any(|line| line.trim() == expected), "{said}");
    }

    fn settings(&self) -> String {
        fs::read_to_string(self.path(".claude/settings.json")).unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.path(path), text).unwrap();
    }
}

#[test]
fn a_home_that_is_well() {
    let home = Home::new().install(&["--codex"]);
    codex(&home, "trusted");
    for (hook, host) in NAMES
        .iter()
        .flat_map(|hook| [(hook, "claude-code"), (hook, "codex")])
    {
        if (*hook, host) == ("scope-check", "codex") {
            continue;
        }
        let record = Record {
            hook: (*hook).into(),
            host: Some(host.into()),
            time: "2026-01-31T12:00:00+01:00".into(),
            ..Record::default()
        };
        let now = OffsetDateTime::now_local().unwrap_or_else(|_| OffsetDateTime::now_utc());
        log::append(&record, &home.path(".claude/logs"), home.0.path(), now);
    }
    let (said, broken) = home.doctor(&[]);
    agree("doctor-well.txt", &said);
    assert!(!broken);
}

#[test]
fn a_home_right_after_the_installation() {
    let (said, broken) = Home::new().install(&[]).doctor(&[]);
    agree("doctor-fresh.txt", &said);
    assert!(!broken);
}

#[test]
fn a_home_without_hooks() {
    let (said, broken) = Home::new().doctor(&[]);
    agree("doctor-empty.txt", &said);
    assert!(broken);
}

#[test]
fn one_bad_entry_is_named_since_it_drops_them_all() {
    let home = Home::new().install(&[]);
    home.write(
        ".claude/settings.json",
        &home
            .settings()
            .replacen("\"timeout\":30", "\"timeout\":\"30\"", 1),
    );
    home.told(
        &["--offline"],
        "error    settings  ~/.claude/settings.json: hooks.Stop[0].hooks[0].timeout is \"30\", but has to be a number above 0",
    );
    home.write(
        ".claude/settings.json",
        &home.settings().replacen('{', "{ // mine\n", 1),
    );
    let (said, broken) = home.doctor(&["--offline"]);
    assert!(
        said.contains("error    settings  ~/.claude/settings.json is not JSON: "),
        "{said}"
    );
    assert!(broken);
}

#[test]
fn an_entry_that_cannot_send_the_agent_back_is_named() {
    let home = Home::new().install(&[]);
    let settings = home
        .settings()
        .replacen("\"timeout\":30", "\"timeout\":30,\"async\":true", 2)
        .replacen("\"timeout\":30}", "\"timeout\":30,\"if\":\"Bash(x)\"}", 1)
        .replacen("\"timeout\":30}", "\"timeout\":30,\"async\":false}", 1);
    home.write(".claude/settings.json", &settings);
    for expected in [
        "error    settings  ~/.claude/settings.json: async, so never blocking: commit-before-verify, scope-check",
        "error    settings  ~/.claude/settings.json: with \"if\" at Stop, so never run: scope-change",
    ] {
        home.told(&["--offline"], expected);
    }
}

#[test]
fn programs_that_changed_or_are_gone_are_named() {
    let home = Home::new().install(&[]);
    home.program(".claude/hooks/scope-check", "echo scope-check 9.9.9");
    fs::remove_file(home.path(".claude/hooks/scope-change")).unwrap();
    home.program(".claude/hooks/shallow-bugfix", "exit 1");
    let version = env!("CARGO_PKG_VERSION");
    let older = format!(
        "warning  programs  in ~/.claude/hooks of version 9.9.9, while this is {version}: scope-check"
    );
    home.told(&["--offline"], &older);
    home.told(
        &["--offline"],
        "error    programs  missing in ~/.claude/hooks: scope-change",
    );
    home.told(
        &["--offline"],
        "error    programs  in ~/.claude/hooks, but not able to run: shallow-bugfix",
    );
}

#[test]
fn what_runs_twice_is_named() {
    let home = Home::new().install(&[]);
    let other = format!(
        "{{\"hooks\":{{\"Stop\":[{{\"hooks\":[{{\"type\":\"command\",\"command\":\"{}\"}}]}}]}}}}",
        home.path(".claude/hooks/scope-check").display()
    );
    home.write("project/.claude/settings.json", &other);
    home.told(
        &["--offline"],
        "warning  entries   in ~/.claude/settings.json and in ~/project/.claude/settings.json, differently, so run twice a \
         stop: scope-check",
    );
    home.write("project/.claude/settings.json", &home.settings());
    home.told(
        &["--offline"],
        "ok       entries   in ~/.claude/settings.json and in ~/project/.claude/settings.json alike, so run once a stop: \
         bugfix-without-reproduction, commit-before-verify, scope-change, scope-check, shallow-bugfix",
    );
    home.write(
        "project/.claude/settings.json",
        &other.replace(".claude/hooks", "elsewhere"),
    );
    home.told(
        &["--offline"],
        "warning  entries   ~/project/.claude/settings.json: not an installed program of ours: ~/elsewhere/scope-check",
    );
}

#[test]
fn a_timeout_below_the_deadline_is_named() {
    let home = Home::new().install(&[]);
    home.write(
        ".claude/settings.json",
        &home
            .settings()
            .replacen("\"timeout\":30", "\"timeout\":20", 1),
    );
    home.told(
        &["--offline"],
        "error    timeout   ~/.claude/settings.json: cancelled after 20 s, while the judge has 20 s: Stop of commit-before-verify",
    );
}

#[test]
fn a_deadline_that_a_variable_sets_is_compared() {
    let home = Home::new().install(&["--codex"]);
    let by =
        "cancelled after 30 s, while the judge has 60 s by STOP_HOOK_LLM_JUDGE_TIMEOUT_S: Stop of ";
    let (said, _) = home.doctor_with(&["--offline"], &[("STOP_HOOK_LLM_JUDGE_TIMEOUT_S", "60")]);
    for file in [".claude/settings.json", ".codex/hooks.json"] {
        assert!(
            said.contains(&format!("error    timeout   ~/{file}: {by}")),
            "{said}"
        );
    }
    let settings = home.settings().replacen(
        '{',
        "{\"env\":{\"STOP_HOOK_LLM_JUDGE_TIMEOUT_S\":\"60\"},",
        1,
    );
    home.write(".claude/settings.json", &settings);
    let (said, _) = home.doctor(&["--offline"]);
    assert!(
        said.contains(&format!("error    timeout   ~/.claude/settings.json: {by}")),
        "{said}"
    );
    assert!(!said.contains("hooks.json: cancelled"), "{said}");
    home.write(
        "project/.claude/settings.json",
        "{\"env\":{\"STOP_HOOK_LLM_JUDGE_TIMEOUT_S\":\"9\"}}",
    );
    home.told(
        &["--offline"],
        "ok       timeout   every entry waits longer than its judge",
    );
    // A flag goes before the variable.
    let home = home.install(&["--timeout-s", "15"]);
    let (said, _) = home.doctor_with(&["--offline"], &[("STOP_HOOK_LLM_JUDGE_TIMEOUT_S", "60")]);
    assert!(
        said.contains("every entry waits longer than its judge"),
        "{said}"
    );
}

#[test]
fn a_program_that_is_none_of_ours_is_an_error() {
    let home = Home::new().install(&[]);
    let version = env!("CARGO_PKG_VERSION");
    home.program(
        ".claude/hooks/scope-check",
        &format!("echo other {version}"),
    );
    home.program(".claude/hooks/scope-change", "sleep 600");
    home.program(".claude/hooks/shallow-bugfix", "exec >&-; sleep 600");
    home.program(
        ".claude/hooks/commit-before-verify",
        "while :; do echo x; done",
    );
    let started = std::time::Instant::now();
    for expected in [
        "error    programs  in ~/.claude/hooks, but another program under the name: scope-check",
        "error    programs  in ~/.claude/hooks, but it doesn't end when asked for its version: scope-change, shallow-bugfix",
        "error    programs  in ~/.claude/hooks, but not able to run: commit-before-verify",
    ] {
        home.told(&["--offline"], expected);
    }
    assert!(started.elapsed() < std::time::Duration::from_secs(20));
}

#[test]
fn an_entry_whose_exit_code_is_lost_is_named() {
    let home = Home::new().install(&[]);
    let check = |tail: &str, lost: bool| {
        let command = format!("~/.claude/hooks/scope-check{tail}");
        let entry = serde_json::json!({
            "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": command }] }] }
        });
        home.write("project/.claude/settings.json", &entry.to_string());
        let (said, _) = home.doctor(&["--offline"]);
        let told = said.contains("ends with another command, so what scope-check says");
        assert_eq!(told, lost, "{command}: {said}");
    };
    check(" | tee x", true);
    check(" || true", true);
    check(" > x &", true);
    check(" > x", false);
    check("; ~/.claude/hooks/scope-check", false);
}

#[test]
fn what_switches_the_hooks_off_is_named() {
    let home = Home::new().install(&["--mode", "off"]);
    let settings = home.settings().replacen(
        '{',
        "{\"disableAllHooks\":true,\"env\":{\"STOP_HOOK_LLM_JUDGE_MODE\":\"off\"},",
        1,
    );
    home.write(".claude/settings.json", &settings);
    home.told(
        &[],
        "error    settings  ~/.claude/settings.json switches all hooks off: disableAllHooks",
    );
    home.told(
        &[],
        "warning  settings  ~/.claude/settings.json sets STOP_HOOK_LLM_JUDGE_MODE to \"off\"",
    );
    let (said, _) = home.doctor(&[]);
    assert!(said.contains("are switched off: mode off\n"), "{said}");
}

#[test]
fn a_log_that_nothing_is_written_to_is_named() {
    let home = Home::new().install(&[]);
    symlink(home.path("project"), home.path(".claude/logs")).unwrap();
    home.told(
        &["--offline"],
        "error    log       nothing is logged: ~/.claude/logs is a symlink",
    );
    fs::remove_file(home.path(".claude/logs")).unwrap();
    home.write(".claude/logs", "");
    home.told(
        &["--offline"],
        "error    log       nothing is logged: ~/.claude/logs is no directory",
    );
    fs::remove_file(home.path(".claude/logs")).unwrap();
    fs::create_dir(home.path(".claude/logs")).unwrap();
    let now = OffsetDateTime::now_local().unwrap_or_else(|_| OffsetDateTime::now_utc());
    let today = log::file(&home.path(".claude/logs"), now.date());
    let name = today.file_name().unwrap().display();
    home.write("notes", "");
    symlink(home.path("notes"), &today).unwrap();
    home.told(
        &["--offline"],
        &format!(
            "error    log       nothing is logged: ~/.claude/logs has {name}, which is a symlink"
        ),
    );
    fs::remove_file(&today).unwrap();
    fs::create_dir(&today).unwrap();
    home.told(
        &["--offline"],
        &format!("error    log       nothing is logged: ~/.claude/logs has {name}, which is no regular file"),
    );
}

#[test]
fn a_judge_that_does_not_answer_is_named_with_what_to_do() {
    let home = Home::new().install(&[]);
    home.program("judge", "exit 3");
    let (said, broken) = home.doctor(&[]);
    assert!(
        said.contains("error    judge     command:~/judge: exit-3 in "),
        "{said}"
    );
    assert!(said.contains("→ the program gave up;"), "{said}");
    assert!(
        said.contains("error    judge     no judge answered within "),
        "{said}"
    );
    assert!(broken);
    fs::remove_file(home.path("judge")).unwrap();
    let (said, _) = home.doctor(&["--offline"]);
    assert!(
        said.contains("ok       judge     not asked (--offline), with --judge "),
        "{said}"
    );
}

#[test]
fn a_hook_that_pushes_the_opposite_way_is_named() {
    let home = Home::new().install(&[]);
    home.program("nag", "echo 'There are uncommitted changes.' >&2; exit 2");
    let entry = |command: &str| {
        format!("{{\"hooks\":[{{\"type\":\"command\",\"command\":\"{command}\"}}]}}")
    };
    home.write(
        "project/.claude/settings.json",
        &format!(
            "{{\"hooks\":{{\"Stop\":[{},{}]}}}}",
            entry(&home.path("nag").display().to_string()),
            entry("say done")
        ),
    );
    home.told(
        &["--offline"],
        "warning  others    ~/project/.claude/settings.json: the Stop hook \"~/nag\" speaks of \"uncommitted changes\"",
    );
    home.told(
        &["--offline"],
        "ok       others    ~/project/.claude/settings.json: another Stop hook: \"say done\"",
    );
}

/// However it is called, and whatever it opposes.
#[test]
fn an_opposite_hook_is_found_by_any_name_of_its_script() {
    let home = Home::new().install(&[]);
    home.program("nag", "echo 'Please  git\tcommit.' >&2; exit 2");
    fs::create_dir(home.path("project/tools")).unwrap();
    home.program("project/tools/nag", "echo 'Unpushed work!' >&2; exit 2");
    let nag = home.path("nag").display().to_string();
    let root = home.0.path().display().to_string();
    let check = |key: &str, words: &str, expected: &str| {
        let entry = serde_json::json!({
            "hooks": { "Stop": [{ "hooks": [{ "type": key, key: words }] }] }
        });
        home.write("project/.claude/settings.json", &entry.to_string());
        let (said, _) = home.doctor(&["--offline"]);
        let found = said.lines().find(|line| line.contains("others"));
        let found = found.unwrap_or_default();
        if expected.is_empty() {
            assert!(found.starts_with("ok "), "{words}: {found}");
        } else {
            assert!(found.starts_with("warning "), "{words}: {found}");
            assert!(
                found.ends_with(&format!("speaks of \"{expected}\"")),
                "{found}"
            );
        }
    };
    for command in [
        nag.clone(),
        format!("/bin/bash {nag}"),
        format!("/usr/bin/env {nag}"),
        "~/nag".to_owned(),
        "$HOME/nag".to_owned(),
        "\"${HOME}\"/nag now".to_owned(),
        format!("{nag} || true"),
        format!("cd /tmp && {nag}"),
        format!("cd {root} && ./nag"),
        format!("sh -c '{nag}'"),
        format!("say x && ~/.claude/hooks/scope-check && {nag}"),
    ] {
        check("command", &command, "git commit");
    }
    check("command", "$CLAUDE_PROJECT_DIR/tools/nag", "unpushed");
    check("command", "\"$CLAUDE_PROJECT_DIR\"/tools/nag", "unpushed");
    check("command", "tools/nag", "unpushed");
    check(
        "command",
        "echo commit before you stop >&2; exit 2",
        "commit before",
    );
    check("prompt", "Commit before you stop.", "commit before");
    check(
        "prompt",
        "If context is scarce, hand over to a new session.",
        "new session",
    );
    check(
        "prompt",
        "Put what is left into a follow-up PR.",
        "follow-up pr",
    );
    check("prompt", "Is the work done?", "");
    check("command", "say a recommitted theme", "");
}

#[test]
fn the_same_hook_of_another_installation_is_named() {
    let other = Home::new().path("other").display().to_string();
    let home = Home::new().install(&["--codex"]);
    let more = ["--codex", "--claude-dir", &other];
    let home = home.install(&more);
    let (said, _) = home.doctor(&["--offline"]);
    let told = "warning  entries   ~/.codex/hooks.json: not an installed program of ours: ";
    let line = said.lines().find(|line| line.starts_with(told));
    for hook in NAMES {
        let command = format!("{other}/hooks/{hook} --judge command:~/judge");
        assert!(line.is_some_and(|line| line.contains(&command)), "{said}");
    }
}

#[test]
fn own_rules_that_cannot_be_used_are_named_with_their_place() {
    let home = Home::new().install(&[]);
    home.write(
        ".claude/hooks/scope-check.json",
        r#"{"signals":["ship it"]}"#,
    );
    home.write(
        ".claude/hooks/scope-change.json",
        r#"{"signals":["a","("]}"#,
    );
    home.write(".claude/hooks/shallow-bugfix.json", "{\n\"x\":1}");
    home.write(
        ".claude/hooks/commit-before-verfy.json",
        r#"{"signals":["ship it"]}"#,
    );
    home.write(".claude/hooks/somebody-elses.json", "{}");
    let dangling = home.path(".claude/hooks/bugfix-without-reproduction.json");
    symlink("nowhere", dangling).unwrap();
    for expected in [
        "ok       own rules ~/.claude/hooks/scope-check.json adds to scope-check",
        "warning  own rules ~/.claude/hooks/commit-before-verfy.json holds rules for no hook",
        "error    own rules ~/.claude/hooks/bugfix-without-reproduction.json is a link to nothing",
    ] {
        home.told(&["--offline"], expected);
    }
    let (said, broken) = home.doctor(&["--offline"]);
    for part in [
        "scope-change.json: signals[1]: regex parse error",
        "shallow-bugfix.json: \"x\" is no key of a rule file: those are signals, bypasses and guidance at line 2 column 3",
    ] {
        assert!(
            said.contains(&format!("error    own rules ~/.claude/hooks/{part}")),
            "{said}"
        );
    }
    assert!(broken);
}

#[test]
fn a_directory_that_the_hooks_do_not_go_by_is_named() {
    let home = Home::new();
    let other = home.path("other").display().to_string();
    let home = home.install(&["--claude-dir", &other]);
    let args = ["--offline", "--claude-dir", &other];
    home.told(
        &args,
        "warning  entries   the hooks go by CLAUDE_CONFIG_DIR: unless it is ~/other, they log to ~/.claude and read your own \
         rules in ~/.claude",
    );
    home.told(
        &args,
        "→ start Claude Code and Codex with CLAUDE_CONFIG_DIR=~/other",
    );
    let (said, _) = home.install(&[]).doctor(&["--offline"]);
    assert!(!said.contains("CLAUDE_CONFIG_DIR"), "{said}");
}

/// A client that lists the hooks of `hooks.json` with `trust`, as the real one's app server does.
fn codex(home: &Home, trust: &str) {
    let command = |name: &str| home.path(".claude/hooks").join(name).display().to_string();
    let judge = home.path("judge").display().to_string();
    let hooks: Vec<_> = NAMES
        .iter()
        .map(|name| {
            serde_json::json!({
                "eventName": "stop",
                "command": format!("{} --judge command:{judge}", command(name)),
                "trustStatus": trust,
                "enabled": trust != "off",
            })
        })
        .collect();
    let answer = serde_json::json!({ "id": 1, "result": { "data": [{ "hooks": hooks }] } });
    home.program(
        "bin/codex",
        &format!(
            "read -r initialize; echo '{{\"id\":0,\"result\":{{}}}}'\n\
             read -r initialized; echo '{{\"method\":\"configWarning\"}}'\n\
             read -r list; echo '{answer}'; cat > /dev/null"
        ),
    );
}

#[test]
fn codex_is_asked_for_its_trust() {
    let home = Home::new().install(&["--codex"]);
    home.told(
        &[],
        "warning  codex     no hook of ~/.codex/hooks.json was ever trusted, as far as config.toml tells",
    );
    codex(&home, "trusted");
    home.told(
        &[],
        "ok       codex     Codex trusts 5 hooks of ~/.codex/hooks.json",
    );
    codex(&home, "untrusted");
    home.told(
        &[],
        "error    codex     ~/.codex/hooks.json: not trusted, so skipped: Stop of commit-before-verify, Stop of scope-check, \
         Stop of scope-change, Stop of shallow-bugfix, Stop of bugfix-without-reproduction",
    );
    codex(&home, "off");
    let (said, _) = home.doctor(&[]);
    assert!(
        said.contains(
            "error    codex     ~/.codex/hooks.json: switched off in Codex, so skipped: Stop of "
        ),
        "{said}"
    );
    codex(&home, "modified");
    let (said, broken) = home.doctor(&[]);
    assert!(
        said.contains("changed since it was trusted, so skipped: Stop of commit-before-verify, "),
        "{said}"
    );
    assert!(broken);
    fs::create_dir(home.path("project/.codex")).unwrap();
    let hooks = fs::read_to_string(home.path(".codex/hooks.json")).unwrap();
    home.write("project/.codex/hooks.json", &hooks);
    let (said, _) = home.doctor(&["--offline"]);
    assert!(
        said.contains(
            "warning  entries   in ~/.codex/hooks.json and in ~/project/.codex/hooks.json: bugfix-without-reproduction, "
        ),
        "{said}"
    );
    let config = format!(
        "[hooks.state.\"{}:stop:0:0\"]\n",
        home.path(".codex/hooks.json").display()
    );
    home.write(".codex/config.toml", &config);
    home.told(
        &["--offline"],
        "ok       codex     hooks of ~/.codex/hooks.json were trusted once; Codex was not asked",
    );
    home.write(".codex/hooks.json", "{,}");
    let (said, _) = home.doctor(&["--offline"]);
    assert!(
        said.contains("error    codex     ~/.codex/hooks.json: not valid JSON: "),
        "{said}"
    );
}
