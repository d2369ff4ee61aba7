"""What a run prints: one pipe for both streams, kept in a file and not in memory, counted to the last byte."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
import time

from context_mode_runtime.execute.clean import clean_bytes

HEAD_KEPT = 4 * 1024 * 1024
"""Bytes kept from the beginning of an output."""
TAIL_KEPT = 4 * 1024 * 1024
"""Bytes kept from its end. Head and tail as text stay far below the server's 64 MiB (contract, section 7)."""

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

    __slots__ = ("_changed", "_closed", "_file", "_last", "_lock", "_reader", "eof", "printed", "writer")

    def __init__(self, path: str) -> None:
        """Opens the pipe and the file `path`. Raises OSError."""
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
        self._reader, self.writer = os.pipe()
        _widen(self._reader)
        self._lock = threading.Lock()
        self._closed = False
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

    def text(self) -> tuple[str, int]:
        """What was printed so far as clean text, and the bytes between head and tail that are not kept.

        At most HEAD_KEPT + TAIL_KEPT bytes, half of it when characters of four bytes (four bytes each in memory too)
        occur. What is left out is named in a line of its own.
        """
        with self._lock:
            data, printed = (b"", 0) if self._closed else (self._kept(), self.printed)
        if printed == len(data) and printed <= (HEAD_KEPT + TAIL_KEPT) // _share(data):
            return "".join(_pieces(data)), 0
        head, tail = _whole_lines(data)
        del data
        cut = printed - len(head) - len(tail)
        edge = "" if head.endswith(b"\n") else "\n"
        return "".join([*_pieces(head), f"{edge}[... {cut:,} B not kept ...]\n", *_pieces(tail)]), cut

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
            at, self.printed = self.printed, self.printed + len(data)
            self._last = (self._last + data[-_LAST:])[-_LAST:]
            self._changed = time.monotonic()
            if not self._closed:
                self._write(at, data)

    def _write(self, at: int, data: bytes) -> None:
        """Writes behind the head round and round in TAIL_KEPT bytes. A full disk costs the bytes, not the run."""
        view = memoryview(data)
        try:
            while view:
                place, room = _place(at)
                os.lseek(self._file, place, os.SEEK_SET)
                done = os.write(self._file, view[:room])
                view, at = view[done:], at + done
        except OSError:
            pass

    def _kept(self) -> bytes:
        stored = min(self.printed, HEAD_KEPT + TAIL_KEPT)
        os.lseek(self._file, 0, os.SEEK_SET)
        data = b"".join(iter(lambda: os.read(self._file, _PIPE), b""))[:stored]
        if self.printed <= HEAD_KEPT + TAIL_KEPT:
            return data
        turn = HEAD_KEPT + (self.printed - HEAD_KEPT) % TAIL_KEPT
        return data[:HEAD_KEPT] + data[turn:] + data[HEAD_KEPT:turn]


def _place(at: int) -> tuple[int, int]:
    if at < HEAD_KEPT:
        return at, HEAD_KEPT - at
    inside = (at - HEAD_KEPT) % TAIL_KEPT
    return HEAD_KEPT + inside, TAIL_KEPT - inside


def _share(data: bytes) -> int:
    return 2 if _FOUR_BYTES.search(data) else 1


def _whole_lines(data: bytes) -> tuple[bytes, bytes]:
    """Head and tail cut at line ends, where there is one near enough."""
    share = _share(data)
    head = data[: HEAD_KEPT // share]
    tail = data[max(len(head), len(data) - TAIL_KEPT // share) :]
    head_end = head.rfind(b"\n", max(len(head) - _PIECE, 0)) + 1
    tail_start = tail.find(b"\n", 0, _PIECE) + 1
    return head[:head_end] if head_end else head, tail[tail_start:]


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
