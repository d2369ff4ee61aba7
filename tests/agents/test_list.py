"""The host's own list of MCP servers names ours after setup, and no more after removal."""

from __future__ import annotations

import re
import subprocess

import pytest
from tests.agents.conftest import installed
from tests.agents.host import Host
from tests.agents.hostrun import HostRun
from tests.agents.hosts import HOSTS
from tests.conftest import Cli

from context_mode_installer.specs.catalog import find_spec
from context_mode_installer.specs.model import Listing

pytestmark = [pytest.mark.agent, pytest.mark.timeout(600)]


@pytest.fixture(scope="session", params=[agent for agent in sorted(HOSTS) if find_spec(agent).commands.list_])
def host(request: pytest.FixtureRequest) -> Host:
    """Each real agent that lists its servers."""
    return installed(request.param)


def listed(run: HostRun, command: Listing) -> str:
    """What the command prints, colours taken out. Its exit code says nothing on some hosts."""
    env = run.environment("http://127.0.0.1:9") | {one.name: one.value for one in command.environment}
    done = subprocess.run(
        [str(run.host.bin_dir / command.argv[0]), *command.argv[1:]], cwd=run.project, env=env,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    return re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)


def test_the_hosts_own_list_names_us(host: Host, run: HostRun, run_cli: Cli) -> None:
    command = find_spec(host.agent).commands.list_
    assert command is not None
    text = listed(run, command)
    assert re.search(command.healthy, text, re.MULTILINE), text
    assert run_cli("setup", "--remove").returncode == 0
    text = listed(run, command)
    assert not re.search(command.healthy, text, re.MULTILINE), text
