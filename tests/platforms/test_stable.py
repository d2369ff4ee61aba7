"""What launchers start outlives the upgrades of a package manager, and what does not is told and mended (R04)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.conftest import Cli, not_to_be_had

from context_mode_installer import launchers

CASES: list[dict[str, Any]] = YAML(typ="safe").load(Path(__file__).with_name("stable.yaml"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_path_that_stays_is_written(case: dict[str, Any], tmp_path: Path) -> None:
    for name in [case["python"], *case.get("also", [])]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for name, target in case.get("links", {}).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).symlink_to(target)
    assert launchers.stable(str(tmp_path / case["python"])) == str(tmp_path / case["writes"])


class Formula:
    """A made Cellar whose Python is this one, with all that is installed here."""

    def __init__(self, root: Path) -> None:
        self.kegs = root / "Cellar/python@3.11"
        self.link = root / "opt/python@3.11"
        self.link.parent.mkdir(parents=True)
        self.kegs.mkdir(parents=True)

    def install(self, version: str) -> Path:
        """The keg of a version; returns its interpreter."""
        keg = self.kegs / version
        (keg / "bin").mkdir(parents=True)
        (keg / "lib").symlink_to(Path(sys.prefix, "lib"))
        shutil.copy(Path(sys.prefix, "pyvenv.cfg"), keg)
        python = keg / "bin/python3.11"
        python.symlink_to(os.path.realpath(sys.executable))
        return python

    def upgrade(self, old: str, new: str) -> Path:
        """The new keg in, the old one away, the link moved, as `brew upgrade` and `brew cleanup` do."""
        python = self.install(new)
        shutil.rmtree(self.kegs / old)
        if self.link.is_symlink():
            self.link.unlink()
            self.link.symlink_to(self.kegs / new)
        return python


def ran(python: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [str(python), "-m", "context_mode_installer.cli", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PATH": "/usr/bin"})


def rows(done: subprocess.CompletedProcess[str]) -> list[tuple[str, str]]:
    return [(row["status"], row["detail"]) for row in json.loads(done.stdout)["data"]["checks"]]


@pytest.fixture
def formula(tmp_path: Path) -> Formula:
    if not Path(sys.prefix, "pyvenv.cfg").is_file():
        not_to_be_had("the tests run outside of a virtual environment")
    return Formula(tmp_path)


def hook(home: Path) -> subprocess.CompletedProcess[str]:
    """One call of the launcher that the config names: a command that the policy denies."""
    (home / ".context-mode/policy.json").write_text('{"version": 1, "deny": ["Bash(touch *)"]}')
    payload = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "tool_name": "Bash",
               "tool_input": {"command": "touch x"}}  # fmt: skip
    launcher = home / ".context-mode/bin" / launchers.HOOK
    return subprocess.run(
        [launcher, "claude-code", "PreToolUse"], input=json.dumps(payload), capture_output=True, text=True, check=False
    )


def test_an_upgrade_of_python_breaks_nothing_by_the_link(formula: Formula, home: Path) -> None:
    python = formula.install("3.11.7")
    formula.link.symlink_to(formula.kegs / "3.11.7")
    assert ran(python, "setup", "--agents", "claude-code").returncode == 0
    launcher = (home / ".context-mode/bin" / launchers.HOOK).read_text()
    assert f"{formula.link}/bin/python3.11" in launcher
    assert "3.11.7" not in launcher
    formula.upgrade("3.11.7", "3.11.8")
    assert "denied by rule" in hook(home).stdout


def test_without_a_link_it_is_told_and_a_setup_mends_it(formula: Formula, home: Path) -> None:
    old = formula.install("3.11.7")
    assert ran(old, "setup", "--agents", "claude-code").returncode == 0
    assert "denied by rule" in hook(home).stdout
    new = formula.upgrade("3.11.7", "3.11.8")
    assert (hook(home).returncode, hook(home).stdout) == (0, "")
    told = ran(new, "doctor", "--only", "D2", "--agents", "claude-code", "--json")
    assert rows(told) == [("FAIL", f"{old}, which the launchers start, does not run")]
    assert json.loads(told.stdout)["data"]["checks"][0]["fix"].startswith("context-mode setup")
    assert ran(new, "setup", "--agents", "claude-code").returncode == 0
    assert "denied by rule" in hook(home).stdout
    assert [status for status, _ in rows(ran(new, "doctor", "--only", "D2", "--agents", "claude-code", "--json"))] == [
        "PASS"
    ]


def test_an_environment_in_a_cache_is_told(formula: Formula, home: Path, tmp_path: Path, run_cli: Cli) -> None:
    python = formula.install("3.11.7")
    (tmp_path / "CACHEDIR.TAG").touch()
    done = ran(python, "setup", "--agents", "claude-code")
    assert done.returncode == 0
    assert "lies in a cache and may go any time" in done.stdout
    [(status, detail)] = rows(run_cli("doctor", "--only", "D2", "--agents", "claude-code", "--json"))
    assert status == "WARN"
    assert "uv tool install context-mode-py" in detail
    assert run_cli("setup", "--agents", "claude-code").returncode == 0
    [(status, detail)] = rows(run_cli("doctor", "--only", "D2", "--agents", "claude-code", "--json"))
    assert "cache" not in detail
