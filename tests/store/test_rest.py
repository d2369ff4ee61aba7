"""Texts that are stored at once and put into the index afterwards, by whoever comes first."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from context_mode_runtime.store import health, unindexed
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.purge import purge_project, purge_source
from context_mode_runtime.store.search import search
from context_mode_runtime.store.sources import Indexed, add_source, find_source, source_text

PAGE = "# Tides\n\nThe walrus sleeps by getWalrusName.\n\n" + "".join(
    f"## Part {n}\n\nOf ropes and nets, number {n}.\n\n" for n in range(2_000)
)


def stored(store: Store, text: str = PAGE, origin: str = "/tides.md") -> Indexed:
    return add_source(store, text, label="tides", kind="markdown", origin=origin, later=True)


def finish(store: Store, done: Indexed) -> int:
    """How many steps it took."""
    assert done.rest is not None
    steps = 1
    while done.rest.step(store):
        steps += 1
    return steps


def rows(store: Store) -> list[tuple[object, ...]]:
    """What is looked at in a search: chunks, and the words for the spelling fix."""
    words = store.db.execute("SELECT word FROM vocabulary ORDER BY word").fetchall()
    return [*store.db.execute("SELECT id, heading, text, extra FROM chunks ORDER BY id").fetchall(), *words]


def is_whole(store: Store) -> bool:
    return unindexed.waiting(store) == [] and health.damaged_tables(store) == []


def test_the_text_is_there_at_once_and_found_when_the_rest_is_done(store: Store) -> None:
    done = stored(store)
    assert source_text(store, done.sid) == PAGE
    assert unindexed.waiting(store) == [(done.id, done.chunks, done.chunks)]
    assert not search(store, "walrus").hits
    assert finish(store, done) == done.chunks // unindexed.STEP + 1 > 2
    assert search(store, "walrus name").hits[0].n == 1
    assert search(store, "walruss").fixed == [("walruss", "walrus")]
    assert is_whole(store)


def test_it_ends_as_if_it_had_been_indexed_at_once(store: Store) -> None:
    finish(store, stored(store))
    with Store.open("other-0123456789abcdef", name="other") as other:
        at_once = add_source(other, PAGE, label="tides", kind="markdown", origin="/tides.md")
        assert at_once.rest is None
        assert rows(store) == rows(other)
        for query in ("walrus", "ropes 77", "getWalrusName"):
            hits = [[(hit.n, hit.snippet) for hit in search(one, query).hits] for one in (store, other)]
            assert hits[0] == hits[1] != []


def test_another_process_does_it_where_the_first_one_died(store: Store, place: Path) -> None:
    done = stored(store)
    assert done.rest is not None
    assert done.rest.step(store)
    with Store.open(place.parent.name, name="project") as other:
        catching = unindexed.Catching(done.id)
        while catching.step(other):
            pass
    assert is_whole(store)
    assert finish(store, done) == 1
    assert len(search(store, "walrus").hits) == 1
    assert search(store, "walruss").fixed == [("walruss", "walrus")]
    assert is_whole(store)


def test_a_text_that_took_its_place_meanwhile_is_the_one_that_is_found(store: Store) -> None:
    old = stored(store)
    assert old.rest is not None
    assert old.rest.step(store)
    new = stored(store, PAGE.replace("walrus", "narwhal").replace("Walrus", "Narwhal"))
    assert new.id == old.id
    assert finish(store, old) == 1
    finish(store, new)
    assert not search(store, "walrus").hits
    assert search(store, "narwhals").hits[0].n == 1
    words = {word for (word,) in store.db.execute("SELECT word FROM vocabulary")}
    assert "narwhal" in words
    assert "walrus" not in words
    assert is_whole(store)


@pytest.mark.parametrize("steps", [0, 1, 9])
@pytest.mark.parametrize("whole", [False, True], ids=["source", "project"])
def test_of_a_text_that_is_deleted_nothing_comes_back(store: Store, place: Path, steps: int, *, whole: bool) -> None:
    done = stored(store)
    assert done.rest is not None
    for _ in range(steps):
        done.rest.step(store)
    assert (purge_project(store) if whole else purge_source(store, done.sid)) > 1_000
    assert finish(store, done) == 1
    for table in ("chunks", "unindexed", "vocabulary"):
        assert store.db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)  # noqa: S608 - our own names
    assert not any(b"alrus" in file.read_bytes() for file in place.parent.iterdir())
    assert is_whole(store)


def test_a_word_that_another_text_takes_with_it_meanwhile_is_known_again(store: Store) -> None:
    other = add_source(store, "# Sea\n\nThe numbat swims.\n", label="sea", kind="markdown", origin="/sea.md")
    done = stored(store, f"{PAGE}## The end\n\nThe numbat sleeps.\n")
    assert done.rest is not None
    assert done.rest.step(store)
    purge_source(store, other.sid)
    finish(store, done)
    assert search(store, "numbatt").fixed == [("numbatt", "numbat")]


def test_a_text_that_comes_back_while_it_waits_is_whole(store: Store) -> None:
    first = stored(store)
    assert first.rest is not None
    assert first.rest.step(store)
    between, again = stored(store, "# Nothing\n"), stored(store)
    assert first.id == between.id == again.id
    for done in (first, again):
        finish(store, done)
    assert len(search(store, "walrus").hits) == 1
    assert search(store, "walruss").fixed == [("walruss", "walrus")]
    assert is_whole(store)


def test_of_very_many_words_none_stays_whoever_indexed_them(store: Store) -> None:
    """Who goes on in the middle counts to the bound of words anew."""
    letters = random.Random(5)
    words = ["".join(letters.choices("abcdefghijklmnop", k=9)) for _ in range(60_000)]
    done = stored(store, "".join(f"## P\n\n{' '.join(words[at : at + 40])}\n\n" for at in range(0, len(words), 40)))
    assert done.rest is not None
    assert done.rest.step(store)
    catching = unindexed.Catching(done.id)
    while catching.step(store):
        pass
    assert store.db.execute("SELECT count(*) FROM vocabulary").fetchone()[0] > 40_000
    purge_source(store, done.sid)
    assert store.db.execute("SELECT count(*) FROM vocabulary").fetchone() == (0,)


def test_an_index_that_was_made_anew_has_it_already(store: Store) -> None:
    done = stored(store)
    assert done.rest is not None
    assert done.rest.step(store)
    health.rebuild(store)
    assert finish(store, done) == 1
    assert len(search(store, "walrus").hits) == 1
    assert search(store, "walruss").fixed == [("walruss", "walrus")]
    assert is_whole(store)


def test_the_same_text_again_a_short_one_and_an_empty_one_leave_nothing_to_do(store: Store) -> None:
    finish(store, stored(store))
    again = stored(store)
    assert again.unchanged
    short, empty = stored(store, "# Short\n\nThe numbat.\n", "/short.md"), stored(store, "", "/empty.md")
    assert (again.rest, short.rest, empty.rest) == (None, None, None)
    assert search(store, "numbat").hits
    assert find_source(store, empty.sid).chunks == 0
    assert is_whole(store)
