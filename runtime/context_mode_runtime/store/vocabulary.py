"""The words of all sources, for the spelling fix; trigrams over them serve parts of words.

A word is added when it is new and not counted, so that indexing touches few pages; that it is gone is found out when
a text is taken out.
"""

from __future__ import annotations

import os
import time

from context_mode_runtime.store.words import quoted, vocabulary_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from sqlite3 import Connection

    from context_mode_runtime.store.db import Store

AT_ONCE = 2_000
"""Words that a transaction may take out beside other work, at some 30 µs each; more are noted first."""
_NOTED = "words of purged "
"""Beginning of keys in `meta`: words of a text that is gone, until they are taken out of the vocabulary."""
_STEP = 500
"""Words that one transaction takes out."""
_BREATH_S = 0.02
"""Between two of them: SQLite's lock is nobody's turn."""
_LOOKED_AT = 20
_BLOCK = 16
"""Chunks whose words are looked up together."""
_VALUES = "SELECT value FROM json_each(?)"
_FILLED = "coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'trigrams'), 0)"


def add_words(db: Connection, found: Collection[str]) -> None:
    """Adds what is new; its trigrams wait for `catch_up`. Inside the caller's transaction."""
    db.execute(f"INSERT OR IGNORE INTO vocabulary(word) {_VALUES}", (_listed(found),))


def _listed(words: Collection[str]) -> str:
    """A word is letters and digits, so a list of them is JSON without an encoder."""
    return '["' + '","'.join(sorted(words)) + '"]' if words else "[]"


def is_behind(db: Connection) -> bool:
    """Whether there are words without trigrams."""
    return bool(db.execute(f"SELECT EXISTS(SELECT 1 FROM vocabulary WHERE id > {_FILLED})").fetchone()[0])


def catch_up(db: Connection) -> None:
    """Makes the trigrams of words that have none, all at once: a fifth of what it costs source by source."""
    db.execute(f"INSERT INTO word_parts(rowid, word) SELECT id, word FROM vocabulary WHERE id > {_FILLED}")
    mark_filled(db)


def mark_filled(db: Connection) -> None:
    """Notes that all words have their trigrams."""
    db.execute("INSERT OR REPLACE INTO meta SELECT 'trigrams', coalesce(max(id), 0) FROM vocabulary")


def words_in(db: Connection, first: int, last: int) -> set[str]:
    """The words of the vocabulary that the chunks with these ids hold: at least all that they gave to it."""
    found: set[str] = set()
    texts = db.execute("SELECT text FROM chunks WHERE id BETWEEN ? AND ?", (first, last))
    while block := texts.fetchmany(_BLOCK):
        words = _listed(vocabulary_of(text for (text,) in block))
        found.update(word for (word,) in db.execute(f"SELECT word FROM vocabulary WHERE word IN ({_VALUES})", (words,)))
    return found


def note(db: Connection, number: int, words: Collection[str]) -> None:
    """Notes words of source `number` that are to be taken out. Inside the transaction that takes out its text."""
    listed = sorted(words)
    db.executemany(
        "INSERT INTO meta VALUES(?, ?)",
        (
            (f"{_NOTED}{number}.{os.urandom(6).hex()}", " ".join(listed[at : at + _STEP]))
            for at in range(0, len(listed), _STEP)
        ),
    )


def forget_noted(store: Store) -> None:
    """Takes the words out that were noted, if no text holds them any more; those of an interrupted process too."""
    with store.read() as db:
        keys = db.execute("SELECT key FROM meta WHERE substr(key, 1, length(?1)) = ?1", (_NOTED,)).fetchall()
    for key in keys:
        with store.write() as db:
            for (words,) in db.execute("SELECT value FROM meta WHERE key = ?", key).fetchall():
                drop_words(db, words.split())
            db.execute("DELETE FROM meta WHERE key = ?", key)
        time.sleep(_BREATH_S if len(keys) > 1 else 0.0)


def drop_words(db: Connection, gone: Iterable[str]) -> None:
    """Takes out those words of deleted chunks that no chunk holds any more. Inside the caller's transaction."""
    for word in gone:
        if not _is_held(db, word):
            db.execute(
                "INSERT INTO word_parts(word_parts, rowid, word) SELECT 'delete', id, word FROM vocabulary"
                f" WHERE word = ? AND id <= {_FILLED}",
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
