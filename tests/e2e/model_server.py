"""A scripted model behind the APIs that the clients and the hooks speak, on loopback.

One server plays both parts of a scenario. The *agent* is the model of the Claude Code or Codex session under test: it
plays its script, one `Say` a request. The *judge* is the model that a hook asks, through whichever backend: its
requests are told apart by the marker that every judge prompt holds. Spoken are Anthropic Messages, OpenAI Responses
(streamed) and OpenAI Chat Completions.

It is also the proxy of a scenario: it notes every host asked for, plays the ones in `VENDORS` itself under a
certificate made for the run, and refuses all others.
"""

from __future__ import annotations

import itertools
import json
import ssl
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

JUDGE_MARKER = "--- text-begin ---"
MODEL_ITEMS = ("function_call", "custom_tool_call", "reasoning")
VENDORS = ("api.openai.com", "api.anthropic.com", "chatgpt.com")


@dataclass(frozen=True)
class Call:
    """A tool call: the client's own name for the tool, its arguments and, in Codex, the tool's namespace.

    Arguments that depend on an earlier tool's result are a function of the request.
    """

    tool: str
    arguments: dict | Callable[[Request], dict]
    namespace: str = ""

    def arguments_for(self, request: Request) -> dict:
        return self.arguments(request) if callable(self.arguments) else self.arguments


@dataclass(frozen=True)
class Say:
    """One answer of the agent. With `after`, only to a request whose new part holds these words."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    after: str = ""


@dataclass
class Request:
    """A request for a model's answer, as it arrived."""

    by: str  # "agent", "judge", or "aside": what a client asks for itself, such as a session's title
    path: str
    body: dict
    size: int
    key: str  # what it was signed with
    received: float
    answered: float = 0.0

    @property
    def new(self) -> str:
        """The JSON of what came after the model's own last words."""
        items = self.body.get("messages") or self.body.get("input") or []
        start = 0
        for at, item in enumerate(items):
            if item.get("role") == "assistant" or item.get("type") in MODEL_ITEMS:
                start = at + 1
        return json.dumps(items[start:], ensure_ascii=False)

    @property
    def schema(self) -> dict:
        """What the answer has to fit, wherever the API has its place."""
        text = self.body.get("text", {}).get("format", {}).get("schema")
        chat = self.body.get("response_format", {}).get("json_schema", {}).get("schema")
        tool = [tool.get("input_schema") for tool in self.body.get("tools") or []]
        return text or chat or next(iter(tool), None) or {}

    @property
    def held_s(self) -> float:
        """From the request's last byte to the answer's last byte."""
        return self.answered - self.received


class Refusal(Exception):
    """Raised by a judge that answers with an HTTP error instead."""

    def __init__(self, status: int, message: str = "scripted") -> None:
        super().__init__(message)
        self.status, self.message = status, message


Judge = Callable[[Request], dict]


@dataclass
class Script:
    """What the two models do. The last `Say` is repeated when `stubborn`; else a spent script says so."""

    agent: list[Say] = field(default_factory=list)
    judge: Judge = lambda _request: {}
    judge_delay_s: float = 0.0
    stubborn: bool = False


class ModelServer(ThreadingHTTPServer):
    """Listens from the start; `close` ends it."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, certificate: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(certificate)
        self.lock = threading.Lock()
        self.numbers = itertools.count(1)
        self.play(Script())
        threading.Thread(
            target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        ).start()

    def play(self, script: Script) -> None:
        """Starts a new script and forgets what was asked so far."""
        with self.lock:
            self.script = script
            self.left = list(script.agent)
            self.requests: list[Request] = []
            self.hosts: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def asked(self, by: str) -> list[Request]:
        with self.lock:
            return [request for request in self.requests if request.by == by]

    def next_say(self, request: Request) -> Say:
        """Takes the first answer that is left and fits."""
        if request.by == "aside":
            return Say("An aside.")
        with self.lock:
            for index, say in enumerate(self.left):
                if say.after in request.new:
                    if not (self.script.stubborn and len(self.left) == 1):
                        del self.left[index]
                    return say
        return Say("The script is spent.")

    def judge(self, request: Request) -> dict:
        """The judge's answer, less what the request's schema has no place for."""
        time.sleep(self.script.judge_delay_s)
        answer = self.script.judge(request)
        properties = request.schema.get("properties", answer)
        return {key: value for key, value in answer.items() if key in properties}

    def close(self) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address) -> None:
        """A client that went away is no news."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def log_message(self, *_args) -> None:
        pass

    def do_CONNECT(self) -> None:
        host = self.path.partition(":")[0]
        self.server.hosts.append(host)
        if host not in VENDORS:
            self.send_error(403)
            return
        self.send_response(200)
        self.end_headers()
        # From here on the same connection is the vendor's: the loop that called this reads the next request from it.
        self.connection = self.server.tls.wrap_socket(self.connection, server_side=True)
        self.rfile = self.connection.makefile("rb")
        self.wfile = self.connection.makefile("wb")

    def do_GET(self) -> None:
        self.reply_json(404, {"error": {"message": "not played here"}})

    do_HEAD = do_GET

    def do_POST(self) -> None:
        raw = self.read_body()
        answer = {
            "/messages": self.answer_messages,
            "/responses": self.answer_responses,
            "/chat/completions": self.answer_chat,
        }.get(self.path.partition("?")[0].removeprefix("/v1"))
        if answer is None:
            self.reply_json(404, {"error": {"message": "not played here"}})
            return
        body = json.loads(raw)
        request = Request(
            by="judge"
            if JUDGE_MARKER.encode() in raw
            else "agent"
            if body.get("tools")
            else "aside",
            path=self.path,
            body=body,
            size=len(raw),
            key=self.headers.get("x-api-key") or self.headers.get("authorization", ""),
            received=time.monotonic(),
        )
        with self.server.lock:
            self.server.requests.append(request)
        try:
            answer(request)
        except Refusal as refusal:
            error = {"type": "api_error", "message": refusal.message}
            self.reply_json(refusal.status, {"type": "error", "error": error})
        request.answered = time.monotonic()

    def read_body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        raw = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            raw += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return raw

    def reply_json(self, status: int, value: dict) -> None:
        raw = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)
        self.wfile.flush()

    def start_events(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()

    def event(self, kind: str, **data) -> None:
        self.wfile.write(f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode())
        self.wfile.flush()

    def new_id(self, prefix: str) -> str:
        return f"{prefix}_{next(self.server.numbers):06d}"

    # -- Anthropic Messages -----------------------------------------------------------------------------------

    def answer_messages(self, request: Request) -> None:
        blocks = self.message_blocks(request)
        message = {
            "id": self.new_id("msg"),
            "type": "message",
            "role": "assistant",
            "model": request.body.get("model", ""),
            "content": blocks,
            "stop_reason": "tool_use" if blocks[-1]["type"] == "tool_use" else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": request.size // 4, "output_tokens": 10},
        }
        if request.body.get("stream"):
            self.stream_message(message)
        else:
            self.reply_json(200, message)

    def message_blocks(self, request: Request) -> list[dict]:
        def tool_use(name: str, arguments: dict) -> dict:
            return {
                "type": "tool_use",
                "id": self.new_id("toolu"),
                "name": name,
                "input": arguments,
            }

        if request.by == "judge" and '"tool_result"' in request.new:
            return [
                {"type": "text", "text": "That is my answer."}
            ]  # older clients want a last word
        if request.by == "judge":
            answer = self.server.judge(request)
            tools = request.body.get("tools")
            return [
                tool_use(tools[0]["name"], answer)
                if tools
                else {"type": "text", "text": json.dumps(answer)}
            ]
        say = self.server.next_say(request)
        text = [{"type": "text", "text": say.text}] if say.text else []
        return text + [tool_use(call.tool, call.arguments_for(request)) for call in say.calls]

    def stream_message(self, message: dict) -> None:
        self.start_events()
        self.event("message_start", message={**message, "content": [], "stop_reason": None})
        for index, block in enumerate(message["content"]):
            if block["type"] == "text":
                empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
            else:
                empty = {**block, "input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            self.event("content_block_start", index=index, content_block=empty)
            self.event("content_block_delta", index=index, delta=delta)
            self.event("content_block_stop", index=index)
        self.event(
            "message_delta",
            delta={"stop_reason": message["stop_reason"], "stop_sequence": None},
            usage={"output_tokens": 10},
        )
        self.event("message_stop")

    # -- OpenAI Responses -------------------------------------------------------------------------------------

    def answer_responses(self, request: Request) -> None:
        items = []
        if request.by == "judge":
            say = Say(json.dumps(self.server.judge(request)))
        else:
            say = self.server.next_say(request)
        if say.text:
            content = [{"type": "output_text", "text": say.text, "annotations": []}]
            items.append(
                {
                    "type": "message",
                    "id": self.new_id("msg"),
                    "role": "assistant",
                    "content": content,
                }
            )
        for call in say.calls:
            item = {
                "type": "function_call",
                "id": self.new_id("fc"),
                "call_id": self.new_id("call"),
                "name": call.tool,
            }
            namespace = {"namespace": call.namespace} if call.namespace else {}
            items.append(
                {**item, **namespace, "arguments": json.dumps(call.arguments_for(request))}
            )
        response = {"id": self.new_id("resp")}
        self.start_events()
        self.event("response.created", response=response)
        for index, item in enumerate(items):
            self.event("response.output_item.added", output_index=index, item=item)
            self.event("response.output_item.done", output_index=index, item=item)
        usage = {
            "input_tokens": request.size // 4,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 10,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": request.size // 4 + 10,
        }
        self.event(
            "response.completed",
            response={**response, "status": "completed", "output": items, "usage": usage},
        )

    # -- OpenAI Chat Completions ------------------------------------------------------------------------------

    def answer_chat(self, request: Request) -> None:
        content = json.dumps(self.server.judge(request))
        message = {"role": "assistant", "content": content}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        self.reply_json(
            200,
            {
                "id": self.new_id("chatcmpl"),
                "object": "chat.completion",
                "model": "scripted",
                "choices": [choice],
            },
        )


def make_certificate(directory: Path) -> Path:
    """A key and a certificate for `VENDORS` in one file. It is its own issuer, good for a day."""
    path = directory / "vendors.pem"
    names = ",".join(f"DNS:{host}" for host in VENDORS)
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
    ]
    command += ["-days", "1", "-subj", "/CN=scripted vendors", "-keyout", path, "-out", path]
    command += [
        "-addext",
        f"subjectAltName={names}",
        "-addext",
        "basicConstraints=critical,CA:FALSE",
    ]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode != 0:
        raise RuntimeError(f"openssl made no certificate: {made.stderr}")
    return path
