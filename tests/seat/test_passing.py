"""Commands that the real shell runs by itself, and what happens when parts of us are gone: every command runs."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests import only
from tests.conftest import Disk
from tests.seat.conftest import LIMIT_S, Stand

import context_mode_runtime
from context_mode_installer import launchers
from context_mode_installer.launchers import Interpreter
from context_mode_runtime import paths

CASES: list[dict[str, Any]] = YAML(typ="safe").load(Path(__file__).with_name("passing.yaml").read_text("utf-8"))
PACKAGE = Path(context_mode_runtime.__file__).parent
LONG = "told_by_host and more; echo err >&2; seq 1 3000; exit 5"
TOLD = {"BASH_FUNC_told_by_host%%": '() { echo "told $*"\n}'}
pytestmark = only.POSIX


@pytest.mark.parametrize("case", CASES, ids=[case["what"] for case in CASES])
def test_who_runs_it(stand: Stand, home: Path, case: dict[str, Any]) -> None:
    (stand.project / "script.sh").write_text("echo $PPID\n")
    (stand.project / ".context-mode").mkdir()
    for folder, key in ((Path(paths.data_root()), "policy"), (stand.project / ".context-mode", "own")):
        (folder / "policy.json").write_text(json.dumps(case.get(key, {"version": 1})))
    command = case.get("command", "").replace("{root}", paths.data_root())
    words = case.get("words") or ["-c", case.get("text") or stand.text(command)]
    done = subprocess.run(
        [stand.launcher, *words], cwd=home if case.get("cwd") else stand.project, stdin=subprocess.DEVNULL, check=True,
        env=stand.environment(str(stand.launcher)) | case.get("env", {}), capture_output=True, text=True,
        timeout=LIMIT_S,
    )  # fmt: skip
    assert (int(done.stdout) == os.getpid()) is case["alone"]


def test_on_a_terminal_it_is_the_real_shell(stand: Stand) -> None:
    master, slave = pty.openpty()
    argv = stand.argv("[ -t 1 ] && seq 1 3000 | tail -n 1; echo $PPID")
    child = subprocess.Popen(argv, cwd=stand.project, stdin=slave, stdout=slave, stderr=slave)
    assert child.wait(LIMIT_S) == 0
    assert os.read(master, 4096).split() == [b"3000", str(os.getpid()).encode()]
    os.close(slave)
    os.close(master)


def copied(folder: Path) -> Interpreter:
    """Our package in another place, where parts of it can be taken away."""
    shutil.copytree(PACKAGE, folder / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    python = folder / "python"
    python.symlink_to(launchers.this_interpreter().python)
    return Interpreter(str(python), str(folder / PACKAGE.name / "launch.py"), None, isolated=True)


def _gone(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def _dead(path: Path) -> None:
    """A program that ends at once, as a Python without its library does."""
    path.unlink()
    path.write_text("#!/bin/sh\necho 'no library' >&2\nexit 127\n")
    path.chmod(0o755)


def _broken(path: Path) -> None:
    path.write_text("this is no Python\n")


def _another(path: Path) -> None:
    """One that is older than our last start."""
    path.unlink()
    path.symlink_to("/bin/false")


def _unrunnable(path: Path) -> None:
    path.unlink()
    path.write_text("")
    path.chmod(0o644)


DAMAGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "no interpreter": (_gone, "python"),
    "an interpreter that dies": (_dead, "python"),
    "an interpreter that may not run": (_unrunnable, "python"),
    "another program in its place": (_another, "python"),
    "no launch.py": (_gone, f"{PACKAGE.name}/launch.py"),
    "a launch.py that is no Python": (_broken, f"{PACKAGE.name}/launch.py"),
    "no package": (_gone, PACKAGE.name),
    "no seat": (_gone, f"{PACKAGE.name}/seat"),
    "a part that is no Python": (_broken, f"{PACKAGE.name}/seat/output.py"),
    "no table": (_gone, f"{PACKAGE.name}/_generated"),
    "no policy": (_broken, f"{PACKAGE.name}/policy/load.py"),
    "no storing": (_gone, f"{PACKAGE.name}/store"),
    "no short form": (_gone, f"{PACKAGE.name}/shorten.py"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_with_a_part_of_us_gone_every_command_runs(
    project: Path, tmp_path: Path, write_launcher: Callable[..., Path], damage: str
) -> None:
    use = copied(tmp_path)
    stand = Stand(write_launcher(use), project, dict(TOLD))
    bare = stand.bare(LONG)
    assert stand.seated(LONG).out != bare.out
    act, part = DAMAGE[damage]
    act(tmp_path / part)
    assert stand.seated(LONG) == bare


@pytest.mark.parametrize("where", ["run", "projects", "."])
def test_without_a_store_nothing_changes(stand: Stand, where: str) -> None:
    """A file stands where the folder should be: no right to write is the same to us."""
    root = Path(paths.data_root())
    if where == ".":
        root.rename(root.with_name("aside"))
        stand.launcher = root.with_name("aside") / stand.launcher.relative_to(root)
        root.touch()
    else:
        (root / where).touch()
    assert stand.seated(LONG) == stand.bare(LONG)


def test_on_a_full_disk_nothing_changes(stand: Stand, disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTEXT_MODE_DATA_DIR", str(disk("64k")))
    assert stand.seated(LONG) == stand.bare(LONG)


def test_with_a_store_of_a_newer_version_nothing_changes(stand: Stand) -> None:
    import sqlite3

    stand.seated(LONG)
    [path] = Path(paths.data_root()).glob("projects/*/context.db")
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 9999")
    assert stand.seated(LONG) == stand.bare(LONG)
