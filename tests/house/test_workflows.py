"""The workflows of .github: nothing that zizmor finds, actions by their commit, folders that are there."""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.conftest import ROOT

FOLDER = ROOT / ".github" / "workflows"
FILES = sorted(FOLDER.glob("*.yml"))
ZIZMOR = Path(sysconfig.get_path("scripts"), "zizmor")
PINNED = re.compile(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Zizmor over a checkout: form and security, without the network."""
    command = [str(ZIZMOR), "--offline", "--no-progress", "--strict-collection", "--persona=auditor", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def loaded(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = YAML(typ="safe").load(file)
    return found


def test_nothing_is_found() -> None:
    done = lint(ROOT / ".github")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("persist-credentials: false", "persist-credentials: true"),
        ("permissions: {}", "permissions: write-all"),
        ("run: .ci/run", "run: echo ${{ github.head_ref }}"),
        ("runs-on: ubuntu-latest", "runs-off: ubuntu-latest"),
    ],
)
def test_a_fault_is_found(old: str, new: str, tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / ".github" / "workflows")
    file = tmp_path / ".github/workflows/test.yml"
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), "utf-8")
    assert lint(tmp_path).returncode != 0


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_actions_are_pinned_and_their_version_is_said(file: Path) -> None:
    used = [line.strip().removeprefix("- ") for line in file.read_text("utf-8").splitlines() if "uses:" in line]
    assert used
    assert [line for line in used if not PINNED.fullmatch(line)] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_rights_time_and_turns_are_said(file: Path) -> None:
    flow = loaded(file)
    assert flow["permissions"] == {}
    assert flow["concurrency"]["group"]
    assert all("timeout-minutes" in job and "permissions" in job for job in flow["jobs"].values())


def test_every_system_and_python_is_tried() -> None:
    tried = loaded(FOLDER / "test.yml")["jobs"]["suite"]["strategy"]["matrix"]
    assert [name.partition("-")[0] for name in tried["os"]] == ["ubuntu", "macos", "windows"]
    said = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text("utf-8"))
    assert tried["python"] == said


def test_what_they_run_is_there() -> None:
    steps = [step for file in FILES for job in loaded(file)["jobs"].values() for step in job["steps"]]
    words = " ".join(step.get("run", "") for step in steps).split()
    named = [word.lstrip("<") for word in words if word.lstrip("<").startswith(("tests/", "docs/", ".ci/"))]
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
