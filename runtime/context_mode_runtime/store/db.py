"""Opens the database of one project and gives short, safe transactions on it."""

from __future__ import annotations

import os
from _thread import RLock, allocate_lock

from context_mode_runtime import log, paths
from context_mode_runtime.store import filesystem, migrations, place
from context_mode_runtime.store.errors import (
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreMissingError,
    StoreNewerError,
)
from context_mode_runtime.store.place import sqlite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from sqlite3 import Connection
    from types import TracebackType
    from typing import Self, TypeVar

    Result = TypeVar("Result")

_opened: dict[str, int] = {}
_opened_lock = allocate_lock()


class Store:
    """One open store. `db` is the connection, `path` the file, `name` the project's name, `notices` what to tell.

    `secret_names`: key names of the policy whose values are cut out of all that is stored, set by whoever opens it.

    Usable from several threads: `read()` and `write()` let one at a time in. Close it, or use it with `with`.
    """

    __slots__ = ("_depth", "_lock", "db", "journal_mode", "name", "notices", "path", "secret_names")

    read_only = False
    """Whether `write()` is refused."""

    def __init__(self, path: str, name: str, db: Connection) -> None:
        self.path = path
        self.name = name
        self.db = db
        self.notices: list[str] = []
        self.secret_names: tuple[str, ...] = ()
        self.journal_mode = ""
        self._lock = RLock()
        self._depth = 0

    @classmethod
    def open(
        cls,
        project_key: str,
        *,
        name: str,
        create: bool = True,
        kind_of: Callable[[str], str] = filesystem.kind_of,
    ) -> Store:
        """Opens `projects/<project_key>/context.db` below the data root; makes it when `create`.

        A damaged file is moved aside, kept, and named in `notices`; a new one takes its place. `kind_of` tells a
        folder's file system type. Raises StoreError: StoreMissingError, StoreForeignError, StoreNewerError,
        StoreBusyError, or itself with the system's reason.
        """
        try:
            path = os.path.join(paths.project_dir(project_key), place.FILE)
        except paths.NoHomeError as error:
            raise StoreError("~/.context-mode", str(error)) from None
        try:
            return cls._open(path, name, create, kind_of)
        except StoreDamagedError as error:
            notice = _set_aside(path, error.reason)
        store = cls._open(path, name, create=True, kind_of=kind_of)
        if notice:
            store.notices.append(notice)
        return store

    @classmethod
    def _open(cls, path: str, name: str, create: bool, kind_of: Callable[[str], str]) -> Store:  # noqa: FBT001
        _ensure(path, name, create=create, kind_of=kind_of)
        with _opened_lock:  # reading a file that this process has open by other means would drop SQLite's locks on it
            if not _opened.get(path):
                place.check(path)
            try:
                store = cls(path, name, place.connect(path))
            except sqlite.Error as error:
                raise translated(path, error) from error
            _opened[path] = _opened.get(path, 0) + 1
        try:
            store._prepare()
        except BaseException:
            store.close()
            raise
        return store

    def _prepare(self) -> None:
        try:
            self.journal_mode = place.settle(self.db)
            version = int(self.db.execute("PRAGMA user_version").fetchone()[0])
            self.db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite.Error as error:
            raise translated(self.path, error) from error
        if version > migrations.LATEST:
            raise StoreNewerError(
                self.path,
                f"written by a newer context-mode (schema {version}, this one knows {migrations.LATEST}); upgrade it",
            )
        if version < migrations.LATEST:
            with self.write() as db:
                migrations.migrate(db, int(db.execute("PRAGMA user_version").fetchone()[0]))

    def is_current(self) -> bool:
        """Whether the file still has the form that this program knows: a newer one may have been at it."""
        try:
            return int(self.db.execute("PRAGMA user_version").fetchone()[0]) == migrations.LATEST
        except sqlite.Error:
            return False

    def read(self) -> Transaction:
        """`with store.read() as db:` one consistent view. Raises StoreError where SQLite fails."""
        return Transaction(self, "BEGIN")

    def write(self) -> Transaction:
        """`with store.write() as db:` a transaction that waits for other writers first. Raises StoreError."""
        return Transaction(self, "BEGIN IMMEDIATE")

    def close(self) -> None:
        """Moves what it can from the log into the file, waits for nobody, and closes. A second call does nothing."""
        with self._lock:
            try:
                if self.journal_mode == "wal":
                    self.db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            except sqlite.Error:
                pass
            with _opened_lock:
                if self.journal_mode != "closed":
                    _opened[self.path] = _opened.get(self.path, 1) - 1
                self.journal_mode = "closed"
                self.db.close()

    def enter(self, statement: str) -> None:
        """Begins a transaction with `statement` for one thread; inside another one of that thread it does nothing."""
        self._lock.acquire()
        try:
            if self._depth == 0:
                self.db.execute(statement)
        except sqlite.Error as error:
            self._lock.release()
            raise translated(self.path, error) from error
        self._depth += 1

    def leave(self, error: BaseException | None) -> None:
        """Ends what `enter` began: rolls back after an error, else commits. Raises StoreError for SQLite's own."""
        self._depth -= 1
        try:
            if self._depth == 0:
                self._finish("ROLLBACK" if error else "COMMIT")
        except sqlite.Error as failure:
            raise translated(self.path, failure) from failure
        finally:
            self._lock.release()
        if isinstance(error, sqlite.Error):
            told = translated(self.path, error)
            if isinstance(told, StoreDamagedError):
                place.suspect(self.path)
            raise told from error

    def _finish(self, statement: str) -> None:
        try:
            if self.db.in_transaction:
                self.db.execute(statement)
        except sqlite.Error:
            if self.db.in_transaction:
                self.db.execute("ROLLBACK")
            raise

    def __enter__(self) -> Self:
        """The store itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes."""
        self.close()


class Transaction:
    """Begins on entry; commits at the end, rolls back on any exception; inside another one it is part of that."""

    __slots__ = ("_statement", "_store")

    def __init__(self, store: Store, statement: str) -> None:
        self._store = store
        self._statement = statement

    def __enter__(self) -> Connection:
        """The connection, inside the transaction."""
        self._store.enter(self._statement)
        return self._store.db

    def __exit__(self, _kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Commits or rolls back."""
        self._store.leave(error)


def mended(store: Store, work: Callable[[], Result]) -> Result:
    """What `work` returns; a damaged index that it meets is made anew from its rows, and `work` runs once more."""
    try:
        return work()
    except StoreDamagedError:
        from context_mode_runtime.store import health

        health.rebuild(store)
        return work()


def translated(path: str, error: BaseException) -> StoreError:
    """The StoreError that says what a sqlite error means."""
    text = str(error)
    low = text.lower()
    if "locked" in low or "busy" in low:
        return StoreBusyError(path, "busy: other processes are writing; try again")
    if "malformed" in low or "not a database" in low or "corrupt" in low:
        return StoreDamagedError(path, text)
    return StoreError(path, text)


def _ensure(path: str, name: str, *, create: bool, kind_of: Callable[[str], str]) -> None:
    if os.path.exists(path):
        return
    if not create:
        raise StoreMissingError(path, "nothing is stored for this project yet")
    try:
        place.make(path, name, kind_of)
    except OSError as error:
        raise StoreError(error.filename or path, error.strerror or str(error)) from error
    except sqlite.Error as error:
        raise translated(path, error) from error


def _set_aside(path: str, reason: str) -> str:
    try:
        aside = place.move_aside(path)
    except OSError as error:
        raise StoreError(path, f"{reason}; it could not be moved aside: {error.strerror}") from error
    if aside is None:
        return ""
    went = "that log" if aside.endswith("-wal") else "it"
    anew = "" if aside.endswith("-wal") else " and a new one was begun"
    notice = f"the store was damaged ({reason}); {went} is kept as {paths.tilde(aside)}{anew}"
    log.log_error("store", notice)
    return notice
