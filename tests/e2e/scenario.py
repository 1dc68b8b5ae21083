"""What a scenario is made of: its registration, its expectations, its notes for the summary, a canned judge."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sandbox import Sandbox

# One object serves all five hooks: each drops the fields that are not its own.
VIOLATION: dict[str, Any] = {
    "new_proposal": True,
    "verification_reported": False,
    "direction_query": False,
    "future_step_description": False,
    "retraction_or_quote": False,
    "reason": "the scripted judge says so",
}
ALLOWED = {**VIOLATION, "new_proposal": False}


@dataclass(frozen=True)
class Scenario:
    """`promise` is the first line of the function's documentation."""

    name: str
    promise: str
    run: Callable[[Sandbox], None]


SCENARIOS: list[Scenario] = []


@dataclass
class Notes:
    """Lines for the summary: what was measured."""

    lines: list[str] = field(default_factory=list)

    def add(self, line: str) -> None:
        self.lines.append(line)


NOTES = Notes()


def scenario(function: Callable[[Sandbox], None]) -> Callable[[Sandbox], None]:
    """Registers a scenario that is run once."""
    register(function.__name__, function, function)
    return function


def scenario_per(*cases: Sequence) -> Callable[[Callable], Callable]:
    """Registers a scenario for each combination of the cases (hosts, backends), given as further arguments."""

    def register_all(function: Callable) -> Callable:
        for case in itertools.product(*cases):
            names = ",".join(one.name for one in case)
            register(
                f"{function.__name__}[{names}]",
                function,
                lambda sandbox, case=case: function(sandbox, *case),
            )
        return function

    return register_all


def register(name: str, function: Callable, run: Callable[[Sandbox], None]) -> None:
    promise = (function.__doc__ or "").partition("\n")[0]
    SCENARIOS.append(Scenario(name, promise, run))


def expect(what: str, got: object, wanted: object) -> None:
    if got != wanted:
        raise AssertionError(f"{what}: expected {wanted!r}, got {got!r}")


def expect_in(what: str, part: str, whole: str) -> None:
    if part not in whole:
        raise AssertionError(f"{what}: expected {part!r} in {whole[:2000]!r}")


def expect_not_in(what: str, part: str, whole: str) -> None:
    if part in whole:
        raise AssertionError(f"{what}: did not expect {part!r} in {whole[:2000]!r}")


class CannedJudge:
    """A program for `--judge command:` that keeps each prompt.

    It says `answer` of a prompt that holds the words `against` and not the words `unless`, and allows all others.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        answer: dict = VIOLATION,
        against: str = "I will commit and push it now",
        unless: str = "12 passed",
    ) -> None:
        self.prompts_dir = sandbox.root / "prompts"
        self.prompts_dir.mkdir()
        self.program = sandbox.root / "canned-judge"
        answers = {"violation": answer, "allowed": ALLOWED}
        for name, value in answers.items():
            (sandbox.root / f"{name}.json").write_text(json.dumps(value))
        self.program.write_text(
            "#!/bin/sh\n"
            f'prompt=$(mktemp "{self.prompts_dir}/XXXXXX")\n'
            'cat > "$prompt"\n'
            "answer=allowed\n"
            f'grep -q "{against}" "$prompt" && ! grep -q "{unless}" "$prompt" && answer=violation\n'
            f'cat "{sandbox.root}/$answer.json"\n'
        )
        self.program.chmod(0o755)

    @property
    def flags(self) -> tuple[str, ...]:
        return ("--judge", f"command:{self.program}")

    def prompts(self) -> list[str]:
        by_age = sorted(self.prompts_dir.iterdir(), key=lambda path: path.stat().st_mtime_ns)
        return [path.read_text() for path in by_age]
