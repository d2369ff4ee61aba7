"""The official TypeScript SDK's client, both major versions, the second one in every mode of its negotiation."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.conftest import CALLS, HERE, SERVE

pytestmark = [pytest.mark.agent, pytest.mark.timeout(1200)]
MODES: dict[str, tuple[str, Any, str | None]] = {
    "v1": ("v1", None, None),
    "v2 legacy": ("v2", "legacy", "2025-11-25"),
    "v2 auto": ("v2", "auto", "2026-07-28"),
    "v2 pinned": ("v2", {"pin": "2026-07-28"}, "2026-07-28"),
}
LONG_S = 600


def drive(programs: Path, place: Path, mode: str, steps: list[dict[str, Any]]) -> dict[str, Any]:
    """Connects, lists, makes the calls, closes; what the client saw."""
    sdk, negotiation, version = MODES[mode]
    server = {"command": SERVE[0], "args": SERVE[1:], "cwd": str(place), "env": dict(os.environ)}
    plan = {"modules": str(programs.parent.parent), "sdk": sdk, "mode": negotiation, "server": server, "steps": steps}
    done = subprocess.run(
        [programs / "node", HERE / "driver.mjs", json.dumps(plan)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    assert (seen["version"], seen["problems"]) == (version, [])
    assert seen["server"]["name"] == "context-mode"
    return seen


@pytest.mark.parametrize("mode", MODES)
def test_every_offered_tool_is_listed_and_called(programs: Path, place: Path, mode: str) -> None:
    steps = [{"tool": case["tool"], "arguments": case["arguments"]} for case in CALLS]
    seen = drive(programs, place, mode, steps)
    assert [tool["name"] for tool in seen["tools"]] == [case["tool"] for case in CALLS]
    for case, result in zip(CALLS, seen["results"], strict=True):
        assert not result.get("isError", True), (case, result)
        assert result["text"].startswith(case["starts"]), (case, result)


@pytest.mark.parametrize("mode", MODES)
def test_errors_arrive_as_errors(programs: Path, place: Path, mode: str) -> None:
    wrong = {"tool": "ctx_execute", "arguments": {"language": "sh", "cod": "echo hello"}}
    unknown = {"tool": "ctx_nothing", "arguments": {}}
    after = {"tool": "ctx_execute", "arguments": {"language": "sh", "code": "exit 3"}}
    results = drive(programs, place, mode, [wrong, unknown, after])["results"]
    assert results[0]["isError"]
    assert "code" in results[0]["text"]
    assert results[1]["code"] == -32602
    assert (results[2]["isError"], results[2]["text"]) == (False, "exit 3 · 0 B")


@pytest.mark.parametrize("mode", MODES)
def test_progress_is_told_while_a_call_runs(programs: Path, place: Path, mode: str) -> None:
    code = "for i in 1 2 3; do echo step $i; sleep 1; done"
    run = {"tool": "ctx_execute", "arguments": {"language": "sh", "code": code}, "progress": True}
    [result] = drive(programs, place, mode, [run])["results"]
    assert result["text"].startswith("exit 0")
    told = [news["progress"] for news in result["progress"]]
    assert told
    assert told == sorted(set(told))
    assert any("step" in news["message"] for news in result["progress"])


@pytest.mark.parametrize("mode", MODES)
def test_an_aborted_call_ends_its_command_and_the_next_one_is_answered(programs: Path, place: Path, mode: str) -> None:
    os.mkfifo(place / "pid")
    code = f"echo $$ > kept; echo $$ > pid; exec sleep {LONG_S}"
    look = "while kill -0 $(cat kept) 2>/dev/null; do sleep 0.1; done; echo gone"
    run = {"tool": "ctx_execute", "arguments": {"language": "sh", "code": code}}
    after = {"tool": "ctx_execute", "arguments": {"language": "sh", "code": look}}
    first, second = drive(programs, place, mode, [{**run, "abortAfterReading": str(place / "pid")}, after])["results"]
    assert first["read"].isdigit()
    assert not first.get("text")
    assert second["text"] == "exit 0 · 5 B\ngone"
