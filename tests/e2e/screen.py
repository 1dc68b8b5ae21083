"""What a user of Claude Code's terminal interface sees of the hooks."""

from __future__ import annotations

from hosts import HOSTS
from model_server import Say, Script
from sandbox import HOOKS, Sandbox
from scenario import VIOLATION, CannedJudge, expect, expect_in, expect_not_in, scenario
from stops import ORDINARY, PROPOSAL, VERIFIED
from terminal import Terminal

CLAUDE_CODE = HOSTS[0]
READY = "? for shortcuts"


def open_session(sandbox: Sandbox, prompt: str) -> Terminal:
    terminal = Terminal(sandbox, "claude", "--permission-mode", "default")
    terminal.wait_for(READY)
    terminal.settle()
    terminal.type(prompt)
    terminal.enter()
    return terminal


@scenario
def screen_shows_no_hook_on_an_ordinary_answer(sandbox: Sandbox) -> None:
    """An ordinary answer stands on the screen alone: no error, no notice, no word of a hook."""
    CLAUDE_CODE.install(sandbox, *CannedJudge(sandbox).flags)
    sandbox.server.play(Script(agent=[Say(ORDINARY)]))
    with open_session(sandbox, "What does the parser do?") as terminal:
        terminal.wait_for(ORDINARY)
        terminal.wait_for(READY)
        terminal.settle()
        expect_not_in("screen", "hook", terminal.screen.words)
    expect("decisions", len(sandbox.decisions()), len(HOOKS))


@scenario
def screen_shows_why_a_stop_was_blocked(sandbox: Sandbox) -> None:
    """A blocked answer is followed by the feedback, then by the corrected answer."""
    CLAUDE_CODE.install(sandbox, *CannedJudge(sandbox).flags)
    sandbox.server.play(Script(agent=[Say(PROPOSAL), Say(VERIFIED)]))
    with open_session(sandbox, "Refactor the parser.") as terminal:
        terminal.wait_for(VERIFIED)
        terminal.settle()
        shown = terminal.screen.words
    at = [shown.find(words) for words in (PROPOSAL, "[commit-before-verify]", VERIFIED)]
    expect("answer, feedback, corrected answer in this order", at, sorted(at))
    expect_in("screen", VIOLATION["reason"], shown)


@scenario
def screen_shows_that_the_budget_is_spent(sandbox: Sandbox) -> None:
    """When the block budget lets a stubborn agent go, one line tells the user."""
    CLAUDE_CODE.install(sandbox, *CannedJudge(sandbox).flags)
    sandbox.server.play(Script(agent=[Say(PROPOSAL)], stubborn=True))
    with open_session(sandbox, "Refactor the parser.") as terminal:
        terminal.wait_for("Stop says: [commit-before-verify]")
        terminal.settle()
        expect("notices", terminal.screen.words.count("Stop says:"), 1)
