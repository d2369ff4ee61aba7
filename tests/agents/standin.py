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
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, NamedTuple, Self

Json = dict[str, Any]
Step = dict[str, Any]
Events = list[tuple[str, Json]]


class Turn(NamedTuple):
    """What the model says: words, calls as (id, call), and how long it says the conversation is."""

    words: str
    calls: Sequence[tuple[str, Step]] = ()
    input_tokens: int = 10


def text_of(content: object) -> str:
    """All text inside one message content: a string, a part, or a list of parts."""
    if isinstance(content, dict):
        return text_of(content.get("text") or content.get("content") or content.get("output") or "")
    if isinstance(content, list):
        return "\n".join(text_of(part) for part in content)
    return str(content or "")


class StandIn:
    """A scripted model.

    `requests` holds every request of a conversation as it came, `summaries` those for a compaction, `calls` what the
    script asked for.
    """

    path: ClassVar[str]
    summary_marks: ClassVar[tuple[str, ...]]

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

    def offered(self, body: Json) -> list[str]:
        """The names of the tools that a request offers in full."""
        raise NotImplementedError

    def results(self, body: Json) -> list[tuple[str, str]]:
        """Call id and text of every tool result in a request, in order."""
        raise NotImplementedError

    def respond(self, body: Json) -> tuple[Json, Events]:
        """The reply to a request: whole, and as stream events."""
        raise NotImplementedError

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


class Messages(StandIn):
    """The Messages API."""

    path = "/v1/messages"
    summary_marks = ("create a detailed summary of", "detailed summary of the conversation")

    def offered(self, body: Json) -> list[str]:
        return [tool.get("name", "") for tool in body.get("tools") or []]

    def results(self, body: Json) -> list[tuple[str, str]]:
        return [
            (block["tool_use_id"], text_of(block.get("content")))
            for message in body.get("messages") or []
            if isinstance(message.get("content"), list)
            for block in message["content"]
            if block.get("type") == "tool_result"
        ]

    def respond(self, body: Json) -> tuple[Json, Events]:
        turn = self._turn(body)
        blocks: list[Json] = [{"type": "text", "text": turn.words}] if turn.words else []
        for call_id, call in turn.calls:
            blocks.append({"type": "tool_use", "id": call_id, "name": call["tool"], "input": call["args"]})
        message = {
            "id": f"msg_{time.time_ns()}", "type": "message", "role": "assistant", "model": body.get("model", "none"),
            "content": blocks, "stop_reason": "tool_use" if turn.calls else "end_turn", "stop_sequence": None,
            "usage": {
                "input_tokens": turn.input_tokens, "output_tokens": 5, "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
            },
        }  # fmt: skip
        return message, self._events(message)

    def _turn(self, body: Json) -> Turn:
        messages = body.get("messages") or []
        last_answer = max((n for n, message in enumerate(messages) if message.get("role") == "assistant"), default=-1)
        newest = "\n".join(text_of(message.get("content")) for message in messages[last_answer + 1 :])
        if self.wants_summary(newest, body):
            return Turn("<analysis>none</analysis><summary>SUMMARY OF THE CONVERSATION</summary>")
        if not body.get("tools") or body.get("max_tokens") == 1:
            wants_json = (body.get("output_config") or {}).get("format") or body.get("output_format")
            return Turn('{"title": "test"}' if wants_json else "ok")
        return self.take(body)

    @staticmethod
    def _events(message: Json) -> Events:
        events: Events = [("message_start", {"message": {**message, "content": [], "stop_reason": None}})]
        start: Json
        for index, block in enumerate(message["content"]):
            if block["type"] == "text":
                start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
            else:
                start = {**block, "input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            events.append(("content_block_start", {"index": index, "content_block": start}))
            events.append(("content_block_delta", {"index": index, "delta": delta}))
            events.append(("content_block_stop", {"index": index}))
        end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
        return [*events, ("message_delta", {"delta": end, "usage": message["usage"]}), ("message_stop", {})]


class Responses(StandIn):
    """The Responses API, with tools inside namespaces and freeform tools."""

    path = "/v1/responses"
    summary_marks = ("CONTEXT CHECKPOINT COMPACTION",)

    def _tools(self, body: Json) -> dict[str, tuple[str, str | None, str]]:
        """Joined name -> (type, namespace, bare name), also of tools that came by a tool search."""
        lists = [body.get("tools") or []]
        lists += [item["tools"] for item in body.get("input") or [] if isinstance(item.get("tools"), list)]
        found: dict[str, tuple[str, str | None, str]] = {}
        for tool in (tool for tools in lists for tool in tools):
            if tool.get("type") == "namespace":
                for inner in tool.get("tools") or []:
                    found[f"{tool['name']}.{inner['name']}"] = (
                        inner.get("type", "function"),
                        tool["name"],
                        inner["name"],
                    )
            else:
                name = tool.get("name") or tool.get("type")
                found[name] = (tool.get("type", "function"), None, name)
        return found

    def offered(self, body: Json) -> list[str]:
        return list(self._tools(body))

    def results(self, body: Json) -> list[tuple[str, str]]:
        return [
            (item["call_id"], text_of(item.get("output")) or json.dumps(item.get("tools"), ensure_ascii=False))
            for item in body.get("input") or []
            if str(item.get("type", "")).endswith("_output")
        ]

    def respond(self, body: Json) -> tuple[Json, Events]:
        turn = self._turn(body)
        items = [self._message(turn.words)] if turn.words else []
        items += [self._call(call_id, call, body) for call_id, call in turn.calls]
        usage = {
            "input_tokens": turn.input_tokens, "output_tokens": 5, "total_tokens": turn.input_tokens + 5,
            "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0},
        }  # fmt: skip
        response = {
            "id": f"resp_{time.time_ns()}", "object": "response", "created_at": int(time.time()), "status": "completed",
            "model": body.get("model", "stand-in"), "output": items, "usage": usage,
        }  # fmt: skip
        return response, self._events(response)

    def _turn(self, body: Json) -> Turn:
        items = body.get("input") or []
        if self.wants_summary(text_of(items[-1:]), body):
            return Turn("SUMMARY OF THE CONVERSATION")
        return self.take(body) if self._tools(body) else Turn('{"title": "test"}')

    @staticmethod
    def _message(words: str) -> Json:
        part = {"type": "output_text", "text": words, "annotations": []}
        item = {"type": "message", "id": f"msg_{time.time_ns()}", "role": "assistant", "status": "completed"}
        return {**item, "content": [part]}

    def _call(self, call_id: str, call: Step, body: Json) -> Json:
        kind, space, bare = self._resolve(call["tool"], self._tools(body))
        item: Json = {"id": f"fc_{call_id}", "call_id": call_id, "name": bare, "status": "completed"}
        if kind == "custom":
            item.update(type="custom_tool_call", input=call["args"].get("input", ""))
        elif kind == "tool_search":
            item.update(type="tool_search_call", execution="client", arguments=call["args"])
            del item["name"]
        else:
            item.update(type="function_call", arguments=json.dumps(call["args"]))
        return {**item, "namespace": space} if space else item

    @staticmethod
    def _resolve(name: str, tools: dict[str, tuple[str, str | None, str]]) -> tuple[str, str | None, str]:
        """A tool as the agent offers it, by its joined or bare name; one not offered is split at `__` or a dot."""
        if name in tools:
            return tools[name]
        for kind, space, bare in tools.values():
            if space and name in (f"{space}__{bare}", f"{space}{bare}", bare):
                return kind, space, bare
        if name.startswith("mcp__"):
            space, bare = name.rsplit("__", 1)
            return "function", space, bare
        return "function", None, name

    @staticmethod
    def _events(response: Json) -> Events:
        events: Events = [
            ("response.created", {"response": {**response, "status": "in_progress", "output": [], "usage": None}})
        ]
        for index, item in enumerate(response["output"]):
            added = {**item, "status": "in_progress"}
            events.append(("response.output_item.added", {"output_index": index, "item": added}))
            if item["type"] == "message":
                words = {"item_id": item["id"], "content_index": 0, "delta": item["content"][0]["text"]}
                events.append(("response.output_text.delta", {"output_index": index, **words}))
            events.append(("response.output_item.done", {"output_index": index, "item": item}))
        events.append(("response.completed", {"response": response}))
        return [(kind, {"sequence_number": n, **data}) for n, (kind, data) in enumerate(events)]


class _Handler(BaseHTTPRequestHandler):
    """HTTP for any StandIn: its one path is answered by the script, everything else by an empty list or object."""

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
            self._send({"object": "list", "data": [], "models": [], "has_more": False})

    def do_POST(self) -> None:
        body = self._body()
        if self.path.split("?")[0] != self.model.path:
            self._send({"input_tokens": 10})
            return
        whole, events = self.model.respond(body)
        if not body.get("stream"):
            self._send(whole)
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for kind, data in events:
            self.wfile.write(f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode())

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
