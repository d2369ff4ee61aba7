"""After `setup --remove` the agent works as it did before us, and the user's own files are as they were."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.agents.conftest import set_up
from tests.agents.host import Host
from tests.agents.hostrun import HostRun
from tests.conftest import Cli

pytestmark = [pytest.mark.agent, pytest.mark.timeout(1200)]


def test_the_agent_is_as_before(host: Host, home: Path, project: Path, tmp_path: Path, run_cli: Cli) -> None:
    for name, text in host.user_files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text, encoding="utf-8")
    run = set_up(host, HostRun(host, home, project, tmp_path), run_cli)
    big = host.shell("seq -f 'line %g of it' 0 1199")
    set_up_run = run.play([big, *host.search_tools(), {"text": "over"}])
    assert ("ctx_search" in set_up_run.results[0].text) == ("replace" in host.can)
    assert "ctx_search" in "".join(set_up_run.offered)

    done = run_cli("setup", "--remove")
    assert done.returncode == 0, done.stdout + done.stderr
    assert {name: (home / name).read_text(encoding="utf-8") for name in host.user_files} == host.user_files
    played = run.play([big, {"text": "over"}])
    assert played.exit_code == 0, played.log
    assert "line 700 of it" in host.whole(played.results[0].text)
    assert "ctx_" not in "".join(played.offered)
    if host.own_hook:
        assert (home / host.own_hook).read_text(encoding="utf-8") == "ran\nran\n"
