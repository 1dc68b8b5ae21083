//! What `--help` of each hook tells: what it blocks, examples, flags, environment, files, exit codes.

#![allow(
    clippy::unwrap_used,
    reason = "a test that can't go on fails where it stands"
)]

use std::path::Path;
use std::process::Command;

#[track_caller]
fn help(program: &Path) -> String {
    let output = Command::new(program).arg("--help").output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_page_of_each_hook_is_whole() {
    for hook in hooks::ALL {
        let program = Path::new(env!("CARGO_BIN_EXE_scope-check")).with_file_name(hook.name);
        let page = help(&program);
        let rules = format!("~/.claude/hooks/{}.json ", hook.name);
        let blocks = format!("Blocks: {}\n", hook.summary);
        let parts = [
            &blocks,
            "Flags:",
            "--judge LIST",
            "--timeout-s SECONDS",
            "--url URL",
            "--api-key-env NAME",
            "--codex-user-config",
            "--sensitivity LEVEL",
            "--mode MODE",
            "--log-dir DIR",
            "--help, --version",
            "Environment",
            "CLAUDE_CONFIG_DIR",
            "Files:",
            "stop-hook-llm-decisions-YYYY-MM-DD.log",
            &rules,
            r#"{"signals": ["PATTERN", …], "bypasses": ["PATTERN", …], "guidance": "WORDS FOR THE JUDGE"}"#,
            "Exit codes:",
        ];
        for part in parts.into_iter().chain(hook.examples) {
            assert!(page.contains(part), "{}: {part}\n{page}", hook.name);
        }
        // It is of use for the one alone, and no other takes it.
        let gate = Command::new(&program)
            .args(["--gate", "--mode", "off"])
            .env_clear()
            .output()
            .unwrap();
        let refused = String::from_utf8(gate.stderr).unwrap();
        assert_eq!(gate.status.success(), hook.gate.is_some(), "{refused}");
        assert_eq!(
            refused.contains("invalid option '--gate'"),
            hook.gate.is_none(),
            "{refused}"
        );
        assert_eq!(
            page.contains("\n    --gate   "),
            hook.gate.is_some(),
            "{page}"
        );
        assert!(
            page.lines().all(|line| line.chars().count() <= 120),
            "{page}"
        );
    }
}
