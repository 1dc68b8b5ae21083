//! The page that `--help` prints.

use crate::Hook;

/// Name and version, one line.
pub fn version(hook: &Hook) -> String {
    format!("{} {}\n", hook.name, env!("CARGO_PKG_VERSION"))
}

const GATE: &str = "    \
    --gate                 for PreToolUse: judges a command that commits, pushes, merges, tags, publishes or deploys
                             before it runs, and denies it while nothing is verified; others pass unjudged. What
                             can't be judged is put to the user (in Codex: denied), not let pass
";

/// All that a user of one hook has to know.
pub fn page(hook: &Hook) -> String {
    let Hook {
        name,
        summary,
        examples,
        ..
    } = hook;
    let examples = examples.map(|e| format!("    {e}\n")).concat();
    let gate = if hook.gate.is_some() { GATE } else { "" };
    format!(
        "\
{name}: a stop hook for Claude Code and Codex CLI. Reads the hook's JSON on stdin.

Blocks: {summary}
{examples}
Usage: {name} [FLAGS]

Flags:
    --judge LIST           who judges a hit, tried in order, comma-separated (default: auto)
                             auto                codex, then claude, whichever are found
                             codex[:MODEL]       `codex exec`
                             claude[:MODEL]      `claude -p`
                             openai:MODEL        any OpenAI-compatible chat endpoint
                             anthropic:MODEL     the Messages API
                             command:PROGRAM     gets the prompt on stdin, prints the JSON
                             none                nobody: every hit passes
    --timeout-s SECONDS    for all judges together (default: 20; below the entry's timeout in settings.json)
    --url URL              the endpoint of openai: and anthropic:, with /v1; plain http to loopback only
    --api-key-env NAME     the variable that holds the key for --url
    --codex-user-config    keep the user's own Codex config (for an own model_provider)
    --sensitivity LEVEL    low, normal or high: how readily a judge is asked (default: normal)
    --mode MODE            block, warn (tell the user, let pass), shadow (log only) or off (default: block)
    --log-dir DIR          the decision log (default: ~/.claude/logs)
{gate}    --help, --version

Environment (flags win):
    STOP_HOOK_LLM_JUDGE_BACKEND    auto, codex, claude or none, with a model where it takes one
    STOP_HOOK_LLM_JUDGE_TIMEOUT_S  as --timeout-s
    STOP_HOOK_LLM_JUDGE_MODE       as --mode
    STOP_HOOK_LLM_JUDGE_ACTIVE     1: leave at once; set for every judge, so that it can't trigger the hooks
    CLAUDE_CONFIG_DIR              in place of ~/.claude
    OPENAI_API_KEY, ANTHROPIC_API_KEY  for openai: and anthropic: without --url

Files:
    ~/.claude/logs/stop-hook-llm-decisions-YYYY-MM-DD.log    one JSON line a decision
    ~/.claude/hooks/{name}.json    your own rules, regular expressions without regard to case:
        {{\"signals\": [\"PATTERN\", …], \"bypasses\": [\"PATTERN\", …], \"guidance\": \"WORDS FOR THE JUDGE\"}}

Exit codes:
    0    the stop passes, or stdout tells the host what to do
    2    blocked: the agent reads stderr and goes on working
    1    wrong flags: shown to the user, the stop passes
"
    )
}
