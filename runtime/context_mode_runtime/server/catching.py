"""Indexes behind the reply: the text is stored by then, so nothing is lost when this process ends.

A thread for each project puts into the index what is ready for that, while the next call is prepared; then what waits
besides, of long outputs or of a process that ended too early. A search waits for it.
"""

from __future__ import annotations

import os
import sys
import threading
import time

from context_mode_runtime import log
from context_mode_runtime.server import stores
from context_mode_runtime.store import unindexed
from context_mode_runtime.store.db import mended
from context_mode_runtime.store.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_mode_runtime.store.db import Store

_SWITCH_S = 0.001
"""How long another thread may keep the interpreter from a step that waits for it and holds the database: with Python's
own 5 ms, met several times a step, indexing many files takes 8 % longer."""
_PAUSE_MAX_S = 0.02
"""Others who wait look again every 25 ms at most."""
_QUEUE_MAX = 8
"""Texts that may wait for the thread, with up to 25,000 words each."""
_TRIES = 2

_threads: dict[str, threading.Thread] = {}
_rests: dict[str, list[unindexed.Rest]] = {}
_turn = threading.Lock()


def go_on(store: Store, rest: unindexed.Rest | None) -> None:
    """Has the `rest` of what was stored last done, if there is one. Returns at once, unless too much waits already."""
    if rest is None:
        return
    with _turn:
        rests = _rests.setdefault(_key(store), [])
        waits = len(rests) < _QUEUE_MAX
        if waits:
            rests.append(rest)
    if waits:
        _working(_key(store), store.name)
    else:
        _finish_here(rest, store)


def catch_up(store: Store, seconds: float) -> dict[int, str]:
    """Has what waits in the store indexed, by a thread of its own, and waits up to `seconds` for that.

    Not longer than it gets on: where an error ended the thread and nothing has changed, it is over.
    Returns a line for each source that is not done then, by its number. Never raises.
    """
    until = time.monotonic() + seconds
    try:
        seen: list[list[tuple[int, int, int]]] = []
        while (waiting := unindexed.waiting(store)) and seen.count(waiting) < _TRIES:
            seen.append(waiting)
            thread = _working(_key(store), store.name)
            thread.join(max(until - time.monotonic(), 0.0))
            if time.monotonic() >= until:
                break
        return behind(store)
    except StoreError as error:
        log.log_error("serve indexing", error)
        return {}


def behind(store: Store) -> dict[int, str]:
    """A line for each source that is not indexed whole, by its number. Raises StoreError."""
    return {number: _line(number, chunks - left, chunks) for number, left, chunks in unindexed.waiting(store)}


def _line(number: int, done: int, chunks: int) -> str:
    return f"s{number} is still being indexed, {done:,} of {chunks:,} parts so far; reading in order has all of it"


def _key(store: Store) -> str:
    return os.path.basename(os.path.dirname(store.path))


def _working(key: str, name: str) -> threading.Thread:
    with _turn:
        thread = _threads.get(key)
        if thread is None or not thread.is_alive():
            thread = threading.Thread(target=_work, args=(key, name), name="ctx-indexing", daemon=True)
            _threads[key] = thread
            thread.start()
        return thread


def _work(key: str, name: str) -> None:
    """Until nothing waits. An error ends it; the next search begins again."""
    sys.setswitchinterval(_SWITCH_S)
    try:
        store = stores.take(key, name, create=False)
        try:
            for task in _tasks(key, store):
                _finish(task, store)
        finally:
            stores.give_back(key, store)
    except StoreError as error:
        log.log_error("serve indexing", error)


def _finish_here(rest: unindexed.Rest, store: Store) -> None:
    """What fails waits for the next search: the text is stored."""
    try:
        _finish(rest, store)
    except StoreError as error:
        log.log_error("serve indexing", error)


def _finish(task: unindexed.Rest | unindexed.Catching, store: Store) -> None:
    """Step by step, between two as long a pause as the last one took, so that others get their turn to write."""
    more = True
    while more:
        begin = time.monotonic()
        more = mended(store, lambda: task.step(store))
        time.sleep(min(time.monotonic() - begin, _PAUSE_MAX_S))


def _tasks(key: str, store: Store) -> Iterator[unindexed.Rest | unindexed.Catching]:
    while True:
        while (rest := _next_rest(key)) is not None:
            yield rest
        waiting = unindexed.waiting(store)
        if not waiting and _is_last(key):
            return
        for number, _, _ in waiting:
            yield unindexed.Catching(number)


def _next_rest(key: str) -> unindexed.Rest | None:
    with _turn:
        rests = _rests.get(key)
        return rests.pop(0) if rests else None


def _is_last(key: str) -> bool:
    """Whether nothing has come meanwhile: the thread is over then, for those who look for one."""
    with _turn:
        if _rests.get(key):
            return False
        _threads.pop(key, None)
        return True
