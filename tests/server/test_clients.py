"""The official Python client in every mode it has."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import TextContent

LAUNCH = Path(__file__).parents[2] / "runtime" / "context_mode_runtime" / "launch.py"
MODES = ["legacy", "auto", "2026-07-28"]


def _client(project: Path, mode: str, **more: Any) -> Client:
    parameters = StdioServerParameters(
        command=sys.executable, args=["-I", "-S", str(LAUNCH), "serve"], env=dict(os.environ), cwd=project
    )
    return Client(stdio_client(parameters), mode=mode, **more)


@pytest.mark.parametrize("mode", MODES)
def test_tools_are_listed_and_called(project: Path, mode: str) -> None:
    async def talk() -> None:
        async with _client(project, mode) as client:
            listed = await client.list_tools()
            assert [tool.name for tool in listed.tools][:1] == ["ctx_execute"]
            run = await client.call_tool("ctx_execute", {"language": "sh", "code": "echo hello"})
            assert not run.is_error
            assert run.content == [TextContent(text="exit 0 · 6 B\nhello")]
            wrong = await client.call_tool("ctx_execute", {"language": "sh", "cod": "echo hello"})
            assert wrong.is_error

    anyio.run(talk)


@pytest.mark.parametrize("mode", MODES)
def test_a_long_call_tells_its_progress(project: Path, mode: str) -> None:
    told: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        told.append(progress)

    async def talk() -> None:
        async with _client(project, mode) as client:
            code = "for i in 1 2 3; do echo $i; sleep 1; done"
            await client.call_tool("ctx_execute", {"language": "sh", "code": code}, progress_callback=note)

    anyio.run(talk)
    assert told
    assert told == sorted(set(told))


def test_calls_run_side_by_side(project: Path) -> None:
    """Two calls that wait for each other: one writes into a pipe that the other reads."""
    os.mkfifo(project / "between")

    async def talk() -> None:
        async with _client(project, "auto") as client, anyio.create_task_group() as group:
            for code in ("echo over > between", "cat between"):
                group.start_soon(client.call_tool, "ctx_execute", {"language": "sh", "code": code})

    anyio.run(talk)
