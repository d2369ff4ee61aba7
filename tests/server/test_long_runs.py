"""Runs that take long, many servers on one project, and a server that is killed: nothing is lost or damaged."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from context_mode_runtime.project import find_project
from context_mode_runtime.store import health
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.sources import source_text

WRITERS, SOURCES, READERS = 6, 20, 10
PAGE_WORDS = 400


@pytest.fixture
def stored(home: Path, project: Path) -> Callable[[], Store]:
    """Opens the project's store."""
    found = find_project(str(project))
    assert found is not None
    key, name = found.key(), found.name
    return lambda: Store.open(key, name=name, create=False)


def check_whole(store: Store) -> None:
    assert store.notices == []
    assert store.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert health.damaged_tables(store) == []


def text_of(writer: int, number: int) -> str:
    return "".join(f"line {n} of writer{writer} source{number}\n" for n in range(PAGE_WORDS))


def together(works: list[Callable[[], None]]) -> None:
    """Runs all of them in threads; raises what the first one that failed raised."""
    problems: list[BaseException] = []

    def run(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - told by the test's own thread
            problems.append(error)

    threads = [threading.Thread(target=run, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]


def test_f75_a_background_run_is_searched_while_it_runs_and_after(serve: Any, project: Path) -> None:
    """A pipe lets it go on, so that nothing is timed; it has printed its first line when its search is asked."""
    for name in ("ready", "go"):
        os.mkfifo(project / name)
    host = serve()
    code = "echo tick 1 wom''bat; echo > ready; cat go; echo tick 3 quo''kka; echo > ready; cat go"
    text, failed = host.call("ctx_execute", {"language": "sh", "code": code, "background": True})
    assert (text.split("\n")[0], failed) == ("running · s1", False)
    (project / "ready").read_text()
    assert _seen(host, "wombat", "tick 1 wombat")
    assert "quokka" not in host.call("ctx_search", {"queries": [], "source": "s1"})[0]
    (project / "go").write_text("")
    (project / "ready").read_text()
    assert _seen(host, "quokka", "tick 3 quokka")
    assert "(running)" in host.call("ctx_search", {"queries": [], "source": "s1"})[0]
    (project / "go").write_text("")
    read = _until(host, "(exit 0 · ")
    assert "tick 1 wombat" in read
    assert "tick 3 quokka" in read
    other = serve()
    assert "tick 3 quokka" in other.call("ctx_search", {"queries": ["quokka"]})[0]


def _seen(host: Any, query: str, line: str) -> bool:
    """Whether a search finds the line; what the command has printed may still be on its way through the pipe."""
    return any(line in host.call("ctx_search", {"queries": [query]})[0] for _ in range(100))


def _until(host: Any, words: str) -> str:
    """What the source reads like once it says `words`."""
    for _ in range(200):
        text: str = host.call("ctx_search", {"queries": [], "source": "s1"})[0]
        if words in text:
            return text
    raise AssertionError(words)


def test_six_servers_index_twenty_sources_each_while_ten_search(serve: Any, stored: Callable[[], Store]) -> None:
    writers = [serve() for _ in range(WRITERS)]
    readers = [serve() for _ in range(READERS)]
    left = threading.Semaphore(0)
    ended = threading.Event()

    def write(writer: int) -> None:
        try:
            for number in range(SOURCES):
                label = f"w{writer}-{number}"
                answer = writers[writer].call("ctx_index", {"text": text_of(writer, number), "label": label})
                assert answer[0].startswith("Indexed 1 source(s), "), answer
        finally:
            left.release()

    def look(reader: int) -> None:
        while not ended.is_set():
            text, failed = readers[reader].call("ctx_search", {"queries": [f"writer{reader % WRITERS}"], "limit": 20})
            assert not failed, text

    def wait() -> None:
        for _ in range(WRITERS):
            left.acquire()
        ended.set()

    together([wait, *(_bound(write, n) for n in range(WRITERS)), *(_bound(look, n) for n in range(READERS))])
    with stored() as store:
        check_whole(store)
        labels = {row[0]: row[1] for row in store.db.execute("SELECT label, id FROM sources")}
        assert sorted(labels) == sorted(f"w{writer}-{n}" for writer in range(WRITERS) for n in range(SOURCES))
        for writer in range(WRITERS):
            for number in range(SOURCES):
                assert source_text(store, labels[f"w{writer}-{number}"]) == text_of(writer, number)
    for writer in range(WRITERS):
        found, _ = readers[0].call("ctx_search", {"queries": [f"writer{writer} source{SOURCES - 1}"], "limit": 1})
        assert f"w{writer}-{SOURCES - 1} #" in found


def _bound(work: Callable[[int], None], number: int) -> Callable[[], None]:
    return lambda: work(number)


@pytest.mark.parametrize("answered", [1, 4])
def test_a_server_that_is_killed_loses_at_most_the_write_in_flight(
    serve: Any, stored: Callable[[], Store], answered: int
) -> None:
    host = serve()
    for number, text in _endless():
        params = {"name": "ctx_index", "arguments": {"text": text, "label": f"k-{number}"}}
        host.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
        if number > answered:
            break
        assert host.answer(number)["result"]["content"][0]["text"].startswith("Indexed 1 source(s)")
    _writing(stored, lambda: any(message.get("id") == answered + 1 for message in host.messages))
    host.process.kill()
    host.process.wait()
    with stored() as store:
        check_whole(store)
        kept = [row[0] for row in store.db.execute("SELECT label FROM sources ORDER BY id")]
        assert kept in ([f"k-{n}" for n in range(1, answered + more)] for more in (1, 2))
        for label in kept:
            number = int(label.removeprefix("k-"))
            assert source_text(store, label) == dict(_first(answered + 1))[number]
    after = serve()
    assert "k-1 #" in after.call("ctx_search", {"queries": ["writer1"], "limit": 1})[0]
    assert after.call("ctx_index", {"text": "one more", "label": "more"})[0].startswith("Indexed 1 source(s)")


def _endless() -> Iterator[tuple[int, str]]:
    number = 0
    while True:
        number += 1
        yield number, text_of(number, number) * 40


def _first(count: int) -> list[tuple[int, str]]:
    return [pair for pair, _ in zip(_endless(), range(count), strict=False)]


def _writing(stored: Callable[[], Store], answered: Callable[[], bool]) -> None:
    """Returns when another process holds the write lock, or has held it and is done."""
    with stored() as store:
        before = store.db.execute("PRAGMA data_version").fetchone()
        store.db.execute("PRAGMA busy_timeout = 0")
        while store.db.execute("PRAGMA data_version").fetchone() == before and not answered():
            try:
                store.db.execute("BEGIN IMMEDIATE")
                store.db.execute("ROLLBACK")
            except sqlite3.OperationalError:
                return
