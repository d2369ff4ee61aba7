"""Opening: what the file looks like, and what stands in its place."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests import only

from context_mode_runtime.store import health, migrations, sources
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.errors import (
    StoreError,
    StoreForeignError,
    StoreMissingError,
    StoreNewerError,
)
from context_mode_runtime.store.filesystem import is_network, kind_in
from context_mode_runtime.store.journal import add_row
from context_mode_runtime.store.match import match_block
from context_mode_runtime.store.place import has_foreign_log
from context_mode_runtime.store.search import search

KEY = "project-0123456789abcdef"
WRITER = Path(__file__).with_name("writer.py")


def opened() -> Store:
    return Store.open(KEY, name="project")


def test_a_new_store_is_private_ours_and_in_wal_mode(place: Path) -> None:
    with opened() as store:
        assert store.db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert store.db.execute("PRAGMA synchronous").fetchone() == (1,)
        assert store.db.execute("PRAGMA secure_delete").fetchone() == (1,)
        assert store.db.execute("PRAGMA busy_timeout").fetchone() == (5000,)
        assert store.db.execute("PRAGMA application_id").fetchone() == (migrations.APPLICATION_ID,)
        assert store.db.execute("PRAGMA user_version").fetchone() == (migrations.LATEST,)
        for file in place.parent.iterdir():
            assert file.stat().st_mode & 0o777 == 0o600, file.name
    for folder in (place.parent, place.parent.parent, place.parent.parent.parent):
        assert folder.stat().st_mode & 0o777 == 0o700, folder
    assert sorted(file.name for file in place.parent.iterdir()) == [".lock", "context.db"]


def test_a_missing_store_is_only_made_when_asked(place: Path) -> None:
    with pytest.raises(StoreMissingError, match="nothing is stored"):
        Store.open(KEY, name="project", create=False)
    assert not place.parent.parent.parent.exists()


def test_a_network_file_system_gets_the_rollback_journal(place: Path) -> None:
    with Store.open(KEY, name="project", kind_of=lambda _: "nfs4") as store:
        assert store.db.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert store.db.execute("PRAGMA synchronous").fetchone() == (2,)
        sources.add_source(store, "hello", label="a", kind="text")
    with opened() as again:
        assert again.db.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert sources.source_text(again, "s1") == "hello"


def test_a_wal_store_on_a_network_file_system_is_a_finding(store: Store) -> None:
    assert health.findings(store, kind_of=lambda _: "ext4") == []
    assert "CONTEXT_MODE_DATA_DIR" in health.findings(store, kind_of=lambda _: "cifs")[0]


MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:35 / /home/me/my\\040share rw - nfs4 server:/x rw
41 40 0:36 / /home/me/my\\040share/local rw - tmpfs tmpfs rw
42 22 0:37 / /mnt rw - fuse.sshfs host: rw
"""


@pytest.mark.parametrize(
    ("folder", "kind", "network"),
    [("/srv", "ext4", False), ("/home/me/my share/a", "nfs4", True), ("/home/me/my share/local/a", "tmpfs", False),
     ("/mnt", "fuse.sshfs", True), ("/mntx", "ext4", False)],
)  # fmt: skip
def test_the_file_system_is_that_of_the_longest_mount(folder: str, kind: str, network: bool) -> None:
    assert kind_in(MOUNTS, folder) == kind
    assert is_network(kind) is network


def test_a_newer_file_is_refused_and_stays(place: Path) -> None:
    opened().close()
    with sqlite3.connect(place) as db:
        db.execute(f"PRAGMA user_version = {migrations.LATEST + 1}")
    db.close()
    before = place.read_bytes()
    with pytest.raises(StoreNewerError, match="newer context-mode .* upgrade it"):
        opened()
    assert place.read_bytes() == before


def test_a_log_that_was_moved_into_the_file_and_goes_on_is_the_stores_own(store: Store, tmp_path: Path) -> None:
    sources.add_source(store, "hello", label="a", kind="text")
    store.db.execute("CREATE TABLE later(x)")
    store.db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    for name in ("", "-wal"):
        shutil.copy(store.path + name, f"{tmp_path}/copy.db{name}")
    copy = str(tmp_path / "copy.db")
    assert os.path.getsize(f"{copy}-wal") > 0
    assert not has_foreign_log(copy)
    with Store.open("another", name="another") as other:
        sources.add_source(other, "theirs\n" * 5_000, label="b", kind="text")
        shutil.copy(f"{other.path}-wal", f"{copy}-wal")
    assert has_foreign_log(copy)


def test_a_foreign_database_is_refused_and_never_touched(place: Path) -> None:
    place.parent.mkdir(parents=True)
    with sqlite3.connect(place) as db:
        db.execute("PRAGMA journal_mode = wal")
        db.execute("CREATE TABLE theirs(x)")
    db.close()
    before = place.read_bytes(), place.stat().st_mtime_ns
    with pytest.raises(StoreForeignError, match="another program"):
        opened()
    assert (place.read_bytes(), place.stat().st_mtime_ns) == before
    assert [file.name for file in place.parent.iterdir()] == ["context.db"]


@only.POSIX
def test_a_pipe_in_its_place_is_not_waited_for(place: Path) -> None:
    place.parent.mkdir(parents=True)
    os.mkfifo(place)
    with pytest.raises(StoreError, match="no plain file"):
        opened()


@pytest.mark.parametrize("damage", [b"", b"not a database at all" * 50, None], ids=["empty", "text", "schema"])
def test_a_damaged_file_is_moved_aside_kept_and_reported(place: Path, damage: bytes | None) -> None:
    opened().close()
    whole = place.read_bytes()
    broken = whole[:110] + b"\xff" * 3900 + whole[4010:] if damage is None else damage
    place.write_bytes(broken)
    with opened() as store:
        assert "damaged" in store.notices[0]
        assert sources.add_source(store, "x", label="a", kind="text").sid == "s1"
    aside = [file for file in place.parent.iterdir() if ".damaged-" in file.name]
    assert [file.read_bytes() for file in aside] == [broken]
    with opened() as store:
        assert store.notices == []


def test_no_right_to_write_is_told_with_path_and_reason(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "file").write_text("x")
    monkeypatch.setenv("CONTEXT_MODE_DATA_DIR", str(home / "file" / "data"))
    with pytest.raises(StoreError, match="file: (File exists|Not a directory)"):
        opened()


def test_an_old_schema_is_brought_up_to_date(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened().close()
    step = lambda db: db.execute("CREATE TABLE later(x)")  # noqa: E731
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, step))
    monkeypatch.setattr(migrations, "LATEST", migrations.LATEST + 1)
    with opened() as store:
        assert store.db.execute("SELECT count(*) FROM later").fetchone() == (0,)
        assert store.db.execute("PRAGMA user_version").fetchone() == (migrations.LATEST,)


def test_an_exception_rolls_back(store: Store) -> None:
    with pytest.raises(ZeroDivisionError), store.write() as db:
        db.execute("INSERT INTO meta VALUES('a', 'b')")
        _ = 1 / 0
    assert store.db.execute("SELECT count(*) FROM meta WHERE key = 'a'").fetchone() == (0,)


def damage_index(path: Path, table: str = "chunk_words") -> None:
    db = sqlite3.connect(path)
    with db:
        for number, block in db.execute(f"SELECT id, block FROM {table}_data WHERE id > 10").fetchall():  # noqa: S608
            db.execute(f"UPDATE {table}_data SET block = ? WHERE id = ?", (b"\xff" * len(block), number))  # noqa: S608
    db.close()


def test_a_damaged_index_is_rebuilt_by_the_search_that_meets_it(store: Store, place: Path) -> None:
    for number in range(200):
        sources.add_source(store, f"word{number} zebra text {number}\n" * 20, label=f"l{number}", kind="text")
    damage_index(place)
    assert health.damaged_tables(store) == ["chunk_words"]
    assert store.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert search(store, "zebra", scope="project").hits
    assert health.damaged_tables(store) == []


def test_a_damaged_index_is_rebuilt_by_the_write_or_the_match_that_meets_it(store: Store, place: Path) -> None:
    for number in range(100):
        sources.add_source(store, f"word{number} zebra\n" * 20, label=f"l{number}", kind="text")
        add_row(store, "c", "prompt", f"word{number} zebra")
    damage_index(place)
    damage_index(place, "journal_words")
    assert health.damaged_tables(store) == ["chunk_words", "journal_words"]
    assert "zebra" in match_block(store, "c", "zebra")
    damage_index(place)
    for number in range(100):
        sources.add_source(store, f"more{number} zebra\n" * 20, label=f"m{number}", kind="text")
        add_row(store, "c", "prompt", f"more{number} zebra")
    assert len(search(store, "zebra", scope="project", limit=5).hits) == 5
    assert health.damaged_tables(store) == []


def start(*args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(WRITER), *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_six_processes_index_twenty_sources_each(home: Path) -> None:
    writers = [start(KEY, str(number), "20") for number in range(6)]
    for writer in writers:
        out, err = writer.communicate(timeout=100)
        assert (writer.returncode, err) == (0, ""), out
    with opened() as store:
        assert store.db.execute("SELECT count(*), count(DISTINCT label) FROM sources").fetchone() == (120, 120)
        assert store.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert health.damaged_tables(store) == []


def test_a_writer_that_is_killed_leaves_a_whole_store(place: Path) -> None:
    writer = start(KEY, "killed", "100000")
    assert writer.stdout is not None
    for _ in range(5):
        writer.stdout.readline()
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    with opened() as store:
        assert store.notices == []
        done = store.db.execute("SELECT count(*) FROM sources").fetchone()[0]
        assert done >= 5
        assert store.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert health.damaged_tables(store) == []
        assert search(store, "killed").hits
    assert not [name for name in os.listdir(place.parent) if ".new-" in name or ".damaged-" in name]


def test_many_creators_make_one_store(home: Path) -> None:
    writers = [start(KEY, str(number), "1") for number in range(8)]
    assert [writer.wait(100) for writer in writers] == [0] * 8
    for writer in writers:
        writer.communicate()
    with opened() as store:
        assert store.db.execute("SELECT count(*) FROM sources").fetchone() == (8,)


HOOK = """
import sys
sys.path.insert(0, sys.argv[1])
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.journal import add_row
from context_mode_runtime.store.sources import add_source
with Store.open("p-1", name="p") as store:
    add_row(store, "c", "edit", "src/a.py")
    add_source(store, "plain output line\\n" * 500, label="make", kind="log")
print(*sorted({"re", "json", "sqlite3", "hashlib", "typing", "dataclasses", "datetime", "pathlib"} & set(sys.modules)))
"""


def test_what_a_hook_stores_loads_nothing_heavy(home: Path) -> None:
    runtime = Path(__file__).parents[2] / "runtime"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", HOOK, str(runtime)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""
