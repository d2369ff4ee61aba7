"""What the command prints: kept in a file without a name, shown by and by up to LIVE bytes, the rest held to the end.

The command gets what it would get from the host: that file itself in place of a file, a pipe in place of a pipe.
"""

from __future__ import annotations

import os
import select
import stat
import time

from context_mode_runtime import limits, paths
from context_mode_runtime.seat.pipe import Pipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

LIVE = 1_500
"""Bytes shown while the command runs: a host that stops waiting has something to go by."""
ROOM = 256 * 1024 * 1024
"""With less room on our disk than this the command is left alone: it must not be the one that finds it full."""
_QUIET_S = 0.25
"""Seconds of a command that shows nothing before its end: it ends with the best of all that it printed."""
_LOOK_S = (0.05, 0.2)
"""Seconds between two looks at the file, at first and later."""
_PIECE = 262_144
_STDOUT = 1
_STDERR = 2
_LONGEST_CHARACTER = 4
_FIRST = range(0xC0, 0x100)
"""What a character of several bytes begins with."""


def seat_dir() -> str:
    """Our own folder for what commands print, made where it is missing. Raises OSError."""
    return paths.make_private(os.path.join(paths.run_dir(), "seat"))


class Output:
    """One command's output. `handle` is for the command's stdout and stderr; `watched` what to wait for beside time."""

    __slots__ = ("_began", "_file", "_full", "_looks", "_open", "_pipe", "_through", "shown")

    def __init__(self, file: int, pipe: Pipe | None) -> None:
        self._file = file
        self._pipe = pipe
        self.shown = 0
        """Bytes that have been shown."""
        self._began = time.monotonic()
        self._looks = 0
        self._full = False
        self._open = True
        self._through = False

    @classmethod
    def open(cls) -> Output:
        """A new file in our own folder that has no name, so that nothing of it stays. Raises OSError."""
        folder = seat_dir()
        room = os.statvfs(folder)
        if room.f_bavail * room.f_frsize < ROOM:
            raise OSError(f"{folder} has less than {ROOM} B left")
        flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC
        try:
            file = os.open(folder, flags | os.O_TMPFILE, paths.PRIVATE_FILE)
        except (AttributeError, OSError):  # not this system, not this file system
            path = os.path.join(folder, str(os.getpid()))
            file = os.open(path, flags | os.O_CREAT | os.O_EXCL, paths.PRIVATE_FILE)
            os.unlink(path)
        if file <= _STDERR:
            raise OSError(f"the host has closed stream {file}")
        return cls(file, None if stat.S_ISREG(os.fstat(_STDOUT).st_mode) else Pipe())

    @property
    def handle(self) -> int:
        """What the command writes to."""
        return self._pipe.writer if self._pipe else self._file

    @property
    def watched(self) -> list[int]:
        """What can be read when there is something to `take`."""
        return [self._pipe.reader] if self._pipe and self._pipe.reader >= 0 else []

    def started(self) -> None:
        """The command has its streams."""
        if self._pipe:
            self._pipe.release()

    def take(self) -> None:
        """Keeps what the command has printed by now."""
        if self._pipe:
            self._pipe.take(self._keep)

    def leave(self, ends: Callable[[], object]) -> None:
        """Sees to it that what the command left behind can go on printing."""
        if self._pipe:
            self._pipe.leave(ends)

    def _keep(self, data: bytes) -> None:
        """Into the file; where that is full, all that was kept and all that comes goes through as it is."""
        while data and not self._through:
            try:
                data = data[os.write(self._file, data) :]
            except OSError:
                self._rest()
                self._through = True
        if data:
            self._write(data)

    def size(self) -> int:
        """Bytes printed so far."""
        return os.fstat(self._file).st_size

    def read(self, at: int, size: int) -> bytes:
        """Up to `size` bytes from place `at`."""
        return os.pread(self._file, size, at)

    def show(self) -> float | None:
        """Shows what is new, up to LIVE bytes in all; returns the seconds until the next look, None for no more."""
        if self._full or self._through or not self._open:
            return None
        waits = self._began + _QUIET_S - time.monotonic()
        if waits > 0:
            return waits
        size = self.size()
        self._restart(size)
        data = self.read(self.shown, LIVE - self.shown)
        whole = self.shown + len(data) == size
        if data:
            self._write(_cut(data, whole=whole, begun=self.shown > 0))
        self._full = not whole or self.shown >= LIVE
        self._looks += 1
        return _LOOK_S[self._looks > _LOOK_S[1] / _LOOK_S[0]]

    def finish(self, short: Callable[[int, int], str | None]) -> None:
        """Shows the rest: as it is, or what `short(bytes in all, bytes shown)` gives for a long one."""
        self.take()
        size = self.size()
        self._restart(size)
        text = None
        if size > limits.REPLACE_TRIGGER_BYTES and not self._through:
            try:
                text = short(size, self.shown)
            except Exception as error:  # noqa: BLE001 - what can't be shortened is shown as it is
                from context_mode_runtime.log import log_error

                log_error("seat", error)
        if text is not None:
            self._write(text.encode("utf-8", "replace"))
        elif not self._through:
            self._rest()

    def _rest(self) -> None:
        """Shows all that is kept and not shown yet."""
        size = self.size()
        while self._open and (data := self.read(self.shown, min(_PIECE, size - self.shown))):
            self._write(data)

    def _restart(self, size: int) -> None:
        """A command that opened its own output anew (`> /dev/stderr`) has emptied the file, as a host's own."""
        if size < self.shown:
            self.shown = 0

    def _write(self, data: bytes) -> None:
        """To the host, however it takes it; nothing more once nobody reads."""
        self.shown += len(data)
        while data and self._open:
            try:
                data = data[os.write(_STDOUT, data) :]
            except BlockingIOError:
                select.select([], [_STDOUT], [])
            except OSError:
                self._open = False


def _cut(data: bytes, *, whole: bool, begun: bool) -> bytes:
    """What may be shown now: whole characters; where more follows whole lines, but for a first one without an end."""
    if whole:
        return _characters(data)
    lines = data[: data.rfind(b"\n") + 1]
    return lines if lines or begun else _characters(data)


def _characters(data: bytes) -> bytes:
    """Without a last character whose end is still to come: UTF-8 has up to three bytes behind the first."""
    for back in range(1, min(_LONGEST_CHARACTER, len(data) + 1)):
        if data[-back] in _FIRST:
            return data if data[-back:].decode("utf-8", "ignore") else data[:-back]
    return data
