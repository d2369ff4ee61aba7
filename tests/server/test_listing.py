"""What hosts and models see of us: the tool list and the instructions, their sizes and their truth."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from context_mode_runtime.agents import known_agents, load_agent
from context_mode_runtime.server.instructions import instructions
from context_mode_runtime.server.session import Connection
from context_mode_runtime.server.tools import registry

LIST_MAX = 6_144
INSTRUCTIONS_MAX = 1_400
STDLIB = {
    "__future__",
    "_collections_abc",
    "_json",
    "_stat",
    "fcntl",
    "genericpath",
    "os",
    "os.path",
    "posixpath",
    "select",
    "stat",
}
RUNTIME = Path(__file__).parents[2] / "runtime"
ANNOTATIONS = {
    "ctx_execute": {"readOnlyHint": False, "destructiveHint": True},
    "ctx_batch": {"readOnlyHint": False, "destructiveHint": True},
    "ctx_index": {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True},
    "ctx_search": {"readOnlyHint": True, "openWorldHint": False},
    "ctx_resume": {"readOnlyHint": True, "openWorldHint": False},
    "ctx_stats": {"readOnlyHint": True, "openWorldHint": False},
    "ctx_doctor": {"readOnlyHint": True, "openWorldHint": False},
    "ctx_upgrade": {"readOnlyHint": True, "openWorldHint": True},
    "ctx_purge": {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True, "openWorldHint": False},
}


def _tables() -> list[Any]:
    return [pytest.param(None, id="unnamed"), *(pytest.param(agent, id=agent) for agent in known_agents())]


def _connection(agent: str | None) -> Connection:
    return Connection(agent, load_agent(agent) if agent else None, "/")


def test_the_list_as_hosts_get_it(snapshot: Any) -> None:
    assert json.dumps(registry.listed({}), indent=1, ensure_ascii=False) == snapshot


@pytest.mark.parametrize("agent", _tables())
def test_the_list_keeps_its_budget_with_every_hosts_hints(agent: str | None) -> None:
    listed = registry.listed(_connection(agent).part("server").get("tool_meta"))
    assert len(json.dumps(listed, ensure_ascii=False).encode()) <= LIST_MAX
    hints = load_agent(agent)["server"]["tool_meta"] if agent else {}
    tools = listed["tools"]
    assert isinstance(tools, list)
    assert all(entry.get("_meta", {}) == hints for entry in tools)


@pytest.mark.parametrize("agent", _tables())
def test_instructions_name_the_offered_tools_as_the_host_spells_them(agent: str | None, snapshot: Any) -> None:
    connection = _connection(agent)
    text = instructions(connection, registry.TOOLS)
    assert text == snapshot
    most = connection.part("server")["instructions_max"]
    assert isinstance(most, int)
    assert len(text.encode()) <= min(INSTRUCTIONS_MAX, most)
    assert all(connection.spelled(tool.name) in text for tool in registry.TOOLS)


def _objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema of an object, the inner ones, too."""
    if isinstance(schema, dict) and schema.get("type") == "object":
        yield schema
    inner = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    for one in inner:
        yield from _objects(one)


@pytest.mark.parametrize("tool", registry.TOOLS, ids=lambda tool: tool.name)
def test_schemas_are_closed_and_every_property_is_described_with_an_example(tool: Any) -> None:
    objects = list(_objects(tool.entry({})["inputSchema"]))
    assert all(schema["additionalProperties"] is False for schema in objects)
    described = [value["description"] for schema in objects for value in schema["properties"].values()]
    assert all("e.g." in text and len(text) <= 120 for text in described)
    assert {word for word in tool.description.split() if word.isupper() and word.isalpha()} <= {"KB"}


def test_annotations_are_true() -> None:
    assert {tool.name: tool.annotations for tool in registry.TOOLS} == ANNOTATIONS


def test_the_order_of_the_list_is_always_the_same() -> None:
    assert registry.listed({}) == registry.listed({})
    assert [tool.name for tool in registry.TOOLS] == list(ANNOTATIONS)


def test_what_is_imported_before_the_first_call(snapshot: Any) -> None:
    """A start costs what it imports: everything else comes with the first call of a tool."""
    code = (
        "import sys\n"
        f"sys.path.insert(0, {str(RUNTIME)!r})\n"
        "before = set(sys.modules)\n"
        "from context_mode_runtime.server import app\n"
        "app.serve(None)\n"
        "sys.stderr.write('\\n'.join(sorted(set(sys.modules) - before)))\n"
    )
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "server/discover"},
    ]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        input="".join(json.dumps(line) + "\n" for line in lines).encode(),
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert len(done.stdout.splitlines()) == 3
    modules = done.stderr.decode().split("\n")
    assert [name for name in modules if name.startswith("context_mode_runtime")] == snapshot
    assert {name for name in modules if not name.startswith("context_mode_runtime")} <= STDLIB
