//! Installs into a directory of its own and looks at the bytes.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that can't go on fails where it stands"
)]

mod harness;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::hook::NAMES as HOOKS;
use harness::agree;
use tempfile::TempDir;

/// A home directory and programs to install. What the hooks do doesn't matter here, so they are empty scripts.
struct Home {
    directory: TempDir,
}

impl Home {
    fn new() -> Self {
        let home = Self {
            directory: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(home.path("built")).unwrap();
        for name in HOOKS.iter().chain(&["stop-hooks"]) {
            let program = home.path("built").join(name);
            fs::write(&program, format!("#!/bin/sh\n# {name}\n")).unwrap();
            fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
        }
        home
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.directory.path().join(relative)
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_stop-hooks"))
            .args(args)
            .env_clear()
            .env("HOME", self.directory.path())
            .output()
            .unwrap()
    }

    /// `install` with `args`, which has to succeed.
    #[track_caller]
    fn install(&self, args: &[&str]) -> String {
        let built = self.path("built");
        let mut all = vec!["install", "--from", built.to_str().unwrap()];
        all.extend(args);
        self.succeed(&all)
    }

    #[track_caller]
    fn uninstall(&self, args: &[&str]) -> String {
        let mut all = vec!["uninstall"];
        all.extend(args);
        self.succeed(&all)
    }

    #[track_caller]
    fn succeed(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{args:?}: {stderr}");
        assert_eq!(stderr, "");
        String::from_utf8(output.stdout).unwrap()
    }

    #[track_caller]
    fn fail(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(!output.status.success(), "{args:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    fn settings(&self) -> String {
        fs::read_to_string(self.path(".claude/settings.json")).unwrap()
    }

    fn write_settings(&self, text: &str) {
        fs::create_dir_all(self.path(".claude")).unwrap();
        fs::write(self.path(".claude/settings.json"), text).unwrap();
    }

    /// Every file below the home directory, with its bytes or link target and its mode.
    fn everything(&self) -> Vec<(PathBuf, Vec<u8>, u32)> {
        let mut found = Vec::new();
        let mut directories = vec![self.directory.path().to_owned()];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                let meta = fs::symlink_metadata(&path).unwrap();
                if meta.is_dir() {
                    directories.push(path);
                    continue;
                }
                let bytes = match fs::read_link(&path) {
                    Ok(target) => target.to_string_lossy().into_owned().into_bytes(),
                    Err(_) => fs::read(&path).unwrap(),
                };
                found.push((path, bytes, meta.permissions().mode() & 0o777));
            }
        }
        found.sort();
        found
    }
}

/// The commands registered under `event`, read by a parser that knows nothing of how they were written.
fn commands(settings: &str, event: &str) -> Vec<String> {
    // A number beyond f64 is JSON, but no `Value`.
    let bare = settings
        .trim_start_matches('\u{feff}')
        .replace("1e400", "1");
    let value: serde_json::Value = serde_json::from_str(&bare).unwrap();
    let groups = value["hooks"][event].as_array().cloned();
    groups
        .unwrap_or_default()
        .iter()
        .flat_map(|group| group["hooks"].as_array().cloned().unwrap_or_default())
        .map(|hook| hook["command"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_fresh_home_gets_five_entries_and_six_programs() {
    let home = Home::new();
    home.install(&[]);
    let paths: Vec<_> = HOOKS
        .map(|name| home.path(".claude/hooks").join(name).display().to_string())
        .to_vec();
    assert_eq!(commands(&home.settings(), "Stop"), paths);
    for name in HOOKS.iter().chain(&["stop-hooks"]) {
        let path = home.path(".claude/hooks").join(name);
        assert_eq!(
            fs::metadata(path).unwrap().permissions().mode() & 0o777,
            0o755
        );
    }
}

/// What a person reads from the first installation to the end.
#[test]
fn every_step_says_what_it_did() {
    let home = Home::new();
    home.write_settings("{}");
    let mut told = String::new();
    for args in [
        &["--mode", "shadow", "--dry-run"][..],
        &["--mode", "shadow"],
        &["--mode", "block", "--gate", "--codex"],
    ] {
        told += &[
            "$ install ",
            &args.join(" "),
            "\n",
            &home.install(args),
            "\n",
        ]
        .concat();
    }
    for args in [&["--gate"][..], &[], &[]] {
        told += &[
            "$ uninstall ",
            &args.join(" "),
            "\n",
            &home.uninstall(args),
            "\n",
        ]
        .concat();
    }
    let home = home.directory.path().display().to_string();
    agree("install.txt", &told.replace(&home, "~"));
}

#[test]
fn the_second_run_changes_nothing() {
    let home = Home::new();
    for args in [
        &[][..],
        &["--mode", "shadow"],
        &["--gate", "--subagents", "--codex"],
    ] {
        home.install(args);
        let before = home.everything();
        let said = home.install(args);
        assert!(
            said.starts_with("Nothing to change.\nNo judge found: "),
            "{said}"
        );
        assert_eq!(said.lines().count(), 2, "{said}");
        assert_eq!(home.everything(), before);
        home.install(&[]);
        assert_eq!(home.everything(), before, "no flags leave what is chosen");
    }
}

#[test]
fn a_dry_run_touches_nothing() {
    let home = Home::new();
    home.write_settings("{}");
    let before = home.everything();
    let said = home.install(&["--dry-run", "--codex"]);
    assert_eq!(
        said.matches("would be added to ~/.claude/settings.json: Stop ")
            .count(),
        5
    );
    assert_eq!(
        said.matches("would be added to ~/.codex/hooks.json: Stop ")
            .count(),
        5
    );
    assert_eq!(home.everything(), before);
    home.install(&["--codex"]);
    let before = home.everything();
    assert_eq!(
        home.uninstall(&["--dry-run"])
            .matches("would be removed: ")
            .count(),
        6
    );
    assert_eq!(home.everything(), before);
}

#[test]
fn another_mode_changes_the_entries_in_place() {
    let home = Home::new();
    home.write_settings(
        r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}]}]},"z":1}"#,
    );
    home.install(&["--mode", "shadow"]);
    let shadow = home.settings();
    home.install(&["--mode", "block"]);
    assert_eq!(
        home.settings(),
        shadow.replace("--mode shadow", "--mode block")
    );
}

#[test]
fn flags_reach_every_command_quoted() {
    let home = Home::new();
    home.install(&[
        "--judge",
        "openai:llama3.1:8b,command:/opt/my judge",
        "--url",
        "http://127.0.0.1:11434/v1",
        "--api-key-env",
        "MY_KEY",
        "--timeout-s",
        "45",
        "--sensitivity",
        "high",
        "--codex-user-config",
    ]);
    let tail = " --judge 'openai:llama3.1:8b,command:/opt/my judge' --url http://127.0.0.1:11434/v1 \
                --api-key-env MY_KEY --timeout-s 45 --sensitivity high --codex-user-config";
    let commands = commands(&home.settings(), "Stop");
    assert_eq!(commands.len(), 5);
    for command in commands {
        assert!(command.ends_with(tail), "{command}");
    }
    assert_eq!(home.settings().matches("\"timeout\":55}").count(), 5);
}

#[test]
fn a_path_with_spaces_and_quotes_runs_in_a_shell() {
    let home = Home::new();
    let odd = home.path("it's a \"dir\" $x");
    home.install(&["--claude-dir", odd.to_str().unwrap()]);
    let settings = fs::read_to_string(odd.join("settings.json")).unwrap();
    for command in commands(&settings, "Stop") {
        let status = Command::new("/bin/sh")
            .args(["-c", &command])
            .status()
            .unwrap();
        assert!(status.success(), "{command}");
    }
}

#[test]
fn a_directory_that_the_hooks_would_not_go_by_is_told() {
    let home = Home::new();
    let other = home.path("other").display().to_string();
    let note = format!(
        "Note: the hooks go by CLAUDE_CONFIG_DIR: unless it is ~/other, they log to ~/.claude and read your own rules in \
         ~/.claude; so start Claude Code and Codex with CLAUDE_CONFIG_DIR={other}.\n"
    );
    assert!(home.install(&["--claude-dir", &other]).contains(&note));
    assert!(!home.install(&[]).contains("Note"));
    let same = home.path(".claude").display().to_string();
    assert!(!home.install(&["--claude-dir", &same]).contains("Note"));
}

#[test]
fn codex_is_found_where_its_variable_says() {
    let home = Home::new();
    let (other, built) = (home.path("other"), home.path("built"));
    let output = Command::new(env!("CARGO_BIN_EXE_stop-hooks"))
        .args(["install", "--codex", "--from"])
        .arg(built)
        .env_clear()
        .env("HOME", home.directory.path())
        .env("CODEX_HOME", &other)
        .output();
    assert!(output.unwrap().status.success());
    assert!(other.join("hooks.json").exists());
    assert!(!home.path(".codex").exists());
}

#[test]
fn a_value_that_makes_no_sense_is_refused_before_anything_is_written() {
    let home = Home::new();
    let before = home.everything();
    for (args, expected) in [
        (
            &["install", "--mode", "loud"][..],
            "--mode takes block, warn, shadow or off, not \"loud\"",
        ),
        (
            &["install", "--timeout-s", "0"],
            "--timeout-s takes a number of seconds above 0, at most 600, not \"0\"",
        ),
        (
            &["install", "--sensitivity", "x"],
            "--sensitivity takes low, normal or high, not \"x\"",
        ),
        (
            &["install", "--judge", "codex,foo"],
            "--judge: there is no backend \"foo\", only auto, codex[:MODEL], claude[:MODEL], openai:MODEL, \
             anthropic:MODEL, command:PROGRAM, none",
        ),
        (&["install", "--nonsense"], "invalid option '--nonsense'"),
        (&["install", "extra"], "unexpected argument \"extra\""),
        (
            &["nonsense"],
            "there is no command \"nonsense\". Try --help.",
        ),
        (&[], "which command? Try --help."),
    ] {
        assert_eq!(home.fail(args), format!("stop-hooks: {expected}\n"));
    }
    assert_eq!(home.everything(), before);
}

#[test]
fn programs_that_were_never_built_are_named() {
    let home = Home::new();
    fs::remove_file(home.path("built/scope-check")).unwrap();
    let built = home.path("built").display().to_string();
    let said = home.fail(&["install", "--from", &built]);
    assert_eq!(
        said,
        format!("stop-hooks: scope-check is not in {built}: build it first (install.sh does)\n")
    );
    assert!(!home.path(".claude").exists());
}

#[test]
fn parts_are_taken_out_one_by_one() {
    let home = Home::new();
    home.install(&[]);
    let stop_only = home.settings();
    home.install(&["--gate", "--subagents", "--codex"]);
    assert_eq!(commands(&home.settings(), "SubagentStop").len(), 5);
    assert_eq!(commands(&home.settings(), "PreToolUse").len(), 1);
    home.uninstall(&["--gate", "--subagents"]);
    assert_eq!(home.settings(), stop_only);
    assert!(home.path(".codex/hooks.json").exists());
    home.uninstall(&["--codex"]);
    assert!(!home.path(".codex/hooks.json").exists());
    assert_eq!(home.settings(), stop_only);
}

#[test]
fn codex_entries_go_to_the_end_and_trust_is_explained() {
    let home = Home::new();
    fs::create_dir(home.path(".codex")).unwrap();
    let mine = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}]}]}}"#;
    fs::write(home.path(".codex/hooks.json"), mine).unwrap();
    let said = home.install(&["--codex"]);
    assert!(said.contains("/hooks"), "{said}");
    let text = fs::read_to_string(home.path(".codex/hooks.json")).unwrap();
    assert_eq!(commands(&text, "Stop")[0], "mine");
    assert_eq!(commands(&text, "Stop").len(), 6);
    home.uninstall(&[]);
    assert_eq!(
        fs::read_to_string(home.path(".codex/hooks.json")).unwrap(),
        mine
    );
}

#[test]
fn codex_takes_over_the_flags_of_claude_codes_entries() {
    let home = Home::new();
    home.install(&["--mode", "shadow", "--judge", "openai:m"]);
    home.install(&["--codex", "--judge", "none"]);
    let text = fs::read_to_string(home.path(".codex/hooks.json")).unwrap();
    for command in commands(&text, "Stop") {
        assert!(
            command.ends_with(" --judge none --mode shadow"),
            "{command}"
        );
    }
    assert_eq!(commands(&text, "Stop"), commands(&home.settings(), "Stop"));
}

/// In whichever order they are asked for, but never into a file without our entries.
#[test]
fn the_gate_and_subagents_are_one_for_both_clients() {
    let codex = |home: &Home| fs::read_to_string(home.path(".codex/hooks.json")).unwrap();
    for (first, second) in [
        (&["--codex"][..], &["--gate", "--subagents"][..]),
        (&["--gate", "--subagents"], &["--codex"]),
    ] {
        let home = Home::new();
        home.install(first);
        let said = home.install(second);
        assert!(
            said.contains("added to ~/.codex/hooks.json: PreToolUse "),
            "{said}"
        );
        assert!(said.contains("/hooks"), "{said}");
        for event in ["Stop", "SubagentStop", "PreToolUse"] {
            assert_eq!(
                commands(&codex(&home), event),
                commands(&home.settings(), event)
            );
        }
        assert_eq!(commands(&codex(&home), "PreToolUse").len(), 1);
        // Who takes it from the one client doesn't get it back by an update.
        home.uninstall(&["--codex", "--gate"]);
        home.install(&["--mode", "warn"]);
        assert!(!codex(&home).contains("PreToolUse"));
    }
    let home = Home::new();
    home.install(&["--gate"]);
    assert!(!home.path(".codex").exists());
}

#[test]
fn what_others_changed_in_between_stays() {
    let home = Home::new();
    home.write_settings("{\n  \"a\": 1\n}\n");
    home.install(&[]);
    let edited = home.settings().replace("\"a\": 1", "\"a\": 2.0");
    home.write_settings(&edited);
    let said = home.uninstall(&[]);
    assert!(said.contains("changed by others since"), "{said}");
    assert_eq!(home.settings(), "{\n  \"a\": 2.0\n}\n");
    let backup = home.path(".claude/settings.json.before-stop-hooks");
    assert_eq!(fs::read_to_string(backup).unwrap(), "{\n  \"a\": 1\n}\n");
}

#[test]
fn rules_of_ones_own_outlive_the_programs() {
    let home = Home::new();
    home.install(&[]);
    fs::write(home.path(".claude/hooks/scope-check.json"), "{}").unwrap();
    home.uninstall(&[]);
    let left: Vec<_> = fs::read_dir(home.path(".claude/hooks")).unwrap().collect();
    assert_eq!(left.len(), 1);
}

/// Installs over `text`, uninstalls, and expects every byte of the home directory back.
#[track_caller]
fn round_trip(name: &str, prepare: impl Fn(&Home)) {
    let home = Home::new();
    fs::create_dir(home.path(".claude")).unwrap();
    prepare(&home);
    let before = home.everything();
    home.install(&["--gate", "--subagents"]);
    assert_eq!(
        commands(&home.settings(), "Stop")
            .iter()
            .filter(|c| c.contains("/.claude/hooks/"))
            .count(),
        5,
        "{name}"
    );
    home.install(&["--mode", "warn"]);
    home.uninstall(&[]);
    assert_eq!(home.everything(), before, "{name}");
}

#[test]
fn settings_come_back_byte_for_byte() {
    let huge = format!(
        "{{\"permissions\":{{\"allow\":[{}]}}, \"hooks\": {{\"Stop\" :[ ] }}}}",
        vec!["\"Bash(x:*)\""; 50_000].join(",")
    );
    let texts = [
        ("empty", ""),
        ("white space", " \n\t\n"),
        ("only a mark", "\u{feff}"),
        ("empty object", "{}"),
        ("empty object, spaced", "{ \n }\n\n"),
        ("mark", "\u{feff}{\"a\": 1}"),
        ("mark and CRLF", "\u{feff}{\r\n  \"a\": 1\r\n}\r\n"),
        ("CRLF", "{\r\n    \"a\": [\r\n        1\r\n    ]\r\n}"),
        ("lone CR inside a string", "{\"a\":\"x\\ry\"}"),
        ("tabs", "{\n\t\"a\": {\n\t\t\"b\": null\n\t}\n}\n"),
        ("one line", r#"{"a":1,"b":[true,false]}"#),
        ("one line, spaced", r#"{ "a": 1, "b": [ true, false ] }"#),
        ("no last newline", "{\n  \"a\": 1\n}"),
        (
            "unknown keys",
            r#"{"$schema":"https://example.invalid/x","hooksX":{"Stop":0},"é":"日本\u0000"}"#,
        ),
        (
            "numbers",
            r#"{"a":1.0,"b":1e400,"c":-0,"d":12345678901234567890.10}"#,
        ),
        (
            "repeated keys",
            r#"{"a":1,"a":2,"hooks":{},"hooks":{"PreToolUse":[]}}"#,
        ),
        ("hooks empty", "{\n  \"hooks\": {}\n}\n"),
        ("hooks spaced", "{\n  \"hooks\": {\n\n  }\n}\n"),
        ("Stop empty", r#"{"hooks":{"Stop":[]}}"#),
        ("Stop spaced", "{\"hooks\":{\"Stop\":[ ]}}"),
        (
            "other Stop hook",
            r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}"#,
        ),
        (
            "other events",
            "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [{ \"type\": \"command\", \"command\": \"x\" }]\n      }\n    ],\n    \"SessionStart\": []\n  },\n  \"model\": \"opus\"\n}\n",
        ),
        (
            "hooks last",
            "{\n  \"z\": {},\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": []}\n    ]\n  }\n}",
        ),
        ("escaped keys", r#"{"\u0068ooks":{"St\u006fp":[]}}"#),
        (
            "brackets in strings",
            r#"{"a":"]}{[\"","hooks":{"Stop":[],"b":"\\"}}"#,
        ),
        (
            "comma first",
            "{ \"a\": 1\n, \"b\": 2\n, \"hooks\": { \"Stop\": [ {}\n, {} ] }\n}",
        ),
        ("huge", &huge),
    ];
    for (name, text) in texts {
        round_trip(name, |home| home.write_settings(text));
    }
}

#[test]
fn no_file_is_left_where_none_was() {
    round_trip("missing", |_| {});
}

#[test]
fn a_files_mode_is_kept() {
    for mode in [0o600, 0o640, 0o664] {
        round_trip("mode", |home| {
            home.write_settings("{\"env\":{}}");
            let path = home.path(".claude/settings.json");
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        });
    }
    let home = Home::new();
    home.write_settings("{}");
    let mode = |path: &str| fs::metadata(home.path(path)).unwrap().permissions().mode() & 0o777;
    fs::set_permissions(
        home.path(".claude/settings.json"),
        fs::Permissions::from_mode(0o600),
    )
    .unwrap();
    home.install(&[]);
    assert_eq!(mode(".claude/settings.json"), 0o600);
    assert_eq!(mode(".claude/settings.json.before-stop-hooks"), 0o600);
}

#[test]
fn a_symlink_is_written_through() {
    let relative = |home: &Home| {
        fs::create_dir(home.path("dotfiles")).unwrap();
        fs::write(home.path("dotfiles/claude.json"), "{\"a\":1}").unwrap();
        symlink(
            "../dotfiles/claude.json",
            home.path(".claude/settings.json"),
        )
        .unwrap();
    };
    round_trip("symlink", relative);

    let home = Home::new();
    fs::create_dir(home.path(".claude")).unwrap();
    relative(&home);
    home.install(&[]);
    assert!(home.path(".claude/settings.json").is_symlink());
    let target = fs::read_to_string(home.path("dotfiles/claude.json")).unwrap();
    assert_eq!(commands(&target, "Stop").len(), 5);
    let beside: Vec<_> = fs::read_dir(home.path("dotfiles")).unwrap().collect();
    assert_eq!(beside.len(), 1, "nothing of ours stays in the dotfiles");
}

#[test]
fn a_link_to_a_file_that_is_not_there_yet_is_written_through() {
    let home = Home::new();
    fs::create_dir(home.path(".claude")).unwrap();
    symlink(
        home.path("dotfiles/new.json"),
        home.path(".claude/settings.json"),
    )
    .unwrap();
    home.install(&[]);
    assert!(home.path("dotfiles/new.json").is_file());
    assert!(home.path(".claude/settings.json").is_symlink());
}

/// Expects that neither `install` nor `uninstall` touches a file, and that the sentence names the reason.
#[track_caller]
fn left_alone(bytes: &[u8], mode: u32, reason: &str) {
    let home = Home::new();
    home.write_settings("");
    let path = home.path(".claude/settings.json");
    fs::write(&path, bytes).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    let before = home.everything();
    let built = home.path("built").display().to_string();
    let said = home.fail(&["install", "--from", &built]);
    assert!(
        said.contains(reason) && said.ends_with("; left alone\n"),
        "{said}"
    );
    assert_eq!(home.everything(), before);
}

#[test]
fn a_file_that_the_client_would_reject_is_left_alone() {
    left_alone(
        b"{\"a\":1,}",
        0o644,
        "not valid JSON: key must be a string at line 1 column 8",
    );
    left_alone(b"// mine\n{}", 0o644, "not valid JSON");
    left_alone(b"{\"a\":1", 0o644, "not valid JSON");
    left_alone(b"{} {}", 0o644, "not valid JSON");
    left_alone(b"{\"a\":\"\xff\"}", 0o644, "is not UTF-8");
    left_alone(b"[]", 0o644, "its value is not an object");
    left_alone(b"{\"hooks\":[]}", 0o644, "\"hooks\" is not an object");
    left_alone(
        b"{\"hooks\":{\"Stop\":{}}}",
        0o644,
        "\"hooks.Stop\" is not a list",
    );
    left_alone(b"{}", 0o444, "is read-only");
}

#[test]
fn a_broken_file_keeps_its_programs() {
    let home = Home::new();
    home.install(&[]);
    let broken = home.settings().replace("\n}", "\n");
    home.write_settings(&broken);
    let before = home.everything();
    assert!(home.fail(&["uninstall"]).contains("not valid JSON"));
    assert_eq!(home.everything(), before);
}

#[test]
fn there_is_help_for_every_command() {
    let home = Home::new();
    let all = home.succeed(&["--help"]);
    assert!(all.contains("\n  --help, --version\n"), "{all}");
    let commands = all.lines().filter(|line| line.starts_with("  "));
    for line in commands.filter(|line| !line.starts_with("  --")) {
        let name = line.split_whitespace().next().unwrap();
        let help = home.succeed(&[name, "--help"]);
        let default =
            "[default: CLAUDE_CONFIG_DIR, else where this tool is installed, else ~/.claude]";
        assert_eq!(
            help.contains("--claude-dir DIR "),
            help.contains(default),
            "{help}"
        );
        assert!(
            help.contains(&format!("Usage: stop-hooks {name} ")),
            "{help}"
        );
    }
    assert!(Path::new(env!("CARGO_BIN_EXE_stop-hooks")).is_file());
}

/// Whoever could write there could put a program of theirs in a hook's place.
#[test]
fn what_is_made_is_the_users_alone_whatever_the_umask_is() {
    let home = Home::new();
    let install = format!(
        "umask 000 && exec '{}' install --from '{}'",
        env!("CARGO_BIN_EXE_stop-hooks"),
        home.path("built").display()
    );
    let status = Command::new("/bin/sh")
        .args(["-c", &install])
        .env_clear()
        .env("HOME", home.directory.path())
        .stdout(std::process::Stdio::null())
        .status();
    assert!(status.unwrap().success());
    for (made, mode) in [
        (".claude", 0o700),
        (".claude/hooks", 0o700),
        (".claude/hooks/scope-check", 0o755),
        (".claude/settings.json", 0o600),
    ] {
        let found = fs::metadata(home.path(made)).unwrap().permissions().mode();
        assert_eq!(found & 0o777, mode, "{made}");
    }
}

/// A client may read such a file; one that follows it down would run out of stack.
#[test]
fn what_nests_without_end_is_left_alone() {
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    left_alone(deep.as_bytes(), 0o644, "nests deeper than 128");
    let home = Home::new();
    home.install(&[]);
    home.write_settings(&deep);
    assert!(home.fail(&["uninstall"]).contains("nests deeper than 128"));
    assert!(home.fail(&["doctor", "--offline"]).contains("error"));
    home.succeed(&["stats"]);
    let brackets = format!("{{\"a\":\"{}\\\"[\"}}", "[".repeat(1000));
    round_trip("brackets in a text", |home| home.write_settings(&brackets));
    let fair = format!("{{\"a\":{}{}}}", "[".repeat(126), "]".repeat(126));
    round_trip("deep", |home| home.write_settings(&fair));
}

/// Opening a pipe waits for its writer.
#[test]
fn what_is_no_regular_file_is_left_alone() {
    let home = Home::new();
    home.write_settings("");
    let path = home.path(".claude/settings.json");
    fs::remove_file(&path).unwrap();
    let made = Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    let built = home.path("built").display().to_string();
    for args in [&["install", "--from", &built][..], &["uninstall"]] {
        let said = home.fail(args);
        assert!(said.contains("it is no regular file"), "{said}");
    }
}

/// Runs `stop-hooks` with its words going to `to`.
fn unheard(home: &Home, args: &[&str], to: fs::File) -> Option<i32> {
    let status = Command::new(env!("CARGO_BIN_EXE_stop-hooks"))
        .args(args)
        .env_clear()
        .env("HOME", home.directory.path())
        .stdout(to)
        .stderr(std::process::Stdio::null())
        .status();
    status.unwrap().code()
}

#[test]
fn who_listens_does_not_decide_what_is_done() {
    let closed = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        fs::File::from(std::os::fd::OwnedFd::from(writer))
    };
    let mut ways: Vec<(fs::File, fs::File, i32)> = vec![(closed(), closed(), 0)];
    if let (Ok(one), Ok(other)) = (
        fs::File::options().write(true).open("/dev/full"),
        fs::File::options().write(true).open("/dev/full"),
    ) {
        ways.push((one, other, 1));
    }
    for (one, other, code) in ways {
        let home = Home::new();
        home.write_settings("{}");
        let before = home.everything();
        let built = home.path("built").display().to_string();
        let install = ["install", "--codex", "--gate", "--from", &built];
        assert_eq!(unheard(&home, &install, one), Some(code));
        let installed = home.everything();
        let said = home.install(&["--codex", "--gate"]);
        assert!(said.starts_with("Nothing to change.\n"), "{said}");
        assert_eq!(home.everything(), installed);
        assert_eq!(unheard(&home, &["uninstall"], other), Some(code));
        assert_eq!(home.everything(), before);
    }
}

#[test]
fn a_file_that_cannot_be_cleaned_keeps_no_other_from_it() {
    for broken in [Some("{,}"), None] {
        let home = Home::new();
        home.install(&["--codex"]);
        let codex = home.path(".codex/hooks.json");
        fs::remove_file(&codex).unwrap();
        match broken {
            Some(text) => fs::write(&codex, text).unwrap(),
            None => fs::create_dir(&codex).unwrap(),
        }
        let output = home.run(&["uninstall"]);
        let said = String::from_utf8(output.stdout).unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(
            said.contains("taken out of ~/.claude/settings.json: "),
            "{said}"
        );
        assert!(
            said.contains("removed: ~/.claude/hooks/stop-hooks"),
            "{said}"
        );
        assert!(stderr.contains(".codex/hooks.json"), "{stderr}");
        assert!(!home.path(".claude/settings.json").exists());
        assert!(!home.path(".claude/hooks").exists());
    }
    // One that may still name them keeps the programs: an entry without its program is an error at every stop.
    let home = Home::new();
    home.install(&["--codex"]);
    let codex = home.path(".codex/hooks.json");
    let text = fs::read_to_string(&codex).unwrap();
    fs::write(&codex, text.replacen('{', "{,", 1)).unwrap();
    let said = home.fail(&["uninstall"]);
    assert!(said.contains(".codex/hooks.json: not valid JSON"), "{said}");
    assert!(said.contains("the programs stay"), "{said}");
    assert!(!home.path(".claude/settings.json").exists());
    assert!(home.path(".claude/hooks/scope-check").exists());
    fs::write(&codex, text).unwrap();
    home.uninstall(&[]);
    assert!(!home.path(".claude/hooks").exists() && !codex.exists());
}

#[test]
fn a_mode_is_changed_in_both_clients() {
    let home = Home::new();
    let codex = || fs::read_to_string(home.path(".codex/hooks.json")).unwrap();
    home.install(&["--mode", "shadow"]);
    assert!(!home.path(".codex").exists());
    home.install(&["--codex"]);
    // What somebody has taken out stays out unless it is asked for.
    let one = commands(&codex(), "Stop")[0].clone();
    let value: serde_json::Value = serde_json::from_str(&codex()).unwrap();
    let first = value["hooks"]["Stop"][0].clone();
    let mine = serde_json::json!({ "hooks": { "Stop": [first] } }).to_string();
    fs::write(home.path(".codex/hooks.json"), mine).unwrap();
    let said = home.install(&["--mode", "block"]);
    assert_eq!(commands(&codex(), "Stop"), [one.replace("shadow", "block")]);
    assert!(
        said.contains("changed in ~/.codex/hooks.json: Stop "),
        "{said}"
    );
    assert!(
        said.contains("/hooks"),
        "a change needs trust again: {said}"
    );

    let broken = codex().replacen('{', "{,", 1);
    fs::write(home.path(".codex/hooks.json"), &broken).unwrap();
    let said = home.install(&["--mode", "warn"]);
    assert!(
        said.contains("Note: Codex's entries are as they were: "),
        "{said}"
    );
    assert_eq!(home.settings().matches("--mode warn").count(), 5);
    // A broken file without ours is none of our business.
    fs::write(home.path(".codex/hooks.json"), "{,").unwrap();
    assert!(!home.install(&["--mode", "block"]).contains("Note"));
}

#[test]
fn an_entry_that_flags_do_not_reach_is_told() {
    let home = Home::new();
    let wrapped = format!(
        "env A=1 {} --mode shadow",
        home.path(".claude/hooks/shallow-bugfix").display()
    );
    home.write_settings(&format!(
        r#"{{"hooks":{{"Stop":[{{"hooks":[{{"type":"command","command":"{wrapped}"}}]}}]}}}}"#
    ));
    let said = home.install(&["--mode", "block"]);
    let note = format!(
        "Note: left as it is, since the command line is your own; change its flags there: ~/.claude/settings.json: Stop {wrapped}\n"
    );
    assert!(said.contains(&note), "{said}");
    assert!(!home.install(&[]).contains("Note"));
    assert!(!home.install(&["--mode", "shadow"]).contains("Note"));
}

#[test]
fn what_only_names_a_program_of_ours_stays_and_is_told() {
    let home = Home::new();
    let program = |name: &str| home.path(".claude/hooks").join(name).display().to_string();
    let entry =
        |command: &str| serde_json::json!({ "hooks": [{ "type": "command", "command": command }] });
    let checked = format!("my-lint.sh && {}", program("scope-check"));
    let sum = format!("sha256sum {} > x", program("scope-change"));
    let line = format!("{} stats", program("stop-hooks"));
    let others = serde_json::json!({
        "statusLine": { "type": "command", "command": line },
        "hooks": {
            "Stop": [entry(&checked), entry(&sum), entry("sha256sum scope-check")],
            "SessionStart": [entry("~/.claude/hooks/stop-hooks doctor")],
        }
    });
    home.write_settings(&others.to_string());
    home.install(&[]);
    let wrapped = entry(&format!("nice {} | tee x", program("shallow-bugfix")));
    let settings = home.settings();
    let more = settings.replacen("\"Stop\":[", &format!("\"Stop\":[{wrapped},"), 1);
    home.write_settings(&more);
    let said = home.uninstall(&[]);
    assert_eq!(home.settings(), others.to_string());
    let note = "Note: still names a program of ours, in words that aren't ours; take it out: ~/.claude/settings.json: ";
    for (place, words) in [
        ("hooks.Stop[0].hooks[0].command", checked.as_str()),
        ("hooks.Stop[1].hooks[0].command", &sum),
        ("statusLine.command", &line),
        (
            "hooks.SessionStart[0].hooks[0].command",
            "~/.claude/hooks/stop-hooks doctor",
        ),
    ] {
        assert!(
            said.contains(&format!("{note}{place}: {words}\n")),
            "{said}"
        );
    }
    assert_eq!(said.matches("Note").count(), 4, "{said}");
}

/// What a gate's words tell people to run.
#[test]
fn an_installed_tool_knows_its_own_installation() {
    let home = Home::new();
    home.write_settings("{}");
    let before = home.everything();
    let directory = home.path("cfg");
    let tool = directory.join("hooks/stop-hooks");
    home.install(&["--gate", "--claude-dir", directory.to_str().unwrap()]);
    let run = |args: &[&str], variable: Option<&str>| {
        fs::copy(env!("CARGO_BIN_EXE_stop-hooks"), &tool).unwrap();
        let mut command = Command::new(&tool);
        command
            .args(args)
            .env_clear()
            .env("HOME", home.directory.path());
        if let Some(directory) = variable {
            command.env("CLAUDE_CONFIG_DIR", home.path(directory));
        }
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    assert_eq!(
        run(&["uninstall", "--gate"], Some(".claude")),
        "Nothing to remove.\n"
    );
    let said = run(&["uninstall", "--gate"], None);
    assert!(
        said.contains("taken out of ~/cfg/settings.json: PreToolUse "),
        "{said}"
    );
    run(&["uninstall"], None);
    assert_eq!(home.everything(), before);

    // A link to the usual place is no other place.
    fs::rename(home.path(".claude"), home.path("dotfiles")).unwrap();
    symlink("dotfiles", home.path(".claude")).unwrap();
    home.install(&[]);
    let tool = home.path("dotfiles/hooks/stop-hooks");
    fs::copy(env!("CARGO_BIN_EXE_stop-hooks"), &tool).unwrap();
    let output = Command::new(&tool)
        .args(["install", "--mode", "warn"])
        .env_clear()
        .env("HOME", home.directory.path())
        .output();
    assert!(output.unwrap().status.success());
    let expected = home.path(".claude/hooks/scope-check").display().to_string();
    assert!(home.settings().contains(&format!("{expected} --mode warn")));
}

#[test]
fn two_installations_that_share_codex_leave_no_trace() {
    for before in [None, Some("{\"a\": 1}\n")] {
        let home = Home::new();
        if let Some(text) = before {
            fs::create_dir(home.path(".codex")).unwrap();
            fs::write(home.path(".codex/hooks.json"), text).unwrap();
        }
        let everything = home.everything();
        let dirs = ["one", "two"].map(|name| home.path(name).display().to_string());
        for directory in &dirs {
            home.install(&["--codex", "--claude-dir", directory]);
        }
        for directory in &dirs {
            home.uninstall(&["--claude-dir", directory]);
        }
        assert_eq!(home.everything(), everything);
    }
}

#[test]
fn a_link_to_nothing_leads_to_nothing_again() {
    let dangling = |home: &Home| {
        fs::create_dir(home.path("dotfiles")).unwrap();
        let link = home.path(".claude/settings.json");
        symlink("../dotfiles/new.json", link).unwrap();
    };
    round_trip("dangling", dangling);
}

#[test]
fn redact_ends_as_its_help_says() {
    let redact = |line: &str| {
        let tool = env!("CARGO_BIN_EXE_stop-hooks");
        let output = Command::new("/bin/sh")
            .args(["-c", "printf '%s' \"$1\" | \"$0\" redact", tool, line])
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    assert_eq!(redact("{\"text\":\"x\"}"), (Some(0), String::new()));
    let (code, said) = redact("{}");
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("stdin: line 1 is no JSON object with a text"),
        "{said}"
    );
}
