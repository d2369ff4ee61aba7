"""The official clients from npm, in the tests' cache folder, and a project to call tools in."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from tests.agents import install
from tests.conftest import not_to_be_had

HERE = Path(__file__).parent
LAUNCH = HERE.parents[1] / "runtime" / "context_mode_runtime" / "launch.py"
SERVE = [sys.executable, "-I", "-S", str(LAUNCH), "serve"]
CALLS: list[dict[str, Any]] = YAML(typ="safe").load((HERE / "calls.yaml").read_text(encoding="utf-8"))
REAL_ENV = dict(os.environ)


@pytest.fixture(scope="session")
def programs() -> Path:
    """The folder with node and the Inspector. With CI=true clients that can't be had are a failure, else a skip."""
    try:
        return install.bin_dir("mcp-clients", REAL_ENV)
    except install.MissingAgentError as error:
        not_to_be_had(error)


@pytest.fixture
def place(project: Path) -> Path:
    """A project with one file."""
    (project / "notes.md").write_text("# Notes\n\nthe wombat digs at night\n", encoding="utf-8")
    return project
