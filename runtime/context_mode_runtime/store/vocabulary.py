"""The words of all sources, for the spelling fix; trigrams over them serve parts of words.

A word is only ever added when it is new, so that indexing a text touches few pages; that a word is gone is found out when
a text is taken out.
"""

from __future__ import annotations

from context_mode_runtime.store.query import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from sqlite3 import Connection

_LOOKED_AT = 20


def add_words(db: Connection, found: Iterable[str]) -> None:
    """Adds what is new. Inside the caller's transaction."""
    newest = db.execute("SELECT coalesce(max(id), 0) FROM vocabulary").fetchone()[0]
    db.executemany("INSERT OR IGNORE INTO vocabulary(word) VALUES(?)", ((word,) for word in sorted(found)))
    db.execute("INSERT INTO word_parts(rowid, word) SELECT id, word FROM vocabulary WHERE id > ?", (newest,))


def drop_words(db: Connection, gone: Iterable[str]) -> None:
    """Takes out those words of deleted chunks that no chunk holds any more. Inside the caller's transaction."""
    for word in gone:
        if not _is_held(db, word):
            db.execute(
                "INSERT INTO word_parts(word_parts, rowid, word) SELECT 'delete', id, word FROM vocabulary WHERE word = ?",
                (word,),
            )
            db.execute("DELETE FROM vocabulary WHERE word = ?", (word,))


def _is_held(db: Connection, word: str) -> bool:
    """Whether one of the first chunks with a form of the word holds this very one."""
    rows = db.execute(
        "SELECT text, extra FROM chunks WHERE id IN (SELECT rowid FROM chunk_words WHERE chunk_words MATCH ? LIMIT ?)",
        (quoted(word), _LOOKED_AT),
    )
    return any(word in text.lower() or word in extra.lower() for text, extra in rows)
