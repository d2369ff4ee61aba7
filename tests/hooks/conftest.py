"""A hook call in this process: a real payload with changes, in a project with files, under a policy."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from context_mode_runtime.hooks import run

PAYLOADS = Path(__file__).parent.parent / "payloads"
Caller = Callable[..., dict[str, Any] | None]


def load_payload(agent: str, name: str, project: Path, home: Path) -> dict[str, Any]:
    """A captured payload with its holes filled."""
    text = (PAYLOADS / agent / f"{name}.json").read_text(encoding="utf-8")
    text = text.replace("$PROJECT", str(project)).replace("$HOME", str(home))
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def merged(payload: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """The payload with `changes` laid over it; a null takes a key out."""
    out = copy.deepcopy(payload)
    for key, value in changes.items():
        if value is None:
            out.pop(key, None)
        elif isinstance(value, dict) and isinstance(out.get(key), dict):
            out[key] = merged(out[key], value)
        else:
            out[key] = value
    return out


@pytest.fixture
def call(project: Path, home: Path) -> Caller:
    """`call(agent, event, payload, changes={}, server=True)`: the parsed reply, or None for a pass."""

    def answer(
        agent: str, event: str, name: str, changes: dict[str, Any] | None = None, *, server: bool = True
    ) -> dict[str, Any] | None:
        payload = merged(load_payload(agent, name, project, home), changes or {})
        reply = run.prepare(agent, event, assume_server=server).run(payload)
        assert reply.code == 0
        return json.loads(reply.text) if reply.text else None

    return answer
