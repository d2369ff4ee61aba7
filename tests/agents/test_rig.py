"""The rig itself: a real agent runs a shell command, and the stand-in model sees what it printed."""

from __future__ import annotations

import pytest
from tests.agents.host import ABILITIES, Host
from tests.agents.hostrun import HostRun
from tests.agents.hosts import HOSTS

pytestmark = [pytest.mark.agent, pytest.mark.timeout(1200)]


def test_a_command_runs_and_its_output_reaches_the_model(bare_run: HostRun) -> None:
    played = bare_run.play([bare_run.host.shell("printf '%d rig\\n' 0x2A"), {"text": "over"}])
    assert played.exit_code == 0, played.log
    [result] = played.results
    assert "42 rig" in result.text
    assert bare_run.host.shell_tool in played.offered
    assert len(played.requests) == 2


@pytest.mark.parametrize("host", HOSTS.values(), ids=HOSTS)
def test_what_a_host_cannot_do_has_a_reason(host: Host) -> None:
    assert host.can <= ABILITIES
    assert set(host.cannot) == host.gaps()
    assert all(host.cannot.values())
