"""A host that keeps a file in several folders (profiles, a preview beside the stable release) is set up in each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from context_mode_installer.commands import doctor
from context_mode_installer.commands.setup import Options, run
from context_mode_installer.result import Result

MINE = '{\n  // mine\n  "servers": {"other": {"command": "x",},},\n}\n'
ALL = ("Code/User", "Code/User/profiles/-6f2 [a]", "Code - Insiders/User", "Code - Insiders/User/profiles/1")


def set_up(**options: Any) -> Result:
    return run(Options(agents=("vscode",), **options))


def folders(home: Path, *names: str) -> list[Path]:
    made = [home / ".config" / name for name in names]
    for folder in made:
        folder.mkdir(parents=True)
    return made


def servers(folder: Path) -> list[str]:
    """The servers in a folder's file, ours and others; its comment is a line of its own."""
    text = "".join(line for line in (folder / "mcp.json").read_text("utf-8").splitlines() if "//" not in line)
    return list(json.loads(text.replace(",}", "}"))["servers"])


def checked(*only: str) -> list[tuple[str, str]]:
    found = doctor.run(doctor.Options(agents=("vscode",), only=only, offline=True))
    return [(row["status"], row["detail"]) for row in found.data["checks"]]


def test_each_folder_has_the_entry_and_gives_it_back(home: Path) -> None:
    made = folders(home, *ALL)
    for folder in made[1:]:
        (folder / "mcp.json").write_text(MINE, "utf-8")
    assert set_up().exit_code == 0
    assert [servers(folder) for folder in made] == [["context-mode"], *([["other", "context-mode"]] * 3)]
    assert not set_up().data["changes"]

    assert run(Options(remove=True)).exit_code == 0
    assert not (made[0] / "mcp.json").exists()
    assert [(folder / "mcp.json").read_text("utf-8") for folder in made[1:]] == [MINE] * 3


SERVER = "../.local/share/code-server/User"


@pytest.mark.parametrize(("there", "used"), [((), ALL[0]), (ALL[2:3], ALL[2]), ((SERVER,), SERVER)])
def test_the_first_is_made_where_there_is_none(home: Path, there: tuple[str, ...], used: str) -> None:
    folders(home, *there)
    set_up()
    assert [file.parent for file in home.rglob("mcp.json")] == [(home / ".config" / used).resolve()]


def test_a_folder_that_comes_later_is_told_and_taken_in(home: Path) -> None:
    folders(home, ALL[0])
    set_up()
    [later] = folders(home, ALL[1])
    [(status, detail)] = checked("D3")
    assert (status, "is missing" in detail) == ("FAIL", True)
    set_up()
    assert servers(later) == ["context-mode"]
    assert [status for status, _ in checked("D3")] == ["PASS"]


@pytest.mark.parametrize("name", ALL)
def test_a_switch_in_any_of_them_is_told(home: Path, name: str) -> None:
    made = folders(home, *ALL)
    set_up()
    assert [status for status, _ in checked("D12")] == ["PASS"]
    switched = made[ALL.index(name)] / "settings.json"
    switched.write_text('{"chat.useHooks": false, /* no */}', "utf-8")
    [(status, detail)] = checked("D12")
    assert status == "FAIL"
    assert name in detail


def test_r06_the_users_file_names_no_workspace(home: Path) -> None:
    """The server is told its folder by roots: what stands for the workspace has no single meaning in a user's file."""
    [folder] = folders(home, ALL[0])
    set_up()
    entry = json.loads((folder / "mcp.json").read_text("utf-8"))["servers"]["context-mode"]
    assert set(entry) == {"type", "command", "args"}
    assert "${" not in json.dumps(entry)
