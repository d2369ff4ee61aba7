"""One command string for each system's shell: quoted for it, and ours again when it is read back (R07)."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from context_mode_installer.plan import hooks
from context_mode_installer.plan.ours import what_runs, words_of_handler
from context_mode_installer.specs.catalog import find_spec

POSIX, WINDOWS = "/home/lea chan/.context-mode/bin/context-mode-hook", "C:\\Users\\Lea Chan\\bin\\context-mode-hook.cmd"
ROWS = [
    ("gemini-cli", "linux", POSIX, f"'{POSIX}' gemini-cli BeforeTool"),
    ("gemini-cli", "win32", WINDOWS, '& "C:/Users/Lea Chan/bin/context-mode-hook.cmd" gemini-cli BeforeTool'),
    (
        "gemini-cli",
        "win32",
        "C:\\Users\\a$b\\context-mode-hook.cmd",
        "& 'C:/Users/a$b/context-mode-hook.cmd' gemini-cli BeforeTool",
    ),
    ("qwen-code", "win32", WINDOWS, '"C:/Users/Lea Chan/bin/context-mode-hook.cmd" qwen-code BeforeTool'),
    # it has a key of its own for PowerShell
    ("copilot-cli", "win32", WINDOWS, '"C:/Users/Lea Chan/bin/context-mode-hook.cmd" copilot-cli BeforeTool'),
]


@pytest.mark.parametrize(("agent", "system", "program", "line"), ROWS, ids=[" ".join(row[:2]) for row in ROWS])
def test_a_command_is_written_for_the_shell_that_runs_it(
    agent: str, system: str, program: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    spec = find_spec(agent)
    target: Any = SimpleNamespace(spec=spec, holes={"hook": program}, home_form=None, check_expands=lambda _names: None)
    said = hooks.command_line(target, spec.hooks[0], "BeforeTool")
    assert said["command"] == line
    words = words_of_handler({"command": line, "bash": line}, spec.hooks[0].command)
    assert words == [program.replace("\\", "/"), agent, "BeforeTool"]
    assert what_runs(words, (), ()) == "hook"
