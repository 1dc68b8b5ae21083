//! Five hooks at once, as a host starts them.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use libtest_mimic::Failed;
use serde_json::json;

use super::run;

/// A text that a user's rule makes a matter of all five.
const TEXT: &str = "Time to yeet it.";
const RULE: &str = r#"{"signals": ["yeet it"]}"#;
const ROUNDS: usize = 4;

/// Every run leaves one whole line in the log that they share.
pub fn each_logs_one_whole_line(program: &Path) -> Result<(), Failed> {
    let dir = tempfile::tempdir_in(program.parent().expect("a directory"))?;
    let judge = dir.path().join("judge");
    fs::hard_link(program, &judge)?;
    fs::write(
        dir.path().join("reply"),
        json!({"new_proposal": true, "verification_reported": false, "reason": "x"}).to_string(),
    )?;
    let home = dir.path().join("home");
    let rules = home.join(".claude/hooks");
    fs::create_dir_all(&rules)?;
    // The user's rules aren't read where the project is the user's home.
    let project = dir.path().join("project");
    fs::create_dir(&project)?;
    for hook in hooks::ALL {
        fs::write(rules.join(format!("{}.json", hook.name)), RULE)?;
    }
    // Long enough that a record is more than a page.
    let filler = "ein Wort, das nichts behauptet, ".repeat(100);
    let stdin = json!({
        "hook_event_name": "Stop", "session_id": "s1", "prompt_id": "p1",
        "last_assistant_message": format!("{filler}\n\n{TEXT}"),
    })
    .to_string();

    for _ in 0..ROUNDS {
        let mut children = Vec::new();
        for hook in hooks::ALL {
            let mut command = run::command(hook.name, &home);
            command
                .current_dir(&project)
                .arg("--judge")
                .arg(format!("command:{}", judge.display()));
            let mut child = command.spawn()?;
            child
                .stdin
                .take()
                .expect("a pipe")
                .write_all(stdin.as_bytes())?;
            children.push(child);
        }
        for child in children {
            let output = child.wait_with_output()?;
            assert_eq!(
                output.status.code(),
                Some(2),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
    let records = run::log(&home);
    for hook in hooks::ALL {
        let own = records
            .iter()
            .filter(|record| record["hook"] == hook.name)
            .count();
        assert_eq!(own, ROUNDS, "{}", hook.name);
    }
    assert_eq!(records.len(), ROUNDS * hooks::ALL.len());
    let ids: std::collections::BTreeSet<_> = records
        .iter()
        .map(|r| r["id"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(ids.len(), records.len(), "no two records share an id");
    assert!(records.iter().all(|record| record["decision"] == "block"));
    Ok(())
}
