"""The real clients as judges: of each other and of themselves, when they fail, and what a call costs and leaves."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from fnmatch import fnmatch

from hosts import HOSTS, Host
from model_server import JUDGE_MARKER, Judge, Refusal, Request, Say, Script
from sandbox import KEY, Sandbox
from scenario import (
    ALLOWED,
    NOTES,
    VIOLATION,
    expect,
    expect_in,
    expect_not_in,
    scenario,
    scenario_per,
)
from stops import PROPOSAL, VERIFIED

EVENT = {"hook_event_name": "Stop", "last_assistant_message": PROPOSAL}


@dataclass(frozen=True)
class Backend:
    """One way to ask a judge: the hooks' flags, and the hosts, the files and the retries it may need."""

    name: str
    flags: tuple[str, ...]
    hosts: frozenset[str] = frozenset()
    leaves: tuple[str, ...] = ()
    retries: int = 1


LOG = "home/.claude/logs/stop-hook-llm-decisions-*.log"
CODEX_LEAVES = (
    LOG,
    "home/.codex/installation_id",
    "home/.codex/*.sqlite*",
    "home/.codex/models_cache.json",
)
CODEX = Backend(
    "codex", ("--judge", "codex"), frozenset({"api.openai.com", "chatgpt.com"}), CODEX_LEAVES
)
# The user's own provider brings its own retries; only the deadline bounds them.
CODEX_USER = Backend(
    "codex-user-config",
    ("--judge", "codex", "--codex-user-config"),
    CODEX.hosts,
    CODEX_LEAVES,
    retries=30,
)
CLAUDE_LEAVES = (
    LOG,
    "home/.claude/backups/.claude.json.backup.*",
    "home/.claude/plugins/store/*",  # newer versions
)
CLAUDE = Backend("claude", ("--judge", "claude"), leaves=CLAUDE_LEAVES)
CLIENTS = (CODEX, CODEX_USER, CLAUDE)
HTTP_VENDORS = (
    Backend("openai", ("--judge", "openai:scripted"), frozenset({"api.openai.com"})),
    Backend("anthropic", ("--judge", "anthropic:scripted"), frozenset({"api.anthropic.com"})),
)


def refuse_with(status: int) -> Judge:
    def judge(_request: Request) -> dict:
        raise Refusal(status)

    return judge


def violation_until_verified(request: Request) -> dict:
    return ALLOWED if "12 passed" in json.dumps(request.body) else VIOLATION


@scenario_per(HOSTS, CLIENTS)
def client_judges_a_session(sandbox: Sandbox, host: Host, backend: Backend) -> None:
    """With all hooks installed in both clients, a hit costs one judge call and runs no hook within the judge."""
    stops = sandbox.root / "stops"
    for each in HOSTS:
        each.install(sandbox, *backend.flags)
        each.add_hook(sandbox, "Stop", f"echo stop >> '{stops}'")
    sandbox.server.play(
        Script(agent=[Say(PROPOSAL), Say(VERIFIED)], judge=violation_until_verified)
    )
    ended = host.ask(sandbox, "Refactor the parser.")
    expect("the user reads", host.answer(ended), VERIFIED)
    expect("judge calls", len(sandbox.server.asked("judge")), 1)
    expect("stops, those of a judge's own session included", stops.read_text().count("stop"), 2)
    hits = [record for record in sandbox.decisions() if record["attempts"]]
    expect("decisions that asked", [record["decision"] for record in hits], ["block"])
    [request] = sandbox.server.asked("judge")
    expect("signed with the user's own key", request.key.removeprefix("Bearer "), KEY)
    NOTES.add(
        f"{backend.name} judging {host.name}: request {request.size} bytes, {beside_the_prompt(request)} of them "
        f"beside the prompt; {hits[0]['judge_ms']} ms for the call, {hits[0]['total_ms']} ms for the hook"
    )


@scenario_per(CLIENTS)
def client_leaves_nothing(sandbox: Sandbox, backend: Backend) -> None:
    """A judge call leaves no file but the client's own state, no session, no temporary file."""
    sandbox.server.play(Script(judge=lambda _request: VIOLATION))
    seen = sandbox.files()
    come_and_go = ("home/.codex/*.sqlite-shm", "home/.codex/*.sqlite-wal")
    for run, allowed in (("first", backend.leaves), ("second", come_and_go)):
        ended = sandbox.hook("commit-before-verify", backend.flags, EVENT)
        expect(f"exit status of the {run} run", ended.status, 2)
        new, seen = sandbox.files() - seen, sandbox.files()
        left = [path for path in sorted(new) if not any(fnmatch(path, one) for one in allowed)]
        expect(f"files that the {run} run left", left, [])
    # Claude Code keeps one empty directory there, for all its runs.
    left = [path.name for path in sandbox.tmp.iterdir() if path.name != f"claude-{os.getuid()}"]
    expect("temporary files", left, [])
    expect(
        "hosts asked for beyond the judge's own", set(sandbox.server.hosts) - backend.hosts, set()
    )
    expect("judge calls", len(sandbox.server.asked("judge")), 2)


@scenario_per(CLIENTS)
def client_gets_little_beside_the_prompt(sandbox: Sandbox, backend: Backend) -> None:
    """The request holds at most 3 kB beside the prompt, and no tool that could act."""
    sandbox.server.play(Script(judge=lambda _request: VIOLATION))
    expect("exit status", sandbox.hook("commit-before-verify", backend.flags, EVENT).status, 2)
    [request] = sandbox.server.asked("judge")
    size = beside_the_prompt(request)
    expect(f"{size} bytes beside the prompt are few enough", size <= 3000, True)
    tools = [tool.get("name") for tool in request.body.get("tools", [])]
    expect("tools", tools, ["StructuredOutput"] if backend is CLAUDE else [])


@scenario_per(CLIENTS)
def failing_client_lets_go(sandbox: Sandbox, backend: Backend) -> None:
    """A judge that answers only errors: the deadline bounds it, the stop is allowed, the failure named."""
    named = {400: "", 401: "not-logged-in", 429: "rate-limited", 503: ""}
    for status, outcome in named.items():
        sandbox.server.play(Script(judge=refuse_with(status)))
        flags = (*backend.flags, "--timeout-s", "6")
        ended = sandbox.hook("commit-before-verify", flags, EVENT)
        expect(f"exit status after {status}", (ended.status, ended.err), (0, ""))
        expect(f"{ended.seconds:.1f} s after {status} are few enough", ended.seconds <= 6.3, True)
        calls = len(sandbox.server.asked("judge"))
        expect(f"{calls} calls after {status} are few enough", calls <= backend.retries + 1, True)
        record = sandbox.decisions()[-1]
        expect("decision", (record["decision"], record["verdict"]), ("allow", "fail"))
        attempts = [f"{one['outcome']} after {one['ms']} ms" for one in record["attempts"]]
        expect_in("attempts", outcome if calls <= 2 else "", ", ".join(attempts))
        NOTES.add(f"{backend.name} answered with {status}: {calls} requests, {', '.join(attempts)}")


@scenario
def refused_model_is_replaced(sandbox: Sandbox) -> None:
    """Where the account lacks codex's first model, the second is asked within the same run."""

    def judge(request: Request) -> dict:
        model = request.body["model"]
        if model == "gpt-5.3-codex-spark":
            raise Refusal(400, f"The '{model}' model is not supported with this account.")
        return VIOLATION

    sandbox.server.play(Script(judge=judge))
    expect("exit status", sandbox.hook("commit-before-verify", CODEX.flags, EVENT).status, 2)
    outcomes = [(one["model"], one["outcome"]) for one in sandbox.decisions()[-1]["attempts"]]
    first, second = sandbox.server.asked("judge")
    wanted = [("gpt-5.3-codex-spark", "model-refused"), (second.body["model"], "answered")]
    expect("attempts", outcomes, wanted)
    NOTES.add(f"codex, refused a model: {second.body['model']} asked with {second.size} bytes")


@scenario
def next_backend_takes_over(sandbox: Sandbox) -> None:
    """When codex hangs, claude is asked in the other half of the deadline."""

    def judge(request: Request) -> dict:
        if "/responses" in request.path:
            time.sleep(8)
        return VIOLATION

    sandbox.server.play(Script(judge=judge))
    flags = ("--judge", "codex,claude", "--timeout-s", "10")
    expect("exit status", sandbox.hook("commit-before-verify", flags, EVENT).status, 2)
    outcomes = [(one["backend"], one["outcome"]) for one in sandbox.decisions()[-1]["attempts"]]
    expect("attempts", outcomes, [("codex", "timeout"), ("claude", "answered")])


@scenario_per(CLIENTS)
def hanging_client_is_ended(sandbox: Sandbox, backend: Backend) -> None:
    """A judge whose model never answers costs the deadline and no more; its processes are gone."""
    sandbox.server.play(Script(judge_delay_s=30))
    ended = sandbox.hook("commit-before-verify", (*backend.flags, "--timeout-s", "3"), EVENT)
    expect("processes left at once", sandbox.leftovers(patience_s=0.1), [])
    expect("exit status", ended.status, 0)
    expect(f"{ended.seconds:.2f} s are within the deadline + 300 ms", ended.seconds <= 3.3, True)
    expect_in("attempts", "timeout", json.dumps(sandbox.decisions()[-1]["attempts"]))


@scenario_per(CLIENTS)
def killed_hook_takes_its_judge_along(sandbox: Sandbox, backend: Backend) -> None:
    """When a host kills the hook itself, no process of the judge outlives it."""
    sandbox.server.play(Script(judge_delay_s=30))
    hook = sandbox.programs.hooks / "commit-before-verify"
    killed_at_3s = ["timeout", "--foreground", "--signal=KILL", "3", hook, *backend.flags]
    sandbox.run(killed_at_3s, json.dumps(EVENT))
    expect("judge calls", len(sandbox.server.asked("judge")), 1)
    expect("processes left", sandbox.leftovers(patience_s=0.3), [])


@scenario_per(HTTP_VENDORS)
def vendor_is_asked_over_tls(sandbox: Sandbox, vendor: Backend) -> None:
    """Without an address of one's own, the vendor's is asked through the proxy, once, with the vendor's key."""
    sandbox.server.play(Script(judge=lambda _request: VIOLATION))
    ended = sandbox.hook("commit-before-verify", vendor.flags, EVENT)
    expect("exit status", ended.status, 2)
    expect("hosts asked for", set(sandbox.server.hosts), vendor.hosts)
    [request] = sandbox.server.asked("judge")
    expect("key", request.key.removeprefix("Bearer "), KEY)
    expect_not_in("decision log", KEY, json.dumps(sandbox.decisions()))


def beside_the_prompt(request: Request) -> int:
    """The request's size less the user message that holds the prompt, both as JSON."""
    messages = request.body.get("messages") or request.body.get("input")
    texts = [part["text"] for message in messages for part in parts(message)]
    [prompt] = [text for text in texts if JUDGE_MARKER in text]
    return request.size - len(json.dumps(prompt, ensure_ascii=False).encode())


def parts(message: dict) -> list[dict]:
    content = message.get("content", [])
    return (
        [{"text": content}]
        if isinstance(content, str)
        else [part for part in content if "text" in part]
    )
