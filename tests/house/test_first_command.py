"""README's first command by the letter: a fresh environment, a fresh home, from a copy of the checkout."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import ROOT, not_to_be_had

REAL_HOME = Path.home()
LOCKED = re.compile(r"^([^\s#][^\\\n]*?) *\\$", re.MULTILINE)
LEFT_OUT = shutil.ignore_patterns(
    ".git", "__pycache__", "*.pyc", ".*_cache", ".hypothesis", "dist", "build", ".coverage*"
)
NO_NETWORK = (
    "No matching distribution",
    "Connection",
    "Temporary failure in name resolution",
    "Could not find a version",
)


@pytest.mark.timeout(900)
def test_the_first_command_sets_everything_up(home: Path, tmp_path: Path) -> None:
    copy = tmp_path / "checkout"
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    env = environment(tmp_path / "venv" / "bin")
    lines = (copy / "README.md").read_text(encoding="utf-8").split("```")[1].splitlines()
    done = subprocess.run(["bash", "-c", lines[1]], cwd=copy, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0 and any(mark in done.stderr for mark in NO_NETWORK):
        not_to_be_had(f"pip can't reach an index from here: {done.stderr}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (home / ".context-mode" / "bin").is_dir()
    again = subprocess.run(["context-mode", "setup"], cwd=copy, env=env, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stdout + again.stderr
    assert sorted(path.name for path in copy.iterdir()) == sorted(
        path.name for path in ROOT.iterdir() if path.name in os.listdir(copy)
    )


def environment(programs: Path) -> dict[str, str]:
    """The test's own environment with the fresh one first on PATH, and pip's real settings and cache."""
    env = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "VIRTUAL_ENV": str(programs.parent)}
    env["PIP_CACHE_DIR"] = str(REAL_HOME / ".cache" / "pip")
    settings = REAL_HOME / ".config" / "pip" / "pip.conf"
    if settings.is_file() and "PIP_CONFIG_FILE" not in env:
        env["PIP_CONFIG_FILE"] = str(settings)
    lock = ROOT / ".ci" / "lock.txt"
    if lock.is_file():
        constraints = programs.parent / "constraints.txt"
        constraints.write_text("\n".join(LOCKED.findall(lock.read_text(encoding="utf-8"))))
        env["PIP_CONSTRAINT"] = str(constraints)
    return env
