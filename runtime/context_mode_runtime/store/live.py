"""A source that grows while a command runs: searchable at once, its last lines held back until they are whole."""

from __future__ import annotations

from context_mode_runtime.redact import redact
from context_mode_runtime.store import sources, stale, vocabulary
from context_mode_runtime.store.sources import Indexed, Placed, Prepared
from context_mode_runtime.store.words import vocabulary_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from context_mode_runtime.store.db import Store

_HELD_MAX = 256 * 1024
_OPENED = (("<private>", "</private>"), ("-----begin ", "-----end "))


class LiveSource:
    """One growing source. `indexed` has its id; `append` text as it comes, `close` at the end. One thread at a time."""

    __slots__ = ("_held", "_lines", "_store", "indexed")

    def __init__(self, store: Store, indexed: Indexed) -> None:
        self.indexed = indexed
        self._store = store
        self._held = ""
        self._lines = 1

    def append(self, text: str) -> None:
        """Adds text. An unfinished last line and an open secret wait for more. Raises StoreError."""
        self._held += text
        ready = len(self._held) if len(self._held) > _HELD_MAX else _ready(self._held)
        if ready:
            self._write(self._held[:ready])
            self._held = self._held[ready:]

    def close(self) -> Indexed:
        """Writes what was held back, ends the growing and returns the final counts. Raises StoreError."""
        if self._held:
            self._write(self._held)
            self._held = ""
        text = sources.source_text(self._store, self.indexed.sid)
        with self._store.write() as db:
            found = db.execute(
                "SELECT text FROM chunks WHERE id BETWEEN ? AND ?", sources.id_range(self.indexed.id)
            ).fetchall()
            vocabulary.add_words(db, vocabulary_of([row[0] for row in found]))
            db.execute(
                "UPDATE sources SET live = 0, hash = ?, used = ? WHERE id = ?",
                (sources.digest_of(text), sources.now_ms(), self.indexed.id),
            )
        return self.indexed

    def _write(self, text: str) -> None:
        clean, cut = redact(sources.plain(text), self._store.secret_names)
        with self._store.write() as db:
            place, tail, line = _last(db, self.indexed.id)
            prepared = Prepared(tail + clean, "log")
            if tail:
                sources.drop_rows(db, (self.indexed.id << sources.SHIFT) + place, sources.id_range(self.indexed.id)[1])
            sources.write_chunks(db, self.indexed.id, prepared, place, line)
            self.indexed.chunks = place - 1 + prepared.chunks
            self.indexed.cut += cut
            db.execute(
                "UPDATE sources SET bytes = bytes + ?, chunks = ?, used = ? WHERE id = ?",
                (len(clean.encode()), self.indexed.chunks, sources.now_ms(), self.indexed.id),
            )


def open_live(store: Store, place: Placed) -> LiveSource:
    """A new, empty source that grows. Raises StoreError."""
    facts = (b"", 0, 0)
    with store.write() as db:
        number, _ = sources.make_row(db, place, "log", facts, stale.mark_of(None), live=True)
    return LiveSource(store, Indexed(number, place.label, 0))


def _last(db: Connection, number: int) -> tuple[int, str, int]:
    """(place, text, first line) of the last chunk, which is written anew; (1, "", 1) when there is none."""
    row = db.execute(
        "SELECT id, text, line FROM chunks WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1", sources.id_range(number)
    ).fetchone()
    return (row[0] - (number << sources.SHIFT), row[1], row[2]) if row else (1, "", 1)


def _ready(text: str) -> int:
    """How much of `text` can be judged now: whole lines, up to a private mark or PEM block that is still open."""
    end = text.rfind("\n") + 1
    low = text[:end].lower()
    for opening, closing in _OPENED:
        at = low.rfind(opening)
        if at >= 0 and closing not in low[at:]:
            end = min(end, low.rfind("\n", 0, at) + 1)
    return end
