//! Does the judge answer, and how fast?

use std::collections::BTreeMap;
use std::time::Instant;

use common::config::{Config, Mode};
use common::judge;
use common::redact::redact;
use common::wrap::{self, Material};

use super::Finding;
use crate::registration::{Flags, Owner, Whose};
use crate::settings::splice::Registered;
use crate::terminal::millis;
use crate::typed;

const AREA: &str = "judge";

/// A text that every judge can tell.
const SAMPLE: &str = "The refactor is in place. I will commit and push it now.";

/// Asks the judge of each combination of flags once. Nearly always there is one.
pub fn check(commands: &[&Registered], owner: &Owner, offline: bool) -> Vec<Finding> {
    let mut combinations = BTreeMap::<String, (Flags, Vec<&str>)>::new();
    for registered in commands {
        if let Whose::Ours { hook, flags } = owner.whose(&registered.command) {
            let shown = flags.words().join(" ");
            let (_, hooks) = combinations.entry(shown).or_insert((flags, Vec::new()));
            if !hooks.contains(&hook) {
                hooks.push(hook);
            }
        }
    }
    combinations
        .into_iter()
        .flat_map(|(shown, (flags, hooks))| {
            let with = if shown.is_empty() {
                "no flags".to_owned()
            } else {
                shown
            };
            match typed::config(&flags, None) {
                Ok(config) if offline => vec![offline_finding(&config, &with)],
                Ok(config) => ask(&config, &with),
                Err(e) => vec![Finding::error(
                    AREA,
                    format!("{} won't run with {with}: {e}", hooks.join(", ")),
                    "run install.sh again with other flags",
                )],
            }
        })
        .collect()
}

fn offline_finding(config: &Config, with: &str) -> Finding {
    match config.mode {
        Mode::Off => off(with),
        _ => Finding::ok(AREA, format!("not asked (--offline), with {with}")),
    }
}

fn off(with: &str) -> Finding {
    let what = format!(
        "hooks with {with} are switched off: mode {}",
        Mode::Off.name()
    );
    Finding::warning(
        AREA,
        what,
        "run install.sh --mode block, or unset STOP_HOOK_LLM_JUDGE_MODE",
    )
}

fn ask(config: &Config, with: &str) -> Vec<Finding> {
    if config.mode == Mode::Off {
        return vec![off(with)];
    }
    let hook = &hooks::COMMIT_BEFORE_VERIFY;
    let material = Material {
        command: None,
        earlier: None,
        latest: &redact(SAMPLE),
        activity: None,
        user: None,
    };
    let prompt = wrap::wrap(hook.prompt, hook.fields, &material);
    let started = Instant::now();
    let asked = judge::ask(&prompt, &config.judge, started + config.judge.timeout);
    let took = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut findings = Vec::new();
    for attempt in &asked.attempts {
        let model = attempt
            .model
            .as_ref()
            .map_or(String::new(), |model| format!(":{model}"));
        let ms = u64::try_from(attempt.elapsed.as_millis()).unwrap_or(u64::MAX);
        let detail = attempt
            .detail
            .as_ref()
            .map_or(String::new(), |words| format!(" ({words})"));
        let word = attempt.outcome.word();
        let what = format!(
            "{}{model}: {word} in {}{detail}, with {with}",
            attempt.backend,
            millis(ms)
        );
        findings.push(if word == "answered" {
            Finding::ok(AREA, what)
        } else if asked.answer.is_some() {
            Finding::warning(AREA, what, attempt.outcome.help())
        } else {
            Finding::error(AREA, what, attempt.outcome.help())
        });
    }
    if asked.attempts.is_empty() {
        let what = format!("nobody is asked, with {with}: every hit passes");
        findings.push(Finding::warning(
            AREA,
            what,
            "name a judge: install.sh --judge auto",
        ));
    } else if asked.answer.is_none() {
        let what = format!(
            "no judge answered within {}: every hit passes",
            millis(took)
        );
        findings.push(Finding::error(AREA, what, "see the lines above"));
    }
    findings
}
