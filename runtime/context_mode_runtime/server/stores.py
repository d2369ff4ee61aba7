"""Open stores that wait for the next call: closing the last one moves the whole log into the file, to disk."""

from __future__ import annotations

import os
from _thread import allocate_lock

from context_mode_runtime.store import place
from context_mode_runtime.store.db import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    Inode = tuple[int, int]

_IDLE_MAX = 2
"""Kept for each project: calls that run side by side are few."""

_idle: dict[str, list[tuple[Store, Inode | None]]] = {}
_lock = allocate_lock()


def take(key: str, name: str, *, create: bool) -> Store:
    """The store of project `key` for one caller, until `give_back`. Raises what `Store.open` raises."""
    while True:
        with _lock:
            waiting = _idle.get(key)
            store, inode = waiting.pop() if waiting else (None, None)
        if store is None:
            return Store.open(key, name=name, create=create)
        if inode is not None and inode == _inode(store) and store.is_current():
            return store
        store.close()


def give_back(key: str, store: Store) -> None:
    """Keeps a store that is whole for the next call, without what was to be told of it; closes any other."""
    store.notices.clear()
    inode = _inode(store)
    with _lock:
        waiting = _idle.setdefault(key, [])
        if inode is not None and len(waiting) < _IDLE_MAX:
            waiting.append((store, inode))
            return
    store.close()


def _inode(store: Store) -> Inode | None:
    """Which file lies at the store's path now; None when there is none, or one in which somebody met damage."""
    if place.is_suspect(store.path):
        return None
    try:
        status = os.stat(store.path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
