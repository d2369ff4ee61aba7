"""A host whose older versions have no event for a command that failed: its own last lines tell the exit code."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.hooks.conftest import Caller

from context_mode_runtime.project import find_project
from context_mode_runtime.store import journal
from context_mode_runtime.store.db import Store

OLD, NEW = "PostToolUse-run_shell_command-0.15", "PostToolUse-run_shell_command"
FORM = "Command: sh check.sh\nOutput: nothing\nError: (none)\nExit Code: {}\nSignal: 0\nProcess Group PGID: 9"


@pytest.mark.parametrize(
    ("payload", "code", "kind"), [(OLD, 3, "failure"), (OLD, 0, "command"), (NEW, 0, "command"), (NEW, 3, "command")]
)
def test_the_journal_of_a_command(project: Path, call: Caller, payload: str, code: int, kind: str) -> None:
    changes = {"tool_input": {"command": "sh check.sh"}, "tool_response": {"llmContent": FORM.format(code)}}
    assert call("qwen-code", "PostToolUse", payload, changes) is None
    found = find_project(str(project))
    assert found
    with Store.open(found.key(), name=found.name) as store:
        [row] = journal.rows(store, "qwen-code:00000001-0000-4000-8000-000000000000")
    assert (row.kind, row.text) == (kind, "sh check.sh")
    assert (row.detail is None) == (kind == "command")
