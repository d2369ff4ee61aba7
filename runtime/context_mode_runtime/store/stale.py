"""Whether a file has changed since it was indexed: size and time first, its bytes only when those differ."""

from __future__ import annotations

import os
import time

from context_mode_runtime import paths
from context_mode_runtime.digests import blake2b
from context_mode_runtime.store.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from context_mode_runtime.store.db import Store

    Mark = tuple[int, int, bytes]

_BLOCK = 1024 * 1024


def set_mark(db: Connection, number: int, mark: Mark) -> None:
    """Remembers with source `number` the state of the file that was read: size, time in ns, digest."""
    db.execute("UPDATE sources SET origin_size=?, origin_mtime=?, origin_hash=? WHERE id = ?", (*mark, number))


def stale_note(store: Store, number: int) -> str:
    """Empty when source `number` is up to date or has no file, else `stale: ...` with both times (UTC).

    A file that was only touched is not stale; the store then learns its new time where it can be written.
    """
    row = store.db.execute(
        "SELECT origin, origin_size, origin_mtime, origin_hash, made FROM sources WHERE id = ?", (number,)
    ).fetchone()
    if row is None or row[2] is None:
        return ""
    origin, size, mtime, digest, made = row
    indexed = f"indexed {_time(made / 1000)}"
    try:
        facts = os.stat(origin)
    except OSError:
        return f"stale: the file is gone, {indexed}"
    if (facts.st_size, facts.st_mtime_ns) == (size, mtime):
        return ""
    if facts.st_size == size and _digest(origin) == digest:
        _learn(store, number, (size, facts.st_mtime_ns, digest))
        return ""
    return f"stale: file changed {_time(facts.st_mtime)}, {indexed}"


def _digest(path: str) -> bytes:
    """That of the plain file at `path`, as `fetch.document` makes it; empty where it can't be read."""
    digest = blake2b(digest_size=16)
    try:
        with open(paths.open_plain(path), "rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except (OSError, ValueError):
        return b""
    return digest.digest()


def _learn(store: Store, number: int, mark: Mark) -> None:
    try:
        with store.write() as db:
            set_mark(db, number, mark)
    except StoreError:
        return


def _time(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(seconds))
