"""Project scope where the team shares the file: our programs stand there by the home that the host fills in (R07)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from context_mode_installer import launchers
from context_mode_installer.commands import doctor
from context_mode_installer.commands.setup import Options, run
from context_mode_installer.result import UserError

AGENT = "qwen-code"


def settings(project: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((project / ".qwen/settings.json").read_text("utf-8"))
    return loaded


def set_up(project: Path) -> None:
    assert run(Options(agents=(AGENT,), scope="project", project=project)).exit_code == 0


def test_a_shared_file_holds_no_path_of_this_machine(home: Path, project: Path) -> None:
    set_up(project)
    text = (project / ".qwen/settings.json").read_text("utf-8")
    assert str(home) not in text
    assert str(project) not in text
    entry = settings(project)["mcpServers"]["context-mode"]
    assert entry["command"] == f"$HOME/.context-mode/bin/{launchers.names()[launchers.SERVE]}"
    [group] = settings(project)["hooks"]["PreToolUse"]
    command = f'"$HOME"/.context-mode/bin/{launchers.names()[launchers.HOOK]} qwen-code PreToolUse'
    assert [one["command"] for one in group["hooks"]] == [command]


def test_it_is_set_up_once_judged_by_effect_and_taken_out_whole(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    (project / ".qwen").mkdir()
    before = '{\n  // ours\n  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}\n}\n'
    (project / ".qwen/settings.json").write_text(before, encoding="utf-8")
    set_up(project)
    once = (project / ".qwen/settings.json").read_bytes()
    set_up(project)
    assert (project / ".qwen/settings.json").read_bytes() == once
    assert list(home.glob(".qwen/settings.json")) == []
    found = doctor.run(doctor.Options(agents=(AGENT,), offline=True))
    checks = {(one["id"], one["agent"]): one["status"] for one in found.data["checks"]}
    assert {status for (_, agent), status in checks.items() if agent == AGENT} <= {"PASS", "WARN", "SKIP"}
    assert checks["D5", AGENT] == checks["D7", AGENT] == "PASS"
    assert run(Options(remove=True)).exit_code == 0
    assert (project / ".qwen/settings.json").read_text("utf-8") == before
    assert [path.name for path in (project / ".qwen").iterdir()] == ["settings.json"]


def test_programs_outside_the_home_are_refused(
    home: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "data"
    monkeypatch.setenv("CONTEXT_MODE_DATA_DIR", str(outside))
    with pytest.raises(UserError, match="is not below the home"):
        run(Options(agents=(AGENT,), scope="project", project=project))
    assert not (project / ".qwen").exists()
    shutil.rmtree(outside, ignore_errors=True)
