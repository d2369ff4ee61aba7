"""A spec of the user's own that has faults: it is named everywhere, and stops nothing but its own agent."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from context_mode_installer.commands.setup import Options, run
from context_mode_installer.doctor.machine import data_folder
from context_mode_installer.groups import Group, groups
from context_mode_installer.result import UserError
from context_mode_runtime.agents import load_agent

EXTRA = Path(__file__).parents[1] / "specs" / "extra"
MEND = "context-mode agents validate ~/.context-mode/agents/heron.yaml"


@pytest.fixture
def heron(home: Path) -> Path:
    """The spec of an agent of the user's own, which is set up beside another one; then a key of it is misspelt."""
    folder = home / ".context-mode" / "agents"
    folder.mkdir(parents=True, mode=0o700)
    folder.parent.chmod(0o700)
    for name in ("heron.yaml", "heron.replies.json"):
        shutil.copy(EXTRA / name, folder)
    (home / ".codex").mkdir()
    assert run(Options(agents=("heron", "codex"))).exit_code == 0
    spec = folder / "heron.yaml"
    spec.write_text(spec.read_text(encoding="utf-8").replace("\nname:", "\nnane:", 1), encoding="utf-8")
    return spec


def test_the_others_are_set_up_and_taken_out(heron: Path, home: Path) -> None:
    left_out = f"~/.context-mode/agents/heron.yaml has faults and was left out: {MEND}"
    done = run(Options())
    assert (done.exit_code, [one["id"] for one in done.data["agents"]]) == (0, ["codex"])
    assert left_out in done.messages
    assert groups() == {Group("user", None, approved=True): ["codex"]}
    done = run(Options(remove=True))
    assert (done.exit_code, [one["id"] for one in done.data["agents"]]) == (0, ["codex"])
    assert left_out in done.messages
    assert not (home / ".codex" / "config.toml").exists()


def test_who_names_it_is_told_what_is_wrong_and_where(heron: Path) -> None:
    for options in (Options(agents=("heron",)), Options(agents=("heron", "codex"), remove=True)):
        with pytest.raises(UserError, match=r"agents/heron\.yaml:\d+:\d+ .*nane") as told:
            run(options)
        assert MEND in str(told.value)


def test_its_hooks_go_on_with_the_table_that_was_written(heron: Path) -> None:
    run(Options())
    assert load_agent("heron")["id"] == "heron"


def test_doctor_names_it(heron: Path) -> None:
    outcome = data_folder()
    assert (outcome.status, outcome.fix) == ("FAIL", MEND)
    assert outcome.detail == "~/.context-mode/agents/heron.yaml has faults, so its agent is left out"
    heron.unlink()
    assert data_folder().status == "PASS"


def test_data_that_it_still_needs_is_not_deleted(heron: Path) -> None:
    with pytest.raises(UserError, match="still runs heron; a spec has faults: context-mode agents validate"):
        run(Options(remove=True, data=True))
    run(Options(agents=("codex",), remove=True))
    assert "Nothing of ours is there." not in run(Options(remove=True)).messages


def test_what_is_no_spec_in_its_folder_stops_nothing(heron: Path) -> None:
    """An editor's lock beside a file (a link to nowhere), a folder, a link to nowhere, a table that can't be read."""
    folder = heron.parent
    (folder / ".#heron.yaml").symlink_to("me@host.1")
    (folder / "._heron.yaml").write_bytes(b"\0\5\x16\7")
    (folder / "gone.yaml").symlink_to("nowhere.yaml")
    (folder / "folder.yaml").mkdir()
    done = run(Options(agents=("codex",)))
    assert done.exit_code == 0
    done = run(Options(remove=True))
    assert (done.exit_code, [one["id"] for one in done.data["agents"]]) == (0, ["codex"])
    told = [line for line in done.messages if "has faults and was left out" in line]
    assert [Path(line.split(" ", 1)[0]).name for line in told] == ["folder.yaml", "gone.yaml", "heron.yaml"]
    assert data_folder().status == "FAIL"
