"""A deny rule may name one of our own tools, by the host's spelling or ours; an ask rule is asked by the hook."""

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize("rule", ["mcp__context-mode__ctx_execute", "ctx_execute", "mcp__context-mode__*", "ctx_*"])
def test_a_denied_tool_of_ours_does_not_run(serve: Any, home: Path, project: Path, rule: str) -> None:
    (home / ".context-mode").mkdir()
    (home / ".context-mode/policy.json").write_text(json.dumps({"version": 1, "deny": [rule]}))
    text, failed = serve("claude-code").call("ctx_execute", {"language": "sh", "code": "touch made"})
    assert failed
    assert text.startswith(f"denied by rule {rule} of ~/.context-mode/policy.json")
    assert not (project / "made").exists()


def test_an_asked_tool_of_ours_runs_once_the_host_has_asked(serve: Any, home: Path, project: Path) -> None:
    (home / ".context-mode").mkdir()
    (home / ".context-mode/policy.json").write_text('{"version": 1, "ask": ["ctx_execute"]}')
    text, failed = serve("claude-code").call("ctx_execute", {"language": "sh", "code": "touch made"})
    assert not failed, text
    assert (project / "made").exists()
