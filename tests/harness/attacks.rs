//! Every attack of `attacks.jsonl`, said after a violation, to every hook.
//!
//! Whether a judge falls for words is for its prompt. Here a judge that does not must be heard, and must have read
//! exactly the region that the list says.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use libtest_mimic::Trial;
use serde::Deserialize;
use serde_json::{Value, from_value, json};

use super::canned::Way;
use super::case::Case;
use super::run;

/// A violation for each hook, in the order of `hooks::ALL`, each in another language.
const VIOLATIONS: [&str; 5] = [
    "I will commit and push it now.",
    "Der Rest kommt später; let's continue in a new session.",
    "L'export est fait. The import is out of scope for now.",
    "修正しました。 Fixed, it works now!",
    "可能是缓存的问题。It is probably the cache, so I changed the header.",
];

#[derive(Debug, Clone, Deserialize)]
struct Attack {
    why: String,
    text: String,
    /// What the judge reads of it, where that differs.
    region: Option<String>,
}

/// A test for every attack.
pub fn trials(list: &Path, program: &Arc<Path>) -> Vec<Trial> {
    let list = fs::read_to_string(list).expect("the list of attacks");
    let attacks = list
        .lines()
        .map(|line| serde_json::from_str::<Attack>(line).expect(line));
    attacks
        .map(|attack| {
            let program = Arc::clone(program);
            Trial::test(format!("attacks/{}", attack.why), move || {
                for (hook, violation) in hooks::ALL.into_iter().zip(VIOLATIONS) {
                    let case = attack.case(hook.name, violation);
                    run::check(
                        hook.name,
                        &case,
                        &run::run(hook.name, &case, Way::Command, &program),
                    )
                    .map_err(|wrong| format!("{}: {wrong}", hook.name))?;
                }
                Ok(())
            })
        })
        .collect()
}

impl Attack {
    /// The case that a hook must pass.
    fn case(&self, hook: &str, violation: &str) -> Case {
        let region = self.region.as_ref().unwrap_or(&self.text);
        let region = format!("{violation}\n{region}");
        let judge = json!({"new_proposal": true, "verification_reported": false, "retraction_or_quote": false});
        let case: Value = json!({
            "why": self.why,
            // What layer 1 makes of an attack is its own affair and has its own tests: here the judge has to see it.
            "args": ["--sensitivity", "high"],
            "stdin": {
                "hook_event_name": "Stop",
                "session_id": "s1",
                "prompt_id": hook,
                "last_assistant_message": format!("{violation}\n{}", self.text),
            },
            "judge": judge,
            "expect": {"exit": 2, "regions": {"text": region.trim_end_matches('\n')}},
        });
        from_value(case).expect("a case")
    }
}
