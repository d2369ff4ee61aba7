"""The ledger: what each call saw and what reached the conversation, in bytes. No text.

Saved is what a call produced less what it returned, counted once, and only where less came back (field report F67).
Text that was merely indexed is not saved; what a search brought back was not kept out after all.
"""

from __future__ import annotations

import os
import time

from context_mode_runtime import paths
from context_mode_runtime.store import migrations, place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from context_mode_runtime.store.db import Store

INDEXING = ("ctx_index",)
"""Tools that store a text and return none of it."""
FETCHING = ("ctx_search", "ctx_resume")
"""Tools that bring stored text back."""


class Sum:
    """Calls of one tool: how many, bytes that they saw (`raw`), bytes that reached the conversation (`returned`).

    `saved`: what the calls that returned less than they saw kept out; `added`: what the others returned on top.
    """

    __slots__ = ("added", "calls", "raw", "returned", "saved", "tool")

    def __init__(self, row: tuple[str, int, int, int, int]) -> None:
        self.tool, self.calls, self.raw, self.returned, self.saved = row
        self.added = self.returned - self.raw + self.saved


class Totals:
    """All calls of some conversations, in bytes, and how many `conversations` these are.

    `produced` by calls that ran or replaced something, `saved` of that, `fetched` back by searches, `indexed` only,
    `added` by our own replies to what a call produced.
    """

    __slots__ = ("added", "calls", "conversations", "fetched", "indexed", "produced", "saved")

    def __init__(self, sums: list[Sum], conversations: int) -> None:
        running = [one for one in sums if one.tool not in (*INDEXING, *FETCHING)]
        self.conversations = conversations
        self.calls = sum(one.calls for one in sums)
        self.produced = sum(one.raw for one in running)
        self.saved = sum(one.saved for one in running)
        self.fetched = sum(one.returned for one in sums if one.tool in FETCHING)
        self.indexed = sum(one.raw for one in sums if one.tool in INDEXING)
        self.added = sum(one.added for one in running) + sum(one.returned for one in sums if one.tool in INDEXING)

    def plus(self, other: Totals) -> Totals:
        """Both together."""
        both = Totals([], self.conversations + other.conversations)
        for name in ("calls", "produced", "saved", "fetched", "indexed", "added"):
            setattr(both, name, getattr(self, name) + getattr(other, name))
        return both


def add_call(store: Store, tool: str, raw: int, returned: int, conversation: str | None = None) -> None:
    """Notes one call. Raises StoreError."""
    with store.write() as db:
        db.execute(
            "INSERT INTO ledger(at, conversation, tool, raw, returned) VALUES(?, ?, ?, ?, ?)",
            (time.time_ns() // 1_000_000, conversation, tool, raw, returned),
        )


def sums(store: Store, conversation: str | None = None) -> list[Sum]:
    """One Sum a tool, the one that saw most first; of one conversation when it is given, else of all time."""
    with store.read() as db:
        return _sums(db, conversation)


def totals(store: Store, conversation: str | None = None) -> Totals:
    """The totals of one conversation when it is given, else of the whole project. Raises StoreError."""
    with store.read() as db:
        return Totals(_sums(db, conversation), 1 if conversation is not None else _conversations(db))


def elsewhere(own: str | None) -> tuple[Totals, int, int]:
    """The totals of all projects but the one whose database is `own`, how many they are, how many can't be read.

    Reads only: nothing is made, moved or brought up to date.
    """
    found = Totals([], 0)
    read = failed = 0
    for path in _databases():
        if path == own:
            continue
        try:
            found = found.plus(_of_file(path))
            read += 1
        except (place.sqlite.Error, ValueError):
            failed += 1
    return found, read, failed


def _databases() -> list[str]:
    folder = os.path.join(paths.data_root(), "projects")
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    found = [os.path.join(folder, name, place.FILE) for name in names]
    return [path for path in found if os.path.isfile(path)]


def _of_file(path: str) -> Totals:
    """Raises sqlite's errors, ValueError for a file that is not ours or newer than we are."""
    db = place.connect(path)
    try:
        db.execute("PRAGMA query_only = ON")
        ours = db.execute("PRAGMA application_id").fetchone()[0] == migrations.APPLICATION_ID
        if not ours or db.execute("PRAGMA user_version").fetchone()[0] > migrations.LATEST:
            raise ValueError(path)
        return Totals(_sums(db, None), _conversations(db))
    finally:
        db.close()


def _sums(db: Connection, conversation: str | None) -> list[Sum]:
    where = "" if conversation is None else " WHERE conversation = ?"
    found = db.execute(
        "SELECT tool, count(*), sum(raw), sum(returned), sum(max(raw - returned, 0))"
        f" FROM ledger{where} GROUP BY tool ORDER BY 3 DESC, tool",
        () if conversation is None else (conversation,),
    ).fetchall()
    return [Sum(row) for row in found]


def _conversations(db: Connection) -> int:
    return int(
        db.execute(
            "SELECT count(*) FROM (SELECT conversation FROM ledger WHERE conversation IS NOT NULL"
            " UNION SELECT conversation FROM journal)"
        ).fetchone()[0]
    )
