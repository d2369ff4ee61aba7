"""The schema, as an ordered list of steps. `user_version` of a file is the number of steps it has seen.

Times are milliseconds since 1970, sizes bytes of UTF-8. A chunk's id is `source * 2^20 + its place`, so that one source
is one range of ids, in the full-text table too.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from sqlite3 import Connection

APPLICATION_ID = 0x63746D64
"""`ctmd`: the mark of our own database files."""

_M001 = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE sources(
    id INTEGER PRIMARY KEY AUTOINCREMENT, label TEXT NOT NULL, kind TEXT NOT NULL, worktree TEXT, tool TEXT,
    origin TEXT, origin_size INTEGER, origin_mtime INTEGER, origin_hash BLOB,
    hash BLOB NOT NULL, bytes INTEGER NOT NULL, chunks INTEGER NOT NULL, live INTEGER NOT NULL,
    made INTEGER NOT NULL, used INTEGER NOT NULL);
CREATE INDEX sources_label ON sources(label);
CREATE TABLE readers(conversation TEXT, source INTEGER, PRIMARY KEY(conversation, source)) WITHOUT ROWID;
CREATE INDEX readers_source ON readers(source);
CREATE TABLE chunks(
    id INTEGER PRIMARY KEY, heading TEXT NOT NULL, text TEXT NOT NULL, extra TEXT NOT NULL, line INTEGER NOT NULL);
CREATE VIRTUAL TABLE chunk_words USING fts5(
    heading, text, extra, content='chunks', content_rowid='id', tokenize='porter unicode61');
CREATE TABLE vocabulary(id INTEGER PRIMARY KEY AUTOINCREMENT, word TEXT NOT NULL UNIQUE);
CREATE VIRTUAL TABLE word_parts USING fts5(
    word, content='vocabulary', content_rowid='id', tokenize='trigram', detail=none, columnsize=0);
CREATE TABLE journal(
    seq INTEGER PRIMARY KEY AUTOINCREMENT, conversation TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL,
    detail TEXT, at INTEGER NOT NULL);
CREATE INDEX journal_conversation ON journal(conversation, seq);
CREATE VIRTUAL TABLE journal_words USING fts5(
    text, detail, content='journal', content_rowid='seq', tokenize='porter unicode61');
CREATE TABLE held(
    conversation TEXT PRIMARY KEY, upto INTEGER NOT NULL, block TEXT NOT NULL, state_due INTEGER NOT NULL,
    match_due INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE search_calls(conversation TEXT PRIMARY KEY, used INTEGER NOT NULL, calls TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX search_calls_used ON search_calls(used);
CREATE TABLE ledger(
    id INTEGER PRIMARY KEY, at INTEGER NOT NULL, conversation TEXT, tool TEXT NOT NULL, raw INTEGER NOT NULL,
    returned INTEGER NOT NULL);
CREATE INDEX ledger_conversation ON ledger(conversation)
"""

FTS_TABLES = ("chunk_words", "word_parts", "journal_words")
"""Full-text tables; each can be rebuilt from the rows of its content table."""


def m001_first(db: Connection) -> None:
    """Sources, chunks, vocabulary, journal, held state blocks, search budget, ledger."""
    for statement in _M001.split(";"):
        db.execute(statement)


def m002_unindexed(db: Connection) -> None:
    """Sources with chunks that are not in the full-text index yet, and the first of those."""
    db.execute("CREATE TABLE unindexed(source INTEGER PRIMARY KEY, first INTEGER NOT NULL)")


def m003_pages(db: Connection) -> None:
    """Of a fetched page: its address after redirects, what tells its versions apart, when it was fetched."""
    for column in ("page_url TEXT", "page_etag TEXT", "page_modified TEXT", "page_fetched INTEGER"):
        db.execute(f"ALTER TABLE sources ADD COLUMN {column}")


def m004_ledger_in_order(db: Connection) -> None:
    """Calls by conversation, tool and day (86,400,000 ms), with all that is summed: an account sorts nothing."""
    db.execute("DROP INDEX ledger_conversation")
    db.execute("CREATE INDEX ledger_conversation ON ledger(conversation, tool, at / 86400000, at, raw, returned)")


MIGRATIONS: tuple[Callable[[Connection], None], ...] = (
    m001_first,
    m002_unindexed,
    m003_pages,
    m004_ledger_in_order,
)
"""In order; a step that was ever released is never changed."""

LATEST = len(MIGRATIONS)


def migrate(db: Connection, version: int) -> None:
    """Runs the steps behind `version`, inside the caller's transaction, and sets the new `user_version`."""
    for step in MIGRATIONS[version:]:
        step(db)
    db.execute(f"PRAGMA user_version = {LATEST}")
