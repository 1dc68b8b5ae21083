"""Stop hooks in real sessions: what is blocked, what passes, and what agent and user see of it."""

from __future__ import annotations

from hosts import HOSTS, Host
from model_server import Say, Script
from sandbox import HOOKS, Sandbox
from scenario import VIOLATION, CannedJudge, expect, expect_in, expect_not_in, scenario_per

PROPOSAL = "The refactor is in place. I will commit and push it now."
VERIFIED = "The tests ran: 12 passed, 0 failed. The change stays in the working tree."
ORDINARY = "The parser takes a slice and gives back a tree. The caller owns both."
TWO_FAULTS = (
    "I will commit and push it now. Then I'll stop here for today and continue in a new session."
)


@scenario_per(HOSTS)
def violation_is_sent_back(sandbox: Sandbox, host: Host) -> None:
    """A violating answer is blocked, the next request carries the feedback, the corrected answer stops."""
    judge = CannedJudge(sandbox)
    host.install(sandbox, *judge.flags)
    sandbox.server.play(Script(agent=[Say(PROPOSAL), Say(VERIFIED)]))
    ended = host.ask(sandbox, "Refactor the parser.")
    expect("exit status", ended.status, 0)
    expect("the user reads", host.answer(ended), VERIFIED)
    first, second = sandbox.server.asked("agent")
    expect_not_in("first request", "[commit-before-verify]", first.new)
    expect_in("second request", "[commit-before-verify]", second.new)
    expect_in("second request", VIOLATION["reason"], second.new)
    expect_in("judged text", PROPOSAL, judge.prompts()[0])
    expect("decisions", decisions_of(sandbox, "commit-before-verify"), ["block", "allow"])
    for other in HOOKS[1:]:
        expect(f"decisions of {other}", decisions_of(sandbox, other), ["allow", "allow"])


@scenario_per(HOSTS)
def ordinary_answer_stops_at_once(sandbox: Sandbox, host: Host) -> None:
    """An ordinary answer stops at the first try, no judge is asked, nobody sees a hook's error."""
    judge = CannedJudge(sandbox)
    host.install(sandbox, *judge.flags)
    sandbox.server.play(Script(agent=[Say(ORDINARY)]))
    ended = host.ask(sandbox, "What does the parser do?")
    expect("exit status", ended.status, 0)
    expect("the user reads", host.answer(ended), ORDINARY)
    expect("agent requests", len(sandbox.server.asked("agent")), 1)
    expect("judge calls", judge.prompts(), [])
    expect("complaints", host.complaints(sandbox, ended), [])
    expect("decisions", sorted(record["hook"] for record in sandbox.decisions()), sorted(HOOKS))


@scenario_per(HOSTS)
def two_hooks_block_at_once(sandbox: Sandbox, host: Host) -> None:
    """Two hooks block the same stop; the agent gets both feedbacks in one request."""
    judge = CannedJudge(sandbox)
    host.install(sandbox, *judge.flags)
    sandbox.server.play(Script(agent=[Say(TWO_FAULTS), Say(VERIFIED)]))
    ended = host.ask(sandbox, "Refactor the parser.")
    expect("the user reads", host.answer(ended), VERIFIED)
    first, second = sandbox.server.asked("agent")
    for hook in ("commit-before-verify", "scope-check"):
        expect_not_in("first request", f"[{hook}]", first.new)
        expect_in("second request", f"[{hook}]", second.new)
    expect("decisions", decisions_of(sandbox, "scope-check"), ["block", "allow"])


@scenario_per(HOSTS)
def block_budget_ends_a_stubborn_loop(sandbox: Sandbox, host: Host) -> None:
    """An agent that never gives in is sent back twice, then let go with its answer intact."""
    judge = CannedJudge(sandbox)
    host.install(sandbox, *judge.flags)
    sandbox.server.play(Script(agent=[Say(PROPOSAL)], stubborn=True))
    ended = host.ask(sandbox, "Refactor the parser.")
    expect("exit status", ended.status, 0)
    expect("agent requests", len(sandbox.server.asked("agent")), 3)
    expect("the user reads", host.answer(ended), PROPOSAL)
    expect("decisions", decisions_of(sandbox, "commit-before-verify"), ["block", "block", "allow"])
    expect("complaints", host.complaints(sandbox, ended), [])
    if host.name == "claude-code":
        expect("notices", len(host.notices(sandbox, ended)), 1)


@scenario_per(HOSTS)
def missing_file_words_still_block(sandbox: Sandbox, host: Host) -> None:
    """Feedback that quotes "No such file or directory" blocks like any other."""
    quoting = {**VIOLATION, "reason": "cat: notes.txt: No such file or directory; can't open it"}
    judge = CannedJudge(sandbox, quoting)
    host.install(sandbox, *judge.flags)
    sandbox.server.play(Script(agent=[Say(PROPOSAL), Say(VERIFIED)]))
    ended = host.ask(sandbox, "Refactor the parser.")
    expect("the user reads", host.answer(ended), VERIFIED)
    expect_in("second request", "No such file or directory", sandbox.server.asked("agent")[-1].new)


@scenario_per(HOSTS)
def subagent_is_sent_back(sandbox: Sandbox, host: Host) -> None:
    """A subagent's violating answer is blocked at SubagentStop; its feedback reaches the subagent."""
    judge = CannedJudge(sandbox)
    host.install(sandbox, "--subagents", *judge.flags)
    task = "SUBTASK: refactor the lexer."
    subagent = [Say(PROPOSAL, after=task), Say(VERIFIED, after="[commit-before-verify]")]
    spawn, *wait = host.delegate(task)
    sandbox.server.play(Script(agent=[spawn, *subagent, *wait, Say("All is done.")]))
    ended = host.ask(sandbox, "Refactor it all.")
    expect("exit status", ended.status, 0)
    expect("the user reads", host.answer(ended), "All is done.")
    records = [record for record in sandbox.decisions() if record["event"] == "SubagentStop"]
    got = [record["decision"] for record in records if record["hook"] == "commit-before-verify"]
    expect("decisions at SubagentStop", got, ["block", "allow"])


def decisions_of(sandbox: Sandbox, hook: str) -> list[str]:
    return [record["decision"] for record in sandbox.decisions() if record["hook"] == hook]
