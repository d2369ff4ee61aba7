"""Where our data lies: one root, private to the user, moved by `CONTEXT_MODE_DATA_DIR` (contract, section 4)."""

from __future__ import annotations

import os
import stat

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600
RECEIPT = "receipt.json"
NOT_PLAIN = ("a folder", "no plain file")
"""What `open_plain` says of what it does not open."""


class NoHomeError(Exception):
    """There is no home folder and no `CONTEXT_MODE_DATA_DIR`: nowhere to keep data."""


def home() -> str:
    """The user's home folder: `$HOME`, else what the user database says. Raises NoHomeError where neither knows one."""
    folder = os.path.expanduser("~") if os.environ.get("HOME") or os.name == "nt" else _home_of_user()
    if not os.path.isabs(folder):
        raise NoHomeError("no home folder: set HOME, or CONTEXT_MODE_DATA_DIR to a folder of yours")
    return os.path.normpath(folder)


def _home_of_user() -> str:
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""


def data_root() -> str:
    """`$CONTEXT_MODE_DATA_DIR` made absolute, else `~/.context-mode`."""
    moved = os.environ.get("CONTEXT_MODE_DATA_DIR")
    if moved:
        return os.path.abspath(os.path.expanduser(moved))
    return os.path.join(home(), ".context-mode")


def run_dir() -> str:
    """Marks of live servers and the notes that join hooks and servers."""
    return os.path.join(data_root(), "run")


def bin_dir() -> str:
    """The launchers that configs point to."""
    return os.path.join(data_root(), "bin")


def user_specs_dir() -> str:
    """The user's own agent specs, with the same rights as shipped ones."""
    return os.path.join(data_root(), "agents")


def receipt() -> str:
    """What setup put into which file, with the agent that each entry is for."""
    return os.path.join(data_root(), RECEIPT)


def project_dir(key: str) -> str:
    """The folder of one project's database."""
    return os.path.join(data_root(), "projects", key)


def error_log() -> str:
    """One line an error."""
    return os.path.join(data_root(), "hook-errors.log")


def make_private(folder: str) -> str:
    """Makes `folder` and its missing parents, each 0700 under any umask, and returns it. Raises OSError."""
    if not os.path.isdir(folder):
        make_private(os.path.dirname(folder))
        try:
            os.mkdir(folder, PRIVATE_FOLDER)
            os.chmod(folder, PRIVATE_FOLDER)
        except FileExistsError:
            if not os.path.isdir(folder):
                raise
    return folder


def open_private(path: str, flags: int) -> int:
    """The handle of a file that is made where it is missing, 0600 under any umask. Raises OSError."""
    handle = os.open(path, flags | os.O_CREAT, PRIVATE_FILE)
    if hasattr(os, "fchmod"):
        os.fchmod(handle, PRIVATE_FILE)
    return handle


def open_plain(path: str, flags: int = 0) -> int:
    """A handle for reading a plain file. A pipe or device is neither waited for nor, but for a race, opened.

    What a path names may be a stranger's choice: a repository can hold links to devices, an archive pipes.
    Raises OSError, also for what is no plain file; ValueError for a path with a NUL.
    """
    _check_plain(os.stat(path), path)
    handle = os.open(path, flags | os.O_RDONLY | _CAREFUL)
    try:
        _check_plain(os.fstat(handle), path)
    except BaseException:
        os.close(handle)
        raise
    return handle


_CAREFUL = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


def _check_plain(status: os.stat_result, path: str) -> None:
    if not stat.S_ISREG(status.st_mode):
        import errno

        raise OSError(errno.EINVAL, NOT_PLAIN[not stat.S_ISDIR(status.st_mode)], path)


def read_plain(path: str, limit: int) -> bytes:
    """The first `limit` bytes of a plain file. Raises as `open_plain`."""
    with open(open_plain(path), "rb") as file:
        return file.read(limit)


def tilde(path: str) -> str:
    """`path` with the home folder written as `~`, for people."""
    try:
        base = home()
    except NoHomeError:
        return path
    if path == base:
        return "~"
    return "~" + path[len(base) :] if path.startswith(base + os.sep) else path
