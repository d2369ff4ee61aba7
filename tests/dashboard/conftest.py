"""The dashboard as a process, and as a thread of ours."""

from __future__ import annotations

import os
import signal
import subprocess
import sysconfig
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.agents.install import MissingAgentError
from tests.agents.window import browser_program
from tests.conftest import not_to_be_had
from tests.dashboard.devtools import Page

from context_mode_installer.dashboard.routes import Routes
from context_mode_installer.dashboard.server import Dashboard
from context_mode_runtime.server.browsing import Browser

SCRIPT = Path(sysconfig.get_path("scripts")) / "context-mode"


class Started:
    """A running `context-mode dashboard`: its `process`, its `url`."""

    def __init__(self, folder: Path, *words: str, opens: dict[str, str] | None = None, script: Path = SCRIPT) -> None:
        """`opens`: the variables that tell which browser it may open; without them it opens none."""
        words = words if opens else ("--no-open", *words)
        self.process = subprocess.Popen(
            [script, "dashboard", *words], cwd=folder, env={**os.environ, **(opens or {})},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line.startswith("Dashboard: "), self.process.communicate()
        self.url = line.removeprefix("Dashboard: ").strip()

    def stop(self) -> tuple[int, str]:
        """Ends it as Ctrl-C does: its exit code and what stood on stderr."""
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=30)
        return self.process.returncode, said


@pytest.fixture
def start() -> Iterator[Callable[..., Started]]:
    """`start(folder, "--port", "0", opens={...})`."""
    began: list[Started] = []

    def begin(folder: Path, *words: str, opens: dict[str, str] | None = None) -> Started:
        began.append(Started(folder, *words, opens=opens))
        return began[-1]

    yield begin
    for one in began:
        one.process.kill()
        one.process.communicate(timeout=30)


@pytest.fixture
def served(project: Path) -> Iterator[Dashboard]:
    """A server in this process, over the project."""
    with Dashboard(0, Routes(Browser(str(project)))) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join(30)


@pytest.fixture
def page() -> Iterator[Page]:
    """A page of a real browser; at its end nothing went wrong in it."""
    try:
        browser_program()
    except MissingAgentError as error:
        not_to_be_had(error)
    found = Page()
    yield found
    found.close()
