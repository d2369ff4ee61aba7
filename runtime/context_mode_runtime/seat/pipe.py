"""The pipe between a command and us, where the host reads its commands by pipes, too: `> /dev/stderr` empties no pipe.

Nobody waits for its end. What the command left behind may go on printing: a process of ours reads on, as a host would.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_PIECE = 65_536
_AT_ONCE = 1024 * 1024
"""Bytes taken in one go, more than a pipe holds: a server that never stops printing holds nobody up."""
_HANDLES_MAX = 1_024


class Pipe:
    """`writer` is for the command, and closed here by `release`; `reader` is -1 once all writers are gone."""

    __slots__ = ("reader", "writer")

    def __init__(self) -> None:
        """Raises OSError."""
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.reader, False)

    def release(self) -> None:
        """Closes our own end for writing: the command has its own."""
        os.close(self.writer)

    def take(self, sink: Callable[[bytes], object]) -> None:
        """Gives `sink` what is there now."""
        left = _AT_ONCE
        while self.reader >= 0 and left > 0:
            try:
                data = os.read(self.reader, _PIECE)
            except BlockingIOError:
                return
            if not data:
                os.close(self.reader)
                self.reader = -1
                return
            left -= len(data)
            sink(data)

    def leave(self, ends: Callable[[], object]) -> None:
        """Leaves a process behind that reads on as long as somebody may write. `ends` makes signals end it again."""
        if self.reader < 0 or os.fork():
            return
        try:
            ends()
            null = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(null, stream)
            os.dup2(self.reader, 3)
            os.closerange(4, _HANDLES_MAX)
            os.set_blocking(3, True)
            while os.read(3, _PIECE):
                pass
        finally:
            os._exit(0)
