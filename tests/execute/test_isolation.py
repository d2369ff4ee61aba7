"""Code that tries to get out of its isolation, and code that only does its work, under each mechanism there is."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests import only
from tests.conftest import not_to_be_had

from context_mode_runtime.execute.isolation import mechanism
from context_mode_runtime.execute.run import Run, run, stop_all

HERE = Path(__file__).parent
ESCAPES = YAML(typ="safe").load((HERE / "escapes.yaml").read_text(encoding="utf-8"))
WORK = YAML(typ="safe").load((HERE / "isolated_work.yaml").read_text(encoding="utf-8"))
MODES = ("project", "strict")
NAMES = ("bubblewrap", "landlock")
VICTIM = """
import os, sys
kept = "".join(reversed(sys.argv[1]))
while asked := os.read(int(sys.argv[2]), 1):
    os.write(1, asked)
"""

pytestmark = only.LINUX


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes one mechanism the one in force; what a machine for CI has to have is not skipped there."""

    def chosen(name: str) -> None:
        wanted = mechanism.landlock_only() if name == "landlock" else mechanism.found()
        if wanted.name != name:
            not_to_be_had(f"{name}: {wanted.why or 'it is not the one in force'}")
        monkeypatch.setitem(mechanism._known, "found", wanted)

    return chosen


class Scene:
    """A project, what lies outside of it, listeners, and a process of the same user; `harm` says what happened."""

    def __init__(self, root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.secret = "MEMORY-" + secrets.token_hex(12)
        self.project, self.outside = root / "project", root / "outside"
        self.home, self.data = home, home / ".context-mode"
        for folder in (self.project / ".context-mode", self.outside, home / ".ssh", self.data / "projects"):
            folder.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        for path in (self.outside / "kept", self.project / ".git" / "hooks" / "pre-commit"):
            path.parent.mkdir(exist_ok=True)
            path.write_text("before\n", encoding="utf-8")
        for path in (self.project / ".context-mode" / "policy.json", self.data / "policy.json"):
            path.write_text('{"version": 1}', encoding="utf-8")
        for path in (home / ".ssh" / "id_test", self.data / "projects" / "text"):
            path.write_text(self.secret, encoding="utf-8")
        monkeypatch.setenv("SERVICE_API_TOKEN", self.secret)
        self.abstract = f"{root.name}-{os.getpid()}"
        self.sockets = self._listen(root)
        self.victim = self._victim()
        assert not self._gone()
        self.before = self._state()

    def _listen(self, root: Path) -> dict[str, socket.socket]:
        made = {
            "port": socket.create_server(("127.0.0.1", 0)),
            "udp": socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
            "socket": socket.socket(socket.AF_UNIX),
            "datagram": socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM),
            "abstract": socket.socket(socket.AF_UNIX),
        }
        made["udp"].bind(("127.0.0.1", 0))
        made["socket"].bind(str(root / "s"))
        made["datagram"].bind(str(root / "d"))
        made["abstract"].bind("\0" + self.abstract)
        for name in ("socket", "abstract"):
            made[name].listen()
        return made

    def _victim(self) -> subprocess.Popen[bytes]:
        questions, self.ask = os.pipe()
        with (self.data / "projects" / "text").open("rb") as text:
            made = subprocess.Popen(
                [sys.executable, "-c", VICTIM, self.secret[::-1], str(questions)],
                stdin=text, stdout=subprocess.PIPE, start_new_session=True, pass_fds=(questions,), bufsize=0,
            )  # fmt: skip
        os.close(questions)
        return made

    def code(self, text: str) -> str:
        """`text` with the places of this scene."""
        names = {
            "outside": self.outside,
            "secret": self.home / ".ssh" / "id_test",
            "data": self.data / "projects" / "text",
            "victim": self.victim.pid,
            "port": self.sockets["port"].getsockname()[1],
            "udp": self.sockets["udp"].getsockname()[1],
            "socket": self.sockets["socket"].getsockname(),
            "datagram": self.sockets["datagram"].getsockname(),
            "abstract": self.abstract,
        }
        for name, value in names.items():
            text = text.replace("{" + name + "}", str(value))
        return text

    def _state(self) -> dict[str, tuple[int, int, str]]:
        """What has to stay: names, modes, times and texts outside, and what decides about later runs."""
        out = {}
        git = self.project / ".git"
        for top in (self.outside, self.home, git / "hooks", git / "config", self.project / ".context-mode"):
            for path in (top, *sorted(top.rglob("*"))):
                status = path.lstat() if path.exists() else None
                text = path.read_text(encoding="utf-8") if path.is_file() else ""
                out[str(path)] = (status.st_mode, status.st_mtime_ns, text) if status else (0, 0, "")
        return out

    def harm(self, printed: str) -> list[str]:
        """What the code managed to do."""
        out = ["something outside has changed"] if self._state() != self.before else []
        out += ["the victim has ended"] if self._gone() else []
        out += ["the output tells"] if self.secret in printed or "BREACH" in printed else []
        out += [f"{name} was reached" for name, one in self.sockets.items() if self._heard(one)]
        return out

    def _gone(self) -> bool:
        """Asks the victim itself: a process that a signal is about to end closes its streams without an answer.

        One that a debugger has stopped and left goes on first.
        """
        assert self.victim.stdout
        os.kill(self.victim.pid, signal.SIGCONT)
        try:
            os.write(self.ask, b"?")
        except BrokenPipeError:
            return True
        return self.victim.stdout.read(1) != b"?"

    @staticmethod
    def _heard(one: socket.socket) -> bool:
        import select

        return bool(select.select([one], [], [], 0)[0])

    def close(self) -> None:
        os.close(self.ask)
        self.victim.kill()
        self.victim.communicate()
        for one in self.sockets.values():
            one.close()


@pytest.fixture
def scene(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    made = Scene(tmp_path.resolve(), home, monkeypatch)
    yield made
    stop_all()
    made.close()


def go(scene: Scene, case: dict[str, Any], sandbox: str) -> str:
    code = scene.code(case["code"])
    spec = Run(case.get("language", "bash"), code, cwd=str(scene.project), timeout_ms=30_000, sandbox=sandbox)
    outcome = run(spec, cancel=threading.Event())
    assert not outcome.timed_out
    return outcome.text


@pytest.mark.parametrize("case", [pytest.param(row, id=row["name"]) for row in ESCAPES if row.get("control", True)])
def test_without_isolation_the_way_is_open(scene: Scene, case: dict[str, Any]) -> None:
    printed = go(scene, case, "off")
    assert scene.harm(printed), printed


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("sandbox", MODES)
@pytest.mark.parametrize("case", [pytest.param(row, id=row["name"]) for row in ESCAPES])
def test_the_way_out_is_cut(scene: Scene, use: Any, case: dict[str, Any], sandbox: str, name: str) -> None:
    use(name)
    if sandbox not in case.get("modes", MODES):
        return
    printed = go(scene, case, sandbox)
    assert bool(scene.harm(printed)) == (sandbox in case.get("open", {}).get(name, ())), (scene.harm(printed), printed)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("sandbox", MODES)
@pytest.mark.parametrize("case", [pytest.param(row, id=row["name"]) for row in WORK])
def test_ordinary_work_works(scene: Scene, use: Any, case: dict[str, Any], sandbox: str, name: str) -> None:
    use(name)
    printed = go(scene, case, sandbox)
    assert case["prints"] in printed, printed
    assert not scene.harm(printed), scene.harm(printed)
