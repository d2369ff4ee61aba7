"""What VS Code's chat agent hands to its model, before any vendor's format: an extension of the tests posts each turn.

    POST /turn {"messages": [{"role", "content": [part]}], "tools": [...]} -> {"parts": [part], "longer": N}

A part is text, a tool_use or a tool_result. `longer` says how many times its true length the conversation is from now
on: the agent counts tokens itself, and compacts what it takes for too long.
"""

from __future__ import annotations

from typing import Any

from tests.agents.models.base import Json, Reply, StandIn, Turn, text_of

LONGER_FROM = 10_000
"""Input tokens of a step from which the conversation is said to be longer."""
TIMES = 60


class VsCode(StandIn):
    """The language model API of extensions. Turns without tools (titles, progress texts) use up no step."""

    summary_marks = ("comprehensive, detailed summary of the entire conversation",)

    def serves(self, path: str) -> bool:
        return path == "/turn"

    def offered(self, body: Json) -> list[str]:
        return [tool["name"] for tool in body["tools"]]

    def results(self, body: Json) -> list[tuple[str, str]]:
        return [
            (part["id"], text_of(part["content"]))
            for message in body["messages"]
            for part in message["content"]
            if part["type"] == "tool_result"
        ]

    def reply(self, path: str, body: Json) -> Reply:
        turn = self._turn(body)
        parts: list[dict[str, Any]] = [{"type": "text", "text": turn.words}] if turn.words else []
        parts += [
            {"type": "tool_use", "id": call_id, "name": call["tool"], "input": call["args"]}
            for call_id, call in turn.calls
        ]
        return Reply({"parts": parts, "longer": TIMES if turn.input_tokens > LONGER_FROM else 1})

    def _turn(self, body: Json) -> Turn:
        if self.wants_summary("\n".join(text_of(one["content"]) for one in body["messages"]), body):
            return Turn("<summary>SUMMARY OF THE CONVERSATION</summary>")
        return self.take(body) if body["tools"] else Turn("done")
