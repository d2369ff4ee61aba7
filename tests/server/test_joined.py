"""Hook process and server joined by the host's call id: what one conversation read is in its own session only."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

LAUNCH = Path(__file__).parents[2] / "runtime" / "context_mode_runtime" / "launch.py"
PAYLOAD = Path(__file__).parents[1] / "payloads" / "claude-code" / "PreToolUse-mcp.json"


def _announced(project: Path, conversation: str, call: str, tool: str, arguments: dict[str, Any]) -> None:
    """What the host's hook does before the call: a real process with the captured payload."""
    payload = json.loads(PAYLOAD.read_text(encoding="utf-8").replace("$PROJECT", str(project)))
    own = {"tool_name": f"mcp__context-mode__{tool}", "tool_input": arguments}
    payload |= {"session_id": conversation, "tool_use_id": call, "cwd": str(project), **own}
    done = subprocess.run(
        [sys.executable, "-I", "-S", LAUNCH, "hook", "claude-code", "PreToolUse"],
        cwd=project,
        input=json.dumps(payload).encode(),
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == (b"", b"")


def test_session_scope_is_the_conversation(serve: Any, project: Path) -> None:
    host = serve("claude-code")
    index = {"text": "the quoll sleeps at noon", "label": "notes"}
    _announced(project, "c-1", "t-1", "ctx_index", index)
    host.call("ctx_index", index, {"claudecode/toolUseId": "t-1"})
    search = {"queries": ["quoll"], "scope": "session"}
    found = {}
    for number, conversation in enumerate(("c-1", "c-2")):
        _announced(project, conversation, f"u-{number}", "ctx_search", search)
        found[conversation] = host.call("ctx_search", search, {"claudecode/toolUseId": f"u-{number}"})[0]
    assert "notes #1: line 1\n  the quoll sleeps at noon" in found["c-1"]
    assert "elsewhere" in found["c-2"]
    assert "quoll sleeps" not in found["c-2"]
    assert "quoll sleeps" in host.call("ctx_search", {"queries": ["quoll"]})[0]
