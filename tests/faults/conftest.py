"""How much the fault runs do, and the figures they saw, printed at the end.

`pytest tests/faults --timeout 0 --kills 500 --hooks 200 --rows 1000000 --minutes 30` is the long run of
`docs/reliability.md`; without the options a run takes seconds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import ROOT
from tests.hooks.conftest import load_payload, merged
from tests.server.conftest import serve as serve  # noqa: PLC0414 - a fixture of another folder

from context_mode_runtime.project import find_project
from context_mode_runtime.store import health
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.sources import source_text

SIZES: dict[str, tuple[float, str]] = {
    "kills": (5, "runs that are killed, over all commands"),
    "hooks": (24, "hooks that run at the same time"),
    "rows": (4_000, "rows of the large journal"),
    "minutes": (0, "how long ten conversations go on; 0: a few rounds"),
}
Figure = Callable[[str], None]
Size = Callable[[str], float]


def pytest_addoption(parser: pytest.Parser) -> None:
    for name, (default, text) in SIZES.items():
        parser.addoption(f"--{name}", type=float, default=default, help=f"tests/faults: {text}")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    seen = [value for report in terminalreporter.getreports("passed") for key, value in report.user_properties
            if key == "figure"]  # fmt: skip
    if seen:
        terminalreporter.section("figures")
        for line in seen:
            terminalreporter.write_line(line)


@pytest.fixture
def size(request: pytest.FixtureRequest) -> Size:
    """`size("kills")`: what the option says, else its default."""
    return lambda name: float(request.config.getoption(f"--{name}", SIZES[name][0]))


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Figure:
    """`figure("...")`: a line for the end of the run."""
    return lambda text: record_property("figure", text)


def processes_of(home: Path) -> list[int]:
    """Processes that have `home` as their HOME."""
    wanted = b"HOME=" + os.fsencode(home)
    found = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and wanted in Path("/proc", name, "environ").read_bytes().split(b"\0"):
                found.append(int(name))
        except OSError:
            continue
    return [pid for pid in found if pid != os.getpid()]


LAUNCH = ROOT / "runtime/context_mode_runtime/launch.py"
DENY = '{"version": 1, "deny": ["Bash(touch *)"]}'
AGENT = "claude-code"


class Hooks:
    """Hook processes of one agent in one project, under the rule DENY."""

    def __init__(self, home: Path, project: Path) -> None:
        self.home, self.project = home, project
        self.start: list[str] = [sys.executable, "-I", "-S", str(LAUNCH)]
        self.env: dict[str, str] = {}
        (home / ".context-mode").mkdir(mode=0o700, exist_ok=True)
        (home / ".context-mode/policy.json").write_text(DENY)

    def begin(self, event: str, changes: dict[str, Any], *, name: str = "") -> subprocess.Popen[bytes]:
        """A running hook that has its payload: the captured one of `name` (the event's) with `changes`."""
        payload = merged(load_payload(AGENT, name or event, self.project, self.home), changes)
        process = subprocess.Popen(
            [*self.start, "hook", AGENT, event], env={**os.environ, **self.env},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        assert process.stdin
        process.stdin.write(json.dumps(payload).encode())
        process.stdin.flush()
        return process

    def end(self, process: subprocess.Popen[bytes]) -> dict[str, Any] | None:
        """Its reply, None for a pass. A hook ends well and is silent on stderr, whatever happens."""
        out, errors = process.communicate()
        assert (process.returncode, errors) == (0, b"")
        reply: dict[str, Any] | None = json.loads(out) if out else None
        return reply

    def run(self, event: str, changes: dict[str, Any], *, name: str = "") -> dict[str, Any] | None:
        return self.end(self.begin(event, changes, name=name))

    def log(self) -> str:
        """What went wrong so far."""
        path = self.home / ".context-mode/hook-errors.log"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def denies(self) -> bool:
        """Whether the rule holds for a command that it names."""
        reply = self.run("PreToolUse", {"tool_input": {"command": "touch x"}}, name="PreToolUse-Bash")
        return bool(reply and reply["hookSpecificOutput"]["permissionDecision"] == "deny")

    def stores(self, word: str, conversation: str = "c1") -> bool:
        """Whether a big output of a command was stored and replaced; where it wasn't, it was passed."""
        return self.end(self.printed(word, conversation)) is not None

    def printed(self, word: str, conversation: str) -> subprocess.Popen[bytes]:
        changes = {
            "session_id": conversation,
            "tool_input": {"command": f"print {word}"},
            "tool_response": {"stdout": printed(word), "stderr": ""},
        }
        return self.begin("PostToolUse", changes, name="PostToolUse-Bash")


def printed(word: str) -> str:
    """Some 9 KB that name `word` on each line."""
    return "".join(f"line {number} of {word}\n" for number in range(500))


@pytest.fixture
def hooks(home: Path, project: Path) -> Hooks:
    return Hooks(home, project)


def store_of(project: Path) -> Store:
    """The project's store, whatever this process's data root is."""
    found = find_project(str(project))
    assert found
    return Store.open(found.key(), name=found.name)


def texts_of(project: Path, *, mend: bool = False) -> dict[str, str]:
    """Label and text of each source, of a store that has to be whole; `mend`: but for full-text tables."""
    with store_of(project) as store:
        if mend and health.damaged_tables(store):
            health.rebuild(store)
        assert store.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert health.damaged_tables(store) == []
        labels = [row[0] for row in store.db.execute("SELECT label FROM sources ORDER BY id")]
        return {label: source_text(store, label) for label in labels}
