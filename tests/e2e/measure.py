"""What a hook adds to the time that its judge takes."""

from __future__ import annotations

import json
import os
import statistics
from dataclasses import dataclass

from judges import EVENT
from model_server import Script
from sandbox import Sandbox
from scenario import NOTES, VIOLATION, CannedJudge, expect, scenario
from stops import ORDINARY

RUNS = 20
TRIES = 3
DELAY_S = 0.05


@dataclass(frozen=True)
class Row:
    """One line of the table; `bound_s` is what the median may be."""

    name: str
    command: list
    message: str = EVENT["last_assistant_message"]
    status: int = 2
    bound_s: float | None = None


@scenario
def overhead(sandbox: Sandbox) -> None:
    """What a hook adds to the model's own time stays within each backend's bound.

    The table's figure is the median. Load on the machine only ever adds to it: what fails the scenario is a bound
    that not even the fastest run keeps, and a machine with more to do than processors is measured but not judged.
    """
    hook = sandbox.programs.hooks / "commit-before-verify"
    url = f"{sandbox.server.url}/v1"
    rows = [
        Row("nothing: /bin/true", ["/bin/true"], status=0),
        Row("no hit", [hook], message=ORDINARY, status=0),
        Row("command, a shell script", [hook, *CannedJudge(sandbox).flags]),
        Row("openai over HTTP", [hook, "--judge", "openai:scripted", "--url", url], bound_s=0.005),
        Row(
            "anthropic over HTTP",
            [hook, "--judge", "anthropic:scripted", "--url", url],
            bound_s=0.005,
        ),
        Row("codex exec", [hook, "--judge", "codex"], bound_s=0.35),
        Row("claude -p", [hook, "--judge", "claude"], bound_s=1.0),
    ]
    sandbox.server.play(Script(judge=lambda _request: VIOLATION, judge_delay_s=DELAY_S))
    processors, load = os.cpu_count() or 1, os.getloadavg()[0]
    NOTES.add(
        f"Wall time of a hook less what the model took, {RUNS} runs each, "
        f"on {processors} processors with a load of {load:.1f}:"
    )
    NOTES.add(f"  {'':<25}{'median':>10}{'least':>10}{'most':>10}{'bound':>10}")
    over = []
    for row in rows:
        times = batch_s(sandbox, row)
        median = statistics.median(times)
        late = row.bound_s is not None and median > row.bound_s
        columns = "".join(map(ms, (median, times[0], times[-1], row.bound_s)))
        NOTES.add(f"  {row.name:<25}{columns}{'  over' if late else ''}")
        if row.bound_s is not None and times[0] > row.bound_s:
            over.append(f"{row.name}:{ms(times[0])}")
    if load <= processors:
        expect("over the bound at best", over, [])
    elif over:
        NOTES.add("  The machine is too busy for its bounds to be judged.")


def batch_s(sandbox: Sandbox, row: Row) -> list[float]:
    """The run times in order: of the first batch whose median keeps the bound, else of the best."""
    run_s(sandbox, row)  # the first run of a client in a fresh HOME sets up its state
    batches = []
    for _ in range(TRIES):
        batches.append(sorted(run_s(sandbox, row) for _ in range(RUNS)))
        if row.bound_s is None or statistics.median(batches[-1]) <= row.bound_s:
            break
    return min(batches, key=statistics.median)


def run_s(sandbox: Sandbox, row: Row) -> float:
    before = len(sandbox.server.asked("judge"))
    ended = sandbox.run(row.command, json.dumps({**EVENT, "last_assistant_message": row.message}))
    expect(f"exit status of {row.name}", ended.status, row.status)
    return ended.seconds - sum(request.held_s for request in sandbox.server.asked("judge")[before:])


def ms(seconds: float | None) -> str:
    return f"{'-' if seconds is None else f'{seconds * 1000:.1f} ms':>10}"
