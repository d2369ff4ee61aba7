"""All agents in one run: one transaction, no failure of doctor, every byte back; one that can't be done stops all."""

from __future__ import annotations

import os
import select
import shutil
import signal
from pathlib import Path

import pytest
from tests.installer.homefiles import HOMES, Tree, tree

from context_mode_installer.commands import doctor
from context_mode_installer.commands.setup import Options, run
from context_mode_installer.places import find_places
from context_mode_installer.plan.skills import FILE
from context_mode_installer.result import UserError
from context_mode_installer.skilltexts import SKILLS
from context_mode_installer.specs.catalog import usable_specs
from context_mode_installer.transaction import recover

SPECS = usable_specs()
ALL = tuple(spec.id for spec in SPECS)
LOOKS = ("neighbours", *(agent for agent in ALL if (HOMES / agent).is_dir()))
"""Homes with real-looking configs; two of them together hold those of two agents."""
UNREADABLE = {".json": "{", ".jsonc": "{", ".toml": "[x"}


@pytest.fixture
def full(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that all of them use, on a machine without any of their programs."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    for name in LOOKS:
        for source in sorted((HOMES / name).rglob("*")):
            target = home / ("." + str(source.relative_to(HOMES / name)))
            if source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
    return home


def test_setup_twice_doctor_remove(full: Path) -> None:
    before = tree(full)
    done = run(Options(agents=ALL))
    assert done.exit_code == 0
    assert {one["id"] for one in done.data["agents"]} == set(ALL)
    assert {tuple(one["checked"]) for one in done.data["agents"]} == {("hook answers", "server answers")}
    once = tree(full)
    assert run(Options(agents=ALL)).messages[-1] == "All is set up already; nothing was changed."
    assert tree(full) == once
    assert [one["agents"] for one in run(Options(history=True)).data["history"]] == [list(ALL)]
    looked = doctor.run(doctor.Options(agents=ALL, offline=True))
    assert [row for row in looked.data["checks"] if row["status"] == "FAIL"] == []
    rows = [row["agent"] for row in looked.data["checks"]]
    assert {agent: rows.count(agent) for agent in rows} == dict.fromkeys(ALL, 13)
    assert run(Options(remove=True)).exit_code == 0
    assert tree(full) == before


def test_undo_gives_every_byte_back(full: Path) -> None:
    before = tree(full)
    run(Options(agents=ALL))
    assert run(Options(undo="newest")).exit_code == 0
    assert tree(full) == before


def test_one_after_the_other_goes(full: Path) -> None:
    """A file that several read stays as long as one of them is set up."""
    before = tree(full)
    run(Options(agents=ALL))
    for agent in ALL:
        assert run(Options(agents=(agent,), remove=True)).exit_code == 0
        rest = ALL[ALL.index(agent) + 1 :]
        if rest:
            looked = doctor.run(doctor.Options(agents=rest, only=("D3", "D4", "D10"), offline=True))
            assert [row for row in looked.data["checks"] if row["status"] == "FAIL"] == []
    assert tree(full) == before


@pytest.mark.parametrize("agent", ALL)
def test_a_config_that_does_not_parse_stops_all(full: Path, agent: str) -> None:
    """F03: nothing is changed in any file of any agent."""
    planned = [Path(one["path"]) for one in run(Options(agents=(agent,), dry_run=True)).data["files"]]
    config = next(path for path in planned if path.suffix in UNREADABLE and path.is_file())
    config.write_text(UNREADABLE[config.suffix])
    before = tree(full)
    with pytest.raises(UserError, match=r"Nothing was changed\."):
        run(Options(agents=ALL))
    assert tree(full) == before


def test_a_file_that_can_not_be_written_stops_all(full: Path) -> None:
    (full / ".zcode/cli/config.json").unlink()
    (full / ".zcode/cli/config.json").symlink_to("/nowhere/at/all")
    before = tree(full)
    with pytest.raises(UserError, match="is a link to /nowhere/at/all"):
        run(Options(agents=ALL))
    assert tree(full) == before


def test_killed_at_any_time_leaves_old_or_new(full: Path) -> None:
    old = tree(full)
    run(Options(agents=ALL))
    new = tree(full)
    run(Options(remove=True))
    found: list[Tree] = []
    for number in range(4):
        child = os.fork()
        if child == 0:
            os.setsid()
            run(Options(agents=ALL))
            os._exit(0)
        select.select([], [], [], 0.4 + number * 0.5)
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        recover()
        found.append(tree(full))
        run(Options(remove=True))
        assert tree(full) == old
    assert all(one in (old, new) for one in found)


def test_skills_of_all_stand_side_by_side(full: Path) -> None:
    """No host's text takes the place of another's."""
    run(Options(agents=ALL))
    for spec in SPECS:
        for folder in (one for one in spec.texts.skills if one.scope == "user"):
            where = Path(find_places(spec, os.environ).path(folder.folder))
            for name, skill in SKILLS.items():
                text = (where / name / FILE).read_text()
                tool = skill.tool if folder.shared_with else spec.server.tool_name.replace("{tool}", skill.tool)
                assert f"`{tool}`" in text.replace("\n", " ")
