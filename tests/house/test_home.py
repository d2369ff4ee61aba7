"""The guard of tests/conftest.py itself."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from context_mode_runtime import paths


def test_home_is_a_fresh_folder(home: Path) -> None:
    assert Path.home() == home
    assert not list(home.iterdir())
    assert paths.data_root() == str(home / ".context-mode")


def test_no_variable_of_an_agent_or_of_ours_is_left(home: Path) -> None:
    assert [name for name in os.environ if name.startswith(("CLAUDE", "CODEX_", "ANTHROPIC_", "GEMINI_"))] == []
    assert "CONTEXT_MODE_DATA_DIR" not in os.environ


def test_the_real_home_cannot_be_written(request: pytest.FixtureRequest) -> None:
    conftest = request.config.pluginmanager.get_plugin(str(Path(__file__).parent.parent / "conftest.py"))
    assert conftest
    target = os.path.join(conftest.REAL_HOME, "context-mode-test-must-not-exist")
    with pytest.raises(PermissionError, match="real home"):
        open(target, "w")  # noqa: SIM115
    with pytest.raises(PermissionError, match="real home"):
        os.mkdir(target)
    assert len(conftest._touched) == 2
    conftest._touched.clear()
    assert not os.path.exists(target)


def test_project_is_a_checkout_for_git(project: Path) -> None:
    shown = subprocess.run(
        ["git", "rev-parse", "--show-toplevel"], cwd=project, capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == str(project)
