"""The Chat Completions API."""

from __future__ import annotations

import json
from typing import ClassVar

from tests.agents.models.base import Json, Reply, StandIn, Turn, sample_of, text_of

SIDE_TEXT = "short words of the stand-in"


class Chat(StandIn):
    """The Chat Completions API. Requests without tools (titles, checks) use up no step; a host's own stand-in is
    derived from this one and names the words of its requests for a summary, and the summary.
    """

    summary: ClassVar[str] = "SUMMARY OF THE CONVERSATION"

    def serves(self, path: str) -> bool:
        return path.rstrip("/").endswith("/chat/completions")

    def other(self, method: str, path: str) -> Json:
        if method == "GET" and path.rstrip("/").endswith("/models"):
            return {"object": "list", "data": [{"id": "stand-in", "object": "model", "created": 0, "owned_by": "us"}]}
        return super().other(method, path)

    def offered(self, body: Json) -> list[str]:
        return [tool["function"]["name"] for tool in body.get("tools") or []]

    def results(self, body: Json) -> list[tuple[str, str]]:
        return [
            (message["tool_call_id"], text_of(message.get("content")))
            for message in body.get("messages") or []
            if message.get("role") == "tool"
        ]

    def reply(self, path: str, body: Json) -> Reply:
        turn = self._turn(body)
        calls = [
            {"index": n, "id": call_id, "type": "function",
             "function": {"name": call["tool"], "arguments": json.dumps(call["args"])}}
            for n, (call_id, call) in enumerate(turn.calls)
        ]  # fmt: skip
        usage = {
            "prompt_tokens": turn.input_tokens, "completion_tokens": 5, "total_tokens": turn.input_tokens + 5,
        }  # fmt: skip
        common = {"id": "chatcmpl-1", "created": 0, "model": body.get("model") or "stand-in"}
        finish = "tool_calls" if calls else "stop"
        message: Json = {"role": "assistant", "content": turn.words or None}
        if calls:
            message["tool_calls"] = [{key: value for key, value in call.items() if key != "index"} for call in calls]
        choice = {"index": 0, "message": message, "finish_reason": finish}
        whole = {**common, "object": "chat.completion", "usage": usage, "choices": [choice]}
        return Reply(whole, _frames(common, turn.words, calls, finish, usage) if body.get("stream") else None)

    def _turn(self, body: Json) -> Turn:
        messages = body.get("messages") or []
        if self.wants_summary(self._newest(messages), body):
            return Turn(self.summary)
        if body.get("tools"):
            return self.take(body)
        schema = ((body.get("response_format") or {}).get("json_schema") or {}).get("schema")
        return Turn(json.dumps(sample_of(schema)) if schema else SIDE_TEXT)

    @staticmethod
    def _newest(messages: list[Json]) -> str:
        """The words after the model's last answer, and the system's: some hosts ask for a summary there."""
        last = max((n for n, message in enumerate(messages) if message.get("role") == "assistant"), default=-1)
        newest = [message for n, message in enumerate(messages) if n > last or message.get("role") == "system"]
        return "\n".join(text_of(message.get("content")) for message in newest)


def _frames(common: Json, words: str, calls: list[Json], finish: str, usage: Json) -> list[str]:
    def frame(delta: Json, reason: str | None = None, **more: object) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        value = {**common, "object": "chat.completion.chunk", "choices": [choice], **more}
        return f"data: {json.dumps(value)}\n\n"

    spoken = [frame({"role": "assistant", "content": words})]
    called = [frame({"tool_calls": [call]}) for call in calls]
    return [*spoken, *called, frame({}, finish, usage=usage), "data: [DONE]\n\n"]
