"""One pass over a long text for `excerpt`: units, their kinds, hits of the intent, shapes and words seen once.

Works on pieces of a quarter MiB, with plain text search where it can, so that 16 MiB take about two seconds.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from itertools import pairwise

from context_mode_runtime.excerpt_signals import FORMS, ROWS, is_harmless

LONG_LINE = 600
"""A line of more characters is cut into stretches."""
_STRETCH = 300
_UNITS_MAX = 400_000
"""With more lines than this, short neighbours share a unit."""
_PIECE = 262_144
_WORDS_MAX = 60_000
"""Different words after which the text counts as prose, not as a log: rare words mean nothing then."""
_HITS_MAX = 250
_NEAR_END = 8_192
"""A form that more lines of a piece have is looked for only in its last 8 KiB: it is no signal there."""
_INTENT_WORDS = 32
_SHORT_WORD = 4
_CUTS = " ,;}]>"

_MARKS = b"\"'`,:;=()[]{}<>|&?!"
_SPACED = bytes.maketrans(_MARKS + b"123456789/", b" " * len(_MARKS) + b"0" * 10)
"""Punctuation becomes a space, digits and slashes a 0: a word with a 0 is one that varies."""
_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_TOKEN = re.compile(r"[^\W_]+")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_STOP = frozenset(
    "a all an and any are as at be by can did do does each find for from get give has have how i in into is it its "  # noqa: SIM905 - words
    "list look me my of on or out print printed see show tell that the their them there these they this to us was we "
    "were what when where which who why will with you".split()
)
FAILURE_WORDS = frozenset(
    (
        *("broke", "broken", "crash", "crashed", "error", "errors", "exception", "exceptions"),
        *("fail", "failed", "failing", "fails", "failure", "failures"),
    )
)
"""Words that ask for failures of any form, and say nothing about where."""
_ENDINGS = ("ing", "ies", "ed", "es", "s")


class Scan:
    """What the pass found, by unit (a line, or a stretch of a very long one).

    `starts`: where each unit begins in `text`, one more for the end. `kinds`: see `excerpt_signals`. `hits`: a bit for
    each intent word. `shapes`: a number that lines of one form share, `seen`: how many do. `once`: unit -> words that
    stand nowhere else. `odd`: room for the units with odd values, once somebody has looked.
    """

    __slots__ = (
        *("_known", "asks_failures", "count", "has_stretches", "hits", "kinds", "odd", "once", "seen", "shapes"),
        *("starts", "text", "words"),
    )

    def __init__(self, text: str, intent: str) -> None:
        self.text = text
        self.starts = _units(text)
        self.count = len(self.starts) - 1
        self.has_stretches = self.count > text.count("\n") + 1
        self.words, self.asks_failures = intent_words(intent)
        self.kinds = bytearray(self.count)
        self.hits = array("I", bytes(4 * self.count))
        self.shapes = array("q", bytes(8 * self.count))
        self.seen: dict[int, int] = {}
        self.once: dict[int, int] = {}
        self.odd: list[list[int]] | None = None
        self._known: set[str] = set()
        self._pass()

    def unit(self, unit: int) -> str:
        """The text of a unit without its newline."""
        start, end = self.starts[unit], self.starts[unit + 1]
        return self.text[start : end - 1] if self.text[end - 1] == "\n" else self.text[start:end]

    def _pass(self) -> None:
        first: dict[str, int] = {}
        unit = 0
        while unit < self.count:
            after = max(bisect_right(self.starts, self.starts[unit] + _PIECE) - 1, unit + 1)
            piece = _Piece(self, unit, after)
            self._find_kinds(piece)
            self._find_intent(piece)
            self._find_shapes(piece, first)
            unit = after
        if len(first) < _WORDS_MAX:
            for word, where in first.items():
                if word not in self._known:
                    self.once[where] = self.once.get(where, 0) + 1
            self._known.clear()

    def _find_kinds(self, piece: _Piece) -> None:
        kinds = self.kinds
        for row in ROWS:
            for found in piece.units_with(row.trigger, most=_HITS_MAX):
                if kinds[found] < row.kind and row.confirms(self.unit(found)):
                    kinds[found] = row.kind
        for kind, form in FORMS:
            for match in form.finditer(piece.text):
                found = piece.unit_at(match.start())
                kinds[found] = max(kinds[found], kind)
        for found in range(piece.unit, piece.after):
            if kinds[found] and is_harmless(kinds[found], self.unit(found)):
                kinds[found] = 0

    def _find_intent(self, piece: _Piece) -> None:
        for bit, word in enumerate(self.words):
            whole = len(word) < _SHORT_WORD and word.isascii()
            for found in piece.units_with(word, whole=whole):
                self.hits[found] |= 1 << bit

    def _find_shapes(self, piece: _Piece, first: dict[str, int]) -> None:
        spaced = piece.lower.encode("utf-8", "surrogatepass").translate(_SPACED).decode("utf-8", "surrogatepass")
        seen, known = self.seen, self._known
        for n, (start, end) in enumerate(pairwise(piece.starts), piece.unit):
            words = [word for word in spaced[start:end].split() if "0" not in word]
            shape = self.shapes[n] = hash(" ".join(words)) if words else 0
            seen[shape] = seen.get(shape, 0) + 1
            if len(first) < _WORDS_MAX and not known.issuperset(words):
                for word in words:
                    if word in first:
                        known.add(word)
                    first.setdefault(word, n)


class _Piece:
    """Some neighbouring units, from `unit` to before `after`, with their text; `starts` within it, its end too."""

    __slots__ = ("after", "lower", "starts", "text", "unit")

    def __init__(self, scan: Scan, unit: int, after: int) -> None:
        base = scan.starts[unit]
        self.unit = unit
        self.after = after
        self.starts = [start - base for start in scan.starts[unit : after + 1]]
        self.text = scan.text[base : base + self.starts[-1]]
        self.lower = self.text.lower()
        if len(self.lower) != len(self.text):
            self.lower = self.text.translate(_LOWER)

    def unit_at(self, place: int) -> int:
        """The unit that the character at `place` belongs to."""
        return self.unit + bisect_right(self.starts, place) - 1

    def units_with(self, word: str, *, most: int = 0, whole: bool = False) -> list[int]:
        """The units that have `word`, `whole` on its own; with `most` that many and those near the end."""
        out = []
        lower, starts = self.lower, self.starts
        at = lower.find(word)
        while at >= 0:
            if whole and not _stands_alone(lower, at, at + len(word)):
                at = lower.find(word, at + 1)
                continue
            place = bisect_right(starts, at)
            out.append(self.unit + place - 1)
            skip = len(lower) - _NEAR_END if len(out) == most else 0
            at = lower.find(word, max(starts[place], skip))
        return out


def intent_words(intent: str) -> tuple[list[str], bool]:
    """The words of an intent that are worth looking for, at most 32, and whether it asks for failures."""
    out: dict[str, None] = {}
    asks = False
    for token in _TOKEN.findall(intent.replace("_", " ") + " " + intent):
        parts = [token, *_PARTS.findall(token)]
        asks = asks or token.lower() in FAILURE_WORDS
        for part in parts:
            for word in _forms(part.lower()):
                out.setdefault(word)
    return list(out)[:_INTENT_WORDS], asks


def _forms(word: str) -> list[str]:
    if word in _STOP or word in FAILURE_WORDS or (len(word) == 1 and word.isascii() and not word.isdigit()):
        return []
    if not word.isascii() and len(word) > 2:  # noqa: PLR2004 - unspaced writing: pairs of characters
        return [word[n : n + 2] for n in range(len(word) - 1)] if any(c > "\u2e80" for c in word) else [word]
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORT_WORD:
            return [word[: -len(ending)]]
    return [word]


def _stands_alone(text: str, start: int, end: int) -> bool:
    before = text[start - 1] if start else " "
    behind = text[end] if end < len(text) else " "
    return not before.isalnum() and not behind.isalnum()


def _units(text: str) -> array[int]:
    """Where units begin, and the end of the text."""
    least = 0 if text.count("\n") <= _UNITS_MAX else len(text) // _UNITS_MAX + 1
    starts = array("q", [0])
    at, end = 0, len(text)
    while at < end:
        stop = text.find("\n", at + least if at + least < end else at) + 1 or end
        if stop - at > LONG_LINE + least:
            _cut(text, at, stop, starts)
        starts.append(stop)
        at = stop
    return starts


def _cut(text: str, at: int, stop: int, starts: array[int]) -> None:
    """Adds the cuts inside a very long line: behind a space or a separator where there is one."""
    while stop - at > _STRETCH:
        edge = at + _STRETCH
        cut = max(text.rfind(c, at + _STRETCH // 2, edge) for c in _CUTS) + 1 or edge
        starts.append(cut)
        at = cut
