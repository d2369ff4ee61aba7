"""Each route on each host: one call of ours by the host's own names, a way that passes, and no word where it is off."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from context_mode_installer.doctor.probes import call_payload
from context_mode_installer.specs.catalog import usable_specs
from context_mode_installer.specs.model import AgentSpec, Tool
from context_mode_installer.specs.where import put
from context_mode_runtime.agents import load_agent
from context_mode_runtime.hooks import before
from context_mode_runtime.hooks.call import Call
from context_mode_runtime.server.tools import registry

TABLE: dict[str, Any] = YAML(typ="safe").load(Path(__file__).with_name("routes.yaml"))


def tools(spec: AgentSpec, row: dict[str, Any]) -> Iterator[tuple[Tool, str]]:
    """The tools of a route's class that take such an input, and the value for each."""
    for tool in spec.tools:
        value = row["value"].get(tool.dialect or "any")
        if tool.class_ == row["class"] and value and any(field.name == row["field"] for field in tool.fields):
            yield tool, value


CASES = [
    pytest.param(spec, row, tool, value, id=f"{spec.id}: {row['route']} by {tool.names[0]}")
    for spec in usable_specs()
    for row in TABLE["routes"]
    for tool, value in tools(spec, row)
]


def answer(spec: AgentSpec, tool: Tool, field: str, value: str, project: Path) -> str:
    """What the hook says to the call; nothing for a pass."""
    event = next(host.name for event in spec.events if event.event == "pre_tool" for host in event.hosts)
    payload = call_payload(spec, event, tool.names[0], {}, str(project))
    [place] = [one.where[0] for one in tool.fields if one.name == field]
    call = Call(load_agent(spec.id), "pre_tool", event, put(payload, place, value), assume_server=True)
    decision = before.decide(call)
    return str(decision.holes["reason"]) if decision else ""


@pytest.mark.parametrize(("spec", "row", "tool", "value"), CASES)
def test_a_route(spec: AgentSpec, row: dict[str, Any], tool: Tool, value: str, project: Path, home: Path) -> None:
    (project / "big.log").write_bytes(b"a line\n" * 9_000)
    text = answer(spec, tool, row["field"], value, project)
    assert len(text.encode()) <= 2_000
    spelled = {one.name: spec.server.tool_name.replace("{tool}", one.name) for one in registry.TOOLS}
    assert set(re.findall(r"[^\s(]*ctx_\w+", text)) <= set(spelled.values())
    [line] = [line for line in text.splitlines() if line.startswith(f"{spelled[row['call']]}(")]
    given = json.loads(line.partition("(")[2][:-1])
    assert [one for one in given.values() if one in (value, str(project / value))]
    assert text.splitlines()[-1].endswith(".")
    assert [word for word in TABLE["foreign"].get(tool.dialect, []) if word in text] == []
    if row["route"] == "read":
        assert (f"A {tool.names[0]} with a line range passes" in text) == bool(tool.range)
    (home / ".context-mode").mkdir(exist_ok=True)
    (home / ".context-mode/policy.json").write_text(json.dumps({"version": 1, "routes": {row["route"]: "off"}}))
    assert answer(spec, tool, row["field"], value, project) == ""


def test_every_host_has_every_route_but_those_named() -> None:
    for row in TABLE["routes"]:
        without = {spec.id for spec in usable_specs() if not list(tools(spec, row))}
        assert without == set(TABLE["none"].get(row["class"], [])), row["route"]
