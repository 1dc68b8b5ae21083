#!/usr/bin/env python3
"""Runs the scenarios one after another, each in a sandbox of its own; see scripts/e2e.sh.

A scenario passes when all it expects holds, within its time, and no process of its sandbox is left. The summary
ends in the line "N passed, N failed".
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import tempfile
import time
import traceback
from pathlib import Path

from hosts import HOSTS
from model_server import ModelServer, make_certificate
from sandbox import Programs, Sandbox
from scenario import NOTES, SCENARIOS, Scenario, expect

for module in ("stops", "screen", "race", "judges", "gate", "measure"):
    importlib.import_module(module)  # registers its scenarios


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--clients", type=Path, required=True, help="the directory that holds claude and codex"
    )
    parser.add_argument(
        "--hooks", type=Path, required=True, help="the directory that holds the built hooks"
    )
    parser.add_argument("--keep", type=Path, help="keep the sandboxes of failed scenarios here")
    parser.add_argument(
        "--list", action="store_true", help="name the scenarios and what each promises"
    )
    parser.add_argument(
        "patterns", nargs="*", help="run only the scenarios whose name holds one of these"
    )
    arguments = parser.parse_args()
    patterns = arguments.patterns or [""]
    wanted = [one for one in SCENARIOS if any(part in one.name for part in patterns)]
    if arguments.list:
        for one in wanted:
            print(f"{one.name}: {one.promise}")
        return 0
    with tempfile.TemporaryDirectory(prefix="e2e-") as scratch:
        root = Path(scratch).resolve()
        programs = Programs(
            arguments.clients.resolve(), arguments.hooks.resolve(), make_certificate(root)
        )
        server = ModelServer(programs.certificate)
        failed = [
            one.name for one in wanted if not passes(one, root, programs, server, arguments.keep)
        ]
        server.close()
    print("\n".join(["", *NOTES.lines, ""]))
    for name in failed:
        print(f"failed: {name}")
    print(f"{len(wanted) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or not wanted else 0


def passes(
    one: Scenario, root: Path, programs: Programs, server: ModelServer, keep: Path | None
) -> bool:
    sandbox = Sandbox(root / "sandbox", programs, server)
    started = time.monotonic()
    try:
        for host in HOSTS:
            host.settle(sandbox)
        one.run(sandbox)
        expect("processes left", sandbox.leftovers(), [])
    except Exception as error:  # whatever went wrong, the other scenarios run
        print(f"FAIL {one.name}: {error}", flush=True)
        if not isinstance(error, AssertionError):
            traceback.print_exc(file=sys.stdout)
        print_evidence(sandbox)
        if keep:
            sandbox.keep(keep / one.name)
        return False
    finally:
        sandbox.remove()
    print(f"ok   {one.name} ({time.monotonic() - started:.1f} s): {one.promise}", flush=True)
    return True


def print_evidence(sandbox: Sandbox) -> None:
    """What a reader of a failure wants to see first."""
    if sandbox.last:
        print(f"  last program: status {sandbox.last.status} after {sandbox.last.seconds:.1f} s")
        for line in (sandbox.last.out + sandbox.last.err).splitlines()[-12:]:
            print(f"    {line[:400]}")
    for request in sandbox.server.requests[-6:]:
        print(
            f"  {request.by} request to {request.path}, {request.size} bytes: {request.new[:200]}"
        )
    for record in sandbox.decisions()[-6:]:
        keys = ("hook", "event", "decision", "stage", "signal", "verdict", "reason", "attempts")
        print(
            f"  decision {json.dumps({key: record[key] for key in keys if record.get(key)})}"[:600]
        )


if __name__ == "__main__":
    sys.exit(main())
