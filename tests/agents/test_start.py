"""How a conversation begins: the protocol's era, what the model is told, moved config folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.agents.conftest import set_up
from tests.agents.host import Host
from tests.agents.hostrun import HostRun
from tests.agents.tap import Tap
from tests.conftest import Cli

pytestmark = [pytest.mark.agent, pytest.mark.timeout(1200)]


@pytest.mark.parametrize("host", ["claude-code"], indirect=True)
@pytest.mark.parametrize(("era", "first"), [("modern", "server/discover"), ("legacy", "initialize")])
def test_both_eras_of_the_protocol(run: HostRun, tmp_path: Path, era: str, first: str) -> None:
    tap = Tap(run.host, run.home, tmp_path)
    run.env = {"MCP_PROTOCOL_NEGOTIATION": era} if era == "legacy" else {}
    step = run.host.call("ctx_index", text="The ibis nests at Cormorant Rock.", label="birds")
    played = run.play([step, run.host.call("ctx_search", queries=["ibis nest"]), {"text": "over"}])
    assert played.exit_code == 0, played.log
    assert tap.methods()[0] == first
    assert ("initialize" in tap.methods()) == (era == "legacy")
    assert "Cormorant Rock" in played.of("ctx_search")[0].text


def test_the_model_is_told_of_our_tools_from_the_start(run: HostRun) -> None:
    played = run.play([{"text": "over"}])
    assert played.exit_code == 0, played.log
    if "instructions" not in run.host.can:
        assert run.host.cannot["instructions"]
        return
    first = json.dumps(played.requests[0])
    for tool in ("ctx_execute", "ctx_index", "ctx_search"):
        assert f"{run.host.tool_prefix}{tool}" in first


def test_a_moved_config_folder(host: Host, home: Path, project: Path, tmp_path: Path, run_cli: Cli) -> None:
    moved = tmp_path / "moved config"
    moved.mkdir()
    if host.moved_by is None:
        assert host.cannot["move"]
        return
    variables = {host.moved_by: str(moved)}
    run = set_up(host, HostRun(host, home, project, tmp_path), run_cli, variables)
    run.env.update(variables)
    big = host.shell("seq -f 'line %g of it' 0 1499")
    played = run.play([big, host.call("ctx_search", queries=["line 700 of it"]), {"text": "over"}])
    assert played.exit_code == 0, played.log
    if "replace" in host.can:
        assert "ctx_search" in played.of(host.shell_tool)[0].text
        assert "line 700 of it" in played.of("ctx_search")[0].text
    assert len(played.of("ctx_search")) == 1
    assert not any((home / name).exists() for name in host.beside)
