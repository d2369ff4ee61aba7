"""What the compiled places find in real payloads: tool, its class and fields, conversation, sub-agent, output."""

from __future__ import annotations

import fnmatch
import json
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from context_mode_runtime import where
from context_mode_runtime.agents import load_agent

HERE = Path(__file__).parent
PAYLOADS = HERE.parent / "payloads"
TABLES = {
    file.stem: YAML(typ="safe", pure=True).load(file.read_text("utf-8"))
    for file in sorted((HERE / "payloads").glob("*.yaml"))
}


def rows(kind: str) -> list[Any]:
    """Each row of every agent's table."""
    return [
        pytest.param(agent, row, id=f"{agent}/{row['file']}") for agent, table in TABLES.items() for row in table[kind]
    ]


def short(value: Any) -> Any:
    """A long text as its beginning and its size."""
    return f"{value[:40]}... {len(value.encode())} B" if isinstance(value, str) and len(value) > 60 else value


def read(agent: str, name: str) -> Any:
    return json.loads((PAYLOADS / agent / name).read_text("utf-8"))


def seen(agent: str, payload: Any, command: str) -> dict[str, Any]:
    """All that the table of `agent` finds in a hook's payload; what it does not find is left out.

    `command`: the event that the hook's command names; a payload that names one itself, by a name of ours, is right.
    """
    table = load_agent(agent)
    named = where.text(payload, table["payload"]["event"])
    name = named if named in table["events"] or not command else command
    event = table["events"].get(name)
    if event is None:
        return {"event": name}
    found: dict[str, Any] = {"event": name, "ours": event["event"], "ignored": where.holds(payload, event["ignore"])}
    places = {
        **table["identity"]["hook"],
        **{key: table["payload"][key] for key in ("prompt", "source", "error", "message")},
    }
    found |= {key: short(where.text(payload, place)) for key, place in places.items()}
    follows = table["identity"]["follows"]
    found["cannot_follow"] = follows is not None and not where.holds(payload, follows)
    tool_name = where.text(payload, table["payload"]["tool"])
    found |= tool_seen(table, tool_name, payload) if tool_name else {}
    return {key: value for key, value in found.items() if value not in ("", False, [], None)}


def tool_seen(table: dict[str, Any], name: str, payload: Any) -> dict[str, Any]:
    tools = [tool for tool in table["tools"] if any(fnmatch.fnmatchcase(name, pattern) for pattern in tool["names"])]
    if not tools:
        return {"tool": name}
    tool = tools[0]
    found = {key: [short(value) for value in where.values(payload, place)] for key, place in tool["fields"].items()}
    return {
        "tool": name,
        "class": tool["class"],
        **found,
        "output": [short(value) for value in where.values(payload, tool["output"] or [])],
        "cut": where.holds(payload, tool["cut"]),
        "not_replaced": where.holds(payload, tool["replace"] and tool["replace"]["skip"]),
        "moved": where.find(payload, tool["moved"] and tool["moved"]["where"]),
    }


@pytest.mark.parametrize(("agent", "row"), rows("hooks"))
def test_a_hook_sees(agent: str, row: dict[str, Any]) -> None:
    expected = {key: value for key, value in row.items() if key != "file"}
    assert seen(agent, read(agent, row["file"]), row.get("event", "")) == expected


@pytest.mark.parametrize("agent", TABLES)
def test_every_payload_stands_in_the_table(agent: str) -> None:
    files = {file.name for file in (PAYLOADS / agent).glob("*.json")}
    rows = {row["file"] for kind in ("hooks", "requests") for row in TABLES[agent][kind]}
    no_calls = ("environment", "initialize", "discover", "roots", "notifications")
    assert {file for file in files if not any(word in file for word in no_calls)} == rows


@pytest.mark.parametrize(("agent", "row"), rows("requests"))
def test_the_server_sees(agent: str, row: dict[str, Any]) -> None:
    table, request = load_agent(agent), read(agent, row["file"])
    params = request.get("params", request)
    ways = table["identity"]["request"]
    found: dict[str, Any] = {"ways": [way["way"] for way in ways]}
    for way in ways:
        found |= {key: where.text(params, way[key]) for key in ("conversation", "subagent", "call") if way[key]}
    found["project"] = where.text(params, table["project"]["request"])
    assert {key: value for key, value in found.items() if value} == {
        key: value for key, value in row.items() if key != "file"
    }
