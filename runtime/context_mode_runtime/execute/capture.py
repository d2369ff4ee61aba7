"""What a run prints: one pipe for both streams, kept in a file and not in memory, counted to the last byte."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
import time

from context_mode_runtime.execute.clean import clean_bytes

KEPT = 256 * 1024 * 1024
"""Bytes of one output that are kept unless the caller wants less; of a longer one the middle is counted."""
TAIL_KEPT = 4 * 1024 * 1024
"""Bytes of them that are kept for its end."""
IN_MEMORY = 8 * 1024 * 1024
"""Longest output that is given as one text: with all that is done to it, it stays far below the server's 64 MiB."""
_ENDS = 262_144
"""Bytes shown of either end of a longer one."""

_READ = 65_536
_PIPE = 1024 * 1024
_PIECE = 262_144
_LAST = 512
_QUIET = 0.05
"""Seconds without a byte after which a pipe that somebody still holds counts as drained."""
_F_SETPIPE_SZ = 1031
"""Linux, fcntl.h."""
_FOUR_BYTES = re.compile(rb"[\xf0-\xf4]")


class Capture:
    """One output. `writer` goes to the children and is closed here by `release`; a thread reads until the pipe ends.

    A child that outlives its run keeps a pipe that is read on, so it is never stopped by writing to it.
    """

    __slots__ = (
        *("_changed", "_closed", "_done", "_file", "_last", "_lock", "_reader", "_tail", "eof", "head", "printed"),
        "writer",
    )

    def __init__(self, path: str, keep: int = KEPT) -> None:
        """Opens the pipe and the file `path`, of which at most `keep` bytes are used. Raises OSError."""
        self._tail = min(TAIL_KEPT, keep // 2)
        self.head = keep - self._tail
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
        self._reader, self.writer = os.pipe()
        _widen(self._reader)
        self._lock = threading.Lock()
        self._closed = False
        self._done = False
        self._last = b""
        self._changed = 0.0
        self.printed = 0
        self.eof = threading.Event()
        threading.Thread(target=self._read, name="ctx-output", daemon=True).start()

    def release(self) -> None:
        """Closes our own end for writing: all children have theirs. Harmless a second time."""
        writer, self.writer = self.writer, -1
        if writer >= 0:
            os.close(writer)

    def settle(self, longest: float) -> bool:
        """Waits until the pipe ends, or nobody has written for a moment, or `longest` seconds. True when it ended."""
        until = time.monotonic() + longest
        while not self.eof.wait(_QUIET):
            now = time.monotonic()
            if now >= until or now - self._changed >= _QUIET:
                return False
        return True

    def close(self) -> None:
        """Lets go of the file; what is printed from now on is counted and dropped."""
        with self._lock:
            if not self._closed:
                self._closed = True
                os.close(self._file)

    def last_line(self) -> str:
        """The last line that is not blank, as far as it stands in the last 512 bytes."""
        lines = [line for line in clean_bytes(self._last).split("\n") if line.strip()]
        return lines[-1] if lines else ""

    def text(self) -> tuple[str, bool]:
        """What was printed so far as clean text, and whether that is all.

        Of more than IN_MEMORY bytes both ends; half of it when characters of four bytes (four bytes each in memory
        too) occur.
        """
        printed = self.printed
        if printed <= IN_MEMORY:
            data = self.read(0, printed)
            if len(data) <= IN_MEMORY // _share(data):
                return "".join(_pieces(data)), True
            del data
        head, tail = _whole_lines(self.read(0, _ENDS), self.read(printed - _ENDS, _ENDS))
        edge = "" if head.endswith(b"\n") else "\n"
        between = f"{edge}[... {printed - len(head) - len(tail):,} B in between ...]\n"
        return "".join((*_pieces(head), between, *_pieces(tail))), False

    def read(self, at: int, size: int) -> bytes:
        """Up to `size` bytes from place `at` of the output, as many as lie together; nothing of what is not kept."""
        with self._lock:
            size = min(size, self.printed - at)
            if self._closed or size <= 0 or (at >= self.head and at < self.printed - self._tail):
                return b""
            out = []
            while size > 0 and (at < self.head or at >= self.printed - self._tail):
                place, room = self._place(at)
                os.lseek(self._file, place, os.SEEK_SET)
                data = os.read(self._file, min(room, size))
                if not data:
                    break
                out.append(data)
                at, size = at + len(data), size - len(data)
            return b"".join(out)

    def gap(self) -> tuple[int, int]:
        """From where to where the output is not kept; both the same when all of it is."""
        return self.head, max(self.head, self.printed - self._tail)

    def keep_no_more(self) -> None:
        """What is printed from now on is counted nowhere and dropped; what was kept can be read until `close`."""
        with self._lock:
            self._done = True

    def _read(self) -> None:
        try:
            while data := os.read(self._reader, _READ):
                self._store(data)
        except OSError:
            pass
        os.close(self._reader)
        self.eof.set()

    def _store(self, data: bytes) -> None:
        with self._lock:
            if self._done:
                return
            at, self.printed = self.printed, self.printed + len(data)
            self._last = (self._last + data[-_LAST:])[-_LAST:]
            self._changed = time.monotonic()
            if not self._closed:
                self._write(at, data)

    def _write(self, at: int, data: bytes) -> None:
        """Writes behind the head round and round, in as many bytes as are kept of the end.

        A full disk costs the bytes, not the run.
        """
        view = memoryview(data)
        try:
            while view:
                place, room = self._place(at)
                os.lseek(self._file, place, os.SEEK_SET)
                done = os.write(self._file, view[:room])
                view, at = view[done:], at + done
        except OSError:
            pass

    def _place(self, at: int) -> tuple[int, int]:
        if at < self.head:
            return at, self.head - at
        inside = (at - self.head) % self._tail
        return self.head + inside, self._tail - inside


def _share(data: bytes) -> int:
    return 2 if _FOUR_BYTES.search(data) else 1


def _whole_lines(head: bytes, tail: bytes) -> tuple[bytes, bytes]:
    """Both cut at line ends, where there are any."""
    return head[: head.rfind(b"\n") + 1] or head, tail[tail.find(b"\n") + 1 :] or tail


def _pieces(data: bytes) -> list[str]:
    """Clean text in pieces that end at line ends: most stay narrow in memory, whatever one of them holds."""
    out = []
    start = 0
    while start < len(data):
        end = data.rfind(b"\n", start, start + _PIECE) + 1
        if not end:
            end = data.find(b"\n", start + _PIECE) + 1
        end = end or len(data)
        out.append(clean_bytes(data[start:end]))
        start = end
    return out


def _widen(reader: int) -> None:
    if sys.platform != "linux":
        return
    import fcntl

    with contextlib.suppress(OSError):
        fcntl.fcntl(reader, _F_SETPIPE_SZ, _PIPE)
