"""R10: hosts without a spec are named as such, and only where no supported one is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from context_mode_installer.commands import doctor
from context_mode_installer.commands.setup import Options, run
from context_mode_runtime.resources import shipped

LIST = json.loads(Path(shipped("agent_specs"), "unsupported.json").read_text("utf-8"))


@pytest.fixture(autouse=True)
def no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_they_are_named_where_nothing_else_is(home: Path, no_program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VSCODE_PID", "1")
    monkeypatch.setenv("TERM_PROGRAM", "vscode")
    (home / ".cursor").mkdir()
    (no_program / "aider").write_text("#!/bin/sh\nexit 1\n", "utf-8")
    (no_program / "aider").chmod(0o755)
    line = f"Not supported yet: Aider ({no_program / 'aider'}), Cursor (~/.cursor)"
    assert line in run(Options()).messages
    assert line in doctor.run(doctor.Options(offline=True)).messages


def test_nothing_is_said_of_them_beside_a_supported_one(home: Path) -> None:
    (home / ".cursor").mkdir()
    assert not any("Not supported" in line for line in run(Options(agents=("codex",), dry_run=True)).messages)


def test_nothing_is_said_where_there_are_none() -> None:
    assert not any("Not supported" in line for line in run(Options(dry_run=True)).messages)


def test_the_list_is_whole_and_in_order() -> None:
    assert [entry["id"] for entry in LIST] == sorted({entry["id"] for entry in LIST})
    for entry in LIST:
        assert set(entry) == {"id", "name", "programs", "places"}
        assert entry["name"]
        assert all(place.startswith("~/.") for place in entry["places"])
        assert all(re.fullmatch(r"[a-z-]+", program) for program in entry["programs"])
