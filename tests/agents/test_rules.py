"""The user's own rules hold inside our tools, too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.agents.conftest import set_up
from tests.agents.host import Host
from tests.agents.hostrun import HostRun
from tests.conftest import Cli

pytestmark = [pytest.mark.agent, pytest.mark.timeout(1200)]
OUR_RULES = (".context-mode/policy.json", json.dumps({"version": 1, "deny": ["Bash(touch *)"]}))


@pytest.mark.parametrize("layer", ["host", "ours"])
def test_a_deny_rule_holds_in_ctx_execute(
    layer: str, host: Host, home: Path, project: Path, tmp_path: Path, run_cli: Cli
) -> None:
    if layer == "host" and host.deny_touch is None:
        assert host.cannot["rules"]
        return
    name, text = host.deny_touch if layer == "host" and host.deny_touch else OUR_RULES
    (home / name).parent.mkdir(parents=True, exist_ok=True)
    (home / name).write_text(text, encoding="utf-8")
    run = set_up(host, HostRun(host, home, project, tmp_path), run_cli)
    denied = host.call("ctx_execute", language="shell", code="echo a && touch made-by-denied.txt")
    allowed = host.call("ctx_execute", language="shell", code="echo fine > made-by-allowed.txt; echo done")
    played = run.play([denied, allowed, {"text": "over"}])
    assert played.exit_code == 0, played.log
    refused, done = played.of("ctx_execute")
    assert "denied by rule" in refused.text
    assert name.split("/")[-1] in refused.text
    assert not (project / "made-by-denied.txt").exists()
    assert "exit 0" in done.text
    assert (project / "made-by-allowed.txt").exists()
