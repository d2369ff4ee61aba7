"""Sources: indexed texts with a short id (`s1`, `s2`, ...), kept as they came and given back byte by byte."""

from __future__ import annotations

import time

from context_mode_runtime.digests import blake2b
from context_mode_runtime.oneline import one_line
from context_mode_runtime.redact import redact
from context_mode_runtime.store import stale, unindexed, vocabulary
from context_mode_runtime.store.chunks import chunked
from context_mode_runtime.store.db import mended
from context_mode_runtime.store.errors import StoreError, UnknownSourceError
from context_mode_runtime.store.words import Indexer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from sqlite3 import Connection

    from context_mode_runtime.store.db import Store

SHIFT = unindexed.SHIFT
"""Bits of a chunk's id that hold its place in the source."""
_COLUMNS = "id, label, kind, worktree, tool, origin, bytes, chunks, live, made, used"
_NEAR = 3
_DIGITS = 15
_PIECE = 262_144
_ROWS = 200


class Indexed:
    """What became of a text: the source's `id` and `sid`, `label`, `chunks` written, `unchanged`, bytes `cut` out.

    `rest`: what is left to do before it can be found.
    """

    __slots__ = ("chunks", "cut", "id", "label", "rest", "sid", "unchanged")

    def __init__(self, number: int, label: str, chunks: int, *, unchanged: bool = False) -> None:
        self.id = number
        self.sid = f"s{number}"
        self.label = label
        self.chunks = chunks
        self.unchanged = unchanged
        self.cut = 0
        self.rest: unindexed.Rest | None = None


class Source:
    """A row of the sources table. `bytes` of UTF-8, `made` and `used` in ms since 1970, `origin` a path or URL."""

    __slots__ = ("bytes", "chunks", "id", "kind", "label", "live", "made", "origin", "sid", "tool", "used", "worktree")

    def __init__(self, row: tuple[int, str, str, str | None, str | None, str | None, int, int, int, int, int]) -> None:
        (self.id, self.label, self.kind, self.worktree, self.tool, self.origin, *numbers) = row
        self.bytes, self.chunks, live, self.made, self.used = numbers
        self.live = bool(live)
        self.sid = f"s{self.id}"


class Placed:
    """Where a source belongs: who read it, in which worktree, by which tool, from which path or URL."""

    __slots__ = ("conversation", "label", "origin", "tool", "worktree")

    def __init__(
        self, label: str, conversation: str | None, worktree: str | None, tool: str | None, origin: str | None
    ) -> None:
        self.label = label
        self.conversation = conversation
        self.worktree = worktree
        self.tool = tool
        self.origin = origin


def add_source(  # noqa: PLR0913 - what is known about a text
    store: Store,
    text: str,
    *,
    label: str,
    kind: str,
    origin: str | None = None,
    conversation: str | None = None,
    worktree: str | None = None,
    tool: str | None = None,
    mark: stale.Mark | None = None,
    cut_off: bool = False,
    later: bool = False,
) -> Indexed:
    """Stores and indexes `text`, secrets cut out. `kind` as in `chunks.KINDS`, `origin` a path or URL.

    `mark`: the state of the file at `origin` when it was read; without one nobody is told that it changed. `cut_off` as
    for `redact`. `later`: all is stored now, and the `rest` of the indexing, where it is much, is left to the caller.

    The same text under the same label in the same worktree is not stored again; a changed text of the same origin
    takes the old one's place and id. Raises StoreError.
    """
    clean, cut = redact(plain(text), store.secret_names, cut_off=cut_off)
    place = Placed(redact(plain(label), store.secret_names)[0], conversation, worktree, tool, origin)
    done = mended(store, lambda: _put(store, clean, kind, place, mark, later=later))
    done.cut = cut
    return done


def _put(store: Store, clean: str, kind: str, place: Placed, mark: stale.Mark | None, *, later: bool) -> Indexed:
    digest, size = _facts(clean)
    with store.read() as db:
        prepared = None if _same(db, place, digest) else Prepared(clean, kind)
        old = _replaced(db, place)
        gone = vocabulary.words_in(db, *id_range(old[0])) if old and prepared else set()
    with store.write() as db:
        known = _same(db, place, digest)
        if known:
            _read_by(db, known[0], place.conversation, mark)
            return Indexed(known[0], place.label, 0, unchanged=True)
        prepared = prepared or Prepared(clean, kind)
        check_room(store, place.label, prepared.chunks)
        facts = (digest, size, prepared.chunks)
        now = _replaced(db, place)
        if now and now != old:
            gone = vocabulary.words_in(db, *id_range(now[0]))
        number = make_row(db, place, kind, facts, mark)
        done = Indexed(number, place.label, prepared.chunks)
        write_chunks(db, number, prepared)
        if later and prepared.chunks >= unindexed.WORTH:
            unindexed.begin(db, number)
            done.rest = unindexed.Rest(number, prepared.chunks, digest, prepared.words)
        else:
            unindexed.index_rows(db, *id_range(number))
            vocabulary.add_words(db, prepared.words)
        gone -= prepared.words
        many = len(gone) > vocabulary.AT_ONCE
        if many:
            vocabulary.note(db, number, gone)
        else:
            vocabulary.drop_words(db, gone)
    if many:
        vocabulary.forget_noted(store)
    return done


class Prepared:
    """A text made ready outside of any transaction: how many `chunks`, the vocabulary `words`, and `rows`."""

    __slots__ = ("_parts", "_text", "chunks", "words")

    def __init__(self, text: str, kind: str) -> None:
        indexer = Indexer()
        self._text = text
        self._parts = [(part.heading, part.start, part.end, indexer.extra(part.text)) for part in chunked(text, kind)]
        self.chunks = len(self._parts)
        self.words = indexer.vocabulary()

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """(heading, text, extra) of each chunk; the texts are cut out one by one, not kept beside the whole."""
        for heading, start, end, extra in self._parts:
            yield heading, self._text[start:end], extra


def plain(text: str) -> str:
    """Without lone surrogates, which no database takes: they become U+FFFD."""
    try:
        for _ in () if text.isascii() else _encoded(text):
            pass
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _facts(text: str) -> tuple[bytes, int]:
    """What tells two texts apart, in 16 bytes, and the bytes of `text` in UTF-8."""
    digest, size = blake2b(digest_size=16), 0
    for data in _encoded(text):
        digest.update(data)
        size += len(data)
    return digest.digest(), size


def _encoded(text: str) -> Iterator[bytes]:
    """`text` in UTF-8 piece by piece, so that no second copy of it stands in memory."""
    for at in range(0, len(text), _PIECE):
        yield text[at : at + _PIECE].encode()


def _same(db: Connection, place: Placed, digest: bytes) -> tuple[int] | None:
    row: tuple[int] | None = db.execute(
        "SELECT id FROM sources WHERE label = ? AND worktree IS ? AND origin IS ? AND hash = ? AND NOT live",
        (place.label, place.worktree, place.origin, digest),
    ).fetchone()
    return row


def known_as(db: Connection, place: Placed, digest: bytes) -> int | None:
    """The source at `place` whose text has this digest, now read by its conversation too; None when there is none."""
    known = _same(db, place, digest)
    if known is None:
        return None
    _read_by(db, known[0], place.conversation, None)
    return known[0]


def _read_by(db: Connection, number: int, conversation: str | None, mark: stale.Mark | None) -> None:
    db.execute("UPDATE sources SET used = ? WHERE id = ?", (now_ms(), number))
    if mark:
        stale.set_mark(db, number, mark)
    if conversation is not None:
        db.execute("INSERT OR IGNORE INTO readers VALUES(?, ?)", (conversation, number))


def make_row(
    db: Connection,
    place: Placed,
    kind: str,
    facts: tuple[bytes, int, int],
    mark: stale.Mark | None,
    *,
    live: bool = False,
) -> int:
    """The id of a new row, or of the row of the same origin, emptied. `facts`: (digest, bytes, chunks)."""
    old = _replaced(db, place)
    if old:
        number = old[0]
        drop_chunks(db, number)
        db.execute(
            "UPDATE sources SET kind=?, tool=?, hash=?, bytes=?, chunks=?, made=?, origin_size=NULL WHERE id = ?",
            (kind, place.tool, *facts, now_ms(), number),
        )
    else:
        inserted = db.execute(
            "INSERT INTO sources(label, kind, worktree, tool, origin, hash, bytes, chunks, live, made, used)"
            " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
            (place.label, kind, place.worktree, place.tool, place.origin, *facts, live, now_ms()),
        )
        number = int(inserted.lastrowid or 0)
    _read_by(db, number, place.conversation, mark)
    return number


def _replaced(db: Connection, place: Placed) -> tuple[int, bytes] | None:
    """The source of the same origin that a new text takes the place of: its number and the digest of its text."""
    if place.origin is None:
        return None
    row: tuple[int, bytes] | None = db.execute(
        "SELECT id, hash FROM sources WHERE label = ? AND worktree IS ? AND origin = ? AND NOT live",
        (place.label, place.worktree, place.origin),
    ).fetchone()
    return row


def write_chunks(db: Connection, number: int, prepared: Prepared) -> None:
    """Writes the chunk rows of a source that has none."""
    db.executemany("INSERT INTO chunks VALUES(?, ?, ?, ?, ?)", _numbered(prepared, (number << SHIFT) + 1))


def _numbered(prepared: Prepared, place: int) -> Iterator[tuple[int, str, str, str, int]]:
    line = 1
    for heading, text, extra in prepared.rows():
        yield place, heading, text, extra, line
        place += 1
        line += text.count("\n")


def drop_chunks(db: Connection, number: int) -> int:
    """Takes a source's chunks and index entries out; returns how many there were. Its words are the caller's."""
    gone = drop_rows(db, number, id_range(number)[0])
    unindexed.forget(db, number)
    return gone


def drop_rows(db: Connection, number: int, first: int) -> int:
    """Takes the chunks of source `number` from id `first` on out of table and index; how many there were."""
    last = id_range(number)[1]
    waits = unindexed.first_waiting(db, number)
    db.execute(
        "INSERT INTO chunk_words(chunk_words, rowid, heading, text, extra)"
        " SELECT 'delete', id, heading, text, extra FROM chunks WHERE id BETWEEN ? AND ?",
        (first, last if waits is None else waits - 1),
    )
    unindexed.step_back(db, number, first)
    return db.execute("DELETE FROM chunks WHERE id BETWEEN ? AND ?", (first, last)).rowcount


def check_room(store: Store, label: str, chunks: int) -> None:
    """Raises StoreError for more chunks than the ids of one source can tell apart, a text of about 2 GB."""
    if chunks >= 1 << SHIFT:
        reason = f"{label} is too long for one source: {chunks:,} parts, {(1 << SHIFT) - 1:,} at most"
        raise StoreError(store.path, reason)


def id_range(number: int) -> tuple[int, int]:
    """The first and last id that a chunk of source `number` can have."""
    return number << SHIFT, (number + 1 << SHIFT) - 1


def source_text(store: Store, source: str | int) -> str:
    """The exact text of a source, by id or label. Raises UnknownSourceError, StoreError."""
    return "".join(source_pieces(store, find_source(store, source).id))


def source_pieces(store: Store, number: int) -> Iterator[str]:
    """The same piece by piece, of the source with this number, for texts that are too long for memory."""
    first, last = id_range(number)
    while first <= last:
        with store.read() as db:
            rows = db.execute(
                "SELECT id, text FROM chunks WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?", (first, last, _ROWS)
            ).fetchall()
        if not rows:
            return
        yield "".join(text for _, text in rows)
        first = rows[-1][0] + 1


def find_source(store: Store, source: str | int) -> Source:
    """The source with this id (`s7` or 7), else this label, else a label with this beginning; the newest of several.

    A name with control characters, as a file may have, is looked for as its label was made.
    Raises UnknownSourceError, which names near labels.
    """
    with store.read() as db:
        text = str(source)
        number = text[1:] if text[:1] in "sS" else text
        if number.isascii() and number.isdigit() and len(number) <= _DIGITS:
            row = db.execute(f"SELECT {_COLUMNS} FROM sources WHERE id = ?", (int(number),)).fetchone()
            if row:
                return Source(row)
        for label in dict.fromkeys((text, one_line(text) or text)):
            row = db.execute(
                f"SELECT {_COLUMNS} FROM sources WHERE substr(label, 1, length(?1)) = ?1 OR label = ?1"
                " ORDER BY label <> ?1, made DESC, id DESC LIMIT 1",
                (label,),
            ).fetchone()
            if row:
                return Source(row)
        labels = [found[0] for found in db.execute("SELECT DISTINCT label FROM sources ORDER BY made DESC LIMIT 500")]
    raise UnknownSourceError(store.path, f"no source {text!r} in this project", _near(text, labels))


def _near(text: str, labels: list[str]) -> list[str]:
    low = text.lower()
    holding = [label for label in labels if low and low in label.lower()]
    if holding:
        return holding[:_NEAR]
    import difflib

    return difflib.get_close_matches(text, labels, _NEAR, 0.5)


def list_sources(store: Store, where: str = "1", values: tuple[object, ...] = (), limit: int = 200) -> list[Source]:
    """Sources, the newest text first. `where` is a condition of ours on the sources table with its `values`."""
    with store.read() as db:
        rows = db.execute(
            f"SELECT {_COLUMNS} FROM sources WHERE {where} ORDER BY made DESC, id DESC LIMIT ?", (*values, limit)
        )
        return [Source(row) for row in rows]


def now_ms() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000
