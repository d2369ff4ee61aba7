"""Chunks that are stored but not in the full-text index yet: a text is kept at once and indexed afterwards.

A row of the table `unindexed` names, for one source, the first chunk that waits; all behind it wait too. Every step is
one transaction, so that any process can go on where another one stopped or died.
"""

from __future__ import annotations

from context_mode_runtime.store import vocabulary
from context_mode_runtime.store.words import Indexer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from context_mode_runtime.store.db import Store

STEP = 800
"""Chunks of one transaction, about a megabyte: other writers wait some 30 ms. Less leaves more segments to merge."""
WORTH = 100
"""Chunks from which on a text's entries are worth a transaction of their own: what is shorter takes some ms at most."""
SHIFT = 20
"""Bits of a chunk's id that hold its place in the source."""
_LAST = (1 << SHIFT) - 1


def begin(db: Connection, number: int) -> None:
    """From now on chunks of source `number` wait. Inside the caller's transaction, like all but the steps."""
    db.execute("INSERT OR IGNORE INTO unindexed VALUES(?, ?)", (number, (number << SHIFT) + 1))


def first_waiting(db: Connection, number: int) -> int | None:
    """The id of the first chunk that waits, or would wait; None for a source that is indexed whole."""
    row = db.execute("SELECT first FROM unindexed WHERE source = ?", (number,)).fetchone()
    return int(row[0]) if row else None


def step_back(db: Connection, number: int, first: int) -> None:
    """Chunks from `first` on were taken out of table and index: what is put there waits."""
    db.execute("UPDATE unindexed SET first = min(first, ?) WHERE source = ?", (first, number))


def forget(db: Connection, number: int) -> None:
    """Nothing of source `number` waits any more: it is indexed, or gone."""
    db.execute("DELETE FROM unindexed WHERE source = ?", (number,))


def mark_rebuilt(db: Connection) -> None:
    """The index was made anew from all rows: those that are there wait no more."""
    db.execute(
        "UPDATE unindexed SET first = max(first, coalesce((SELECT max(id) + 1 FROM chunks"
        f" WHERE id BETWEEN source << {SHIFT} AND (source << {SHIFT}) + {_LAST}), 0))"
    )


def waiting(store: Store) -> list[tuple[int, int, int]]:
    """(source, chunks that wait, all its chunks) of each source that is not indexed whole. Raises StoreError."""
    with store.read() as db:
        rows = db.execute(
            f"SELECT source, chunks - (first - (source << {SHIFT}) - 1), chunks FROM unindexed"
            " JOIN sources ON id = source ORDER BY source"
        ).fetchall()
    return [(number, left, chunks) for number, left, chunks in rows if left > 0]


def index_rows(db: Connection, first: int, last: int) -> None:
    """Puts the chunks with these ids, which have their `extra` words, into the full-text index."""
    db.execute(
        "INSERT INTO chunk_words(rowid, heading, text, extra)"
        " SELECT id, heading, text, extra FROM chunks WHERE id BETWEEN ? AND ? ORDER BY id",
        (first, last),
    )


class Rest:
    """What is left to do for a text whose chunks stand there with their `extra` words: their entries in the index.

    SQLite does nearly all of it, without the interpreter's lock. The words of all chunks go first: where this process
    dies, `Catching` goes on, and sees only those that wait. And they go last: one of them may have been taken out with
    another text meanwhile, as the index did not hold it yet.
    """

    __slots__ = ("_begun", "_digest", "_last", "_number", "_words")

    def __init__(self, number: int, chunks: int, digest: bytes, words: set[str]) -> None:
        """`words`: the text's part of the vocabulary."""
        self._number = number
        self._last = (number << SHIFT) + chunks
        self._digest = digest
        self._words = words
        self._begun = False

    def step(self, store: Store) -> bool:
        """Indexes up to STEP chunks. True while more wait of this very text. Raises StoreError."""
        with store.write() as db:
            first = first_waiting(db, self._number)
            found = db.execute("SELECT hash FROM sources WHERE id = ?", (self._number,)).fetchone()
            if first is None or found != (self._digest,):
                return False
            last = min(first + STEP - 1, self._last)
            index_rows(db, first, last)
            if not self._begun or last == self._last:
                vocabulary.add_words(db, self._words)
            if last < self._last:
                db.execute("UPDATE unindexed SET first = ? WHERE source = ?", (last + 1, self._number))
            else:
                forget(db, self._number)
        self._begun = True
        return last < self._last


class Catching:
    """Indexes what waits of one source, step by step."""

    __slots__ = ("_indexer", "_known", "_number")

    def __init__(self, number: int) -> None:
        self._number = number
        self._indexer = Indexer()
        self._known: set[str] = set()

    def step(self, store: Store) -> bool:
        """Indexes up to STEP chunks. True while more may wait; a source that no longer grows is then done with.

        Raises StoreError.
        """
        with store.read() as db:
            first = first_waiting(db, self._number)
            rows = self._rows(db, first) if first is not None else []
        extras = [(extra, number) for number, text in rows if (extra := self._indexer.extra(text))]
        with store.write() as db:
            if first is None or first_waiting(db, self._number) != first or self._rows(db, first) != rows:
                return first is not None
            if not rows:
                db.execute(
                    "DELETE FROM unindexed WHERE source = ?1"
                    " AND NOT EXISTS (SELECT 1 FROM sources WHERE id = ?1 AND live)",
                    (self._number,),
                )
                return False
            self._index(db, first, rows[-1][0], extras)
        return True

    def _rows(self, db: Connection, first: int) -> list[tuple[int, str]]:
        return db.execute(
            "SELECT id, text FROM chunks WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?",
            (first, (self._number << SHIFT) + _LAST, STEP),
        ).fetchall()

    def _index(self, db: Connection, first: int, last: int, extras: list[tuple[str, int]]) -> None:
        db.executemany("UPDATE chunks SET extra = ? WHERE id = ?", extras)
        index_rows(db, first, last)
        found = self._indexer.vocabulary() - self._known
        vocabulary.add_words(db, found)
        self._known |= found
        db.execute("UPDATE unindexed SET first = ? WHERE source = ?", (last + 1, self._number))
