"""A store opened for reading alone: it finds what any other finds, and changes nothing."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from tests.dashboard import made

from context_mode_runtime.paths import project_dir
from context_mode_runtime.store import health, reading
from context_mode_runtime.store.errors import (
    StoreDamagedError,
    StoreError,
    StoreForeignError,
    StoreMissingError,
    StoreNewerError,
)
from context_mode_runtime.store.search import search


@pytest.fixture
def file(project: Path) -> Path:
    made.add_texts(project)
    return Path(project_dir(made.key_of(project))) / "context.db"


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def test_it_finds_what_any_other_store_finds_and_writes_nothing(file: Path, project: Path) -> None:
    with made.open_store(project) as store:
        wanted = [(hit.label, hit.n, hit.snippet) for hit in search(store, "why was the payment refused").hits]
    before = digest(file)
    with reading.open_reading(str(file)) as store:
        assert [(hit.label, hit.n, hit.snippet) for hit in search(store, "why was the payment refused").hits] == wanted
        assert search(store, "zebrafish").nothing
        assert health.damaged_pages(store) == ""
        assert store.name == "project"
        with pytest.raises(StoreError, match="for reading only"):
            store.write()
    assert wanted
    assert digest(file) == before


def test_a_writer_is_not_kept_waiting_and_what_it_wrote_is_seen(file: Path, project: Path) -> None:
    with reading.open_reading(str(file)) as ours, ours.read() as view, made.open_store(project) as theirs:
        view.execute("SELECT count(*) FROM sources").fetchone()
        with theirs.write() as db:
            db.execute("UPDATE sources SET label = 'renamed' WHERE id = 1")
        assert view.execute("SELECT label FROM sources WHERE id = 1").fetchone()[0] == "pytest -q"
    with reading.open_reading(str(file)) as ours:
        assert ours.db.execute("SELECT label FROM sources WHERE id = 1").fetchone()[0] == "renamed"


@pytest.mark.parametrize(
    ("change", "error"),
    [("PRAGMA user_version = 99", StoreNewerError), ("PRAGMA application_id = 7", StoreForeignError)],
)
def test_what_is_not_ours_to_read_is_refused_and_stays(
    change: str, error: type[StoreError], file: Path, project: Path
) -> None:
    with made.open_store(project) as store:
        store.db.execute(change)
    before = digest(file)
    with pytest.raises(error):
        reading.open_reading(str(file))
    assert digest(file) == before


def test_a_damaged_file_stays_where_it_is(file: Path) -> None:
    file.write_bytes(b"no database " * 100)
    with pytest.raises(StoreDamagedError):
        reading.open_reading(str(file))
    assert [path.name for path in file.parent.glob("*damaged*")] == []


def test_a_missing_one_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreMissingError):
        reading.open_reading(str(tmp_path / "context.db"))
    assert list(tmp_path.iterdir()) == []
