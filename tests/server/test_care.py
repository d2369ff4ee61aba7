"""ctx_doctor and ctx_upgrade over the wire; R01: one text for a Python that is too old; retention after an answer."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from context_mode_installer.commands import doctor as installer_doctor
from context_mode_installer.commands import setup
from context_mode_installer.doctor import machine
from context_mode_runtime import launch, limits, paths
from context_mode_runtime.project import find_project
from context_mode_runtime.server import selfcheck, upkeep
from context_mode_runtime.server.tools.doctor import _capped
from context_mode_runtime.store.db import Store
from context_mode_runtime.version import VERSION, too_old

IDS = ["D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "D9", "D10", "D11", "D12", "D13"]


@pytest.fixture
def set_up(home: Path) -> Path:
    (home / ".codex").mkdir()
    setup.run(setup.Options(agents=("codex",)))
    return home


def rows(text: str) -> dict[str, list[str]]:
    table = [line.split(" | ") for line in text.splitlines()[3:]]
    assert table[0] == ["Check", "Status", "Detail", "Fix"]
    return {row[0].split()[0]: row for row in table[1:]}


def test_doctors_table_for_the_agent_that_asks(set_up: Path, serve: Any) -> None:
    host = serve("codex")
    text, is_error = host.call("ctx_doctor", {})
    lines = text.splitlines()
    assert lines[0].startswith(f"Environment: context-mode {VERSION}")
    assert "agent codex" in lines[0]
    assert lines[1].startswith("Environment: ")
    assert list(rows(text)) == IDS
    assert [name for name, row in rows(text).items() if row[1] == "FAIL"] == []
    assert (is_error, len(text.encode()) <= limits.OUTPUT_CAP) == (False, True)


def test_what_fails_has_its_command(set_up: Path, serve: Any) -> None:
    (set_up / ".codex/config.toml").write_text("")
    row = rows(serve("codex").call("ctx_doctor", {})[0])["D3"]
    assert (row[1], row[3]) == ("FAIL", "context-mode setup --agents codex")


def test_without_the_installer_the_runtime_looks_at_itself(serve: Any, project: Path) -> None:
    (project / ".context-mode").mkdir()
    (project / ".context-mode/policy.json").write_text('{"version": 1, "deny": ["Read(./a"]}')
    found = rows(serve("codex").call("ctx_doctor", {})[0])
    assert list(found) == IDS
    assert {name for name, row in found.items() if row[1] == "SKIP"} == {"D3", "D4", "D5", "D6", "D7", "D10", "D12"}
    assert all("context-mode setup" in row[3] for row in found.values() if row[1] == "SKIP")
    assert (found["D9"][1], "unread rule" in found["D9"][2]) == ("WARN", True)
    assert {found[name][1] for name in ("D1", "D2", "D8", "D11", "D13")} == {"PASS"}


def test_a_file_in_the_place_of_our_folder_is_said(serve: Any, home: Path) -> None:
    (home / ".context-mode").write_text("in the way")
    host = serve("codex")
    row = rows(host.call("ctx_doctor", {})[0])["D13"]
    assert row[1:] == ["FAIL", "~/.context-mode is no folder", "ls -l ~/.context-mode"]
    text, is_error = host.call("ctx_execute", {"language": "sh", "code": "echo on"})
    assert (is_error, text) == (False, "exit 0 · 3 B\non\n(not stored: ~/.context-mode: File exists)")


def test_a_launcher_that_is_broken_is_said(set_up: Path, serve: Any) -> None:
    (set_up / ".context-mode/bin/context-mode").write_text("#!/bin/sh\necho 'its Python is gone' >&2\nexit 1\n")
    row = rows(serve("codex").call("ctx_doctor", {})[0])["D2"]
    assert serve("codex").call("ctx_doctor", {})[0].count("doctor did not answer: its Python is gone") == 1
    assert row[0].startswith("D2 python")


def test_the_child_ends_with_the_connection(set_up: Path, tmp_path: Path, serve: Any) -> None:
    pid = tmp_path / "pid"
    os.mkfifo(pid)
    (set_up / ".context-mode/bin/context-mode").write_text(f"#!/bin/sh\necho $$ >{pid}\nexec sleep 60\n")
    host = serve("codex")
    host.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "ctx_doctor", "arguments": {}}})
    child = int(pid.read_text())
    assert host.close() == 0
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_f68_the_table_holds_no_secret(set_up: Path, serve: Any) -> None:
    said = json.dumps({"data": {"version": "9.9", "checks": [
        {"id": "D3", "agent": "codex", "status": "FAIL", "detail": 'env "GITHUB_TOKEN":"tok-AAA111"', "fix": None}
    ]}, "messages": ["Environment: a", "Environment: b"]})  # fmt: skip
    (set_up / ".context-mode/bin/context-mode").write_text(f"#!/bin/sh\ncat <<'E'\n{said}\nE\n")
    text, _ = serve("codex").call("ctx_doctor", {})
    assert "tok-AAA111" not in text
    assert "GITHUB_TOKEN" in text
    assert f"D1 version | WARN | this server is still {VERSION}, installed is 9.9 | start a new session" in text


def test_a_long_table_is_cut_at_a_line() -> None:
    text = _capped("\n".join(["a line"] * 5_000), limits.OUTPUT_CAP)
    assert len(text.encode()) <= limits.OUTPUT_CAP
    assert text.splitlines()[-2:] == ["a line", "... cut; whole: context-mode doctor -v"]


def test_the_titles_are_the_installers() -> None:
    assert {check.id: check.title for check in installer_doctor.CHECKS} == selfcheck.TITLES


@pytest.mark.parametrize(("action", "says"), [
    (None, "upgrade"), ("check", "upgrade"), ("upgrade", "Nothing was run"),
    ("uninstall", "setup --remove --agents codex"),
])  # fmt: skip
def test_upgrade_names_the_command_and_changes_nothing(action: str | None, says: str, set_up: Path, serve: Any) -> None:
    before = {path: path.read_bytes() for path in set_up.rglob("*") if path.is_file() and "run" not in path.parts}
    text, is_error = serve("codex").call("ctx_upgrade", {"action": action} if action else {})
    assert (is_error, says in text) == (False, True), text
    assert f"{set_up}/.context-mode/bin/context-mode" in text
    if action != "uninstall":
        assert f"context-mode {VERSION}" in text
    assert all(path.read_bytes() == data for path, data in before.items())


@pytest.mark.parametrize("action", ["check", "upgrade", "uninstall"])
def test_each_command_that_upgrade_names_can_be_pasted(action: str, home: Path, serve: Any) -> None:
    """Before setup there is no launcher: the command is an interpreter with a module."""
    text, _ = serve("codex", packages=True).call("ctx_upgrade", {"action": action})
    named = [line.split("      (")[0] for line in text.splitlines() if line.startswith("  ")]
    assert named
    for command in named:
        help_ = subprocess.run(["sh", "-c", f"{command} --help"], capture_output=True, text=True, check=False)
        assert (help_.returncode, help_.stdout[:20]) == (0, "Usage: context-mode "), command


def test_doctor_without_any_agent_looks_at_this_machine(serve: Any) -> None:
    text, is_error = serve(packages=True).call("ctx_doctor", {})
    lines = text.splitlines()
    assert lines[0].startswith(f"Environment: context-mode {VERSION}")
    assert lines[0].endswith(", no agent found")
    assert lines[1].startswith("Environment: ")
    assert not is_error
    table = lines[lines.index("Check | Status | Detail | Fix") + 1 :]
    assert [line.split()[0] for line in table] == ["D8", "D9", "D11", "D13"]


def test_upgrade_without_the_installer(serve: Any) -> None:
    text, is_error = serve("codex").call("ctx_upgrade", {})
    assert (is_error, VERSION in text, "context-mode setup" in text) == (False, True, True)


def test_upgrade_takes_no_other_action(serve: Any) -> None:
    text, is_error = serve("codex").call("ctx_upgrade", {"action": "now"})
    assert (is_error, "check, upgrade, uninstall" in text) == (True, True)


def test_r01_one_text_for_a_python_that_is_too_old(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert too_old((3, 11, 0), "python3") == too_old((4, 0), "python3") == ""
    old = tmp_path / "python3"
    old.write_text("#!/bin/sh\necho 3 9\n")
    old.chmod(0o755)
    wanted = too_old((3, 9), str(old))
    assert wanted.startswith("Python 3.9 (")
    bin_dir = home / ".context-mode/bin"
    bin_dir.mkdir(parents=True)
    for name in ("context-mode", "context-mode-hook", "context-mode-serve"):
        (bin_dir / name).write_text(f"#!/bin/sh\npython={old}\n")

    subject: Any = SimpleNamespace(setup="context-mode setup")
    assert machine.python(subject).detail == wanted
    monkeypatch.setattr(launch, "_OLDEST", sys.maxsize)
    monkeypatch.setattr(sys, "version_info", (3, 9, 1))
    monkeypatch.setattr(sys, "executable", str(old))
    assert (launch.main(["hook", "codex", "Stop"]), capsys.readouterr().out) == (0, "")
    assert wanted in (home / ".context-mode/hook-errors.log").read_text()
    assert launch.main(["serve"]) == 1
    assert wanted in capsys.readouterr().err


def test_f52_retention_runs_after_an_answer_once_a_day(home: Path, project: Path, serve: Any) -> None:
    found = find_project(str(project))
    assert found is not None
    host = serve("codex")
    host.call("ctx_index", {"text": "an old note about otters", "label": "old"})
    host.close()
    database = Path(paths.project_dir(found.key()), "context.db")

    def age() -> None:
        with Store.open(found.key(), name=found.name) as store, store.write() as db:
            db.execute("UPDATE sources SET used = used - 31 * 86400000")

    age()
    host = serve("codex")
    host.call("ctx_index", {"text": "a new note", "label": "new"})
    host.close()
    assert labels(database) == ["old", "new"]  # pruned today already
    with Store.open(found.key(), name=found.name) as store, store.write() as db:
        db.execute("UPDATE meta SET value = value - 86400000 WHERE key = 'pruned'")
    host = serve("codex")
    host.call("ctx_index", {"text": "another note", "label": "newer"})
    while "old" in labels(database):
        host.call("ctx_search", {"queries": []})
    host.close()
    assert labels(database) == ["new", "newer"]
    assert "s1 old, unused for 30 days" in (home / ".context-mode/hook-errors.log").read_text()


def labels(database: Path) -> list[str]:
    with sqlite3.connect(database) as db:
        found = [row[0] for row in db.execute("SELECT label FROM sources ORDER BY id")]
    db.close()
    return found


DAY = 86_400_000
YEARS = 3_650 * DAY


@pytest.mark.parametrize(
    ("after", "claimed"),
    [
        ((0, 1, DAY - 1, DAY), (True, False, False, True)),
        ((0, YEARS, DAY, 2 * DAY), (True, False, True, True)),
        ((0, YEARS, YEARS + DAY, YEARS + 2 * DAY), (True, False, True, True)),
        ((0, 30 * DAY, 60 * DAY, 90 * DAY), (True, False, True, False)),
    ],
    ids=[
        "once a day",
        "not when the clock leaps and comes back",
        "when it stays there",
        "a project that is used rarely",
    ],
)
def test_when_a_store_is_pruned(project: Path, after: tuple[int, ...], claimed: tuple[bool, ...]) -> None:
    found = find_project(str(project))
    assert found is not None
    with Store.open(found.key(), name=found.name) as store:
        assert tuple(upkeep.claim(store, 1_800_000_000_000 + ms) for ms in after) == claimed


def test_further_key_names_of_the_policy_are_cut_by_the_server(home: Path, project: Path, serve: Any) -> None:
    (home / ".context-mode").mkdir()
    (home / ".context-mode/policy.json").write_text('{"version": 1, "redact": ["sort_code"]}')
    host = serve("codex")
    host.call("ctx_index", {"text": "sort_code = 12-34-56", "label": "bank"})
    host.close()
    assert all(b"12-34-56" not in path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert os.path.isdir(home / ".context-mode/projects")
