"""A long output, read piece by piece as clean text: while it is printed, and to its end."""

from __future__ import annotations

from context_mode_runtime.execute.stream import Cleaner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Protocol

    class Kept(Protocol):
        """Printed bytes that can be read again: a `Capture`, or a file that has one's methods."""

        head: int
        printed: int

        def read(self, at: int, size: int) -> bytes:
            """Up to `size` bytes from place `at`, as many as lie together."""

        def gap(self) -> tuple[int, int]:
            """From where to where it is not kept."""

        def keep_no_more(self) -> None:
            """What is printed from now on does not count."""

        def close(self) -> None:
            """Lets go of the file."""


_PIECE = 262_144


class Output:
    """What one run prints. `more` and `rest` read on from where the last one stopped; joined they are the whole text.

    `printed` and `cut` count bytes. Close it: its file is gone then.
    """

    __slots__ = ("_at", "_capture", "_cleaner", "_gone", "_open_line")

    def __init__(self, capture: Kept, gone: Callable[[], None]) -> None:
        """`gone` is called by `close`: it removes what the run left on disk."""
        self._capture = capture
        self._cleaner = Cleaner()
        self._gone = gone
        self._at = 0
        self._open_line = False

    @property
    def printed(self) -> int:
        """Bytes printed so far."""
        return self._capture.printed

    @property
    def read(self) -> int:
        """Bytes read so far, those that are not kept among them."""
        return self._at

    @property
    def cut(self) -> int:
        """Bytes that were printed and are not kept."""
        start, end = self._gap()
        return end - start

    def more(self) -> Iterator[str]:
        """What was printed since the last look, up to the part that may not be kept."""
        yield from self._until(min(self._capture.printed, self._capture.head))

    def rest(self) -> Iterator[str]:
        """What is left of an output that has ended; a line of its own names what is not kept."""
        self._capture.keep_no_more()
        start, end = self._gap()
        yield from self._until(min(self._capture.printed, start))
        if end > start:
            yield self._noted(self._cleaner.end())
            yield f"{self._edge()}[... {end - start:,} B not kept ...]\n"
            self._cleaner = Cleaner()
            self._at = end
        yield from self._until(self._capture.printed)
        yield self._cleaner.end()

    def ahead(self, size: int) -> tuple[int, int, str]:
        """The last `size` bytes as clean text, and (lines, bytes) between there and where the reading is."""
        at, end = self._at, max(self._capture.printed - size, self._at)
        last = self._capture.read(end, size)
        begin = last.find(b"\n") + 1
        lines, left_out = last.count(b"\n", 0, begin), end + begin - at
        while at < end and (data := self._capture.read(at, min(_PIECE, end - at))):
            lines += data.count(b"\n")
            at += len(data)
        cleaner = Cleaner()
        return lines, left_out, cleaner.feed(last[begin:]) + cleaner.end()

    def close(self) -> None:
        """Lets go of the file. Harmless a second time."""
        self._capture.keep_no_more()
        self._capture.close()
        self._gone()

    def _gap(self) -> tuple[int, int]:
        """What is not kept, up to the next line."""
        start, end = self._capture.gap()
        return start, end + self._capture.read(end, _PIECE).find(b"\n") + 1 if end > start else end

    def _until(self, end: int) -> Iterator[str]:
        while self._at < end:
            data = self._capture.read(self._at, min(_PIECE, end - self._at))
            if not data:
                break
            self._at += len(data)
            yield self._noted(self._cleaner.feed(data))

    def _noted(self, text: str) -> str:
        self._open_line = not text.endswith("\n") if text else self._open_line
        return text

    def _edge(self) -> str:
        return "\n" if self._open_line else ""
