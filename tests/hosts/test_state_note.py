"""A state block that goes with a tool costs the other calls nothing: none of them opens the store for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.hosts.test_hooks import Place

from context_mode_runtime.agents import known_agents, load_agent
from context_mode_runtime.store.db import Store

WITH_A_TOOL = {"copilot-cli": "postToolUse-view", "vscode": "PreToolUse-read_file"}


def test_each_host_whose_block_goes_with_a_tool_is_looked_at() -> None:
    places = {agent: load_agent(agent)["compaction"]["state_block"] for agent in known_agents()}
    assert {agent for agent, place in places.items() if place and place["event"].endswith("_tool")} == set(WITH_A_TOOL)


@pytest.mark.parametrize(("agent", "payload"), WITH_A_TOOL.items())
def test_a_tool_that_tells_nothing_opens_no_store_when_no_block_waits(
    agent: str, payload: str, project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(Store, "open", lambda key, **_: opened.append(key))
    row = {"event": payload.partition("-")[0], "payload": payload, "changes": {}}
    place = Place(project, home)
    reply = place.call(agent, row, server=False)
    assert reply.text == load_agent(agent)["replies"]["pass"], json.dumps(reply.text)
    assert opened == []
