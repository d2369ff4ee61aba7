"""One way to open a path of somebody else; what stands where a file is expected neither hangs nor opens a gate."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.conftest import ROOT

from context_mode_runtime import paths

RUNTIME = ROOT / "runtime/context_mode_runtime"
LAUNCH = RUNTIME / "launch.py"
LISTED = YAML(typ="safe").load((Path(__file__).parent / "opens.yaml").read_text(encoding="utf-8"))
OPENERS = ("open", "io.open", "os.open", "codecs.open")
READERS = ("read_text", "read_bytes", "write_text", "write_bytes")


def opens(node: ast.AST, where: str = "") -> Iterator[str]:
    """The functions below `node` that open a path, but for one that `open_plain` gave a handle of."""
    for child in ast.iter_child_nodes(node):
        inside = f"{where}.{child.name}".strip(".") if isinstance(child, ast.FunctionDef | ast.ClassDef) else where
        if isinstance(child, ast.Call) and _opens(child):
            yield where
        yield from opens(child, inside)


def _opens(call: ast.Call) -> bool:
    name = ast.unparse(call.func)
    if name.rpartition(".")[2] in READERS:
        return True
    given = ast.unparse(call.args[0]) if call.args else ""
    return name in OPENERS and given != "handle" and not given.startswith(("paths.open_plain(", "open_plain("))


def test_no_other_place_opens_a_path() -> None:
    found = {
        f"{path.relative_to(RUNTIME).as_posix()} {function}"
        for path in RUNTIME.rglob("*.py")
        for function in opens(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == LISTED.keys()


@pytest.mark.parametrize("text", ["open(name)", "os.open(p, 0)", "Path(p).read_text()", "p.read_bytes()"])
def test_an_opening_is_seen(text: str) -> None:
    assert list(opens(ast.parse(f"def f():\n    {text}"))) == ["f"]


@pytest.mark.parametrize("flags", [0, getattr(os, "O_NOFOLLOW", 0)])
def test_only_plain_files_are_opened(tmp_path: Path, flags: int) -> None:
    (tmp_path / "file").write_text("text")
    os.mkfifo(tmp_path / "pipe")
    with open(paths.open_plain(str(tmp_path / "file"), flags), "rb") as file:
        assert file.read() == b"text"
    for name, said in ((tmp_path, "a folder"), (tmp_path / "pipe", "no plain file"), ("/dev/null", "no plain file")):
        with pytest.raises(OSError, match=said):
            paths.open_plain(str(name), flags)


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _circle(path: Path) -> None:
    path.symlink_to(path)


ODD: dict[str, Callable[[Path], None]] = {"pipe": _pipe, "device": _device, "circle": _circle, "folder": Path.mkdir}
WANTED = {
    ".context-mode/policy.json": "denied: the policy can't be read, so nothing runs: ",
    ".claude/settings.json": "denied by rule Bash(touch *)",
    ".git": "denied by rule Bash(touch *)",
    ".gitignore": "denied by rule Bash(touch *)",
}


@pytest.mark.parametrize("name", WANTED)
@pytest.mark.parametrize("kind", ODD)
def test_no_oddity_of_a_repository_opens_the_gate(serve: Any, home: Path, project: Path, kind: str, name: str) -> None:
    """A hook that waits for a pipe runs into its time limit, and then passes: so nothing may be waited for."""
    (home / ".context-mode").mkdir(exist_ok=True)
    (home / ".context-mode/policy.json").write_text(json.dumps({"version": 1, "deny": ["Bash(touch *)"]}))
    if name == ".git":
        shutil.rmtree(project / name)
    (project / name).parent.mkdir(exist_ok=True)
    ODD[kind](project / name)
    payload = {
        "session_id": "s",
        "cwd": str(project),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "touch made"},
    }
    command = [sys.executable, "-I", "-S", str(LAUNCH), "hook", "claude-code", "PreToolUse"]
    done = subprocess.run(
        command, input=json.dumps(payload), capture_output=True, text=True, timeout=60, check=True, cwd=project
    )
    reply = json.loads(done.stdout)["hookSpecificOutput"]
    assert reply["permissionDecision"] == "deny"
    assert reply["permissionDecisionReason"].startswith(WANTED[name])
    text, failed = serve("claude-code").call("ctx_execute", {"language": "sh", "code": "touch made"})
    assert failed
    assert text.startswith(WANTED[name])
    assert not (project / "made").exists()
