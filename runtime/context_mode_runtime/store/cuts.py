"""Cutting text into spans of bounded size, in linear time. A span is (start, end) in characters; sizes are bytes."""

from __future__ import annotations

from context_mode_runtime import limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Span = tuple[int, int]

_SOFT = 256
_CONTINUES = 0b11000000
_CONTINUED = 0b10000000
_BORDERS = (("\n\n", "\n\r\n"), ("\n",))
_BREAKS = b" \t\r,;>}])|&/"


def size_of(text: str) -> int:
    """Bytes of `text` in UTF-8; a lone surrogate counts three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def line_spans(text: str, start: int, end: int) -> Iterator[Span]:
    """The lines of `text[start:end]`, each with its line feed."""
    while start < end:
        feed = text.find("\n", start, end)
        after = end if feed < 0 else feed + 1
        yield start, after
        start = after


def hard_spans(text: str, start: int, end: int, limit: int = limits.MAX_CHUNK_BYTES) -> Iterator[Span]:
    """Pieces of at most `limit` bytes, cut at character borders, behind a space or mark where one is near."""
    data = text[start:end].encode("utf-8", "surrogatepass")
    at = 0
    while len(data) - at > limit:
        cut = _cut(data, at, limit)
        count = len(data[at:cut].decode("utf-8", "surrogatepass"))
        yield start, start + count
        start += count
        at = cut
    if start < end:
        yield start, end


def _cut(data: bytes, at: int, limit: int) -> int:
    hard = at + limit
    while data[hard] & _CONTINUES == _CONTINUED:
        hard -= 1
    soft = max(data.rfind(mark, hard - _SOFT, hard) for mark in _BREAK_MARKS)
    return soft + 1 if soft > at else hard


_BREAK_MARKS = tuple(bytes((mark,)) for mark in _BREAKS)


def pack(text: str, spans: Iterable[Span], target: int) -> Iterator[Span]:
    """Joins neighbouring spans up to `target` bytes; a span over the chunk limit is cut by lines, then by bytes."""
    begin = last = filled = -1
    for start, end, size in _fitting(text, spans):
        if begin >= 0 and filled + size > target:
            yield begin, last
            begin = -1
        if begin < 0:
            begin, filled = start, 0
        last = end
        filled += size
    if begin >= 0:
        yield begin, last


def packed(text: str, start: int, end: int, target: int) -> Iterator[Span]:
    """Parts of `text[start:end]` of about `target` characters, cut in their second half where a record begins.

    A record is a line at the margin behind a blank line; where there is none: behind a blank line, at a line at the
    margin, at any line. A longer line is a part, cut by bytes where it is over the chunk limit.
    """
    while start < end:
        stop = end if end - start <= target else _border(text, start + target // 2, start + target)
        if not stop:
            stop = text.rfind("\n", start, start + target) + 1 or text.find("\n", start + target, end) + 1 or end
        if size_of(text[start:stop]) <= limits.MAX_CHUNK_BYTES:
            yield start, stop
        else:
            yield from pack(text, line_spans(text, start, stop), target)
        start = stop


def _border(text: str, low: int, high: int) -> int:
    """The last best place to cut between `low` and `high`, 0 when there is none."""
    for marks in _BORDERS:
        loose = 0
        for mark in marks:
            at = text.rfind(mark, low, high)
            loose = max(loose, at + len(mark)) if at >= 0 else loose
            while at >= 0:
                stop = at + len(mark)
                if not text[stop : stop + 1].isspace():
                    return stop
                at = text.rfind(mark, low, stop - 1)
        if loose:
            return loose
    return 0


def _fitting(text: str, spans: Iterable[Span]) -> Iterator[tuple[int, int, int]]:
    for start, end in spans:
        size = size_of(text[start:end])
        if size <= limits.MAX_CHUNK_BYTES:
            yield start, end, size
            continue
        for line_start, line_end in line_spans(text, start, end):
            line_size = size_of(text[line_start:line_end])
            if line_size <= limits.MAX_CHUNK_BYTES:
                yield line_start, line_end, line_size
                continue
            for piece_start, piece_end in hard_spans(text, line_start, line_end):
                yield piece_start, piece_end, size_of(text[piece_start:piece_end])


def paragraphs(text: str, start: int, end: int) -> Iterator[Span]:
    """Blocks of `text[start:end]`; the blank lines behind a block belong to it."""
    begin, blank = start, False
    for line_start, line_end in line_spans(text, start, end):
        if text[line_start:line_end].isspace():
            blank = True
        elif blank:
            yield begin, line_start
            begin, blank = line_start, False
    if begin < end:
        yield begin, end
