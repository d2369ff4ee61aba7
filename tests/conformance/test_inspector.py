"""The MCP Inspector's command-line mode, one process a request, in every era that it speaks."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.conftest import CALLS, SERVE

pytestmark = [pytest.mark.agent, pytest.mark.timeout(1200)]
ERAS = ["legacy", "auto", "modern"]
TOOL_IS_ERROR = 5


def inspect(programs: Path, place: Path, era: str, *request: str) -> tuple[dict[str, Any], int]:
    """The result that it prints, and its exit code."""
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [
            *(programs / "mcp-inspector", "--cli", "--cwd", place, "--protocol-era", era),
            *("--format", "json", "--quiet", *request, *SERVE),
        ],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return (json.loads(done.stdout)["result"] if done.stdout else json.loads(done.stderr)), done.returncode


def call(programs: Path, place: Path, era: str, tool: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], int]:
    request = ("--method", "tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments))
    return inspect(programs, place, era, *request)


@pytest.mark.parametrize("era", ERAS)
def test_the_list_is_portable(programs: Path, place: Path, era: str) -> None:
    """`--strict` fails for every part of a schema that some host can't take."""
    listed, code = inspect(programs, place, era, "--strict", "--method", "tools/list")
    assert code == 0
    assert [tool["name"] for tool in listed["tools"]] == [case["tool"] for case in CALLS]


@pytest.mark.parametrize("case", CALLS, ids=lambda case: case["tool"])
def test_every_tool_is_called(programs: Path, place: Path, case: dict[str, Any]) -> None:
    for before in CALLS[: CALLS.index(case)]:
        if before["tool"] == "ctx_index":
            call(programs, place, "auto", before["tool"], before["arguments"])
    result, code = call(programs, place, "auto", case["tool"], case["arguments"])
    assert (result.get("isError", False), code) == (False, 0), result
    assert result["content"][0]["text"].startswith(case["starts"])


@pytest.mark.parametrize("era", ERAS)
def test_an_error_is_an_error(programs: Path, place: Path, era: str) -> None:
    result, code = call(programs, place, era, "ctx_execute", {"language": "sh", "cod": "echo hello"})
    assert (result["isError"], code) == (True, TOOL_IS_ERROR)
    result, code = call(programs, place, era, "ctx_execute", {"language": "sh", "code": "exit 3"})
    assert (result["content"][0]["text"], code) == ("exit 3 · 0 B", 0)
