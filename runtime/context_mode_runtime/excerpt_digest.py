"""What may matter of a text that is too long to hold: both ends and the lines with signals, gathered piece by piece."""

from __future__ import annotations

import heapq
import re

from context_mode_runtime.excerpt import Condensed, size
from context_mode_runtime.excerpt_scan import intent_words
from context_mode_runtime.excerpt_signals import FADES, FLOORS, WEIGHTS, kind_of

ENDS = 180_000
"""Characters kept of either end."""
ROOM = 262_144
"""Characters kept of what lies between."""
_WORDS = (
    *("error", "fail", "fatal", "panic", "exception", "traceback", "assert", "critical", "denied", "refused"),
    *("not found", "no such file", "segmentation", "killed", "out of memory", "unhandled", "mismatch", "timed out"),
)
_INTENT_WORTH = 100.0
_HITS_MAX = 100
"""Lines looked at in one piece for one word."""
_SHAPES_MAX = 20_000
_LINE_MAX = 400
_LINES_BEFORE = 2
_LINES_BEHIND = 7
_REACH = 1_000
"""Characters before and behind a hit that may be kept with it."""
_NO_LETTERS = re.compile(r"[\W\d_]+")


class Digest:
    """Takes a text piece by piece; `condensed` is then what an excerpt is made of. About two MiB, whatever comes."""

    __slots__ = ("_at", "_found", "_head", "_room", "_shapes", "_tail", "_words")

    def __init__(self, intent: str) -> None:
        """`intent`: what the caller wants to know; lines with its words are signals too."""
        self._words = intent_words(intent)[0]
        self._at = _Place(0, 0, 0)
        self._head = ""
        self._tail: list[tuple[_Place, str]] = []
        self._found: list[tuple[float, int, _Place, str]] = []
        self._room = ROOM
        self._shapes: dict[int, int] = {}

    def feed(self, text: str) -> None:
        """The next piece, mostly whole lines."""
        if not text:
            return
        if not self._at.chars:
            self._head = text[: text.rfind("\n", 0, ENDS) + 1 or ENDS]
        self._look(text)
        self._tail.append((self._at, text))
        self._at = self._at.behind(text)
        while len(self._tail) > 1 and self._at.chars - self._tail[1][0].chars >= ENDS:
            del self._tail[0]

    def condensed(self, ahead: tuple[int, int, str] = (0, 0, "")) -> Condensed:
        """The parts in their order, with what is missing between them.

        `ahead`: (lines, bytes) of what was not fed yet, and the end of the text behind that.
        """
        parts = [(_Place(0, 0, 0), self._head)]
        parts += sorted(((place, text) for _, _, place, text in self._found), key=lambda part: part[0].chars)
        tail = "".join(text for _, text in self._tail)
        if tail:
            begin = max(len(tail) - ENDS, 0)
            parts.append(self._tail[0][0].cut(tail, tail.find("\n", begin) + 1 if begin else 0))
        out = Condensed("", size=self._at.bytes)
        end = _Place(0, 0, 0)
        for number, part in enumerate(parts):
            last = parts[number + 1 :] and parts[-1][0].chars <= part[0].chars
            place, text = part[0].cut(part[1], max(end.chars - part[0].chars, 0))
            if text and not last:
                out.add(text, place.lines - end.lines, place.bytes - end.bytes)
                end = place.behind(text)
        lines, left_out, text = ahead
        out.size += left_out + size(text)
        out.add(text, self._at.lines - end.lines + lines, self._at.bytes - end.bytes + left_out)
        return out

    def _look(self, text: str) -> None:
        low = text.lower()
        if len(low) != len(text):
            return
        hits: dict[int, int] = {}
        for word in (*_WORDS, *self._words):
            at = low.find(word)
            for _ in range(_HITS_MAX):
                if at < 0:
                    break
                hits.setdefault(max(text.rfind("\n", 0, at) + 1, at - _LINE_MAX // 2), at)
                feed = text.find("\n", at)
                at = low.find(word, feed if 0 <= feed < at + _REACH else at + _REACH)
        for start, at in hits.items():
            self._weigh(text, low, start, at)

    def _weigh(self, text: str, low: str, start: int, at: int) -> None:
        """Keeps the lines around a hit if it is worth more than what there is no room for."""
        end = text.find("\n", at, start + _LINE_MAX)
        line = text[start : end if end >= 0 else start + _LINE_MAX]
        worth = self._worth(line, low[start : start + len(line)])
        if worth > 0 and (self._room > 0 or worth > self._found[0][0]):
            first, last = _around(text, start, at)
            place = self._at.behind(text[:first])
            heapq.heappush(self._found, (worth, -place.chars, place, text[first:last]))
            self._room -= last - first
            while self._room < 0:
                self._room += len(heapq.heappop(self._found)[3])

    def _worth(self, line: str, low: str) -> float:
        kind = kind_of(line, low)
        asked = sum(word in low for word in self._words)
        if not kind and not asked:
            return 0.0
        shape = hash(_NO_LETTERS.sub(" ", line))
        seen = self._shapes.get(shape, 0)
        if seen or len(self._shapes) < _SHAPES_MAX:
            self._shapes[shape] = seen + 1
        worth = max(WEIGHTS[kind] - FADES[kind] * seen, FLOORS[kind] - seen / 1000)
        return worth + (_INTENT_WORTH * asked / len(self._words) / (1 + seen / 10) if asked else 0.0)


class _Place:
    """A place in the whole text."""

    __slots__ = ("bytes", "chars", "lines")

    def __init__(self, chars: int, lines: int, size_before: int) -> None:
        self.chars = chars
        self.lines = lines
        self.bytes = size_before

    def behind(self, text: str) -> _Place:
        """The place behind `text` that begins here."""
        return _Place(self.chars + len(text), self.lines + text.count("\n"), self.bytes + size(text))

    def cut(self, text: str, count: int) -> tuple[_Place, str]:
        """`text` that begins here without its first `count` characters, and where that begins."""
        return (self.behind(text[:count]), text[count:]) if count else (self, text)


def _around(text: str, start: int, at: int) -> tuple[int, int]:
    """Some lines before and behind the line that begins at `start` and has the hit at `at`."""
    first = start
    for _ in range(_LINES_BEFORE):
        begin = text.rfind("\n", max(start - _REACH, 0), max(first - 1, 0)) + 1
        if not begin:
            break
        first = begin
    last = at
    for _ in range(_LINES_BEHIND):
        end = text.find("\n", last, at + _REACH) + 1
        if not end:
            break
        last = end
    return first, last if last > at else min(at + _REACH // 2, len(text))
