"""A host that fills in the home by a word of its own, in files of which a shell reads one: each has its own form."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from context_mode_installer.commands import doctor
from context_mode_installer.commands.setup import Options, run

MINE = '{\n  // the team\'s\n  "servers": {"other": {"command": "x"}},\n}\n'
HOOKS = ".vscode/hooks/context-mode.json"


def set_up(project: Path) -> list[str]:
    done = run(Options(agents=("vscode",), scope="project", project=project))
    assert done.exit_code == 0
    return list(done.messages)


def test_the_host_reads_its_own_word_and_the_shell_its_variable(home: Path, project: Path) -> None:
    set_up(project)
    entry = json.loads((project / ".vscode/mcp.json").read_text("utf-8"))["servers"]["context-mode"]
    assert entry["command"] == "${userHome}/.context-mode/bin/context-mode-serve"
    for event, listed in json.loads((project / HOOKS).read_text("utf-8"))["hooks"].items():
        for handler in listed:
            assert handler["bash"] == f'"$HOME"/.context-mode/bin/context-mode-hook vscode {event} || true'
            assert handler["powershell"] == f'& "$HOME"/.context-mode/bin/context-mode-hook vscode {event}; exit 0'
    assert not [file for file in project.rglob("*.json") if str(home) in file.read_text("utf-8")]


def test_for_somebody_without_us_a_hook_is_a_pass(home: Path, project: Path) -> None:
    set_up(project)
    for listed in json.loads((project / HOOKS).read_text("utf-8"))["hooks"].values():
        for handler in listed:
            done = subprocess.run(
                ["/bin/sh", "-c", handler["bash"]],
                env={"HOME": str(home / "nobody")},
                input=b"{}",
                capture_output=True,
                check=True,
            )
            assert done.stdout == b""


def test_a_second_run_changes_nothing_and_removal_gives_every_byte_back(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    (project / ".vscode").mkdir()
    (project / ".vscode/mcp.json").write_text(MINE, "utf-8")
    set_up(project)
    assert set_up(project)[-1] == "All is set up already; nothing was changed."
    found = doctor.run(doctor.Options(agents=("vscode",), offline=True))
    assert not [row for row in found.data["checks"] if row["status"] == "FAIL"]
    run(Options(remove=True))
    files = [file for file in project.rglob("*") if file.is_file() and ".git" not in file.relative_to(project).parts]
    assert [file.relative_to(project).as_posix() for file in files] == [".vscode/mcp.json"]
    assert files[0].read_text("utf-8") == MINE
