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

_READ_MAX = 64 * 1024 * 1024
_BLOCK = 1024 * 1024


def mark_of(origin: str | None) -> Mark | None:
    """(size, mtime in ns, digest) of the plain file at `origin`; None for a URL, no file, or one over 64 MiB."""
    if not origin or not os.path.isabs(origin):
        return None
    try:
        with open(paths.open_plain(origin), "rb") as file:
            facts = os.fstat(file.fileno())
            if facts.st_size > _READ_MAX:
                return None
            digest = blake2b(digest_size=16)
            while block := file.read(_BLOCK):
                digest.update(block)
    except (OSError, ValueError):
        return None
    return facts.st_size, facts.st_mtime_ns, digest.digest()


def set_mark(db: Connection, number: int, mark: Mark) -> None:
    """Remembers the file's state with source `number`."""
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
    mark = mark_of(origin) if facts.st_size == size else None
    if mark and mark[2] == digest:
        _learn(store, number, mark)
        return ""
    return f"stale: file changed {_time(facts.st_mtime)}, {indexed}"


def _learn(store: Store, number: int, mark: Mark) -> None:
    try:
        with store.write() as db:
            set_mark(db, number, mark)
    except StoreError:
        return


def _time(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(seconds))
