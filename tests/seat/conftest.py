"""The shell's seat as a host starts it: the launcher of a host that has one, its text for a command, its variables."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from context_mode_installer import launchers, seats
from context_mode_installer.launchers import Interpreter
from context_mode_installer.specs.catalog import find_spec
from context_mode_runtime import paths
from context_mode_runtime.agents import load_agent
from context_mode_runtime.project import find_project
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.sources import list_sources, source_text

AGENT = "claude-code"
BASH = "/bin/bash"
LIMIT_S = 60


@dataclass(frozen=True)
class Done:
    """A command that has ended: its exit code as a shell tells it, what it printed."""

    code: int
    out: bytes


@dataclass
class Stand:
    """Runs commands in a project, by the seat or by the real shell alone, with the text that the host makes of them."""

    launcher: Path
    project: Path
    env: dict[str, str] = field(default_factory=dict)

    def text(self, command: str) -> str:
        """What the host gives to its shell."""
        ends = self.project.parent / "cwd"
        return f"source /dev/null || true && eval {shlex.quote(command)} < /dev/null && pwd -P >| {ends}"

    def argv(self, command: str) -> list[str]:
        """The host's own words for the seat."""
        return [str(self.launcher), "-c", self.text(command)]

    def environment(self, shell: str) -> dict[str, str]:
        """The variables of a command: the host tells its shell, and the conversation."""
        host = {"SHELL": shell, "CLAUDE_CODE_SESSION_ID": "talk-1"}
        told = {"CLAUDE_CODE_SHELL": shell} if shell != BASH else {}
        return {**os.environ, **host, **told, **self.env}

    def seated(self, command: str, **more: str) -> Done:
        """By the seat."""
        return self.run(self.argv(command), {**self.environment(str(self.launcher)), **more})

    def piped(self, command: str) -> Done:
        """By the seat, its output in a pipe."""
        child = self.start(command)
        out, _ = child.communicate(timeout=LIMIT_S)
        return Done(child.returncode, out)

    def bare(self, command: str) -> Done:
        """By the real shell alone."""
        return self.run([BASH, "-c", self.text(command)], self.environment(BASH))

    def start(self, command: str, **kwargs: Any) -> subprocess.Popen[bytes]:
        """The seat at work, its output in a pipe."""
        return subprocess.Popen(
            self.argv(command), cwd=self.project, env=self.environment(str(self.launcher)), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **kwargs,
        )  # fmt: skip

    def run(self, argv: Sequence[str], env: dict[str, str]) -> Done:
        """To the end. As the host does it, both streams go to one file, in which lines are added."""
        out = self.project.parent / "out"
        with out.open("wb") as file:
            os.set_inheritable(file.fileno(), True)
        handle = os.open(out, os.O_WRONLY | os.O_APPEND | os.O_TRUNC)
        try:
            done = subprocess.run(
                argv, cwd=self.project, env=env, stdin=subprocess.DEVNULL, stdout=handle, stderr=handle,
                timeout=LIMIT_S, check=False,
            )  # fmt: skip
        finally:
            os.close(handle)
        code = done.returncode
        return Done(code if code >= 0 else 128 - code, out.read_bytes())

    def stored(self) -> list[str]:
        """The texts of all sources of the project, in order."""
        found = find_project(str(self.project))
        assert found
        with Store.open(found.key(), name=found.name) as store:
            return [source_text(store, one.id) for one in sorted(list_sources(store), key=lambda one: one.id)]

    def nothing_stored(self) -> bool:
        """Whether no store was made."""
        return not list(Path(paths.data_root()).glob("projects/*"))


@pytest.fixture
def write_launcher() -> Callable[..., Path]:
    """Writes the launcher that starts this interpreter, or another one."""

    def write(use: Interpreter | None = None) -> Path:
        seat = find_spec(AGENT).shell_seat.seat
        assert seat
        path = Path(seats.path_of(AGENT, BASH))
        path.parent.mkdir(parents=True, exist_ok=True)
        for folder in (Path(paths.data_root()), *path.parents[:2]):
            folder.chmod(paths.PRIVATE_FOLDER)
        path.write_text(seats.text_of(AGENT, seat, BASH, use or launchers.this_interpreter()))
        path.chmod(launchers.MODE)
        return path

    return write


@pytest.fixture
def stand(project: Path, write_launcher: Callable[..., Path]) -> Stand:
    """The seat of this installation."""
    assert load_agent(AGENT)["shell_seat"]
    return Stand(write_launcher(), project)


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Path]:
    """A named pipe: a command that reads it waits until somebody writes to it, or to the end of the test."""
    path = tmp_path / "gate"
    os.mkfifo(path)
    yield path
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if os.fsencode(path) in process.read_bytes():
                os.kill(int(process.parent.name), signal.SIGKILL)


def open_gate(gate: Path) -> None:
    """Lets all go on that wait, and all that will."""
    with contextlib.suppress(FileNotFoundError):
        handle = os.open(gate, os.O_RDWR)
        os.write(handle, b"go\n")
        os.close(handle)
