"""The call that a route names, pasted as it stands, does in the real server what the host's own tool would do."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import Caller
from .test_process import LAUNCH


def asked(agent: str, project: Path, arguments: dict[str, Any], name: str) -> str:
    """The text of the server's reply to one call, started as a host does."""
    meta = {"sessionId": "s", "threadId": "s", "x-codex-turn-metadata": {"workspaces": {str(project): {}}}}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    lines: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": name, "arguments": arguments, "_meta": meta}},
    ]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-I", LAUNCH, "serve", "--agent", agent], cwd=project, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    with process:
        assert process.stdin
        assert process.stdout
        for line in lines:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **line}) + "\n")
        process.stdin.flush()
        answer = next(reply for reply in map(json.loads, process.stdout) if reply.get("id") == 2)
        process.stdin.close()
    assert not answer["result"].get("isError"), answer
    text: str = answer["result"]["content"][0]["text"]
    return text


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_a_dump_below_the_checkout(agent: str, call: Caller, project: Path) -> None:
    folder = project / "it's a sub $folder"
    folder.mkdir()
    (folder / "big.log").write_text("line of the log\n" * 3_000 + "the heron stands at dawn\n")
    changes = {"cwd": str(folder), "tool_input": {"command": "cat big.log\npwd", "description": None}}
    reply = call(agent, "PreToolUse", "PreToolUse-Bash", changes)
    assert reply
    found = re.search(r"^\S*(ctx_\w+)\((.*)\)$", reply["hookSpecificOutput"]["permissionDecisionReason"], re.MULTILINE)
    assert found
    answer = asked(agent, project, json.loads(found[2]), found[1])
    assert answer.startswith("exit 0")
    assert str(folder) in answer
    assert "the heron stands at dawn" in answer


def test_a_file_below_the_checkout(call: Caller, project: Path) -> None:
    (project / "sub").mkdir()
    (project / "sub/big.py").write_text("# the heron stands at dawn\n" * 1_000)
    changes = {"cwd": str(project / "sub"), "tool_name": "Read", "tool_input": {"file_path": "big.py"}}
    reply = call("claude-code", "PreToolUse", "PreToolUse-Read", changes)
    assert reply
    found = re.search(r"^\S*(ctx_\w+)\((.*)\)$", reply["hookSpecificOutput"]["permissionDecisionReason"], re.MULTILINE)
    assert found
    assert asked("claude-code", project, json.loads(found[2]), found[1]).startswith("Indexed 1 source(s)")
