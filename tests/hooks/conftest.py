"""A hook call in this process: a real payload with changes, in a project with files, under a policy."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from context_mode_installer.specs.compile import compile_spec, table_text
from context_mode_installer.specs.load import load_file
from context_mode_runtime.hooks import run

EXTRA = Path(__file__).parent.parent / "specs" / "extra"
PAYLOADS = Path(__file__).parent.parent / "payloads"
Caller = Callable[..., dict[str, Any] | None]


def load_payload(agent: str, name: str, project: Path, home: Path) -> dict[str, Any]:
    """A captured payload with its holes filled."""
    text = (PAYLOADS / agent / f"{name}.json").read_text(encoding="utf-8")
    for hole, folder in (("$PROJECT", project), ("$HOME", home), ("$TMP", home / "tmp")):
        text = text.replace(hole, str(folder))
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


@pytest.fixture
def made_up(home: Path) -> None:
    """The two agents that nobody has, as specs of the user's own."""
    folder = home / ".context-mode/agents"
    folder.mkdir(parents=True)
    for name in ("heron", "otter"):
        (folder / f"{name}.json").write_text(table_text(compile_spec(load_file(EXTRA / f"{name}.yaml").value)))


def reply_of(agent: str, event: str, payload: dict[str, Any]) -> run.Reply:
    """The raw reply to a payload as it stands, with a server at hand."""
    return run.prepare(agent, event, assume_server=True).run(payload)
