"""The transcript race: the host may write the turn's last lines after the hook has started."""

from __future__ import annotations

from hosts import HOSTS, Host
from model_server import Say, Script
from sandbox import Sandbox
from scenario import NOTES, CannedJudge, expect, expect_in, scenario_per
from stops import PROPOSAL, VERIFIED

RUNS = 20


@scenario_per(HOSTS)
def earlier_message_is_judged(sandbox: Sandbox, host: Host) -> None:
    """20 turns whose decisive sentence is in an earlier message than the last: every one is judged on it."""
    judge = CannedJudge(sandbox)
    host.install(sandbox, *judge.flags)
    waits = []
    for run in range(1, RUNS + 1):
        turn = [
            Say(PROPOSAL, (host.shell("echo look"),)),
            Say("Here is the list: parser, lexer."),
            Say(VERIFIED),
        ]
        sandbox.server.play(Script(agent=turn))
        ended = host.ask(sandbox, "Refactor the parser.")
        expect(f"run {run}: the user reads", host.answer(ended), VERIFIED)
        blocked = [record for record in sandbox.decisions() if record["decision"] == "block"]
        expect(f"run {run}: blocks so far", len(blocked), run)
        expect_in(f"run {run}: judged text", PROPOSAL, blocked[-1]["text"])
        waits.append(blocked[-1]["transcript_wait_ms"])
    waits.sort()
    NOTES.add(
        f"{host.name}: {RUNS} of {RUNS} judged on an earlier message; wait {spread(waits)} ms"
    )


def spread(values: list[float]) -> str:
    return f"median {values[len(values) // 2]:.0f}, most {values[-1]:.0f}"
