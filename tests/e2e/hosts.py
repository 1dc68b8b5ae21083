"""The two hosts, each behind the same few verbs, so that a scenario is written once for both."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

from model_server import Call, Request, Say
from sandbox import KEY, LIMIT_S, Ended, Sandbox

CHECKOUT = Path(__file__).resolve().parents[2]


def install(sandbox: Sandbox, *flags: str) -> None:
    """By the script that a user runs, in the caller's environment, where cargo is at home."""
    command = [CHECKOUT / "install.sh", "--claude-dir", sandbox.claude_dir]
    command += ["--codex-dir", sandbox.codex_dir, *flags]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise AssertionError(f"install.sh failed: {done.stderr or done.stdout}")


class ClaudeCode:
    name = "claude-code"

    def settle(self, sandbox: Sandbox) -> None:
        """The first-start questions answered, the dummy key approved."""
        project = {
            "hasTrustDialogAccepted": True,
            "hasCompletedProjectOnboarding": True,
            "allowedTools": [],
        }
        state = {
            "hasCompletedOnboarding": True,
            "lastOnboardingVersion": "99.0.0",
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {str(sandbox.project): project},
        }
        (sandbox.home / ".claude.json").write_text(json.dumps(state))
        settings = {"skipDangerousModePermissionPrompt": True}
        (sandbox.claude_dir / "settings.json").write_text(json.dumps(settings, indent=2))

    def install(self, sandbox: Sandbox, *flags: str) -> None:
        install(sandbox, *flags)

    def add_hook(self, sandbox: Sandbox, event: str, command: str) -> None:
        """A hook that is not ours, beside ours."""
        path = sandbox.claude_dir / "settings.json"
        settings = json.loads(path.read_text())
        entry = {"hooks": [{"type": "command", "command": command}]}
        settings.setdefault("hooks", {}).setdefault(event, []).append(entry)
        path.write_text(json.dumps(settings, indent=2))

    def ask(self, sandbox: Sandbox, prompt: str, *flags: str) -> Ended:
        command = [
            "claude",
            "-p",
            "--output-format",
            "json",
            "--permission-mode",
            "bypassPermissions",
            *flags,
        ]
        return sandbox.run(command, prompt)

    def answer(self, ended: Ended) -> str:
        """What the user reads at the end."""
        return json.loads(ended.out)["result"]

    def complaints(self, sandbox: Sandbox, _ended: Ended) -> list[str]:
        """What the session holds of hooks that failed or were cancelled."""
        failures = ("hook_non_blocking_error", "hook_cancelled")
        attachments = [entry.get("attachment", {}) for entry in self.transcript(sandbox)]
        return [json.dumps(one) for one in attachments if one.get("type") in failures]

    def notices(self, sandbox: Sandbox, _ended: Ended) -> list[str]:
        """What hooks told the user."""
        attachments = [entry.get("attachment", {}) for entry in self.transcript(sandbox)]
        return [json.dumps(one) for one in attachments if one.get("type") == "hook_system_message"]

    def transcript(self, sandbox: Sandbox) -> list[dict]:
        files = (sandbox.claude_dir / "projects").glob("*/*.jsonl")
        return [json.loads(line) for file in files for line in file.read_text().splitlines()]

    def shell(self, command: str) -> Call:
        return Call("Bash", {"command": command, "description": "run it"})

    def delegate(self, task: str) -> list[Say]:
        """The agent's answers that have a subagent do the task and wait for it."""
        arguments = {
            "description": "part of it",
            "prompt": task,
            "subagent_type": "general-purpose",
        }
        return [
            Say("A subagent does it.", (Call("Agent", {**arguments, "run_in_background": False}),))
        ]


class Codex:
    name = "codex"

    def settle(self, sandbox: Sandbox) -> None:
        """A provider of the user's own for the agent, and a login by key, which a codex judge uses."""
        (sandbox.codex_dir / "config.toml").write_text(
            'model = "scripted"\n'
            'model_provider = "scripted"\n'
            "check_for_update_on_startup = false\n"
            "[model_providers.scripted]\n"
            'name = "scripted"\n'
            f'base_url = "{sandbox.server.url}/v1"\n'
            'wire_api = "responses"\n'
            "requires_openai_auth = true\n"
        )
        (sandbox.codex_dir / "auth.json").write_text(json.dumps({"OPENAI_API_KEY": KEY}))

    def install(self, sandbox: Sandbox, *flags: str) -> None:
        install(sandbox, "--codex", *flags)
        self.trust_hooks(sandbox)

    def add_hook(self, sandbox: Sandbox, event: str, command: str) -> None:
        """A hook that is not ours, behind ours: the position is part of the trust."""
        path = sandbox.codex_dir / "hooks.json"
        config = json.loads(path.read_text()) if path.exists() else {"hooks": {}}
        config["hooks"].setdefault(event, []).append(
            {"hooks": [{"type": "command", "command": command}]}
        )
        path.write_text(json.dumps(config, indent=2))
        self.trust_hooks(sandbox)

    def trust_hooks(self, sandbox: Sandbox) -> None:
        """What "Trust all and continue" does in the terminal."""
        with app_server(sandbox) as call:
            listed = call("hooks/list", {"cwds": [str(sandbox.project)]})
            hooks = [hook for entry in listed["data"] for hook in entry["hooks"]]
            state = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in hooks}
            edit = {"keyPath": "hooks.state", "value": state, "mergeStrategy": "upsert"}
            call("config/batchWrite", {"edits": [edit]})
        if not hooks:
            raise AssertionError("codex lists no hook to trust")

    def ask(self, sandbox: Sandbox, prompt: str, *flags: str) -> Ended:
        return sandbox.run(
            ["codex", "exec", "--dangerously-bypass-approvals-and-sandbox", *flags, "-"], prompt
        )

    def answer(self, ended: Ended) -> str:
        """What the user reads at the end."""
        return ended.out.strip()

    def complaints(self, _sandbox: Sandbox, ended: Ended) -> list[str]:
        """Hooks whose run Codex calls failed."""
        return [
            line for line in ended.err.splitlines() if line.startswith("hook:") and "Failed" in line
        ]

    def notices(self, _sandbox: Sandbox, _ended: Ended) -> list[str]:
        """`codex exec` shows none."""
        return []

    def shell(self, command: str) -> Call:
        return Call("exec_command", {"cmd": command})

    def delegate(self, task: str) -> list[Say]:
        """The agent's answers that have a subagent do the task and wait for it."""

        def newest_agent(request: Request) -> dict:
            found = re.findall(r"agent_id\W+([0-9a-f-]{36})", json.dumps(request.body))
            return {"targets": found[-1:], "timeout_ms": 20_000}

        spawn = Call("spawn_agent", {"message": task}, namespace="multi_agent_v1")
        wait = Call("wait_agent", newest_agent, namespace="multi_agent_v1")
        return [Say("A subagent does it.", (spawn,)), Say(calls=(wait,), after="agent_id")]


@contextlib.contextmanager
def app_server(sandbox: Sandbox) -> Iterator:
    """Codex's own JSON-RPC over stdio; yields the function that makes a call."""
    server = subprocess.Popen(
        ["codex", "app-server"],
        cwd=sandbox.project,
        env=sandbox.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        text=True,
    )
    limit = threading.Timer(LIMIT_S, os.killpg, (server.pid, signal.SIGKILL))
    limit.start()

    def send(message: dict) -> None:
        server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()

    def call(method: str, params: dict) -> dict:
        send({"id": method, "method": method, "params": params})
        for line in server.stdout:
            answer = json.loads(line)
            if answer.get("id") == method:
                return answer["result"]
        raise AssertionError(f"codex app-server ended before it answered {method}")

    try:
        client = {"name": "e2e", "title": "e2e", "version": "0"}
        call("initialize", {"clientInfo": client, "capabilities": {"experimentalApi": True}})
        send({"method": "initialized"})
        yield call
    finally:
        limit.cancel()
        os.killpg(server.pid, signal.SIGKILL)
        server.communicate()


Host = ClaudeCode | Codex
HOSTS: tuple[Host, ...] = (ClaudeCode(), Codex())
