"""Takes stored text out for good: rows, index entries, words, and their traces in the file and its log."""

from __future__ import annotations

import time

from context_mode_runtime.store import migrations, sources, vocabulary
from context_mode_runtime.store.errors import StoreBusyError, StoreError, UnknownSourceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from context_mode_runtime.store.db import Store

_EVERYTHING = (
    *("chunks", "sources", "unindexed", "readers", "vocabulary", "journal", "held", "search_calls", "ledger"),
)
_STEP = 500
"""Chunks of a long source that one transaction takes out."""
_BREATH_S = 0.02
"""Between two of them: SQLite's lock is nobody's turn."""
_TRIES = 10
_PAGES = 500
"""Pages of an index that one transaction merges."""
_OF_CONVERSATIONS = ("journal", "readers", "held", "search_calls", "ledger")


class AmbiguousSourceError(StoreError):
    """Several sources have the label; `ids` names them."""

    def __init__(self, path: str, label: str, ids: list[str]) -> None:
        super().__init__(path, f"{len(ids)} sources have the label {label!r}: {', '.join(ids)}; name one by its id")
        self.ids = ids


def purge_source(store: Store, source: str) -> int:
    """Deletes one source by id or exact label and returns how many rows went.

    Raises AmbiguousSourceError, UnknownSourceError, StoreError.
    """
    with store.write() as db:
        found = sources.list_sources(store, "label = ?", (source,))
        if len(found) > 1:
            raise AmbiguousSourceError(store.path, source, [item.sid for item in found])
        number = found[0].id if found else sources.find_source(store, source).id
        if not found and source.lower() != f"s{number}":
            raise UnknownSourceError(store.path, f"no source with the id or exact label {source!r}", [])
        gone = _drop_quotes(db, number)
    return gone + purge_sources(store, [number])


def _drop_quotes(db: Connection, number: int) -> int:
    """Takes out the journal's failures whose details were lines of this source; returns how many."""
    rows = db.execute("SELECT seq, detail FROM journal WHERE kind = 'failure' AND detail IS NOT NULL").fetchall()
    quoted = {seq: _quoted(detail) for seq, detail in rows}
    held = _held(db, number, set().union(*quoted.values()))
    quoting = [seq for seq, lines in quoted.items() if lines and lines <= held]
    for seq in quoting:
        _drop_rows(db, "seq = ?", seq)
    return len(quoting)


def _quoted(detail: str) -> set[str]:
    return {line for line in detail.split("\n") if line.strip() and not line.startswith("[... ")}


def _held(db: Connection, number: int, lines: set[str]) -> set[str]:
    """Those of `lines` that are lines of the source, which is read chunk by chunk: it may be long."""
    found: set[str] = set()
    longest = max(map(len, lines), default=0)
    begun = ""
    texts = db.execute("SELECT text FROM chunks WHERE id BETWEEN ? AND ? ORDER BY id", sources.id_range(number))
    for (text,) in texts if lines else ():
        *whole, begun = (begun + text).split("\n")
        found |= lines.intersection(whole)
        begun = begun[: longest + 1]
    return found | lines.intersection([begun])


def _drop_rows(db: Connection, where: str, value: object) -> int:
    """Takes journal rows out of table and index; returns how many."""
    db.execute(
        "INSERT INTO journal_words(journal_words, rowid, text, detail)"
        f" SELECT 'delete', seq, text, detail FROM journal WHERE {where}",
        (value,),
    )
    return int(db.execute(f"DELETE FROM journal WHERE {where}", (value,)).rowcount)


def conversations(store: Store, key: str) -> list[str]:
    """The keys of a conversation and of its sub-agents of which anything is stored; empty for an unknown one."""
    tables = " UNION ".join(f"SELECT conversation c FROM {table}" for table in _OF_CONVERSATIONS)
    with store.read() as db:
        rows = db.execute(
            f"SELECT c FROM ({tables}) WHERE c = ?1 OR substr(c, 1, length(?1) + 1) = ?1 || ':' ORDER BY c", (key,)
        )
        return [row[0] for row in rows]


def purge_sources(store: Store, numbers: list[int]) -> int:
    """Deletes sources by their numbers and returns how many rows went."""
    gone = _shorten(store, numbers)
    with store.write() as db:
        gone += sum(_drop(db, number) for number in numbers)
    _scrub(store)
    return gone


def purge_session(store: Store, conversation: str, *, keep_ledger: bool = False) -> int:
    """Deletes a conversation: its journal, held blocks, budget and ledger rows, and the sources that only it read.

    `keep_ledger`: the numbers, which hold no text, stay for the all-time report.
    """
    with store.read() as db:
        own = _own(db, conversation)
    gone = _shorten(store, own)
    with store.write() as db:
        gone += sum(_drop(db, number) for number in _own(db, conversation))
        gone += _drop_rows(db, "conversation = ?", conversation)
        for table in _OF_CONVERSATIONS[1 : -1 if keep_ledger else None]:
            gone += db.execute(f"DELETE FROM {table} WHERE conversation = ?", (conversation,)).rowcount
    _scrub(store)
    return gone


def _own(db: Connection, conversation: str) -> list[int]:
    """The sources that no other conversation read."""
    rows = db.execute(
        "SELECT source FROM readers WHERE conversation = ?1 AND NOT EXISTS"
        " (SELECT 1 FROM readers r WHERE r.source = readers.source AND r.conversation <> ?1)",
        (conversation,),
    )
    return [row[0] for row in rows]


def purge_project(store: Store) -> int:
    """Deletes all that is stored and returns how many rows went. Ids go on from where they were."""
    with store.write() as db:
        gone = sum(db.execute(f"DELETE FROM {table}").rowcount for table in _EVERYTHING)
        for table in migrations.FTS_TABLES:
            db.execute(f"INSERT INTO {table}({table}) VALUES('rebuild')")
    _scrub(store)
    return gone


def _shorten(store: Store, numbers: list[int]) -> int:
    """Takes most of long sources out in short steps, from their ends, so that others get their turn to write.

    One that is interrupted has to be asked for again. Returns how many rows went.
    """
    gone = 0
    for number in numbers:
        last = _note_words(store, number)
        while last:
            with store.write() as db:
                last = _last_but(db, number, last)
                gone += sources.drop_rows(db, number, last + 1) if last else 0
            time.sleep(_BREATH_S if last else 0.0)
    return gone


def _note_words(store: Store, number: int) -> int:
    """Notes the words of a long source before any of it is gone; the end of its ids, 0 for a short one."""
    last = sources.id_range(number)[1]
    with store.read() as db:
        if not _last_but(db, number, last):
            return 0
        found = vocabulary.words_in(db, *sources.id_range(number))
    with store.write() as db:
        vocabulary.note(db, number, found)
    return last


def _last_but(db: Connection, number: int, last: int) -> int:
    """The last chunk but _STEP of a source up to id `last`; 0 when there are no more than those."""
    row = db.execute(
        "SELECT id FROM chunks WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1 OFFSET ?",
        (sources.id_range(number)[0], last, _STEP),
    ).fetchone()
    return int(row[0]) if row else 0


def _drop(db: Connection, number: int) -> int:
    vocabulary.note(db, number, vocabulary.words_in(db, *sources.id_range(number)))
    gone = sources.drop_chunks(db, number)
    for table, column in (("readers", "source"), ("sources", "id")):
        gone += db.execute(f"DELETE FROM {table} WHERE {column} = ?", (number,)).rowcount
    return gone


def _merged(store: Store, table: str, pages: int) -> bool:
    """One step of a merge, in a transaction of its own; a negative number begins it. True while there is more to do.

    FTS5's documentation, "The merge command": a step that changes less than two rows had nothing to do.
    """
    with store.write() as db:
        before = db.total_changes
        db.execute(f"INSERT INTO {table}({table}, rank) VALUES('merge', ?)", (pages,))
        return db.total_changes - before >= 2  # noqa: PLR2004


def _scrub(store: Store) -> None:
    """Takes their words out, merges index segments, so that deleted words leave them, and empties the write-ahead log.

    `secure_delete` has overwritten the freed pages. Raises StoreBusyError when readers keep the log from being emptied.
    """
    vocabulary.forget_noted(store)
    for table in migrations.FTS_TABLES:
        pages = -_PAGES
        while _merged(store, table, pages):
            pages = _PAGES
            time.sleep(_BREATH_S)
    if store.journal_mode == "wal" and not _emptied(store):
        raise StoreBusyError(store.path, "deleted, but another process still reads the log; purge again later")


def _emptied(store: Store) -> bool:
    """Whether the write-ahead log could be emptied; one that closes its connection just now is waited for."""
    for _ in range(_TRIES):
        if not store.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            return True
        time.sleep(_BREATH_S)
    return False
