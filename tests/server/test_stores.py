"""Open stores that wait for the next call: one that is no longer the file at its path is never handed out."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from context_mode_runtime.server import stores
from context_mode_runtime.store import place
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.errors import StoreMissingError, StoreNewerError
from context_mode_runtime.store.sources import add_source, list_sources

KEY = "project-0123456789abcdef"


def take(*, create: bool = False) -> Store:
    return stores.take(KEY, "project", create=create)


@pytest.fixture
def waiting(home: Path) -> Iterator[Store]:
    """A store that was given back."""
    store = take(create=True)
    add_source(store, "what was kept", label="first", kind="text")
    store.notices.append("told once")
    stores.give_back(KEY, store)
    yield store
    store.close()


def test_the_next_call_gets_the_same_store_without_its_notices(waiting: Store) -> None:
    again = take()
    assert again is waiting
    assert again.notices == []
    assert [source.label for source in list_sources(again)] == ["first"]


def test_calls_side_by_side_get_stores_of_their_own(waiting: Store) -> None:
    one, two = take(), take()
    assert one is waiting
    assert two is not one
    two.close()


def moved_away(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))


def replaced(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    with Store.open(KEY, name="project"):
        pass


def suspected(path: Path) -> None:
    place.suspect(str(path))


@pytest.mark.parametrize("change", [replaced, suspected])
def test_a_store_of_another_file_is_opened_anew(waiting: Store, change: Callable[[Path], None]) -> None:
    change(Path(waiting.path))
    with take() as store:
        assert store is not waiting
        assert not place.is_suspect(store.path)


def test_a_file_that_is_gone_is_missing(waiting: Store) -> None:
    moved_away(Path(waiting.path))
    with pytest.raises(StoreMissingError):
        take()


def test_a_file_that_a_newer_program_took_over_is_left_alone(waiting: Store) -> None:
    with sqlite3.connect(waiting.path) as db:
        db.execute("PRAGMA user_version = 999")
    with pytest.raises(StoreNewerError):
        take()


def test_a_store_that_met_damage_is_not_kept(waiting: Store) -> None:
    store = take()
    suspected(Path(store.path))
    stores.give_back(KEY, store)
    with take() as fresh:
        assert fresh is not store
