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

HOSTS = pytest.mark.parametrize(
    ("agent", "folder", "event"), [("qwen-code", ".qwen", "PreToolUse"), ("gemini-cli", ".gemini", "BeforeTool")]
)


def set_up(agent: str, project: Path) -> None:
    assert run(Options(agents=(agent,), scope="project", project=project)).exit_code == 0


@HOSTS
def test_a_shared_file_holds_no_path_of_this_machine(
    agent: str, folder: str, event: str, home: Path, project: Path
) -> None:
    set_up(agent, project)
    text = (project / folder / "settings.json").read_text("utf-8")
    assert str(home) not in text
    assert str(project) not in text
    said: dict[str, Any] = json.loads(text)
    entry = said["mcpServers"]["context-mode"]
    assert entry["command"] == f"$HOME/.context-mode/bin/{launchers.names()[launchers.SERVE]}"
    [group] = said["hooks"][event]
    command = f'"$HOME"/.context-mode/bin/{launchers.names()[launchers.HOOK]} {agent} {event}'
    assert [one["command"] for one in group["hooks"]] == [command]


@HOSTS
def test_it_is_set_up_once_judged_by_effect_and_taken_out_whole(
    agent: str, folder: str, event: str, home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    settings = project / folder / "settings.json"
    settings.parent.mkdir()
    mine = json.dumps({event: [{"hooks": [{"type": "command", "command": "say done"}]}]})
    before = f'{{\n  // ours\n  "hooks": {mine}\n}}\n'
    settings.write_text(before, encoding="utf-8")
    set_up(agent, project)
    once = settings.read_bytes()
    set_up(agent, project)
    assert settings.read_bytes() == once
    assert list(home.glob(f"{folder}/settings.json")) == []
    found = doctor.run(doctor.Options(agents=(agent,), offline=True))
    checks = {(one["id"], one["agent"]): one["status"] for one in found.data["checks"]}
    assert {status for (_, whose), status in checks.items() if whose == agent} <= {"PASS", "WARN", "SKIP"}
    assert checks["D5", agent] == checks["D7", agent] == "PASS"
    assert run(Options(remove=True)).exit_code == 0
    assert settings.read_text("utf-8") == before
    assert [path.name for path in settings.parent.iterdir()] == ["settings.json"]


def test_programs_outside_the_home_are_refused(
    home: Path, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "data"
    monkeypatch.setenv("CONTEXT_MODE_DATA_DIR", str(outside))
    with pytest.raises(UserError, match="is not below the home"):
        run(Options(agents=("qwen-code",), scope="project", project=project))
    assert not (project / ".qwen").exists()
    shutil.rmtree(outside, ignore_errors=True)


@HOSTS
def test_from_elsewhere_its_projects_are_looked_at(
    agent: str, folder: str, event: str, home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Upgrade looks from the home: what is well in its project is well."""
    set_up(agent, project)
    monkeypatch.chdir(home)
    found = doctor.run(doctor.Options(agents=(agent,), only=("D3", "D4", "D5", "D7", "D10"), offline=True))
    assert [row["status"] for row in found.data["checks"]] == ["PASS"] * 5, event
    (project / folder / "settings.json").unlink()
    [row] = doctor.run(doctor.Options(agents=(agent,), only=("D3",), offline=True)).data["checks"]
    assert (row["status"], row["fix"]) == (
        "FAIL",
        f"context-mode setup --agents {agent} --scope project --project {project}",
    )
    doctor.run(doctor.Options(agents=(agent,), only=("D3",), offline=True, fix=True))
    assert (project / folder / "settings.json").is_file()
