"""What is indexed behind the reply: found at once, by anybody, and also where the server dies at that moment."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from context_mode_runtime.server import catching
from context_mode_runtime.store import health, unindexed
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.errors import StoreError
from context_mode_runtime.store.sources import add_source

PARTS = 2_500
MANY = 2 * unindexed.WORTH


@pytest.fixture
def page(project: Path) -> Path:
    """More chunks than go into the index in one step, the word to look for in the last."""
    path = project / "tides.md"
    parts = [f"## Part {n}\n\nOf ropes and nets, number {n}, by getRopeName.\n\n" for n in range(PARTS)]
    path.write_text("".join([*parts, "## The end\n\nThe numbat sleeps.\n"]), encoding="utf-8")
    return path


def test_the_next_call_finds_it_in_this_server_and_in_another(serve: Any, page: Path, kept: Any) -> None:
    one, other = serve(), serve()
    for n in range(5):
        page.write_text(page.read_text(encoding="utf-8") + f"## More {n}\n\nThe quokka{n} wakes.\n", encoding="utf-8")
        one.call("ctx_index", {"path": "tides.md"})
        for host in (one, other) if n % 2 else (other, one):
            text, failed = host.call("ctx_search", {"queries": [f"quokka{n}", "numbat"]})
            assert not failed
            assert f"The quokka{n} wakes." in text
            assert "The numbat sleeps." in text
    store = kept()
    assert unindexed.waiting(store) == []
    assert health.damaged_tables(store) == []


def test_a_server_that_is_killed_with_its_reply_loses_nothing(serve: Any, page: Path, kept: Any) -> None:
    first = serve()
    assert first.call("ctx_index", {"path": "tides.md"})[0].startswith(f"Indexed 1 source(s), {PARTS + 1} chunk(s)")
    first.process.kill()
    first.process.wait()
    second = serve()
    text, failed = second.call("ctx_search", {"queries": ["numbat", "numbatt", "rope name 2499"]})
    assert not failed
    assert text.count("The numbat sleeps.") == 2
    assert "Part 2499" in text
    store = kept()
    assert unindexed.waiting(store) == []
    assert health.damaged_tables(store) == []


def test_a_folder_is_indexed_while_it_is_read(serve: Any, project: Path, kept: Any) -> None:
    for n in range(40):
        more = "## More\n\nRopes and nets.\n\n" * (MANY if n % 3 else 3)
        (project / f"{n}.md").write_text(f"# Note {n}\n\nThe wombat{n} digs.\n\n{more}")
    host = serve()
    text, failed = host.call("ctx_index", {"path": ".", "include": ["*.md"]})
    assert not failed
    assert text.startswith("Indexed 40 source(s)")
    found, _ = host.call("ctx_search", {"queries": [f"wombat{n}" for n in (0, 20, 39)]})
    assert all(f"The wombat{n} digs." in found for n in (0, 20, 39))
    assert unindexed.waiting(kept()) == []


def test_texts_that_come_from_many_sides_are_all_done_once(home: Path) -> None:
    key = "project-0123456789abcdef"
    waiting: list[int] = []

    def work(number: int) -> None:
        with Store.open(key, name="project") as own:
            for n in range(20):
                text = f"# T\n\nThe word{number}x{n} is here.\n\n" + "## More\n\nRopes.\n\n" * MANY
                done = add_source(own, text, label=f"{number} {n}", kind="markdown", later=True)
                assert done.rest
                catching.go_on(own, done.rest)
                waiting.append(len(catching._rests.get(key, [])))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Store.open(key, name="project") as store:
        assert catching.catch_up(store, 60.0) == {}
        assert max(waiting) <= catching._QUEUE_MAX
        assert unindexed.waiting(store) == []
        assert health.damaged_tables(store) == []
        counts = store.db.execute("SELECT count(*) FROM chunk_words WHERE chunk_words MATCH 'ropes'").fetchone()
        assert counts == (4 * 20 * MANY,)
        assert store.db.execute("SELECT count(*) FROM vocabulary WHERE word LIKE 'word_x%'").fetchone() == (80,)


def test_an_index_that_is_damaged_is_made_anew(serve: Any, page: Path, kept: Any) -> None:
    host = serve()
    host.call("ctx_index", {"path": "tides.md"})
    host.call("ctx_search", {"queries": ["numbat"]})
    kept().db.execute("DELETE FROM chunk_words_data WHERE id = 1")  # can be read, and not written to
    page.with_name("more.md").write_text("# More\n\nThe quokka wakes.\n", encoding="utf-8")
    host.call("ctx_index", {"path": "more.md"})
    text, failed = host.call("ctx_search", {"queries": ["quokka", "numbat"]})
    assert not failed
    assert "The quokka wakes." in text
    assert "The numbat sleeps." in text
    assert "still being indexed" not in text


def test_what_can_not_be_indexed_is_told_and_not_tried_without_end(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[unindexed.Catching] = []

    def refuse(self: unindexed.Catching, store: Store) -> bool:
        tries.append(self)
        raise StoreError(store.path, "the disk is full")

    monkeypatch.setattr(unindexed.Catching, "step", refuse)
    with Store.open("refused-0123456789abcdef", name="refused") as store:
        done = add_source(store, "# T\n\nRopes.\n\n" * MANY, label="t", kind="markdown", later=True)
        told = catching.catch_up(store, 600.0)
    assert list(told) == [done.id]
    assert len(tries) == 2
