"""A host whose project scope is a folder that the team shares: server and hooks run by each user's own home."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.agents.host import Host
from tests.agents.hostrun import HostRun
from tests.conftest import Cli

HOSTS = pytest.mark.parametrize("host", ["vscode"], indirect=True)
pytestmark = [pytest.mark.agent, pytest.mark.timeout(1200), HOSTS]


def test_server_and_hooks_of_a_workspace(host: Host, home: Path, project: Path, tmp_path: Path, run_cli: Cli) -> None:
    host.prepare(home, project)
    done = run_cli("setup", "--agents", host.agent, "--scope", "project", "--project", str(project))
    assert done.returncode == 0, done.stderr
    assert not (home / host.entry.file).exists()
    (home / ".context-mode/policy.json").write_text('{"version": 1, "deny": ["Bash(touch *)"]}', encoding="utf-8")
    store = host.call("ctx_index", text="The ibis nests at Cormorant Rock.", label="birds")
    run = HostRun(host, home, project, tmp_path)
    played = run.play([host.shell("touch made"), store, {"text": "over"}])
    assert played.exit_code == 0, played.log
    denied, stored = played.results
    assert "denied by rule Bash(touch *) of ~/.context-mode/policy.json" in denied.text
    assert stored.text.startswith("Indexed 1 source(s), 1 chunk(s) from s1.")
