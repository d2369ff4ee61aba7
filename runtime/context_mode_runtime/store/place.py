"""Makes, checks and moves aside the database file. All of it is safe against other processes that do the same."""

from __future__ import annotations

import os
import time

try:
    import _sqlite3 as sqlite  # without the `datetime` adapters of `sqlite3`: a third of its import time
except ImportError:  # another Python than CPython
    import sqlite3 as sqlite  # type: ignore[no-redef]  # the same names

from context_mode_runtime import limits, paths
from context_mode_runtime.store import filesystem, migrations
from context_mode_runtime.store.errors import StoreDamagedError, StoreError, StoreForeignError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from sqlite3 import Connection

__all__ = [
    "FILE",
    "Lock",
    "check",
    "check_header",
    "connect",
    "has_foreign_log",
    "is_sound",
    "is_suspect",
    "make",
    "move_aside",
    "settle",
    "sqlite",
    "suspect",
]

FILE = "context.db"
_MAGIC = b"SQLite format 3\x00"
_HEADER = 100
_SUSPECT = ".suspect"
_NEW = ".new-"
_NEW_LIFE_S = 600
_APPLICATION_ID = slice(68, 72)
_COOKIE = slice(40, 44)
_COOKIES_APART = 64
"""More changes of the schema than a store sees: the cookies of two stores are at least that far apart, as a rule."""
_LOG_HEADER, _FRAME_HEADER = 32, 24
_LOG_SALTS, _FRAME_SALTS = slice(16, 24), slice(8, 16)
_FIRST_PAGE = b"\0\0\0\x01"
_PAGE = 8_192
"""Bytes of a page. Chunks fill pages of 4 KB badly: these make a file up to a quarter smaller, and indexing faster."""
_SIDE_FILES = ("-wal", "-shm", "-journal")


def connect(path: str, mode: str = "rw") -> Connection:
    """A connection to an existing file: no implicit transactions, usable from every thread. Raises sqlite errors.

    `mode` is `rw`, or `ro` for one that can't write.
    """
    plain = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return sqlite.connect(
        f"file:{plain}?mode={mode}",
        timeout=limits.DB_TIMEOUT_MS / 1000,
        isolation_level=None,
        check_same_thread=False,
        uri=True,
    )


def settle(db: Connection, journal: str | None = None) -> str:
    """Sets what holds per connection and returns the journal mode; `journal` sets that too, once, for a new file."""
    db.execute(f"PRAGMA busy_timeout = {limits.DB_TIMEOUT_MS}")
    mode = str(db.execute(f"PRAGMA journal_mode{f' = {journal}' if journal else ''}").fetchone()[0])
    db.execute(f"PRAGMA synchronous = {'NORMAL' if mode == 'wal' else 'FULL'}")
    db.execute("PRAGMA secure_delete = ON")
    return mode


def make(path: str, name: str, kind_of: Callable[[str], str] = filesystem.kind_of) -> None:
    """Makes an empty store beside `path` and moves it there. Another process that was faster wins. Raises OSError."""
    folder = os.path.dirname(path)
    for part in (paths.data_root(), os.path.dirname(folder), folder):
        paths.make_private(part)
    with Lock(folder):
        if os.path.exists(path):
            return
        for suffix in _SIDE_FILES:
            if os.path.exists(path + suffix):
                os.rename(path + suffix, f"{path}.damaged-{_stamp()}{suffix}")
        _sweep(folder)
        fresh = f"{path}{_NEW}{os.getpid()}-{time.monotonic_ns():x}"
        try:
            _fill(fresh, name, "DELETE" if filesystem.is_network(kind_of(folder)) else "WAL")
            _move(fresh, path)
        finally:
            for suffix in ("", *_SIDE_FILES):
                _forget(fresh + suffix)


def _sweep(folder: str) -> None:
    """Takes out what a creator that was killed left behind."""
    for entry in os.scandir(folder):
        if entry.name.startswith(FILE + _NEW) and time.time() - entry.stat().st_mtime > _NEW_LIFE_S:
            _forget(entry.path)


def _fill(path: str, name: str, journal: str) -> None:
    os.close(paths.open_private(path, os.O_RDWR | os.O_EXCL))
    db = connect(path)
    try:
        db.execute(f"PRAGMA page_size = {_PAGE}")
        settle(db, journal)
        db.execute("BEGIN")
        db.execute(f"PRAGMA application_id = {migrations.APPLICATION_ID}")
        migrations.migrate(db, 0)
        db.execute("INSERT INTO meta VALUES('name', ?)", (name,))
        db.execute("COMMIT")
        first = (int.from_bytes(os.urandom(3), "big") + 1) * _COOKIES_APART
        db.execute(f"PRAGMA schema_version = {first}")
    finally:
        db.close()


def _move(fresh: str, path: str) -> None:
    try:
        os.link(fresh, path)
    except FileExistsError:
        return
    except OSError:  # no hard links here
        if not os.path.exists(path):
            os.rename(fresh, path)


def _forget(path: str) -> None:
    if os.path.exists(path):
        os.unlink(path)


def check_header(path: str) -> None:
    """Reads the first bytes of a file that this process has not opened.

    Raises StoreDamagedError when it is no SQLite file, StoreForeignError when it is one of another program.
    """
    try:
        with open(paths.open_plain(path), "rb") as file:
            head = file.read(_HEADER)
    except OSError as error:
        raise StoreError(path, error.strerror or str(error)) from error
    if len(head) < _HEADER or not head.startswith(_MAGIC):
        raise StoreDamagedError(path, "not a database")
    if int.from_bytes(head[_APPLICATION_ID], "big") != migrations.APPLICATION_ID:
        raise StoreForeignError(
            path,
            "a database of another program; move it away, or set CONTEXT_MODE_DATA_DIR to another folder",
        )


def check(path: str) -> None:
    """As `check_header`; a file in which somebody met damage is looked through whole. Raises StoreDamagedError too.

    So does a log of another store beside it: SQLite would take any log that is whole.
    """
    check_header(path)
    if has_foreign_log(path):
        raise StoreDamagedError(path, "the log beside it is of another store")
    if is_suspect(path):
        if not is_sound(path):
            raise StoreDamagedError(path, "its pages are damaged")
        _forget(path + _SUSPECT)


def has_foreign_log(path: str) -> bool:
    """Whether the log beside the file is that of another store, as far as its first frame tells.

    Each store begins to count the changes of its schema, the cookie in its first page, at a number of its own. The
    forms are those of SQLite's "Database File Format", 1.3 and 4.1. Only for a file that this process has not opened.
    """
    try:
        with open(path, "rb") as file, open(path + "-wal", "rb") as log:
            page = file.read(_HEADER)
            head, frame, first = log.read(_LOG_HEADER), log.read(_FRAME_HEADER), log.read(_HEADER)
    except OSError:
        return False
    if not frame.startswith(_FIRST_PAGE) or frame[_FRAME_SALTS] != head[_LOG_SALTS] or len(first) < _HEADER:
        return False
    changes = int.from_bytes(first[_COOKIE], "big") - int.from_bytes(page[_COOKIE], "big")
    return abs(changes) >= _COOKIES_APART  # a log that is moved into the file and goes on lags behind it


def suspect(path: str) -> None:
    """Leaves a mark that the file may be damaged: the next process that opens it looks. Never raises."""
    try:
        os.close(paths.open_private(path + _SUSPECT, os.O_WRONLY))
    except OSError:
        return


def is_suspect(path: str) -> bool:
    """Whether somebody met damage in the file and nobody has looked since."""
    return os.path.exists(path + _SUSPECT)


def is_sound(path: str) -> bool:
    """Whether SQLite reads the file's header and schema and finds its pages whole."""
    try:
        check_header(path)
        if has_foreign_log(path):
            return False
        db = connect(path)
    except (StoreDamagedError, sqlite.DatabaseError):
        return False
    try:
        return bool(db.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
    except sqlite.OperationalError:
        return True
    except sqlite.DatabaseError:
        return False
    finally:
        db.close()


def move_aside(path: str) -> str | None:
    """Renames a damaged file, with the side files that belong to it, and returns its new name.

    A log of another store goes without the file, and its new name ends with `-wal`. None when all was whole: another
    process may have replaced it. Raises OSError.
    """
    with Lock(os.path.dirname(path)):
        if not os.path.exists(path) or is_sound(path):
            return None
        aside = f"{path}.damaged-{_stamp()}"
        log_alone = has_foreign_log(path)
        for suffix in _SIDE_FILES if log_alone else (*_SIDE_FILES, ""):
            if os.path.exists(path + suffix):
                os.rename(path + suffix, aside + suffix)
        _forget(path + _SUSPECT)
        return f"{aside}-wal" if log_alone else aside


def _stamp() -> str:
    return time.strftime("%Y%m%dT%H%M%S", time.gmtime()) + f"-{time.monotonic_ns() % 10**6:06d}"


class Lock:
    """Keeps a second process out of making or moving the file in `folder`. A dead holder holds nothing."""

    __slots__ = ("_folder", "_handle")

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._handle = -1

    def __enter__(self) -> None:
        """Waits for the lock."""
        try:
            from fcntl import LOCK_EX, flock
        except ImportError:  # Windows: a rename there never overwrites
            return
        self._handle = paths.open_private(os.path.join(self._folder, ".lock"), os.O_RDWR)
        try:
            flock(self._handle, LOCK_EX)
        except OSError:  # a file system without locks: the hard link still lets one creator win
            return

    def __exit__(self, *_: object) -> None:
        """Gives it back."""
        if self._handle >= 0:
            os.close(self._handle)
