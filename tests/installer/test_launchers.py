"""What the programs in `bin/` do with every ending of what they start, in the shells that may run them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from context_mode_installer import launchers
from context_mode_installer.launchers import Interpreter

SHELLS = [shell for shell in ("dash", "bash", "sh", "ksh", "zsh", "busybox") if shutil.which(shell)]
ENDINGS = {
    "a reply": ('printf \'{"a": "%%s\\n"}\'; exit 0', 0, '{"a": "%s\n"}\n', ""),
    "nothing": ("exit 0", 0, "", ""),
    "a deny code": ("echo 'denied by rule'; exit 102", 2, "", "denied by rule\n"),
    "a failure": ("echo half a reply; exit 1", 0, "", ""),
    "a trace back": ("echo Traceback >&2; exit 1", 0, "", ""),
    "words on stderr": ("echo warning >&2; echo '{}'; exit 0", 0, "{}\n", ""),
    "killed": ("echo half; kill -9 $$", 0, "", ""),
    "ended by a signal": ("echo half; kill -15 $$", 0, "", ""),
    "not found": ("exit 127", 0, "", ""),
    "not runnable": ("exit 126", 0, "", ""),
    "just a hundred": ("echo x; exit 100", 0, "", ""),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / 'it\'s a $HOME \\ "folder"'
    place.mkdir()
    return place


def _launcher(folder: Path, name: str, child: str, root: str | None = None) -> Path:
    python = folder / "python 3"
    python.write_text(f"#!/bin/sh\n{child}\n")
    python.chmod(0o755)
    (folder / "launch.py").touch()
    path = folder / name
    path.write_text(launchers.text(name, Interpreter(str(python), str(folder / "launch.py"), root, isolated=True)))
    path.chmod(launchers.MODE)
    return path


def _run(shell: str, path: Path, *args: str, **env: str) -> tuple[int, str, str]:
    words = ["busybox", "sh"] if shell == "busybox" else [shell]
    done = subprocess.run(
        [*words, str(path), *args], input="payload", capture_output=True, text=True, check=False, env=os.environ | env
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
def test_every_ending_of_a_hook(folder: Path, shell: str, ending: tuple[str, int, str, str]) -> None:
    child, code, out, err = ending
    path = _launcher(folder, launchers.HOOK, child.replace("%%", "%"))
    assert _run(shell, path, "agent", "Event") == (code, out.replace("%s", "") if "%s" in out else out, err)


GONE = ("python 3", "launch.py")
"""The interpreter, as after an environment was moved; our files, as after an uninstall."""


@pytest.mark.parametrize("gone", GONE)
@pytest.mark.parametrize("shell", SHELLS)
def test_a_hook_whose_program_is_gone_passes(folder: Path, shell: str, gone: str) -> None:
    path = _launcher(folder, launchers.HOOK, "echo x")
    (folder / gone).unlink()
    assert _run(shell, path, "agent", "Event") == (0, "", "")


def test_what_a_hook_is_started_with(folder: Path) -> None:
    path = _launcher(folder, launchers.HOOK, 'printf "%s|" "$@"; cat')
    assert _run("sh", path, "agent", "Two words") == (0, f"-I|-S|{folder}/launch.py|hook|agent|Two words|payload\n", "")


@pytest.mark.parametrize("gone", GONE)
@pytest.mark.parametrize("name", [launchers.SERVE, launchers.COMMAND])
@pytest.mark.parametrize("shell", SHELLS)
def test_a_program_that_is_gone_says_what_to_do(folder: Path, shell: str, name: str, gone: str) -> None:
    path = _launcher(folder, name, "exit 0")
    assert _run(shell, path, "--agent", "x")[0] == 0
    (folder / gone).unlink()
    code, out, err = _run(shell, path, "--agent", "x")
    assert (code, out) == (1, "")
    assert err == f"context-mode: {folder / gone} is gone. Install context-mode again and run: context-mode setup\n"


def test_a_server_that_can_not_start_says_what_to_do(folder: Path) -> None:
    assert _run("sh", _launcher(folder, launchers.SERVE, "exit 3"))[::2] == (
        1,
        "context-mode: the server ended with 3. Run: context-mode doctor\n",
    )


def test_the_data_root_is_handed_on_unless_another_is_named(folder: Path) -> None:
    path = _launcher(folder, launchers.HOOK, 'echo "$CONTEXT_MODE_DATA_DIR"', root=f"{folder}/data")
    assert _run("sh", path)[1] == f"{folder}/data\n"
    assert _run("sh", path, CONTEXT_MODE_DATA_DIR="/other")[1] == "/other\n"


def test_a_version_folder_gives_way_to_its_stable_link(tmp_path: Path) -> None:
    """R04."""
    real = tmp_path / "Cellar/python@3.11/3.11.9/bin/python3.11"
    real.parent.mkdir(parents=True)
    real.touch()
    (tmp_path / "opt").mkdir()
    assert launchers.stable(str(real)) == str(real)
    (tmp_path / "opt/python@3.11").symlink_to("../Cellar/python@3.11/3.11.9")
    assert launchers.stable(str(real)) == str(tmp_path / "opt/python@3.11/bin/python3.11")


@pytest.mark.parametrize("name", launchers.names())
def test_the_texts_for_both_kinds_of_system(name: str, snapshot: object) -> None:
    posix = Interpreter("/opt/py/bin/python3", "/opt/lib/context_mode_runtime/launch.py", "/data", isolated=True)
    windows = Interpreter("C:\\Users\\Lea Chan\\py.exe", "C:\\lib\\launch.py", "D:\\100% ctx", isolated=False)
    texts = [launchers.text(name, posix, windows=False), launchers.text(name, windows, windows=True)]
    assert "\n".join(texts) == snapshot
