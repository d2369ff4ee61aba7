"""Payloads with any field of any type: the hook passes or answers in the host's form, and nothing fails inside."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from context_mode_runtime.agents import load_agent
from context_mode_runtime.hooks import run

from .conftest import PAYLOADS
from .test_before import validate

ODD: st.SearchStrategy[Any] = st.sampled_from([
    None, True, 0, -1, 1e999, 10**30, "", " ", "\0", "\ud800", "a/../b", "x" * 5_000, "-", [], {}, [[]], [None],
    [1, "a"], {"": ""},
    {"type": "text"}, [{"type": "text", "text": 7}], [{"type": "text", "text": "y" * 5_000}], {"a": {"b": []}},
])  # fmt: skip
FILES = sorted(
    file
    for agent in ("claude-code", "codex")
    for file in (PAYLOADS / agent).glob("*.json")
    if file.stem.split("-")[0] in load_agent(agent)["events"]
)


def paths_in(value: Any, at: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    inner = (
        [path for key, one in value.items() for path in paths_in(one, (*at, key))] if isinstance(value, dict) else []
    )
    return [at, *inner] if at else inner


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
@settings(
    max_examples=12, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(data=st.data())
def test_any_field_may_be_of_any_type(file: Path, data: st.DataObject, home: Path, project: Path) -> None:
    (home / ".context-mode").mkdir(exist_ok=True)
    (home / ".context-mode/policy.json").write_text('{"version": 1, "deny": ["Bash(rm *)", "Read(./x)", "mcp__a"]}')
    payload = json.loads(file.read_text().replace("$PROJECT", str(project)).replace("$HOME", str(home)))
    for path in data.draw(st.lists(st.sampled_from(paths_in(payload)), min_size=1, max_size=3)):
        target = payload
        for key in path[:-1]:
            target = target.get(key) if isinstance(target, dict) else None
        if isinstance(target, dict):
            target[path[-1]] = data.draw(ODD)
    agent, event = file.parent.name, file.stem.split("-")[0]
    reply = run.prepare(agent, event, assume_server=True).run(payload)
    assert reply.code == 0
    if reply.text:
        validate(agent, event, json.loads(reply.text))
    log = home / ".context-mode/hook-errors.log"
    said = log.read_text().splitlines() if log.exists() else []
    assert all(": the payload's " in line for line in said), said
