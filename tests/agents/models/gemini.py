"""The generateContent API, as Google's own clients spell it."""

from __future__ import annotations

import json

from tests.agents.models.base import Json, Reply, StandIn, Turn, sample_of

METHODS = ("generateContent", "streamGenerateContent")


class Gemini(StandIn):
    """The generateContent API, whole or as a stream. Requests without tools (routing, titles) use up no step."""

    summary_marks = ("generate the updated <state_snapshot>", "Critically evaluate the <state_snapshot>")

    def serves(self, path: str) -> bool:
        return path.rpartition(":")[2] in METHODS

    def other(self, method: str, path: str) -> Json:
        return {"totalTokens": 10} if path.endswith(":countTokens") else super().other(method, path)

    def offered(self, body: Json) -> list[str]:
        return [tool["name"] for group in body.get("tools") or [] for tool in group.get("functionDeclarations") or []]

    def results(self, body: Json) -> list[tuple[str, str]]:
        answers = [part["functionResponse"] for part in _parts(body.get("contents")) if "functionResponse" in part]
        return [(answer.get("id") or answer["name"], _said(answer.get("response") or {})) for answer in answers]

    def reply(self, path: str, body: Json) -> Reply:
        turn = self._turn(body)
        parts: list[Json] = [{"text": turn.words}] if turn.words or not turn.calls else []
        parts += [
            {"functionCall": {"id": call_id, "name": call["tool"], "args": call["args"]}}
            for call_id, call in turn.calls
        ]
        usage = {"promptTokenCount": turn.input_tokens, "candidatesTokenCount": 5}
        whole = {
            "candidates": [{"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
            "usageMetadata": {**usage, "totalTokenCount": turn.input_tokens + 5},
            "modelVersion": "stand-in",
            "responseId": "response-1",
        }
        stream = path.endswith(METHODS[1])
        return Reply(whole, [f"data: {json.dumps(whole)}\r\n\r\n"] if stream else None)

    def _turn(self, body: Json) -> Turn:
        newest = "\n".join(part.get("text") or "" for part in _parts((body.get("contents") or [])[-1:]))
        if self.wants_summary(newest, body):
            return Turn("<state_snapshot>SUMMARY OF THE CONVERSATION</state_snapshot>")
        if self.offered(body):
            return self.take(body)
        config = body.get("generationConfig") or {}
        schema = config.get("responseJsonSchema") or config.get("responseSchema")
        return Turn(json.dumps(sample_of(schema)) if schema else "ok")


def _parts(contents: list[Json] | None) -> list[Json]:
    return [part for content in contents or [] for part in content.get("parts") or []]


def _said(response: Json) -> str:
    """The text of a tool's answer: what it printed, or the words of its error."""
    for key in ("output", "error"):
        if isinstance(response.get(key), str):
            return str(response[key])
    return json.dumps(response, ensure_ascii=False)
