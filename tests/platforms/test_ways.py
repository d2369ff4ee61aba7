"""The ways in by uv and pipx, with the real ones: run once, or installed to stay."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from tests.conftest import TEST_CACHE, not_to_be_had
from tests.house.top import TOP, copied

SCRIPTS = sysconfig.get_path("scripts")
NO_NETWORK = re.compile(r"dns error|failed to (fetch|connect)|name resolution|network is unreachable", re.IGNORECASE)
ONCE = {
    "uvx": ["uvx", "--python", sys.executable, "--from", "{folder}", "context-mode"],
    "pipx run": ["pipx", "run", "--python", sys.executable, "--spec", "{folder}", "context-mode"],
}
TO_STAY = {
    "uv tool": (["uv", "tool", "install", "--python", sys.executable, "{folder}"], "uv tool upgrade"),
    "pipx": (["pipx", "install", "--python", sys.executable, "{folder}"], "pipx upgrade context-mode-py"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a wheel is built from, apart from the checkout."""
    names = [name for name in TOP if name not in ("tests", "docs")]
    return copied(names, tmp_path_factory.mktemp("build") / "context-mode")


def ran(command: list[str], folder: Path, *, bin_dir: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "UV_CACHE_DIR": f"{TEST_CACHE}/uv", "UV_PYTHON_DOWNLOADS": "never", "NO_COLOR": "1"}
    env["PATH"] = os.pathsep.join([str(bin_dir or SCRIPTS), SCRIPTS, "/usr/bin", "/bin"])
    words = [word.format(folder=folder) for word in command]
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False, timeout=110)
    if done.returncode and NO_NETWORK.search(done.stderr):
        not_to_be_had(f"{words[0]} needs the packages of pyproject.toml: {done.stderr[-300:]}")
    return done


@pytest.mark.parametrize("way", ONCE)
def test_it_runs_without_being_installed(way: str, folder: Path, home: Path) -> None:
    done = ran([*ONCE[way], "demo"], folder)
    assert done.returncode == 0, done.stderr
    assert "context-mode setup" in done.stdout
    told = json.loads(ran([*ONCE[way], "upgrade", "--check", "--json"], folder).stdout)["data"]
    assert (told["origin"], told["command"]) == ("cache", None)
    assert not (home / ".context-mode/bin").exists()


@pytest.mark.parametrize("way", TO_STAY)
def test_it_is_installed_to_stay(way: str, folder: Path, home: Path) -> None:
    install, upgrade = TO_STAY[way]
    done = ran(install, folder)
    assert done.returncode == 0, done.stderr
    ours = home / ".local/bin"
    setup = ran(["context-mode", "setup", "--agents", "claude-code"], folder, bin_dir=ours)
    assert setup.returncode == 0, setup.stderr
    assert "cache" not in setup.stdout
    launcher = (home / ".context-mode/bin/context-mode-serve").read_text()
    [python] = re.findall(r"^python=(.*)$", launcher, re.MULTILINE)
    assert python.startswith(f"{home}/.local/share/")
    told = json.loads(ran(["context-mode", "upgrade", "--check", "--json"], folder, bin_dir=ours).stdout)["data"]
    assert (told["origin"], told["command"].startswith(upgrade)) == (way, True)
