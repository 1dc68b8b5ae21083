//! What keeps a hook from running in circles: the recursion guard and the block budget.

use crate::transcript::Turn;

/// Set to `1` in the environment of every judge, so that a hook which a judge's own client runs leaves at once.
pub const JUDGE_ACTIVE: &str = "STOP_HOOK_LLM_JUDGE_ACTIVE";

/// How often all hooks together send the agent back before the user's next message. The host's own cap is higher,
/// doesn't count blocks with a tool call between them (Claude Code) or doesn't exist (Codex).
pub const BLOCKED_STOPS_MAX: usize = 2;

/// Whether the agent was sent back often enough in this turn.
///
/// Without a transcript nobody can count, so one block (`stop_hook_active`) is enough.
pub fn budget_spent(turn: &Turn, stop_hook_active: bool) -> bool {
    if turn.from_transcript {
        turn.blocked_stops >= BLOCKED_STOPS_MAX
    } else {
        stop_hook_active
    }
}
