"""Copilot CLI denies a tool when a hook before it ends with anything but 0; its deny holds whatever is allowed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.agents.conftest import set_up
from tests.agents.host import Host
from tests.agents.hostrun import HostRun
from tests.conftest import Cli

pytestmark = [
    pytest.mark.agent,
    pytest.mark.timeout(1200),
    pytest.mark.parametrize("host", ["copilot-cli"], indirect=True),
]
ALL = "--allow-all"


def test_a_rule_holds_when_the_user_allowed_everything(run: HostRun, home: Path) -> None:
    """F23. What a rule asks about is denied, too, where nobody can be asked."""
    rules = {"version": 1, "deny": ["Bash(touch *)"], "ask": ["Bash(chmod *)"]}
    (home / ".context-mode/policy.json").write_text(json.dumps(rules))
    touch, chmod = run.host.shell("touch made.txt"), run.host.shell("chmod 600 kept.txt")
    (run.project / "kept.txt").write_text("x")
    (run.project / "kept.txt").chmod(0o644)
    played = run.play([touch, chmod, run.host.shell("echo through"), {"text": "over"}], "Run the test steps.", ALL)
    assert played.exit_code == 0, played.log
    denied, asked, passed = (result.text for result in played.results)
    assert "denied by rule Bash(touch *) of ~/.context-mode/policy.json" in denied
    assert "Bash(chmod *)" in asked
    assert "through" in passed
    assert not (run.project / "made.txt").exists()
    assert (run.project / "kept.txt").stat().st_mode & 0o777 == 0o644


def test_a_hook_program_that_is_gone_denies_nothing(run: HostRun, home: Path) -> None:
    shutil.rmtree(home / ".context-mode/bin")
    played = run.play([run.host.shell("echo through"), {"text": "over"}])
    assert played.exit_code == 0, played.log
    assert "through" in played.results[0].text
    assert "ctx_" not in "".join(played.offered)


def test_one_hook_file_of_two_hosts(host: Host, home: Path, project: Path, tmp_path: Path, run_cli: Cli) -> None:
    """The entries name the host that was set up first; the one that calls is known by what it sends."""
    done = run_cli("setup", "--agents", "vscode", timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    run = set_up(host, HostRun(host, home, project, tmp_path), run_cli)
    written = json.loads((home / ".copilot/hooks/context-mode.json").read_text("utf-8"))
    assert " vscode postToolUse" in written["hooks"]["postToolUse"][0]["bash"]
    search = run.host.call("ctx_search", queries=["line 700"], scope="session")
    played = run.play([run.host.shell("seq -f 'line %g of it' 0 1199"), search, {"text": "over"}])
    assert played.exit_code == 0, played.log
    printed, found = (result.text for result in played.results)
    assert printed.startswith("stored whole")
    assert printed.count("context-mode-ctx_search(") == 1
    assert "line 700 of it" in found
