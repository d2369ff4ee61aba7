"""The Responses API, with tools inside namespaces and freeform tools."""

from __future__ import annotations

import json
import time

from tests.agents.models.base import Json, Reply, StandIn, Step, Turn, frames, text_of

Events = list[tuple[str, Json]]


class Responses(StandIn):
    """The Responses API, with tools inside namespaces and freeform tools."""

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

    def serves(self, path: str) -> bool:
        return path == "/v1/responses"

    def reply(self, path: str, body: Json) -> Reply:
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
        return Reply(response, frames(self._events(response)) if body.get("stream") else None)

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
