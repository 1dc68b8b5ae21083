"""A machine of its own for one scenario: HOME, project, temporary directory, environment, and the programs run in it.

Nothing of the caller's environment gets in but what stands in `env`; every program has a time limit; whatever a run
leaves behind, files or processes, can be told afterwards.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from model_server import ModelServer

HOOKS = (
    "commit-before-verify",
    "scope-check",
    "scope-change",
    "shallow-bugfix",
    "bugfix-without-reproduction",
)
KEY = "dummy-key-of-the-scripted-server"
LIMIT_S = 90


@dataclass(frozen=True)
class Programs:
    """Where the clients (`claude`, `codex`) and the built hooks are."""

    clients: Path
    hooks: Path
    certificate: Path


@dataclass(frozen=True)
class Ended:
    """A program that has ended; `status` is None when its time was up."""

    status: int | None
    out: str
    err: str
    seconds: float


class Sandbox:
    """Made fresh in `root`, which must not exist."""

    def __init__(self, root: Path, programs: Programs, server: ModelServer) -> None:
        self.root, self.programs, self.server = root, programs, server
        self.home, self.project, self.tmp = root / "home", root / "project", root / "tmp"
        self.claude_dir, self.codex_dir = self.home / ".claude", self.home / ".codex"
        for directory in (self.claude_dir, self.codex_dir, self.project, self.tmp):
            directory.mkdir(parents=True)
        self.last: Ended | None = None
        self.run(["git", "init", "-q", "-b", "main"])

    # -- running ------------------------------------------------------------------------------------------------

    @property
    def env(self) -> dict[str, str]:
        return {
            "PATH": f"{self.programs.clients}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.home),
            "TMPDIR": str(self.tmp),
            "LANG": "C.UTF-8",
            # Marks every process of this sandbox, however far it forks.
            "E2E_SANDBOX": str(self.root),
            "ANTHROPIC_BASE_URL": self.server.url,
            "ANTHROPIC_API_KEY": KEY,
            "OPENAI_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "IS_SANDBOX": "1",  # lets root pass --permission-mode bypassPermissions
            "HTTPS_PROXY": self.server.url,
            "NO_PROXY": "127.0.0.1,localhost",
            "SSL_CERT_FILE": str(self.programs.certificate),
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    def run(self, command: list, stdin: str = "") -> Ended:
        started = time.monotonic()
        process = subprocess.Popen(
            [str(word) for word in command],
            cwd=self.project,
            env=self.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        status: int | None
        try:
            out, err = process.communicate(stdin.encode(), timeout=LIMIT_S)
            status = process.returncode
        except subprocess.TimeoutExpired:
            self.kill_leftovers()
            out, err = process.communicate()
            status = None
        seconds = time.monotonic() - started
        self.last = Ended(
            status, out.decode(errors="replace"), err.decode(errors="replace"), seconds
        )
        return self.last

    def hook(self, name: str, flags: tuple[str, ...], event: dict) -> Ended:
        """One hook, run the way a host runs it but without one."""
        return self.run(
            [self.programs.hooks / name, *flags], json.dumps({"cwd": str(self.project), **event})
        )

    # -- what is left -------------------------------------------------------------------------------------------

    def decisions(self) -> list[dict]:
        """The decision log, oldest first."""
        logs = sorted((self.claude_dir / "logs").glob("stop-hook-llm-decisions-*.log"))
        return [json.loads(line) for log in logs for line in log.read_text().splitlines()]

    def files(self) -> set[str]:
        """Every file of the sandbox, relative to its root."""
        return {str(path.relative_to(self.root)) for path in self.root.rglob("*") if path.is_file()}

    def leftovers(self, patience_s: float = 1.0) -> list[str]:
        """The command lines of processes that still run; one about to end is waited for."""
        end = time.monotonic() + patience_s
        while (running := self.processes()) and time.monotonic() < end:
            time.sleep(0.02)
        return list(running.values())

    def processes(self) -> dict[int, str]:
        mark = f"E2E_SANDBOX={self.root}\0".encode()
        found = {}
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):  # it ended while we looked
                if mark in (entry / "environ").read_bytes() and (
                    line := (entry / "cmdline").read_bytes()
                ):
                    found[int(entry.name)] = line.replace(b"\0", b" ").decode(errors="replace")
        return found

    def kill_leftovers(self) -> None:
        while running := self.processes():
            for pid in running:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)

    def keep(self, where: Path) -> None:
        shutil.rmtree(where, ignore_errors=True)
        shutil.copytree(self.root, where, symlinks=True)

    def remove(self) -> None:
        self.kill_leftovers()
        shutil.rmtree(self.root, ignore_errors=True)
