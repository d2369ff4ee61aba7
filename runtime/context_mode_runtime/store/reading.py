"""Opens databases for reading alone: nothing is made, mended, moved on to a newer form, or locked for others."""

from __future__ import annotations

import os

from context_mode_runtime.store import inventory, migrations, place
from context_mode_runtime.store.db import Store, translated
from context_mode_runtime.store.errors import StoreError, StoreForeignError, StoreMissingError, StoreNewerError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from context_mode_runtime.store.db import Transaction


class ReadingStore(Store):
    """A store whose `write()` raises StoreError. Its file may be of an older form: the first tables are there."""

    __slots__ = ()

    read_only = True

    def write(self) -> Transaction:
        """Refused. Raises StoreError."""
        raise StoreError(self.path, "opened for reading only")

    def close(self) -> None:
        """Closes; the log stays as it is."""
        self.db.close()


def open_reading(path: str) -> ReadingStore:
    """The store at `path`. Raises StoreError: missing, foreign, newer than we are, damaged, or not to be read."""
    if not os.path.exists(path):
        raise StoreMissingError(path, "nothing is stored for this project yet")
    db = None
    try:
        db = place.connect(path, "ro")
        return ReadingStore(path, _checked(path, db), db)
    except BaseException as error:
        if db is not None:
            db.close()
        if isinstance(error, place.sqlite.Error):
            raise translated(path, error) from error
        raise


def _checked(path: str, db: Connection) -> str:
    """The project's name, of a file that is ours."""
    if db.execute("PRAGMA application_id").fetchone()[0] != migrations.APPLICATION_ID:
        raise StoreForeignError(path, "a database of another program")
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > migrations.LATEST:
        known = f"schema {version}, this one knows {migrations.LATEST}"
        raise StoreNewerError(path, f"written by a newer context-mode ({known}); upgrade it")
    row = db.execute("SELECT value FROM meta WHERE key = 'name'").fetchone()
    return str(row[0]) if row else os.path.basename(os.path.dirname(path))


def stored_files() -> list[inventory.Files]:
    """The files of every project that has a database, by the name of its folder."""
    return [one for one in inventory.all_files() if os.path.isfile(one.path)]
