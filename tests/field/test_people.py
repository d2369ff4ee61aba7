"""F64 to F68: what models send, what hosts may rely on, and what reports may show."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.hooks.conftest import PAYLOADS
from tests.server.conftest import LAUNCH

from context_mode_installer.commands import doctor, setup
from context_mode_runtime.agents import load_agent

from .conftest import Hook

AGENTS = ("claude-code", "codex")
TOKENS = ("tok-AAA111", "tok-BBB222", "tok-CCC333", "tok-DDD444")


def tree(home: Path) -> dict[str, bytes]:
    """Every file outside our own folder."""
    files = [path for path in home.rglob("*") if path.is_file()]
    return {str(path): path.read_bytes() for path in files if ".context-mode" not in path.parts}


@pytest.fixture
def secret_home(home: Path) -> Path:
    """Both agents with tokens of the user in their configs."""
    (home / ".claude").mkdir()
    (home / ".codex").mkdir()
    (home / ".claude" / "settings.json").write_text('{"env": {"GITHUB_TOKEN":"tok-AAA111"}}', encoding="utf-8")
    other = {"command": "x", "env": {"API_KEY": "tok-CCC333"}, "headers": {"Authorization": "Bearer tok-DDD444"}}
    (home / ".claude.json").write_text(json.dumps({"mcpServers": {"other": other}}), encoding="utf-8")
    toml = '[mcp_servers.other]\nurl = "https://example.com"\nbearer_token = "tok-BBB222"\n'
    (home / ".codex" / "config.toml").write_text(toml, encoding="utf-8")
    return home


def test_f64_nothing_comes_back_after_removal(secret_home: Path, serve: Any, hook: Hook, project: Path) -> None:
    setup.run(setup.Options(agents=AGENTS))
    setup.run(setup.Options(remove=True))
    before = tree(secret_home)
    for agent in AGENTS:
        names = sorted(path.stem for path in (PAYLOADS / agent).iterdir())
        for event in load_agent(agent)["events"]:
            hook(agent, event, next(name for name in names if name.partition("-")[0] == event), {"cwd": str(project)})
        host = serve(agent)
        host.handshake()
        host.call("ctx_execute", {"language": "sh", "code": "true"})
        host.call("ctx_doctor", {})
        host.close()
        doctor.run(doctor.Options(agents=(agent,), offline=True))
    assert tree(secret_home) == before


def test_f65_arguments_as_models_send_them(serve: Any) -> None:
    host = serve()
    host.call("ctx_index", {"text": "the wombat and the quokka", "label": "zoo"})
    both = host.call("ctx_search", {"queries": '["wombat","quokka"]'})
    assert both == host.call("ctx_search", {"queries": ["wombat", "quokka"]})
    assert host.call("ctx_search", {"queries": "wombat"}) == host.call("ctx_search", {"queries": ["wombat"]})
    commands = ["ls", {"label": "x", "command": "pwd"}]
    for form in (commands, json.dumps(commands), ["ls", json.dumps(commands[1])]):
        text, failed = host.call("ctx_batch", {"commands": form, "queries": [], "timeout": "30000"})
        assert not failed
        assert re.match(r"ls: exit 0 · \d+ B(?: · s\d+)?\nx: exit 0 · \d+ B · s\d+\n", text), text
    assert host.call("ctx_purge", {"project": "true"})[1]
    assert "zoo" in host.call("ctx_search", {"queries": []})[0]


READING = ("ctx_search", "ctx_resume", "ctx_stats", "ctx_doctor")
RUNNING = ("ctx_execute", "ctx_batch", "ctx_index", "ctx_purge")


def test_f66_what_only_reads_says_so_and_changes_nothing(serve: Any, home: Path, project: Path) -> None:
    (project / "a.txt").write_text("plain", encoding="utf-8")
    host = serve()
    host.handshake()
    hints = {tool["name"]: tool["annotations"] for tool in host.ask("tools/list")["result"]["tools"]}
    assert all(hints[name]["readOnlyHint"] is True for name in READING)
    assert not any(hints[name].get("readOnlyHint") for name in RUNNING)
    host.call("ctx_index", {"path": "a.txt"})
    sources = host.call("ctx_search", {"queries": []})
    before = tree(home), tree(project)
    for name in READING:
        host.call(name, {"queries": ["plain"]} if name == "ctx_search" else {})
    assert (tree(home), tree(project)) == before
    assert host.call("ctx_search", {"queries": []}) == sources


def test_f67_one_number_everywhere(serve: Any) -> None:
    """What one real run printed less what came back."""
    host = serve()
    code = "for n in range(4000): print(f'line {n} of a long report')"
    text, _ = host.call("ctx_execute", {"language": "python", "code": code})
    printed = sum(len(f"line {n} of a long report\n") for n in range(4000))
    saved = f"{printed - len(text.encode()):,}"
    report = host.call("ctx_stats", {})[0]
    rows = {line.split("  ")[0]: line for line in report.split("\n")}
    assert rows["Measured, in bytes"].split("  ")[-3:] == ["this conversation", "this project", "all projects (1)"]
    assert rows["produced"].split()[1:] == [f"{printed:,}"] * 3
    assert rows["saved"].split()[1:] == [saved] * 3
    assert rows["ctx_execute"].split()[1:] == ["1", f"{printed:,}", saved]


def test_f68_no_report_holds_a_token(secret_home: Path, run_cli: Any, tmp_path: Path) -> None:
    shown = ""
    for words in (
        ("setup", "--dry-run"),
        ("setup", "--yes"),
        ("setup", "--json"),
        ("doctor", "-v", "--offline"),
        ("doctor", "--json", "--offline"),
        ("doctor", "--offline", "--report", str(tmp_path / "report.txt")),
        ("policy", "show"),
    ):
        done = run_cli(*words)
        assert "usage:" not in done.stderr, (words, done.stderr)
        shown += done.stdout + done.stderr
    shown += (tmp_path / "report.txt").read_text(encoding="utf-8")
    for agent in AGENTS:
        done = subprocess.run(
            [sys.executable, LAUNCH, "hook", agent, "Stop"], input=b"{", capture_output=True, check=True, timeout=60
        )
        shown += done.stdout.decode() + done.stderr.decode()
    log = secret_home / ".context-mode" / "hook-errors.log"
    shown += log.read_text(encoding="utf-8") if log.exists() else ""
    assert len(shown) > 1_000
    assert [token for token in TOKENS if token in shown] == []
