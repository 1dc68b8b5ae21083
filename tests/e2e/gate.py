"""The gate before a command: what is denied, that it did not run, and that a verified push passes.

The agents call without a word, so that no Stop hook has anything to judge.
"""

from __future__ import annotations

from hosts import HOSTS, Host
from model_server import Say, Script
from sandbox import Sandbox
from scenario import VIOLATION, CannedJudge, expect, expect_in, scenario, scenario_per
from screen import CLAUDE_CODE, open_session

PUSH = "git push origin main"
TEST_RUN = "python3 -m unittest test_lexer"
DONE = "That is all."


class Remote:
    """A repository to push to, with a project that has something to push."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox, self.path = sandbox, sandbox.root / "remote.git"
        (sandbox.project / "test_lexer.py").write_text(
            "import unittest\n\n\nclass Lexer(unittest.TestCase):\n    def test_words(self):\n"
            "        self.assertEqual('a b'.split(), ['a', 'b'])\n"
        )
        self.git("init", "-q", "--bare", self.path)
        self.git("add", ".")
        self.git(
            "-c", "user.name=dev", "-c", "user.email=dev@example.com", "commit", "-q", "-m", "lexer"
        )
        self.git("remote", "add", "origin", self.path)

    def git(self, *words: object) -> str:
        ended = self.sandbox.run(["git", *words])
        expect(f"git {words[0]}", (ended.status, ended.err), (0, ""))
        return ended.out

    @property
    def got_the_push(self) -> bool:
        return bool(self.git("ls-remote", self.path))


@scenario_per(HOSTS)
def unverified_push_is_denied(sandbox: Sandbox, host: Host) -> None:
    """An unverified push is denied and does not run; the agent gets the reason."""
    remote = Remote(sandbox)
    judge = CannedJudge(sandbox, against=PUSH, unless="test_lexer")
    host.install(sandbox, "--gate", *judge.flags)
    agent = [Say(calls=(host.shell(PUSH),)), Say(DONE)]
    sandbox.server.play(Script(agent=agent))
    ended = host.ask(sandbox, "Rename the lexer.")
    expect("the remote got the push", remote.got_the_push, False)
    expect_in("the agent reads", VIOLATION["reason"], sandbox.server.asked("agent")[1].new)
    expect("the user reads", host.answer(ended), DONE)


@scenario_per(HOSTS)
def push_after_a_passing_test_run_passes(sandbox: Sandbox, host: Host) -> None:
    """After a passing test run, which the judge is shown, the same push runs."""
    remote = Remote(sandbox)
    judge = CannedJudge(sandbox, against=PUSH, unless="test_lexer")
    host.install(sandbox, "--gate", *judge.flags)
    agent = [
        Say(calls=(host.shell(TEST_RUN),)),
        Say(calls=(host.shell(PUSH),)),
        Say(DONE),
    ]
    sandbox.server.play(Script(agent=agent))
    ended = host.ask(sandbox, "Rename the lexer.")
    expect("the remote got the push", remote.got_the_push, True)
    expect("gate decisions", gate_decisions(sandbox)[-1:], ["allow"])
    expect("the user reads", host.answer(ended), DONE)


@scenario_per(HOSTS)
def broken_judge_never_waves_through(sandbox: Sandbox, host: Host) -> None:
    """With the judge broken the gate asks, which means no where nobody can be asked; the agent reads why."""
    remote = Remote(sandbox)
    host.install(sandbox, "--gate", "--judge", f"command:{sandbox.root}/no-such-judge")
    sandbox.server.play(Script(agent=[Say(calls=(host.shell(PUSH),)), Say(DONE)]))
    ended = host.ask(sandbox, "Rename the lexer.")
    expect("the remote got the push", remote.got_the_push, False)
    expect("gate decisions", gate_decisions(sandbox), ["ask"])
    expect_in("the agent reads", "[commit-before-verify]", sandbox.server.asked("agent")[1].new)
    expect("the user reads", host.answer(ended), DONE)


def gate_decisions(sandbox: Sandbox) -> list[str]:
    return [record["decision"] for record in sandbox.decisions() if record["event"] == "PreToolUse"]


@scenario
def screen_asks_when_the_gate_is_broken(sandbox: Sandbox) -> None:
    """With the judge broken, the gate's question comes up with its reason; told no, the push does not run."""
    remote = Remote(sandbox)
    CLAUDE_CODE.install(sandbox, "--gate", "--judge", f"command:{sandbox.root}/no-such-judge")
    sandbox.server.play(Script(agent=[Say(calls=(CLAUDE_CODE.shell(PUSH),))], stubborn=True))
    with open_session(sandbox, "Push it.") as terminal:
        terminal.wait_for("requires confirmation for this command")
        terminal.settle()
        expect_in("screen", "[commit-before-verify]", terminal.screen.words)
        terminal.type("\x1b")
        terminal.wait_for("Interrupted")
    expect("the remote got the push", remote.got_the_push, False)
