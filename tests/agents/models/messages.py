"""The Messages API."""

from __future__ import annotations

import json
import time

from tests.agents.models.base import Json, Reply, StandIn, Turn, frames, text_of

Events = list[tuple[str, Json]]


class Messages(StandIn):
    """The Messages API."""

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

    def serves(self, path: str) -> bool:
        return path == "/v1/messages"

    def reply(self, path: str, body: Json) -> Reply:
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
        return Reply(message, frames(self._events(message)) if body.get("stream") else None)

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
