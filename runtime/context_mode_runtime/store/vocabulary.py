"""The words of all sources with the number of sources that hold each; trigrams over them serve parts of words."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from sqlite3 import Connection


def add_words(db: Connection, found: Iterable[str]) -> None:
    """Counts each word once more. Inside the caller's transaction."""
    newest = db.execute("SELECT coalesce(max(id), 0) FROM vocabulary").fetchone()[0]
    db.executemany(
        "INSERT INTO vocabulary(word, uses) VALUES(?, 1) ON CONFLICT(word) DO UPDATE SET uses = uses + 1",
        ((word,) for word in sorted(found)),
    )
    db.execute("INSERT INTO word_parts(rowid, word) SELECT id, word FROM vocabulary WHERE id > ?", (newest,))


def drop_words(db: Connection, found: Iterable[str]) -> None:
    """Counts each word once less and takes out those that no source holds any more."""
    db.executemany("UPDATE vocabulary SET uses = uses - 1 WHERE word = ?", ((word,) for word in found))
    db.execute(
        "INSERT INTO word_parts(word_parts, rowid, word) SELECT 'delete', id, word FROM vocabulary WHERE uses <= 0"
    )
    db.execute("DELETE FROM vocabulary WHERE uses <= 0")
