"""The part of a chunk that answers a query: whole lines around the words, verbatim, at most SNIPPET_MAX_BYTES."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from context_mode_runtime import limits
from context_mode_runtime.store import cuts

TYPE_CHECKING = False
if TYPE_CHECKING:
    Place = tuple[int, int, float]

_LEAD = 0.25


def snippet(text: str, places: list[Place], limit: int = limits.SNIPPET_MAX_BYTES) -> str:
    """A part of `text` of at most `limit` bytes. `places`: (start, number of the word, its weight), sorted.

    Of all windows the one with the weightiest different words wins, then the one with more of them, then the first.
    """
    if cuts.size_of(text) <= limit:
        return text.strip("\n")
    ends = _ends(text, limit)
    first, last = _best(text, places)
    lines = [start for start, _ in ends]
    begin = lines[max(bisect_right(lines, first) - 1, 0)]
    stop = ends[min(bisect_left([end for _, end in ends], last), len(ends) - 1)][1]
    begin, stop = _widen(text, ends, begin, stop, limit)
    return text[begin:stop].strip("\n")


def _ends(text: str, limit: int) -> list[tuple[int, int]]:
    """Lines, those over `limit` cut."""
    out: list[tuple[int, int]] = []
    for start, end in cuts.line_spans(text, 0, len(text)):
        if cuts.size_of(text[start:end]) <= limit:
            out.append((start, end))
        else:
            out += cuts.hard_spans(text, start, end, limit // 2)
    return out


def _best(text: str, places: list[Place]) -> tuple[int, int]:
    """(first, last) character of the best window, both places of words."""
    if not places:
        return 0, 0
    room = limits.SNIPPET_MAX_BYTES * 3 // 4
    best, where = -1.0, (places[0][0], places[0][0])
    left = 0
    for right, (at, _, _) in enumerate(places):
        while cuts.size_of(text[places[left][0] : at]) > room:
            left += 1
        weights: dict[int, float] = {}
        extra = 0.0
        for _, word, weight in places[left : right + 1]:
            extra += 0.04 * weight if word in weights else 0.0
            weights[word] = weight
        value = sum(weights.values()) + min(extra, 0.3)
        if value > best + 1e-9:
            best, where = value, (places[left][0], at)
    return where


def _widen(text: str, ends: list[tuple[int, int]], begin: int, stop: int, limit: int) -> tuple[int, int]:
    """Adds whole lines behind and, for a quarter of the room, before, as long as they fit; drops what is too much."""
    while cuts.size_of(text[begin:stop]) > limit:
        inside = [end for start, end in ends if begin < end < stop]
        if not inside:
            break
        stop = inside[-1]
    room = limit - cuts.size_of(text[begin:stop])
    before = int(room * _LEAD)
    for start, end in reversed([span for span in ends if span[1] <= begin]):
        size = cuts.size_of(text[start:end])
        if size > before:
            break
        begin, before, room = start, before - size, room - size
    for start, end in (span for span in ends if span[0] >= stop):
        size = cuts.size_of(text[start:end])
        if size > room:
            break
        stop, room = end, room - size
    for start, end in reversed([span for span in ends if span[1] <= begin]):
        size = cuts.size_of(text[start:end])
        if size > room:
            break
        begin, room = start, room - size
    return begin, stop
