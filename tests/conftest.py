"""What every test gets: a throw-away home, a clean environment, and a guard around the real home.

- `home` (autouse): HOME, XDG_* and the working folder are throw-away; no variable of ours or of an agent is left.
- `project`: an empty git checkout (main branch, no commit) outside that home.
- `run_cli`: runs the installed `context-mode` as a process.
- `disk`: makes small file systems.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import hypothesis
import pytest

# a loaded machine is slow at making examples, and that says nothing about them
hypothesis.settings.register_profile("loaded", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("loaded")

ROOT = Path(__file__).resolve().parent.parent
REAL_HOME = os.path.realpath(os.path.expanduser("~"))
TEST_CACHE = os.environ.get("CONTEXT_MODE_TEST_CACHE") or os.path.join(REAL_HOME, ".cache", "context-mode-tests")

_OURS = ("CONTEXT_MODE_", "XDG_", "GIT_")
_AGENTS = (
    "AI_AGENT", "ANTHROPIC_", "CLAUDE", "CODEX_", "COPILOT_", "DASHSCOPE_", "GEMINI_", "GH_", "GITHUB_", "GOOGLE_",
    "KIRO_", "MCP_", "OPENAI_", "OPENCODE", "PI_", "QWEN_", "VSCODE_", "ZCODE",
)  # fmt: skip
_SCREEN = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "TERM")
_KEPT = ("CONTEXT_MODE_TEST_CACHE",)

_ALLOWED = tuple(
    os.path.realpath(path) + os.sep for path in (ROOT, sys.prefix, sys.base_prefix, tempfile.gettempdir(), TEST_CACHE)
)
_WRITES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.chmod", "os.truncate"}
_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_touched: list[str] = []
_armed = False


def _in_real_home(path: object) -> bool:
    if not isinstance(path, (str, bytes, os.PathLike)):
        return False
    full = os.path.abspath(os.fsdecode(path))
    inside = full.startswith(REAL_HOME + os.sep) and not full.startswith(_ALLOWED)
    return inside and "__pycache__" not in full


def _guard(event: str, args: tuple[object, ...]) -> None:
    """Audit hook: stops a write of this process into the real home, and remembers it for the test's verdict."""
    if not _armed:
        return
    if event == "open":
        flags = args[2]
        paths = args[:1] if isinstance(flags, int) and flags & _WRITE_FLAGS else ()
    else:
        paths = args[:2] if event in _WRITES else ()
    for path in paths:
        if _in_real_home(path):
            _touched.append(f"{event} {path!r}")
            raise PermissionError(f"a test touched the real home: {event} {path!r}")


sys.addaudithook(_guard)


IN_CI = os.environ.get("CI") == "true"


def not_to_be_had(reason: object) -> NoReturn:
    """What a test needs is not on this machine: a failure in CI, a skip elsewhere."""
    if IN_CI:
        pytest.fail(str(reason))
    pytest.skip(str(reason))


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The throw-away home. The test fails at its end when it, or a child by our root's name, touched the real one."""
    global _armed  # noqa: PLW0603 - an audit hook can't be taken out, only switched off
    folder = tmp_path_factory.mktemp("home").resolve()
    for name in list(os.environ):
        if (name.startswith((*_OURS, *_AGENTS)) and name not in _KEPT) or name in _SCREEN:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    for name, part in (("CONFIG", ".config"), ("DATA", ".local/share"), ("STATE", ".local/state"), ("CACHE", ".cache")):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(folder / part))
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Test")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "test@example.invalid")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.chdir(tmp_path_factory.mktemp("cwd"))
    ours = os.path.join(REAL_HOME, ".context-mode")
    before = _stamp(ours)
    _touched.clear()
    _armed = True
    yield folder
    _armed = False
    assert not _touched, f"the real home was touched: {_touched}"
    assert _stamp(ours) == before, f"the real data folder was touched: {ours}"


def _stamp(path: str) -> int | None:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return None


@pytest.fixture
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty git checkout, made without git."""
    folder = tmp_path_factory.mktemp("code").resolve() / "project"
    for part in ("objects", "refs/heads"):
        (folder / ".git" / part).mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (folder / ".git" / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = false\n", encoding="utf-8")
    return folder


Cli = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run_cli() -> Cli:
    """`run_cli("setup", "--json", cwd=..., stdin=..., env={...}, timeout=60)`: the finished process, output as text."""
    script = Path(sysconfig.get_path("scripts")) / "context-mode"

    def run(
        *args: str, cwd: Path | None = None, stdin: str = "", env: dict[str, str] | None = None, timeout: float = 60
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [script, *args],
            cwd=cwd,
            env={**os.environ, **(env or {})},
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            timeout=timeout,
            check=False,
        )

    return run


Disk = Callable[..., Path]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """`disk("64k")`: a file system with that much room; `disk(folder, "ro")` changes one that was made."""
    mounted: list[Path] = []

    def mount(room: str | Path, change: str = "") -> Path:
        folder = room if isinstance(room, Path) else tmp_path / f"disk{len(mounted)}"
        options = f"remount,{change}" if change else f"size={room}"
        folder.mkdir(exist_ok=True)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], check=False)
        if done.returncode != 0:
            not_to_be_had("a small file system needs the right to mount one")
        if not change:
            mounted.append(folder)
        return folder

    yield mount
    for folder in mounted:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
