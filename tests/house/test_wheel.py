"""The built wheel in a fresh environment: each agent is set up, checked, answered and taken out again."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.conftest import ROOT, not_to_be_had
from tests.dashboard.conftest import Started
from tests.house.test_first_command import LEFT_OUT, NO_NETWORK, environment
from tests.installer.homefiles import HOMES, tree

from context_mode_runtime.agents import known_agents, load_agent
from context_mode_runtime.server.tools.registry import TOOLS

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of a fresh environment with nothing but the wheel and what it asks for."""
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT, folder / "checkout", ignore=LEFT_OUT)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=folder / "checkout", check=True, capture_output=True)
    shutil.rmtree(folder / "checkout")
    [wheel] = folder.glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    install: list[str | Path] = [folder / "venv" / "bin" / "python", "-m", "pip", "install", "-q", wheel]
    env = environment(folder / "venv" / "bin")
    done = subprocess.run(install, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0 and any(mark in done.stderr for mark in NO_NETWORK):
        not_to_be_had(f"pip can't reach an index from here: {done.stderr}")
    assert done.returncode == 0, done.stderr
    return folder / "venv" / "bin"


@pytest.mark.parametrize("agent", known_agents())
def test_an_agent_from_the_wheel(agent: str, programs: Path, home: Path, project: Path) -> None:
    if (HOMES / agent).is_dir():
        for source in (path for path in (HOMES / agent).rglob("*") if path.is_file()):
            target = home / ("." + str(source.relative_to(HOMES / agent)))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    before = tree(home)

    def run(*arguments: str, stdin: str = "") -> dict[str, Any]:
        done = subprocess.run(
            [programs / "context-mode", *arguments],
            cwd=project,
            env={**os.environ, "PATH": "/usr/bin:/bin"},
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout) if done.stdout.strip() else {}

    run("setup", "--agents", agent, "--json")
    checks = run("doctor", "--agents", agent, "--offline", "--json")["data"]["checks"]
    assert [row for row in checks if row["status"] == "FAIL"] == []
    event = next(iter(load_agent(agent)["events"]))
    assert run("hook", agent, event, stdin='{"half": ') == {}
    assert anyio.run(offered, home, project, agent) == sorted(tool.name for tool in TOOLS)
    run("setup", "--remove", "--agents", agent, "--json")
    assert tree(home) == before


def test_the_dashboard_from_the_wheel(programs: Path, project: Path) -> None:
    running = Started(project, script=programs / "context-mode")
    with urllib.request.urlopen(running.url, timeout=30) as answer:
        page = answer.read().decode()
    for name in re.findall(r'(?:href|src)="([\w.]+)"', page):
        assert urllib.request.urlopen(running.url + name, timeout=30).status == 200
    assert running.stop()[0] == 0


async def offered(home: Path, project: Path, agent: str) -> list[str]:
    """The tools that the official client finds behind the launcher which setup wrote."""
    launcher = home / ".context-mode" / "bin" / "context-mode-serve"
    server = StdioServerParameters(command=str(launcher), args=["--agent", agent], env=dict(os.environ), cwd=project)
    async with Client(stdio_client(server), mode="auto") as client:
        return sorted(tool.name for tool in (await client.list_tools()).tools)
