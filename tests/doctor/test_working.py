"""D8 store, D9 policy, D11 shells: what is wrong is named with what to do; what is well says sizes, rules, programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from context_mode_installer.commands import doctor
from context_mode_runtime import paths
from context_mode_runtime.execute.isolation import mechanism
from context_mode_runtime.project import find_project
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.sources import add_source, source_text
from context_mode_runtime.store.vocabulary import mark_filled

AGENT = "claude-code"


def look(check: str, **more: Any) -> dict[str, Any]:
    result = doctor.run(doctor.Options(agents=(AGENT,), only=(check,), offline=True, **more))
    rows: list[dict[str, Any]] = result.data["checks"]
    (row,) = rows
    assert result.exit_code == (1 if row["status"] == "FAIL" else 0)
    return row


@pytest.fixture
def here(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(project)
    return project


@pytest.fixture
def database(here: Path) -> Path:
    """The project's database with one source in it."""
    found = find_project(str(here))
    assert found is not None
    with Store.open(found.key(), name=found.name) as store:
        add_source(store, "the quick brown fox\n" * 50, label="fox", kind="text")
        with store.write() as db:
            mark_filled(db)
    return Path(paths.project_dir(found.key()), "context.db")


def other(name: str, data: bytes) -> Path:
    folder = Path(paths.project_dir(name))
    folder.mkdir(parents=True)
    (folder / "context.db").write_bytes(data)
    return folder


def test_an_empty_place_passes(here: Path) -> None:
    row = look("D8")
    assert (row["status"], "nothing stored for this folder; 0 projects" in row["detail"]) == ("PASS", True)


def test_sizes_are_told_for_this_project_and_for_all(database: Path) -> None:
    row = look("D8")
    assert row["status"] == "PASS", row
    assert "this project " in row["detail"]
    assert "1 projects, " in row["detail"]


def fts_damaged(database: Path) -> None:
    _with(database, "UPDATE chunk_words_data SET block = zeroblob(20) WHERE id > 10")


def _with(database: Path, statement: str) -> None:
    found = find_project(".")
    assert found is not None
    with Store.open(found.key(), name=found.name) as store, store.write() as db:
        db.execute(statement)


def no_database(database: Path) -> None:
    database.write_bytes(b"this is text" * 1000)


def pages_damaged(database: Path) -> None:
    data = bytearray(database.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    database.write_bytes(data)


def foreign(database: Path) -> None:
    _with(database, "PRAGMA application_id = 7")


def newer(database: Path) -> None:
    _with(database, "PRAGMA user_version = 99")


BROKEN: list[tuple[Callable[[Path], None], str, str]] = [
    (fts_damaged, "full-text table chunk_words is damaged", "context-mode doctor --fix"),
    (no_database, "not a database", "context-mode doctor --fix"),
    (pages_damaged, "its pages are damaged", "context-mode doctor --fix"),
    (foreign, "another program", "mv "),
    (newer, "written by a newer context-mode", "context-mode upgrade"),
]


@pytest.mark.parametrize(("breaks", "words", "fix"), BROKEN, ids=[row[0].__name__ for row in BROKEN])
def test_f50_a_store_that_does_not_work_fails_with_the_way_out(
    breaks: Callable[[Path], None], words: str, fix: str, database: Path
) -> None:
    breaks(database)
    before = database.read_bytes()
    row = look("D8")
    assert (row["status"], words in row["detail"], row["fix"].startswith(fix)) == ("FAIL", True, True), row
    assert database.read_bytes() == before
    assert [path.name for path in database.parent.glob("*.damaged-*")] == []


def test_fix_rebuilds_the_full_text_tables(database: Path) -> None:
    fts_damaged(database)
    assert look("D8", fix=True)["status"] == "PASS"
    found = find_project(".")
    assert found is not None
    with Store.open(found.key(), name=found.name) as store:
        assert source_text(store, "s1").startswith("the quick brown fox")


@pytest.mark.parametrize("breaks", [no_database, pages_damaged])
def test_fix_moves_a_damaged_file_aside_and_keeps_it(breaks: Callable[[Path], None], database: Path) -> None:
    breaks(database)
    row = look("D8", fix=True)
    (kept,) = [path for path in database.parent.glob("*.damaged-*") if not path.name.endswith(("-wal", "-shm"))]
    assert (row["status"], kept.name in row["detail"], "or delete it" in row["detail"]) == ("WARN", True, True), row


def test_other_projects_damaged_files_are_named(database: Path) -> None:
    folder = other("elsewhere-1", b"nonsense" * 100)
    (folder / "context.db.damaged-20260101T000000-1").write_bytes(b"old")
    row = look("D8")
    assert row["status"] == "WARN"
    assert "projects/elsewhere-1/context.db is damaged (not a database)" in row["detail"]
    assert "(and 1 more)" in row["detail"]


def policy(folder: Path, **keys: Any) -> None:
    (folder / ".context-mode").mkdir(exist_ok=True, mode=0o700)
    (folder / ".context-mode/policy.json").write_text(json.dumps({"version": 1, **keys}))


def test_f26_an_unread_rule_is_named_and_the_rest_holds(home: Path, here: Path) -> None:
    policy(home, deny=["Read(~/vault/**", "Bash(rm *)"], routes={"build": "off"})
    row = look("D9")
    assert row["status"] == "WARN"
    assert "unread rule: 'Read(~/vault/**'" in row["detail"]
    assert "1 deny and ask rules of ours" in row["detail"]
    assert "off: route build" in row["detail"]
    assert row["fix"] == "context-mode policy check"


def test_f71_what_a_project_switched_off_is_shown(here: Path) -> None:
    policy(here, capture="off", inject="off")
    row = look("D9")
    assert (row["status"], "off: inject, capture" in row["detail"]) == ("PASS", True)


@pytest.mark.parametrize("text", ["{", '{"version": 1, "deny": 7}', '{"version": 1, "sandbox": "most"}'])
def test_a_closed_gate_fails(text: str, here: Path) -> None:
    policy(here)
    (here / ".context-mode/policy.json").write_text(text)
    row = look("D9")
    assert (row["status"], "the gate is closed, nothing runs" in row["detail"]) == ("FAIL", True), row


def test_the_hosts_own_lists_are_counted_and_what_cannot_be_read_is_named(home: Path, here: Path) -> None:
    (home / ".claude").mkdir()
    settings = home / ".claude/settings.json"
    settings.write_text(
        json.dumps({"permissions": {"deny": ["Bash(rm *)"], "ask": ["Read(./x)"], "allow": ["Bash(ls)"]}})
    )
    row = look("D9")
    assert (row["status"], "2 of the host's; not read: " in row["detail"]) == ("PASS", True), row
    settings.write_text(json.dumps({"permissions": {"deny": ["Bash(rm *"]}}))
    row = look("D9")
    assert (row["status"], "~/.claude/settings.json: deny: unread rule" in row["detail"]) == ("WARN", True), row


def test_shells_and_languages_by_name_and_path(here: Path, tmp_path: Path) -> None:
    row = look("D11")
    assert row["status"] == "PASS"
    assert row["detail"].startswith("sandbox off; shell is /")
    assert "python /" in row["detail"]


def test_the_sandbox_in_force_or_why_there_is_none(here: Path) -> None:
    policy(here, sandbox="strict")
    row = look("D11")
    works, said = mechanism.told("strict")
    assert (row["status"], row["detail"].startswith(said)) == ("PASS" if works else "WARN", True), row


def test_a_sandbox_that_is_wanted_but_not_there_is_a_warning(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy(here, sandbox="strict")
    monkeypatch.setitem(mechanism._known, "found", mechanism.Mechanism("", why="no way to do it"))
    row = look("D11")
    assert row["status"] == "WARN"
    assert row["detail"].startswith("nothing runs: policy sandbox strict can't be had here: no way to do it")
