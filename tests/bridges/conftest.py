"""A bridge of `agent_specs/bridges/` in a plain node process, with a host and a hook that are made up."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.agents import install
from tests.conftest import not_to_be_had

from context_mode_installer.places import fill_text
from context_mode_installer.templates import read_template

HERE = Path(__file__).parent
REAL_ENV = dict(os.environ)
SECONDS = 120
LIMIT_MS = 20_000
"""What a hook may take where the test is not about that."""


@dataclass(frozen=True)
class Done:
    """What the driver saw, and all that the process printed by itself."""

    results: list[dict[str, Any]]
    printed: str


@dataclass(frozen=True)
class Bridged:
    """One bridge, filled in. `folder` is the place for what hooks leave behind."""

    agent: str
    node: str
    folder: Path

    def script(self, name: str, text: str) -> Path:
        """A program for the bridge to start: a shell script."""
        path = self.folder / name
        path.write_text(f"#!/bin/sh\ncd '{self.folder}'\n{text}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    def python(self, name: str, text: str) -> Path:
        """The same in Python."""
        path = self.folder / name
        path.write_text(f"#!{sys.executable} -IS\n{text}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    def run(
        self,
        plan: Sequence[dict[str, Any]],
        hook: Path | str,
        serve: Path | str | None = None,
        limit_ms: int = LIMIT_MS,
    ) -> Done:
        """Plays a plan of events; `hook` and `serve` are the programs that the bridge knows."""
        template = read_template(f"bridges/{self.agent}.js")
        holes = {"hook": str(hook), "serve": str(serve or self.folder / "no-server"), "limit_ms": str(limit_ms)}
        filled = {name: json.dumps(value)[1:-1] for name, value in holes.items()}
        module = self.folder / "bridge.mjs"
        module.write_text(fill_text(template, filled), encoding="utf-8")
        (self.folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        results = self.folder / "results.json"
        results.unlink(missing_ok=True)
        done = subprocess.run(
            [self.node, str(HERE / f"{self.agent}.mjs"), str(module), str(self.folder / "plan.json"), str(results)],
            env={**os.environ, "PATH": f"{self.folder}{os.pathsep}{os.environ['PATH']}"},
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return Done(json.loads(results.read_text("utf-8")), done.stdout + done.stderr)


@pytest.fixture(scope="session")
def node() -> str:
    """A node: the one on PATH, else the one that npm puts beside other tests' programs."""
    found = shutil.which("node", path=REAL_ENV.get("PATH"))
    if found:
        return found
    try:
        return str(install.bin_dir("mcp-clients", REAL_ENV) / "node")
    except install.MissingAgentError as error:
        not_to_be_had(error)


@pytest.fixture
def bridged(node: str, tmp_path: Path) -> Callable[[str], Bridged]:
    """`bridged("id")`: the bridge of an agent."""
    return lambda agent: Bridged(agent, node, tmp_path)
