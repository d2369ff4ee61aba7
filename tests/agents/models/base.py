"""Stand-in models on 127.0.0.1: a real agent talks to them as to its own, and they play a script.

A script is a list of steps; each request of a conversation uses up the first step that it may:

    {"tool": "Bash", "args": {"command": "ls"}}       one tool call
    {"tools": [{"tool": ..., "args": ...}, ...]}      several calls in one turn
    {"text": "words"}                                 a plain answer, which ends the turn
    {"then": function}                                the step that `function(results)` returns, a call of an earlier
                                                      reply, say; `results` holds the tool results of the request

`"if"` and `"unless"` hold text that must or must not stand in the request that uses the step up: they tell a main
conversation and its sub-agents apart. When no step fits the answer is "done". `"input_tokens": N` makes a turn look as
if the conversation were that long: the agent compacts it. Side requests (titles, token counts, model lists) and
requests for a summary use up no step.
"""

from __future__ import annotations

import gzip
import json
import threading
import time
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, NamedTuple, Self

Json = dict[str, Any]
Step = dict[str, Any]


class Turn(NamedTuple):
    """What the model says: words, calls as (id, call), and how long it says the conversation is."""

    words: str
    calls: Sequence[tuple[str, Step]] = ()
    input_tokens: int = 10


class Reply(NamedTuple):
    """An answer: one JSON object, or frames of server-sent events where the request asked for a stream."""

    whole: Json
    frames: Sequence[str] | None = None


def text_of(content: object) -> str:
    """All text inside one message content: a string, a part, or a list of parts."""
    if isinstance(content, dict):
        return text_of(content.get("text") or content.get("content") or content.get("output") or "")
    if isinstance(content, list):
        return "\n".join(text_of(part) for part in content)
    return str(content or "")


def sample_of(schema: object) -> object:
    """A small value that fits a JSON schema."""
    if not isinstance(schema, dict):
        return "ok"
    if schema.get("enum"):
        return schema["enum"][0]
    kind = str(schema.get("type", "object")).lower()
    if kind == "object":
        return {name: sample_of(inner) for name, inner in (schema.get("properties") or {}).items()}
    plain: dict[str, object] = {"array": [], "string": "ok", "boolean": False, "number": 0, "integer": 0}
    return plain.get(kind)


def frames(events: Iterable[tuple[str, Json]]) -> list[str]:
    """Server-sent events whose data names its own type."""
    return [f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n" for kind, data in events]


class StandIn(ABC):
    """A scripted model: a subclass speaks one API.

    `requests` holds every request of a conversation as it came, `summaries` those for a compaction, `calls` what the
    script asked for.
    """

    summary_marks: ClassVar[tuple[str, ...]] = ()

    def __init__(self, script: list[Step]) -> None:
        self.script = list(script)
        self.requests: list[Json] = []
        self.summaries: list[Json] = []
        self.calls: dict[str, Step] = {}
        self._run = f"{time.time_ns() & 0xFFFFFFFFFF:010x}"
        self._lock = threading.Lock()
        model = self
        handler = type("BoundHandler", (_Handler,), {"model": model})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @abstractmethod
    def serves(self, path: str) -> bool:
        """Whether a POST to `path` (without its query) is a request to the model itself."""

    @abstractmethod
    def offered(self, body: Json) -> list[str]:
        """The names of the tools that a request offers in full."""

    @abstractmethod
    def results(self, body: Json) -> list[tuple[str, str]]:
        """Call id and text of every tool result in a request, in order."""

    @abstractmethod
    def reply(self, path: str, body: Json) -> Reply:
        """The answer to a request to the model."""

    def other(self, method: str, path: str) -> Json:
        """The answer to any other request: model lists, token counts."""
        if method == "GET":
            return {"object": "list", "data": [], "models": [], "has_more": False}
        return {"input_tokens": 10}

    def wants_summary(self, words: str, body: Json) -> bool:
        """Whether the newest words of a request ask to sum the conversation up; it is remembered."""
        wanted = any(mark in words for mark in self.summary_marks)
        if wanted:
            self.summaries.append(body)
        return wanted

    def take(self, body: Json) -> Turn:
        """Uses up one step."""
        asked = json.dumps(body, ensure_ascii=False)
        with self._lock:
            self.requests.append(body)
            step = self._next(asked)
            if "then" in step:
                step = step["then"]([text for _, text in self.results(body)])
            calls = step.get("tools") or ([step] if "tool" in step else [])
            made = []
            for call in calls:
                call_id = f"call_{self._run}_{len(self.calls):04d}"
                self.calls[call_id] = {"tool": call["tool"], "args": call.get("args") or {}}
                made.append((call_id, self.calls[call_id]))
        return Turn(step.get("text") or "", made, step.get("input_tokens", 10))

    def _next(self, asked: str) -> Step:
        for n, step in enumerate(self.script):
            if step.get("if", "") in asked and not (step.get("unless") and step["unless"] in asked):
                return self.script.pop(n)
        return {"text": "done"}


class _Handler(BaseHTTPRequestHandler):
    """HTTP for any StandIn."""

    protocol_version = "HTTP/1.1"
    model: StandIn

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Nothing on stderr."""

    def do_HEAD(self) -> None:
        self._send({})

    def do_GET(self) -> None:
        if self.headers.get("upgrade", "").lower() == "websocket":
            self._send({"error": {"message": "no websocket here"}}, 426)
        else:
            self._send(self.model.other("GET", self.path.split("?")[0]))

    def do_POST(self) -> None:
        body = self._body()
        path = self.path.split("?")[0]
        if not self.model.serves(path):
            self._send(self.model.other("POST", path))
            return
        reply = self.model.reply(path, body)
        if reply.frames is None:
            self._send(reply.whole)
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for frame in reply.frames:
            self.wfile.write(frame.encode())

    def _body(self) -> Json:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        unpack: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.decompress, "deflate": zlib.decompress}
        raw = unpack.get((self.headers.get("content-encoding") or "").lower(), bytes)(raw)
        body = json.loads(raw or b"{}")
        return body if isinstance(body, dict) else {"value": body}

    def _send(self, value: Json, status: int = 200) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
