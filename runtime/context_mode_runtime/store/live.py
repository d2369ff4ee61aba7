"""A source that grows: what a command prints is stored while it runs or after it, piece by piece, and indexed later."""

from __future__ import annotations

from context_mode_runtime.digests import blake2b
from context_mode_runtime.redact import redact
from context_mode_runtime.redact_stream import Redactor
from context_mode_runtime.store import sources, unindexed
from context_mode_runtime.store.chunk_plain import Outline, coarse
from context_mode_runtime.store.chunks import STRUCTURED_MAX
from context_mode_runtime.store.errors import UnknownSourceError
from context_mode_runtime.store.sources import Indexed, Placed, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from sqlite3 import Connection

    from context_mode_runtime.store.chunk_plain import Part
    from context_mode_runtime.store.db import Store


class LiveSource:
    """One growing source. `indexed` has its id; `append` text as it comes, `close` at the end. One thread at a time.

    Its text can be read at once; `unindexed.Catching` makes it searchable. Each call may bring its own `store`, open
    on the same file.
    """

    __slots__ = ("_bytes", "_clean", "_digest", "_outline", "_place", "_redactor", "indexed")

    def __init__(self, indexed: Indexed, place: Placed, secret_names: tuple[str, ...]) -> None:
        self.indexed = indexed
        self._place = place
        self._redactor = Redactor(secret_names)
        self._clean = ""
        self._digest = blake2b(digest_size=16)
        self._bytes = 0
        self._outline = Outline()

    def append(self, store: Store, text: str) -> None:
        """Adds text; half a MiB of it or so waits for more. Raises UnknownSourceError when the source was deleted.

        Raises StoreError when it can't be written now: it is kept for the next call then.
        """
        self._write(store, self._redactor.feed(plain(text)))

    def flush(self, store: Store) -> None:
        """Writes what waits, but for an unfinished last line and an open secret. Raises as `append`."""
        self._write(store, self._redactor.flush())

    def close(self, store: Store, *, named: bool = False, cut_off: bool = False) -> Indexed:
        """Writes all that waits and ends the growing; `cut_off` as for `redact`. Raises as `append`.

        A text that is stored already is not kept twice, unless somebody was told this source's name (`named`).
        """
        self._write(store, self._redactor.end(cut_off=cut_off))
        with store.write() as db:
            known = None if named else sources.known_as(db, self._place, self._digest.digest())
            if known is not None:
                sources.drop_chunks(db, self.indexed.id)
                db.execute("DELETE FROM readers WHERE source = ?", (self.indexed.id,))
                db.execute("DELETE FROM sources WHERE id = ?", (self.indexed.id,))
                self.indexed = Indexed(known, self._place.label, 0, unchanged=True)
            else:
                db.execute(
                    "UPDATE sources SET live = 0, hash = ?, used = ? WHERE id = ?",
                    (self._digest.digest(), sources.now_ms(), self.indexed.id),
                )
        self.indexed.cut = self._redactor.cut
        return self.indexed

    def _write(self, store: Store, more: str) -> None:
        self._clean += more
        clean = self._clean
        if not clean:
            return
        number = self.indexed.id
        with store.write() as db:
            place, tail, line = _last(db, number)
            text = tail + clean
            if tail:
                sources.drop_rows(db, number, (number << sources.SHIFT) + place)
            outline = self._outline.copy()
            parts = outline.parts(text, "log") if place < STRUCTURED_MAX else coarse(text)
            rows = list(_numbered(parts, text, (number << sources.SHIFT) + place, line))
            chunks = place + len(rows) - 1
            sources.check_room(store, self.indexed.label, chunks)
            db.executemany("INSERT INTO chunks VALUES(?, ?, ?, '', ?)", rows)
            data = clean.encode()
            self.indexed.chunks = chunks
            self._grow(store, db, self._bytes + len(data))
        self._bytes += len(data)
        self._outline = outline
        self._clean = ""
        self._digest.update(data)
        self.indexed.cut = self._redactor.cut

    def _grow(self, store: Store, db: Connection, size: int) -> None:
        changed = db.execute(
            "UPDATE sources SET bytes = ?, chunks = ?, used = ? WHERE id = ?",
            (size, self.indexed.chunks, sources.now_ms(), self.indexed.id),
        )
        if not changed.rowcount:
            raise UnknownSourceError(store.path, f"{self.indexed.sid} was deleted while it grew", [])


def open_live(store: Store, place: Placed) -> LiveSource:
    """A new, empty source that grows. Raises StoreError."""
    clean = Placed(
        redact(plain(place.label), store.secret_names)[0], place.conversation, place.worktree, place.tool, place.origin
    )
    with store.write() as db:
        number = sources.make_row(db, clean, "log", (b"", 0, 0), None, live=True)
        unindexed.begin(db, number)
    return LiveSource(Indexed(number, clean.label, 0), clean, store.secret_names)


def _last(db: Connection, number: int) -> tuple[int, str, int]:
    """(place, text, first line) of the last chunk, which is written anew; (1, "", 1) when there is none."""
    row = db.execute(
        "SELECT id, text, line FROM chunks WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1", sources.id_range(number)
    ).fetchone()
    return (row[0] - (number << sources.SHIFT), row[1], row[2]) if row else (1, "", 1)


def _numbered(parts: Iterable[Part], text: str, place: int, line: int) -> Iterator[tuple[int, str, str, int]]:
    """(id, heading, text, first line) of each part, ids from `place` on."""
    for heading, start, end in parts:
        part = text[start:end]
        yield place, heading, part, line
        place += 1
        line += part.count("\n")
