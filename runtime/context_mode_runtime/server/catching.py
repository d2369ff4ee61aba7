"""Indexes long outputs behind the reply: their text is stored by then, so nothing is lost when this process ends."""

from __future__ import annotations

import os
import threading
import time

from context_mode_runtime import log
from context_mode_runtime.store import unindexed
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.errors import StoreError

_BREATH_S = 0.02
"""Between two steps, so that other processes get their turn to write."""

_threads: dict[str, threading.Thread] = {}
_turn = threading.Lock()


def catch_up(store: Store, seconds: float) -> dict[int, str]:
    """Has what waits in the store indexed, by a thread of its own, and waits up to `seconds` for that.

    Returns a line for each source that is not done then, by its number. Never raises.
    """
    until = time.monotonic() + seconds
    try:
        while unindexed.waiting(store):
            thread = _working(os.path.basename(os.path.dirname(store.path)), store.name)
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
    try:
        with Store.open(key, name=name, create=False) as store:
            while waiting := unindexed.waiting(store):
                for number, _, _ in waiting:
                    catching = unindexed.Catching(number)
                    while catching.step(store):
                        time.sleep(_BREATH_S)
    except StoreError as error:
        log.log_error("serve indexing", error)
