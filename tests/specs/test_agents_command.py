"""`context-mode agents`: what people and scripts read."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from syrupy.assertion import SnapshotAssertion

from context_mode_installer.commands.agents import list_agents, show_agent, validate
from context_mode_installer.result import UserError

EXTRA = Path(__file__).parent / "extra"
Cli = Callable[..., CompletedProcess[str]]


def user_spec(home: Path, name: str) -> Path:
    """Puts a made-up agent among the user's own specs."""
    folder = home / ".context-mode" / "agents"
    shutil.copytree(EXTRA / "bridges", folder / "bridges", dirs_exist_ok=True)
    for file in EXTRA.glob(f"{name}.*"):
        shutil.copy(file, folder)
    return folder / f"{name}.yaml"


def program(folder: Path, name: str, says: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\necho '{says}'\n")
    (folder / name).chmod(0o755)


def test_nothing_is_found_in_an_empty_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    result = list_agents()
    assert (result.status, result.exit_code) == ("ok", 0)
    assert [record["found"] for record in result.data["agents"]] == [False] * len(result.data["agents"])
    head, *rows, last = result.messages
    assert head.split() == ["Agent", "Name", "Version", "Set", "up", "Found"]
    assert all(row.endswith("-        no      no") for row in rows)
    assert last == "All that is known about one: context-mode agents ID"
    assert list(home.iterdir()) == []


def test_a_program_and_its_version_are_found(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user_spec(home, "otter")
    program(tmp_path / "bin", "otter", "1.2.3")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    records = {record["id"]: record for record in list_agents().data["agents"]}
    assert records["otter"]["found"]
    assert (records["otter"]["version"], records["otter"]["set_up"]) == ("1.2.3", False)


def test_another_program_of_that_name_is_not_taken(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user_spec(home, "otter")
    program(tmp_path / "bin", "otter", "Otter Notes 3.0.0")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    records = {record["id"]: record for record in list_agents().data["agents"]}
    assert not records["otter"]["found"]


COPILOT = {
    "Copilot binary version: 1.0.102": (True, "1.0.102"),
    "error: unknown option '--binary-version'": (True, None),
    "Error: unknown flag: --binary-version": (False, None),
}
"""What programs called `copilot` say: its newer and older versions, and one that puts containers into a cloud."""


@pytest.mark.parametrize("says", COPILOT)
def test_one_of_two_programs_with_one_name(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str
) -> None:
    program(tmp_path / "bin", "copilot", says.replace("'", ""))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    [record] = [record for record in list_agents().data["agents"] if record["id"] == "copilot-cli"]
    assert (record["found"], record["version"]) == COPILOT[says]


def test_a_folder_that_others_make_is_no_sign_of_the_host(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    (home / ".copilot/hooks").mkdir(parents=True)

    def found() -> bool:
        return any(record["found"] for record in list_agents().data["agents"] if record["id"] == "copilot-cli")

    assert not found()
    (home / ".copilot/config.json").write_text("{}")
    assert found()


def test_a_user_spec_has_the_same_rights(home: Path) -> None:
    user_spec(home, "heron")
    assert "heron" in {record["id"] for record in list_agents().data["agents"]}
    shown = show_agent("heron")
    assert shown.data["folders"]["config"] == str(home / ".config" / "heron")
    assert shown.data["spec"]["files"][0]["paths"][0] == str(home / ".config" / "heron" / "heron.json")


def test_a_user_spec_with_faults_is_named(home: Path) -> None:
    file = user_spec(home, "heron")
    file.write_text(file.read_text().replace("stop is all there is", ""))
    result = list_agents()
    assert (result.status, result.exit_code) == ("findings", 1)
    assert result.data["faulty"] == [{"id": "heron", "file": str(file)}]
    with pytest.raises(UserError, match="agents validate"):
        show_agent("heron")


def test_an_unknown_agent_names_the_nearest(home: Path) -> None:
    user_spec(home, "heron")
    with pytest.raises(UserError, match=r"unknown agent 'herron': did you mean heron\?"):
        show_agent("herron")


def test_all_that_a_spec_says(home: Path, snapshot: SnapshotAssertion) -> None:
    user_spec(home, "otter")
    text = "\n".join(show_agent("otter").messages)
    assert text.replace(str(home), "HOME") == snapshot


def test_validate_says_what_is_right_and_what_is_not(home: Path, snapshot: SnapshotAssertion) -> None:
    good, bad = user_spec(home, "otter"), user_spec(home, "heron")
    bad.write_text(bad.read_text().replace("deny_code: 2", "deny_cod: 2"))
    result = validate([good, bad, home / "none.yaml"])
    assert (result.status, result.exit_code, result.data["findings"]) == ("findings", 1, 2)
    assert "\n".join(result.messages).replace(str(home), "HOME") == snapshot
    assert validate([good]).exit_code == 0


def test_validate_without_a_file_is_wrong_usage() -> None:
    with pytest.raises(UserError) as raised:
        validate([])
    assert raised.value.exit_code == 2


def test_the_command_itself(home: Path, run_cli: Cli) -> None:
    good = user_spec(home, "otter")
    run = run_cli("agents", "validate", str(good), "--json")
    assert run.returncode == 0
    envelope = json.loads(run.stdout)
    assert (envelope["command"], envelope["status"], envelope["data"]["files"][0]["valid"]) == (
        "agents validate",
        "ok",
        True,
    )
    good.write_text("spec: 2")
    run = run_cli("agents", "validate", str(good))
    assert run.returncode == 1
    assert f"{good}:1:7 spec is 2; it must be 1" in run.stdout
    assert run_cli("agents", "nobody").returncode == 2
