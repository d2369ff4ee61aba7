"""The part of a chunk that answers a query: its best passage, and the second best where there is room. Verbatim."""

from __future__ import annotations

from bisect import bisect_right

from context_mode_runtime import limits
from context_mode_runtime.store import cuts

TYPE_CHECKING = False
if TYPE_CHECKING:
    Place = tuple[int, int, float]
    Span = tuple[int, int]

GAP = "[...]\n"
"""Stands for lines that are left out between two that are shown."""
_MAIN = 0.4
_HEAD = 350
_AGAIN = 0.7


def snippet(
    text: str, places: list[Place], passage: Span, limit: int = limits.SNIPPET_MAX_BYTES, *, records: bool = False
) -> str:
    """At most `limit` bytes of `text`: one stretch of lines, or two in order with GAP between them.

    Lines are whole; one over half the limit is cut.

    `places`: (start, number of the word, its weight), sorted; `passage`: first and last place of the best stretch. It
    comes with the lines behind it and before it up to _MAIN of the room; in a text of `records` without headings also
    with what its record begins with (a commit's hash, a test's name), up to _HEAD bytes above it. The rest goes to the
    stretch elsewhere with the weightiest words; where there is none, to the lines around.
    """
    if cuts.size_of(text) <= limit:
        return text.strip("\n")
    page = _Page(text, places, limit)
    told = page.told(passage, int(limit * _MAIN), _HEAD if records else 0)
    main = page.grown(told, max(int(limit * _MAIN), page.size(told)))
    room = limit - page.size(main) - len(GAP) - page.has_cut_line
    other = page.best(room, main)
    whole = _joined(main, other) if other else main
    if other is None or page.size(whole) <= limit:
        return page.lines(page.grown(whole, limit))
    other = page.grown(other, room, main)
    return GAP.join(f"{page.lines(stretch)}\n" for stretch in sorted((main, other))).strip("\n")


def _joined(one: Span, other: Span) -> Span:
    return min(one[0], other[0]), max(one[1], other[1])


class _Page:
    """A chunk as lines, with what each costs and says. A stretch is (first line, line behind the last)."""

    __slots__ = ("_sizes", "_spans", "_text", "_words", "has_cut_line")

    def __init__(self, text: str, places: list[Place], limit: int) -> None:
        self._text = text
        self._spans = list(_lines(text, limit // 2))
        self.has_cut_line = len(self._spans) > len(list(cuts.line_spans(text, 0, len(text))))
        starts = [start for start, _ in self._spans]
        self._sizes = [cuts.size_of(text[start:end]) for start, end in self._spans]
        self._words: list[dict[int, float]] = [{} for _ in self._spans]
        for at, word, weight in places:
            self._words[max(bisect_right(starts, at) - 1, 0)][word] = weight

    def size(self, stretch: Span) -> int:
        """Bytes of a stretch."""
        return sum(self._sizes[stretch[0] : stretch[1]])

    def lines(self, stretch: Span) -> str:
        """The text of a stretch, without blank lines around it."""
        begin, end = stretch
        return self._text[self._spans[begin][0] : self._spans[end - 1][1]].strip("\n")

    def told(self, passage: Span, room: int, above: int) -> Span:
        """The passage's lines, as many as fit twice into `room`, from where their record begins if `above` has room."""
        starts = [start for start, _ in self._spans]
        begin = max(bisect_right(starts, passage[0]) - 1, 0)
        last = max(bisect_right(starts, passage[1]), begin + 1)
        end = begin + 1
        while end < last and self.size((begin, end + 1)) <= 2 * room:
            end += 1
        return self._head(begin, min(above, 2 * room - self.size((begin, end)))), end

    def _head(self, line: int, room: int) -> int:
        """Where the record begins that `line` stands in: its block, and the blocks above under which it is indented.

        `line` itself where that is more than `room` bytes above.
        """
        head, indent, within = line, self._indent(line), True
        for above in range(line - 1, -1, -1):
            if self.size((above, line)) > room:
                break
            depth = self._indent(above)
            if depth < 0:
                within = False
                if not indent:
                    break
            elif depth < indent:
                head, indent, within = above, depth, True
            elif depth == indent and within:
                head = above
            else:
                within = False
        return head

    def _indent(self, line: int) -> int:
        """Columns before the first character of a line, -1 for a blank one."""
        text = self._text[slice(*self._spans[line])]
        bare = text.lstrip()
        return len(text) - len(bare) if bare else -1

    def grown(self, stretch: Span, room: int, taken: Span | None = None) -> Span:
        """The stretch with more lines behind it, then before it, as long as they fit and are not `taken`."""
        begin, end = stretch
        low = taken[1] if taken and taken[1] <= begin else 0
        high = taken[0] if taken and taken[0] >= end else len(self._spans)
        while end < high and self.size((begin, end + 1)) <= room:
            end += 1
        while begin > low and self.size((begin - 1, end)) <= room:
            begin -= 1
        return begin, end

    def best(self, room: int, taken: Span) -> Span | None:
        """The lines outside of `taken` that say most in at most `room` bytes, from their first word to their last."""
        best, found = 0.0, None
        told = set().union(*self._words[slice(*taken)])
        for low, high in ((0, taken[0]), (taken[1], len(self._spans))):
            stop = low
            for start in range(low, high):
                if not self._words[start]:
                    continue
                stop = max(stop, start)
                while stop < high and self.size((start, stop + 1)) <= room:
                    stop += 1
                value = self._value(start, stop, told)
                if value > best + 1e-9:
                    best, found = value, (start, stop)
        return self._tight(*found) if found else None

    def _tight(self, begin: int, end: int) -> Span:
        telling = [line for line in range(begin, end) if self._words[line]]
        return telling[0], telling[-1] + 1

    def _value(self, begin: int, end: int, told: set[int]) -> float:
        words: dict[int, float] = {}
        for line in self._words[begin:end]:
            words.update(line)
        return sum(weight * (_AGAIN if word in told else 1) for word, weight in words.items())


def _lines(text: str, limit: int) -> list[Span]:
    """Lines, those over `limit` cut."""
    out: list[Span] = []
    for start, end in cuts.line_spans(text, 0, len(text)):
        if cuts.size_of(text[start:end]) <= limit:
            out.append((start, end))
        else:
            out += cuts.hard_spans(text, start, end, limit)
    return out
