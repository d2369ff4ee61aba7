"""Fixtures of the tests with real agents. With CI=true an agent that can't be had is a failure, else a skip."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.agents import install
from tests.agents.host import Host
from tests.agents.hostrun import HostRun
from tests.agents.hosts import HOSTS
from tests.conftest import Cli, not_to_be_had

REAL_ENV = dict(os.environ)


def installed(agent: str) -> Host:
    """A host with its program in place."""
    host = copy.copy(HOSTS[agent])
    try:
        host.bin_dir = install.bin_dir(agent, REAL_ENV)
    except install.MissingAgentError as error:
        not_to_be_had(f"{agent}: {error}")
    return host


@pytest.fixture(autouse=True)
def _uncounted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes of these tests run at their own speed: coverage does not follow them."""
    monkeypatch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)


@pytest.fixture(autouse=True)
def _closed(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a host leaves running ends with the test."""
    host: Host | None = request.getfixturevalue("host") if "host" in request.fixturenames else None
    yield
    if host:
        host.close()


@pytest.fixture(scope="session", params=sorted(HOSTS))
def host(request: pytest.FixtureRequest) -> Host:
    """Each real agent in turn."""
    return installed(request.param)


@pytest.fixture
def bare_run(host: Host, home: Path, project: Path, tmp_path: Path) -> HostRun:
    """A host in a home that nobody has set up."""
    host.prepare(home, project)
    return HostRun(host, home, project, tmp_path)


@pytest.fixture
def run(host: Host, home: Path, project: Path, tmp_path: Path, run_cli: Cli) -> HostRun:
    """A host in a home that `context-mode setup` has set up."""
    return set_up(host, HostRun(host, home, project, tmp_path), run_cli)


def set_up(host: Host, run: HostRun, run_cli: Cli, env: dict[str, str] | None = None) -> HostRun:
    """Runs setup for one host; its config folder is there, as after its first start, unless `env` moves it."""
    if not env:
        host.prepare(run.home, run.project)
    path = f"{host.bin_dir}{os.pathsep}{os.environ['PATH']}"
    done = run_cli("setup", "--agents", host.agent, env={"PATH": path, **host.light, **(env or {})}, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return run
