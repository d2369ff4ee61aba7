"""Steps that the made-up OpenCode plays, and what its hook was told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.bridges.conftest import Bridged

Step = dict[str, Any]
KEEPS = 'cat > "$2.json"; echo "$2" >> told'
"""A hook that keeps what it was told, by event."""


def before(tool: str = "bash", session: str = "s-1", **args: object) -> Step:
    given = {"tool": tool, "sessionID": session, "callID": "c-1"}
    return {"on": "tool.execute.before", "input": given, "output": {"args": args or {"command": "ls"}}}


def after(tool: str = "bash", session: str = "s-1", **output: object) -> Step:
    given = {"tool": tool, "sessionID": session, "callID": "c-1", "args": {"command": "ls"}}
    return {
        "on": "tool.execute.after",
        "input": given,
        "output": output or {"title": "ls", "output": "a\n", "metadata": {}},
    }


def prompt(session: str = "s-1", text: str = "count") -> Step:
    message = {"id": "msg_1", "sessionID": session}
    parts = [{"id": "prt_1", "type": "text", "text": text}, {"id": "prt_2", "type": "file", "url": "x" * 9_000}]
    return {"on": "chat.message", "input": {"sessionID": session}, "output": {"message": message, "parts": parts}}


def event(kind: str, session: str = "s-1") -> Step:
    return {"on": "event", "input": {"type": kind, "properties": {"sessionID": session}}}


def request(*messages: Step) -> Step:
    return {"on": "experimental.chat.messages.transform", "input": {}, "output": {"messages": list(messages)}}


def message(number: int, role: str = "user", *, summary: bool = False, session: str = "s-1") -> Step:
    time = {"created": 1 if session == "s-old" else 9_999_999_999_999}
    info = {"id": f"msg_{number}", "role": role, "sessionID": session, "time": time}
    return {"info": {**info, "summary": True} if summary else info, "parts": []}


COMPACTED = (message(1, "assistant", summary=True), message(2))
ALL = (before(), after(), prompt(), event("session.compacted"), request(*COMPACTED), event("session.idle"))


def answering(bridge: Bridged, answer: Step) -> Path:
    """A hook that gives one answer to everything."""
    (bridge.folder / "answer.json").write_text(json.dumps(answer), encoding="utf-8")
    return bridge.script("hook", f"{KEEPS}\ncat answer.json")


def kept(bridge: Bridged, name: str) -> Step:
    told: Step = json.loads((bridge.folder / f"{name}.json").read_text("utf-8"))
    return told


def told(bridge: Bridged) -> list[str]:
    """The events that the hook was started for, in order."""
    file = bridge.folder / "told"
    return file.read_text("utf-8").split() if file.exists() else []
