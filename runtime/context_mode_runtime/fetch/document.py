"""One file as text: opened once, judged by what was opened, any bytes accepted."""

from __future__ import annotations

import os

from context_mode_runtime import paths
from context_mode_runtime.digests import blake2b
from context_mode_runtime.fetch import kinds
from context_mode_runtime.fetch.convert import NotTextError, to_text
from context_mode_runtime.oneline import shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Mark = tuple[int, int, bytes]

FILE_MAX = 64 * 1024 * 1024
"""Largest file that is read; its text stands in memory two or three times while it is cut into chunks."""
_F_GETPATH = 50
"""macOS: the path of a descriptor (sys/fcntl.h)."""
_PATH_MAX = 1_024
_NAMED_MAX = 600
"""Bytes of a path in what is said about it."""


class DocumentError(OSError):
    """A file that can't be had as text: one line, what and why."""


class Document:
    """A file's text and its kind for chunking (`markdown`, `code`, `json`, `log`, `text`).

    `path` is where it really lies (links resolved); `mark` tells a later change from what was read: size and time (ns)
    before it was, and a digest of the bytes; `note` says how it was converted, or is empty.
    """

    __slots__ = ("kind", "mark", "note", "path", "text")

    def __init__(self, text: str, kind: str, mark: Mark, path: str, note: str) -> None:
        self.text = text
        self.kind = kind
        self.mark = mark
        self.path = path
        self.note = note


def read_document(path: str, *, judge: Callable[[str], str | None] | None = None) -> Document:
    """Reads `path` as text: unfit bytes become U+FFFD, UTF-16 and UTF-32 go by their mark, HTML and PDF are converted.

    `judge` is asked with the real path of the file that was opened, links resolved, and gives a reason to refuse or
    None: a link that changes between check and opening changes nothing. Raises DocumentError, an OSError: missing, a
    folder or device, refused, over 64 MiB, no text.
    """
    real, data, status = _judged(path, judge)
    if len(data) > FILE_MAX:
        raise DocumentError(f"{path} is over {FILE_MAX:,} B; index a part of it")
    media = "text/html" if kinds.by_name(path) == "html" else ""
    try:
        text, kind, note = to_text(data, media, path, web=False)
    except NotTextError as error:
        raise DocumentError(f"{path} {error}") from None
    mark = len(data), status.st_mtime_ns, blake2b(data, digest_size=16).digest()
    return Document(text, kind, mark, real, note)


def _judged(path: str, judge: Callable[[str], str | None] | None) -> tuple[str, bytes, os.stat_result]:
    """Real path, bytes (at most one over the limit), and status before, of a plain file that `judge` lets pass."""
    handle = _opened(path)
    try:
        status = os.fstat(handle)
        real = _real_path(handle, path, status)
        refusal = judge(real) if judge else None
        if refusal:
            raise DocumentError(refusal)
        with os.fdopen(handle, "rb", closefd=False) as file:
            return real, file.read(FILE_MAX + 1), status
    finally:
        os.close(handle)


def _opened(path: str) -> int:
    """A descriptor for reading; a pipe or device doesn't make it wait. Raises DocumentError."""
    try:
        return paths.open_plain(path)
    except OSError as error:
        named = shortened(path, _NAMED_MAX)
        if error.strerror in paths.NOT_PLAIN:
            raise DocumentError(f"{named} is {error.strerror}") from None
        reason = error.strerror or str(error)
        raise DocumentError(f"{named}: {reason[:1].lower()}{reason[1:]}") from None
    except ValueError:
        raise DocumentError(f"{path!r} is no path") from None


def _real_path(handle: int, path: str, status: os.stat_result) -> str:
    """Where the opened file lies, links resolved. Raises DocumentError when that place now holds another file."""
    real = _path_of(handle) or os.path.realpath(path)
    try:
        same = os.path.samestat(os.stat(real), status)
    except OSError:
        same = False
    if not same:
        raise DocumentError(f"{path} changed while it was opened; try again")
    return real


def _path_of(handle: int) -> str:
    """The system's own answer where it has one (Linux, macOS), else empty."""
    link = f"/proc/self/fd/{handle}"
    if os.path.islink(link):
        return os.readlink(link)
    try:
        import fcntl

        return os.fsdecode(fcntl.fcntl(handle, _F_GETPATH, bytes(_PATH_MAX)).rstrip(b"\0"))
    except (ImportError, OSError):
        return ""
