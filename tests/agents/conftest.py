"""Fixtures of the tests with real agents. With CI=true an agent that can't be had is a failure, else a skip."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest
from tests.agents import install
from tests.agents.hostrun import HOSTS, Host, HostRun

REAL_ENV = dict(os.environ)


def installed(agent: str) -> Host:
    """A host with its program in place."""
    try:
        return dataclasses.replace(HOSTS[agent], bin_dir=install.bin_dir(agent, REAL_ENV))
    except install.MissingAgentError as error:
        if REAL_ENV.get("CI") == "true":
            pytest.fail(f"{agent}: {error}")
        pytest.skip(f"{agent}: {error}")


@pytest.fixture(scope="session", params=sorted(HOSTS))
def host(request: pytest.FixtureRequest) -> Host:
    """Each real agent in turn."""
    return installed(request.param)


@pytest.fixture
def bare_run(host: Host, home: Path, project: Path, tmp_path: Path) -> HostRun:
    """A host in a home that nobody has set up."""
    if host.agent == "codex":
        (home / ".codex").mkdir()
    return HostRun(host, home, project, tmp_path)
