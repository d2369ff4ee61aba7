"""What only OpenCode has: rules over single tools, three config files, two ways to one plugin, files of a project."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.agents.conftest import installed, set_up
from tests.agents.host import Host
from tests.agents.hostrun import HostRun
from tests.conftest import Cli

from context_mode_runtime.server.tools.registry import TOOLS

pytestmark = [pytest.mark.agent, pytest.mark.timeout(1200)]
BIG = "seq -f 'line %g of it' 0 1499"
SCHEMA = "https://opencode.ai/config.json"
HOW_TO = "context-mode keeps large outputs out of this conversation"


@pytest.fixture
def opencode() -> Host:
    return installed("opencode")


@pytest.fixture
def config(home: Path) -> Path:
    folder = home / ".config" / "opencode"
    folder.mkdir(parents=True)
    return folder


def logged(home: Path, log: Path) -> None:
    """Puts a hook before the real one that writes each event down."""
    hook = home / ".context-mode/bin/context-mode-hook"
    hook.rename(hook.with_name("real-hook"))
    hook.write_text(f'#!/bin/sh\necho "$2" >> {log}\nexec "{hook.with_name("real-hook")}" "$@"\n', encoding="utf-8")
    hook.chmod(0o755)


def test_r24_f22_rules_over_single_tools_hold_and_all_are_offered_once(
    opencode: Host, config: Path, home: Path, project: Path, tmp_path: Path, run_cli: Cli
) -> None:
    """The entry is in the weakest of three files, the plugin is reached by two ways, a rule is about one of ours."""
    for name in ("config.json", "opencode.json", "opencode.jsonc"):
        (config / name).write_text(json.dumps({"$schema": SCHEMA}), encoding="utf-8")
    run = set_up(opencode, HostRun(opencode, home, project, tmp_path), run_cli)
    entry = json.loads((config / "opencode.jsonc").read_text("utf-8"))["mcp"]
    (config / "config.json").write_text(json.dumps({"$schema": SCHEMA, "mcp": entry}), encoding="utf-8")
    rules = {"context-mode_ctx_purge": "deny", "bash": {"*": "allow", "touch *": "deny"}}
    plugin = [f"file://{config}/plugins/context-mode.js"]
    (config / "opencode.json").write_text(
        json.dumps({"$schema": SCHEMA, "permission": rules, "plugin": plugin}), encoding="utf-8"
    )
    (config / "opencode.jsonc").write_text(json.dumps({"$schema": SCHEMA}), encoding="utf-8")
    log = tmp_path / "events"
    logged(home, log)
    denied = opencode.call("ctx_execute", language="shell", code="touch denied.txt")
    played = run.play([opencode.shell("echo one"), denied, {"text": "over"}], "count")
    assert played.exit_code == 0, played.log
    ours = [name for name in played.offered if "ctx_" in name]
    assert sorted(ours) == sorted(f"context-mode_{tool.name}" for tool in TOOLS if tool.name != "ctx_purge")
    assert "denied by rule bash(touch *)" in played.results[1].text
    assert not (project / "denied.txt").exists()
    assert json.dumps(played.requests[0]).count(HOW_TO) == 1
    assert log.read_text("utf-8").split() == [
        "session.start", "chat.message", "tool.execute.before", "tool.execute.after", "tool.execute.before",
        "session.idle",
    ]  # fmt: skip


def test_the_files_of_a_project(opencode: Host, home: Path, project: Path, tmp_path: Path, run_cli: Cli) -> None:
    """They name no folder of this machine: OpenCode puts the home in."""
    run = HostRun(opencode, home, project, tmp_path)
    path = {"PATH": f"{opencode.bin_dir}{os.pathsep}{os.environ['PATH']}"}
    words = ("setup", "--agents", "opencode", "--scope", "project", "--project", str(project))
    done = run_cli(*words, env=path, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    for file in ("opencode.json", "plugins/context-mode.js"):
        assert str(home) not in (project / ".opencode" / file).read_text("utf-8")
    search = opencode.call("ctx_search", queries=["line 700 of it"])
    played = run.play([opencode.shell(BIG), search, {"text": "over"}])
    assert played.exit_code == 0, played.log
    assert "ctx_search" in played.results[0].text
    assert "line 700 of it" in played.of("ctx_search")[0].text


def test_a_hook_that_hangs_leaves_opencode_as_it_is(
    opencode: Host, home: Path, project: Path, tmp_path: Path, run_cli: Cli
) -> None:
    """What is told at the very end is left to the hook's own limit: OpenCode does not wait for it."""
    run = set_up(opencode, HostRun(opencode, home, project, tmp_path), run_cli)
    plugin = home / ".config/opencode/plugins/context-mode.js"
    plugin.write_text(plugin.read_text("utf-8").replace('Number("6000")', 'Number("500")'), encoding="utf-8")
    pids = tmp_path / "pids"
    hook = home / ".context-mode/bin/context-mode-hook"
    hangs = f'[ "$2" = session.idle ] && exit 0\necho $$ >> {pids}\nexec sleep 300\n'
    hook.write_text(f"#!/bin/sh\n{hangs}", encoding="utf-8")
    played = run.play([opencode.shell("echo one; echo two"), {"text": "over"}])
    assert played.exit_code == 0, played.log
    assert played.results[0].text == "one\ntwo\n"
    assert HOW_TO not in json.dumps(played.requests)
    assert not [pid for pid in pids.read_text("utf-8").split() if Path("/proc", pid, "cmdline").exists()]


def test_f25_a_command_that_ends_at_once_starts_nothing(
    opencode: Host, home: Path, project: Path, tmp_path: Path, run_cli: Cli
) -> None:
    run = set_up(opencode, HostRun(opencode, home, project, tmp_path), run_cli)
    for name in ("context-mode-hook", "context-mode-serve"):
        (home / ".context-mode/bin" / name).write_text(f"#!/bin/sh\ntouch '{tmp_path}/started'\n", encoding="utf-8")
    done = subprocess.run(
        [opencode.bin_dir / "opencode", "--help"], env=run.environment("http://127.0.0.1:9"), cwd=project,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert not (tmp_path / "started").exists()
