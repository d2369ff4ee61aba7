"""`context-mode stats`: the project and its newest conversation, with bars on a terminal and without them in a pipe."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from tests.cli.test_reports import report
from tests.dashboard import made

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def stored(project: Path, tmp_path: Path) -> Path:
    other = tmp_path / "other"
    other.mkdir()
    made.add_calls(project, made.CALLS)
    made.add_calls(other, made.ELSEWHERE)
    return project


def terminal(folder: Path, **env: str) -> str:
    """What the command prints on a terminal of 80 columns."""
    ours, theirs = pty.openpty()
    script = Path(sysconfig.get_path("scripts")) / "context-mode"
    process = subprocess.Popen(
        [script, "stats"], cwd=folder, env={**os.environ, "COLUMNS": "80", **env}, stdin=theirs, stdout=theirs
    )
    os.close(theirs)
    said = b""
    try:
        while part := os.read(ours, 65_536):
            said += part
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    assert process.wait(30) == 0
    return said.decode().replace("\r\n", "\n")


def shape(said: str) -> str:
    """The screen with 0 for each digit: our own cost moves with every word of a tool's description."""
    return re.sub(r"\d", "0", said)


def test_in_a_pipe(stored: Path, run_cli: Cli, snapshot: SnapshotAssertion) -> None:
    said = run_cli("stats", cwd=stored).stdout
    assert shape(said) == snapshot
    assert "█" not in said
    assert "#" not in said


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_on_a_terminal(encoding: str, stored: Path, snapshot: SnapshotAssertion) -> None:
    said = terminal(stored, PYTHONIOENCODING=encoding)
    assert max(map(len, said.split("\n"))) <= 80
    assert "\x1b" not in said
    assert shape(said) == snapshot


def test_read_aloud(stored: Path, snapshot: SnapshotAssertion) -> None:
    assert shape(terminal(stored, TERM="dumb")) == snapshot


def test_nothing_yet(project: Path, home: Path, run_cli: Cli, snapshot: SnapshotAssertion) -> None:
    assert shape(run_cli("stats", cwd=project).stdout) == snapshot
    assert not (home / ".context-mode").exists()


def test_the_newest_conversation_is_named_and_another_one_can_be(stored: Path, run_cli: Cli) -> None:
    assert "\nNewest conversation: codex:c-2, last used 2026-11-29 12:00 UTC.\n" in run_cli("stats", cwd=stored).stdout
    for name in ("c-1", "claude-code:c-1"):
        assert "\nThat conversation: claude-code:c-1, last" in run_cli("stats", "--session", name, cwd=stored).stdout


def test_json_fits_its_schema_and_its_days_and_tools_add_up(stored: Path, run_cli: Cli) -> None:
    assert report(run_cli("stats", "--nope", "--json", cwd=stored))["status"] == "error"
    data = report(run_cli("stats", "--json", cwd=stored))["data"]
    assert (data["scopes"]["project"]["produced"], data["scopes"]["all"]["produced"]) == (2_250_006, 2_290_006)
    for scope in data["scopes"].values():
        for name in ("calls", "produced", "saved", "fetched", "own_cost", "net"):
            assert sum(day[name] for day in scope["days"]) == scope[name], name
        for name in ("calls", "produced", "saved", "returned"):
            assert sum(tool[name] for tool in scope["tools"]) == scope[name], name
        assert scope["net"] == scope["saved"] - scope["fetched"] - scope["own_cost"]


def test_another_project_that_can_not_be_read_is_named(stored: Path, home: Path, run_cli: Cli) -> None:
    other = next(file for file in (home / ".context-mode" / "projects").iterdir() if file.name.startswith("other"))
    (other / "context.db").write_bytes(b"no database " * 100)
    done = run_cli("stats", cwd=stored)
    assert done.returncode == 0
    assert f"not in these numbers: ~/.context-mode/projects/{other.name}/context.db: file is not" in done.stdout


def test_a_store_of_a_newer_version_is_an_error_and_stays(project: Path, run_cli: Cli) -> None:
    made.add_calls(project, made.CALLS)
    with made.open_store(project) as store:
        store.db.execute("PRAGMA user_version = 99")
    done = run_cli("stats", "--json", cwd=project)
    assert done.returncode == 1
    assert "written by a newer context-mode" in json.loads(done.stdout)["messages"][0]
