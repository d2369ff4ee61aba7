"""Every screen as people see it: the command line in this process, on a terminal of 80 columns that is none."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from context_mode_installer import launchers
from context_mode_installer.app import run_app
from context_mode_runtime.version import VERSION

HOMES = Path(__file__).parents[1] / "installer" / "homes"
CASES: dict[str, dict[str, Any]] = YAML(typ="safe").load(Path(__file__).with_name("cases.yaml").read_text("utf-8"))
PROGRAMS = {"claude": "2.1.332 (Claude Code)", "codex": "codex-cli 0.171.0"}
KNOWN = {
    "home", "programs", "files", "links", "before", "run", "exit", "environment", "colour", "piped", "wide",
    "most_lines", "broken_python",
}  # fmt: skip
CHANGING = (
    (r"\d{8}T\d{6}\.\d{6}Z", "20260102T030405.060708Z"),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d", "2026-01-02 03:04"),
    (r"sha256:[0-9a-f]{64}", "sha256:..."),
    (r"\(\w+ characters", "(N characters"),
    (re.escape(VERSION) + r"( \([0-9a-f]+\))?", "VERSION"),
    (r"(?m)^Environment: \w+-\w+, Python .*$", "Environment: SYSTEM, Python VERSION at PYTHON, shell SHELL"),
    (r"\d+ GiB free", "N GiB free"),
    (r"\d[\d,]*(?= B\b| lines, )", "N"),
    (r"\d+\.\d %", "N %"),
)


class Terminal(io.StringIO):
    """A stream that says whether it is a terminal."""

    def __init__(self, *, there: bool) -> None:
        super().__init__()
        self.there = there

    def isatty(self) -> bool:
        return self.there


def prepare(case: dict[str, Any], home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The home, the programs on PATH and the environment of a case."""
    assert case.keys() <= KNOWN
    name = case.get("home", "bare")
    for source in sorted((HOMES / name).rglob("*")) if name else ():
        target = home / ("." + str(source.relative_to(HOMES / name)))
        target.mkdir(parents=True) if source.is_dir() else target.write_bytes(source.read_bytes())
    programs = home / "bin"
    programs.mkdir()
    for program, said in case.get("programs", PROGRAMS).items():
        text = f"#!/bin/sh\necho '{said}'\n" if said else "#!/usr/bin/env node\n"
        (programs / program).write_text(text)
        (programs / program).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    if case.get("broken_python"):
        (programs / "python3").write_text("#!/bin/sh\necho no such module >&2\nexit 9\n")
        (programs / "python3").chmod(0o755)
        use = launchers.this_interpreter()._replace(python=str(programs / "python3"))
        monkeypatch.setattr(launchers, "this_interpreter", lambda: use)


def put(case: dict[str, Any], home: Path) -> None:
    """What the user did to the home after the commands that came before."""
    for file, text in case.get("files", {}).items():
        (home / file).parent.mkdir(exist_ok=True)
        (home / file).write_text(text)
    for link, target in case.get("links", {}).items():
        (home / link).parent.mkdir(exist_ok=True)
        (home / link).unlink(missing_ok=True)
        (home / link).symlink_to(target)


def screen(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    """Runs the case's command; its exit code and all that it prints."""
    terminal = Terminal(there=not case.get("piped"))
    environment = {"COLUMNS": "80", "TERM": "xterm-256color"} | ({} if case.get("colour") else {"NO_COLOR": "1"})
    with monkeypatch.context() as patch:
        for name, value in (environment | case.get("environment", {})).items():
            patch.setenv(name, value)
        patch.setattr("sys.stdout", terminal)
        patch.setattr("sys.stderr", terminal)
        patch.setattr("rich.console.Console.status", lambda *_, **__: contextlib.nullcontext())
        code = run_app(shlex.split(case["run"]))
    return code, terminal.getvalue()


def steady(text: str, home: Path) -> str:
    """The screen with what differs from run to run written as words."""
    use = launchers.this_interpreter()
    for place, word in ((home, "HOME"), (use.launch, "LAUNCH"), (use.python, "PYTHON")):
        text = text.replace(str(place), word)
    for pattern, word in CHANGING:
        text = re.sub(pattern, word, text)
    return text


@pytest.mark.parametrize("name", CASES)
def test_a_screen(name: str, home: Path, monkeypatch: pytest.MonkeyPatch, snapshot: object) -> None:
    case = CASES[name]
    prepare(case, home, monkeypatch)
    for command in case.get("before", ()):
        assert screen({"run": command}, monkeypatch)[0] == 0
    put(case, home)
    monkeypatch.chdir(home)
    code, text = screen(case, monkeypatch)
    shown = steady(text, home)
    assert code == case.get("exit", 0), text
    assert shown == snapshot
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()
    assert case.get("wide") or [line for line in lines if len(line) > 80] == []
    assert len(lines) <= case.get("most_lines", len(lines))
    assert ("\x1b[" in text) == bool(case.get("colour"))
    assert os.environ["HOME"] not in re.sub(r'"[^"]*"', "", text) or case.get("wide")
    assert "tok-AAA111" not in text
