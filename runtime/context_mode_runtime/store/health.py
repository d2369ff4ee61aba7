"""Whether a store is whole, and the repair of its full-text tables from their rows."""

from __future__ import annotations

from context_mode_runtime import paths
from context_mode_runtime.store import filesystem, migrations, unindexed, vocabulary
from context_mode_runtime.store.errors import StoreDamagedError
from context_mode_runtime.store.place import sqlite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from context_mode_runtime.store.db import Store


def rebuild(store: Store) -> None:
    """Makes every full-text table anew from its rows. Raises StoreError when the rows are damaged too."""
    with store.write() as db:
        for table in migrations.FTS_TABLES:
            db.execute(f"INSERT INTO {table}({table}) VALUES('rebuild')")
        vocabulary.mark_filled(db)
        unindexed.mark_rebuilt(db)


def damaged_pages(store: Store) -> str:
    """What SQLite finds wrong with the pages of the file; empty where they are whole."""
    try:
        said = str(store.db.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite.DatabaseError as error:
        return str(error)
    return "" if said == "ok" else said


def damaged_tables(store: Store) -> list[str]:
    """Full-text tables that fail their own integrity check, which `PRAGMA integrity_check` doesn't see (F50)."""
    bad = []
    for table in migrations.FTS_TABLES:
        try:
            with store.write() as db:
                db.execute(f"INSERT INTO {table}({table}) VALUES('integrity-check')")
        except StoreDamagedError:
            bad.append(table)
    return bad


def findings(store: Store, kind_of: Callable[[str], str] = filesystem.kind_of) -> list[str]:
    """What doctor should tell: damaged pages or full-text tables, write-ahead logging on a network file system."""
    out = list(store.notices)
    if pages := damaged_pages(store):
        out.append(f"{paths.tilde(store.path)}: {pages}")
    out += [f"full-text table {table} is damaged; the next search rebuilds it" for table in damaged_tables(store)]
    kind = kind_of(store.path)
    if store.journal_mode == "wal" and filesystem.is_network(kind):
        out.append(
            f"{paths.tilde(store.path)} uses write-ahead logging on {kind}, which can damage it; "
            "set CONTEXT_MODE_DATA_DIR to a folder on a local disk"
        )
    return out
