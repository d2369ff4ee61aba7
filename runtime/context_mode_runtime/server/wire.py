"""The pipe to the host: lines in, lines out, and when to end.

File descriptor 0 is read here and nowhere else, 1 is written here and nowhere else: both are moved away at start,
so that a stray `print` lands on stderr and a child that reads its input finds it empty.
"""

from __future__ import annotations

import _thread
import os
import select

from context_mode_runtime import jsonio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LINE_MAX = 16 * 1024 * 1024
"""Longest line that is kept, in bytes; of a longer one only its end is looked for."""
_BLOCK = 65_536
_SLICE = 4_096  # POSIX PIPE_BUF on Linux: after POLLOUT a write of this size does not block
_PARENT_LOOK_MS = 2_000
HOST_VARIABLE = "CONTEXT_MODE_HOST_PID"
"""Set by our launcher: the process behind it, whose end is ours too."""
_STUCK_MS = 500


class Wire:
    """One connection. `send` may be called from any thread; `lines` by one only."""

    __slots__ = ("_in", "_lock", "_out", "_ready", "_wakers", "_watched", "dead")

    def __init__(self, read_fd: int, write_fd: int, owners: list[int]) -> None:
        """Takes over two open descriptors; `owners` are the processes whose end, each of them, is ours too."""
        self._in = read_fd
        self._out = write_fd
        self._lock = _thread.allocate_lock()
        self._watched = {pid: _watch(pid) for pid in owners}
        self._wakers: list[int] = []
        self._ready = select.poll()
        for fd in [read_fd, *self._watched.values()]:
            if fd >= 0:
                self._ready.register(fd, select.POLLIN)
        self.dead = False

    def lines(self) -> Iterator[bytes | None]:
        """Every line without its end, `None` for one longer than LINE_MAX; ends with stdin or with the parent."""
        kept = bytearray()
        size = 0
        while self._wait():
            block = os.read(self._in, _BLOCK)
            if not block:
                break
            *whole, rest = block.split(b"\n")
            for part in whole:
                yield bytes(kept + part) if size + len(part) <= LINE_MAX else None
                kept, size = bytearray(), 0
            size += len(rest)
            if size <= LINE_MAX:
                kept += rest
            else:
                kept = bytearray()
        if size:
            yield bytes(kept) if size <= LINE_MAX else None

    def send(self, message: object) -> None:
        """Writes one message as one line; to a host that is gone nothing, `dead` says so."""
        line = (jsonio.dumps(message) + "\n").encode()
        with self._lock:
            if not self.dead:
                self.dead = not self._write(line)

    def wake_descriptor(self) -> int:
        """A descriptor for `signal.set_wakeup_fd`: a signal then ends the sleep, also one that came just before it."""
        read_fd, write_fd = os.pipe()
        os.set_blocking(write_fd, False)
        self._ready.register(read_fd, select.POLLIN)
        self._wakers.append(read_fd)
        return write_fd

    def _wait(self) -> bool:
        """Sleeps until there is something to read: False when an owner is gone."""
        looks = any(fd < 0 for fd in self._watched.values())
        while True:
            found = [fd for fd, _ in self._ready.poll(_PARENT_LOOK_MS if looks else None)]
            if any(_gone(pid, fd, found) for pid, fd in self._watched.items()):
                return False
            for fd in self._wakers:
                if fd in found:
                    os.read(fd, _BLOCK)
            if self._in in found:
                return True

    def _write(self, line: bytes) -> bool:
        waiter = select.poll()
        waiter.register(self._out, select.POLLOUT)
        waiter.register(self._in, 0)
        try:
            at = 0
            while at < len(line):
                if not self._writable(waiter):
                    return False
                at += os.write(self._out, line[at : at + _SLICE])
        except OSError:
            return False
        return True

    def _writable(self, waiter: select.poll) -> bool:
        """Waits for room in the pipe; when stdin has ended and nobody reads, it gives up after _STUCK_MS."""
        while True:
            found = dict(waiter.poll())
            if self._out in found:
                return bool(found[self._out] & select.POLLOUT)
            waiter.unregister(self._in)
            found = dict(waiter.poll(_STUCK_MS))
            return bool(found.get(self._out, 0) & select.POLLOUT)


class BlockingWire(Wire):
    """Where pipes can't be polled (Windows): reads and writes wait, and the end of stdin alone ends us."""

    __slots__ = ()

    def __init__(self, read_fd: int, write_fd: int) -> None:
        """Takes over two open descriptors."""
        self._in = read_fd
        self._out = write_fd
        self._lock = _thread.allocate_lock()
        self.dead = False

    def wake_descriptor(self) -> int:
        """None: -1 for `signal.set_wakeup_fd`."""
        return -1

    def _wait(self) -> bool:
        return True

    def _write(self, line: bytes) -> bool:
        try:
            while line:
                line = line[os.write(self._out, line) :]
        except OSError:
            return False
        return True


def claim() -> Wire:
    """The wire over stdin and stdout, which from now on are empty input and stderr for everybody else.

    Raises OSError when the process was started without stdin or stdout.
    """
    for fd in (0, 1):
        os.fstat(fd)  # a free number would be the next one that `dup` gives
    read_fd, write_fd = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(null, 1)
    os.close(null)
    return Wire(read_fd, write_fd, _owners()) if hasattr(select, "poll") else BlockingWire(read_fd, write_fd)


def _owners() -> list[int]:
    """Our parent, and the host when our launcher stands between. 1 is nobody's owner: it never ends."""
    host = os.environ.get(HOST_VARIABLE, "")
    return [pid for pid in (os.getppid(), int(host) if host.isdecimal() else 0) if pid > 1]


def _watch(pid: int) -> int:
    """A descriptor that becomes readable when `pid` ends, or -1 where the system has none (Linux 5.3 on)."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1


def _gone(pid: int, fd: int, readable: list[int]) -> bool:
    if fd >= 0:
        return fd in readable
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
