"""The part of a long text that matters most: whole lines as they stand, in their order, within a number of bytes.

Used for the short reply of `ctx_execute` and for host output that is replaced: one piece of code for both.
Lines that answer the intent, failures, lines unlike all others, the summary, the ends. Time is linear in the text.
"""

from __future__ import annotations

from bisect import bisect_right

from context_mode_runtime import limits
from context_mode_runtime.excerpt_scan import Scan
from context_mode_runtime.excerpt_score import TELLING, scores, signals
from context_mode_runtime.excerpt_signals import NAME, RECORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

_ROOM_FOR_ENDS = 0.4
"""Part of the budget up to which head and tail are added when there are better lines that did not fill it."""
_ROOM_FOR_ENDS_OF_RECORDS = 0.1
"""The same for a failure and for patches and logs of commits, which tell in the middle as much."""
_LINES = "[... {} lines left out ...]"
_BYTES = "[... {} B of this line left out ...]"
_MORE_MAX = 100
"""Bytes of the longest last line of a short reply, without the call."""


class Condensed:
    """A text of which only parts are there. `size`: bytes of the whole; `holes`: see `add`.

    In `text` a blank line stands for each missing part.
    """

    __slots__ = ("holes", "size", "text")

    def __init__(self, text: str, size: int | None = None) -> None:
        """A text that is there as a whole, or none yet of `size` bytes."""
        self.text = text
        self.size = _size(text) if size is None else size
        self.holes: list[tuple[int, int, int]] = []

    def add(self, text: str, lines: int, left_out: int) -> None:
        """The next part, behind `lines` line feeds and `left_out` bytes that are missing."""
        if left_out:
            torn = "" if self.text.endswith("\n") or not self.text else "\n"
            self.text += torn
            self.holes.append((len(self.text), lines - len(torn) - 1, left_out - len(torn) - 1))
            self.text += "\n"
        self.text += text


class Excerpt:
    """`text` (no newline at its end) and what it leaves out of the whole: lines, bytes."""

    __slots__ = ("left_out_bytes", "left_out_lines", "text")

    def __init__(self, text: str, left_out_lines: int, left_out_bytes: int) -> None:
        self.text = text
        self.left_out_lines = left_out_lines
        self.left_out_bytes = left_out_bytes


def excerpt(text: str | Condensed, *, budget: int, intent: str = "", failed: bool = False) -> Excerpt:
    """The parts of `text` that matter most, at most `budget` bytes.

    `intent`: what the caller wants to know, in any words. `failed`: the command failed, so failures come first; so they
    do in a text that names what failed, where there is no intent.
    Every line of the result stands in `text`, apart from gap lines such as `[... 412 lines left out ...]`; of a line
    that is very long a verbatim stretch is shown. A text that fits comes back whole; a budget without room for a single
    gap line gives an empty excerpt.
    """
    whole = text if isinstance(text, Condensed) else Condensed(text)
    if whole.size <= budget:
        return Excerpt(whole.text.removesuffix("\n"), 0, 0)
    scan = Scan(whole.text, intent)
    failed = failed or (NAME in scan.kinds and not scan.words)
    sure = signals(scan, failed=failed) if intent else []
    points = scores(scan, failed=failed)
    enough = min(budget, _enough(scan, points, failed=failed))
    ends = int(enough * (_ROOM_FOR_ENDS_OF_RECORDS if failed or RECORD in scan.kinds else _ROOM_FOR_ENDS))
    chosen = _choose(scan, points, sure, _Room(scan, budget, whole), (enough, ends))
    part = _shown(scan, chosen, whole)
    lines = whole.text.count("\n") + sum(hole[1] for hole in whole.holes)
    return part if size(part.text) <= budget else Excerpt("", lines or 1, whole.size)


def short_reply(
    head: str,
    text: str | Condensed,
    *,
    pointer: str,
    intent: str = "",
    failed: bool = False,
    cap: int = limits.SHORT_REPLY,
) -> str:
    """`head`, an excerpt of `text`, and a last line with what is left out and `pointer`, the call that gets the rest.

    At most `cap` bytes in all, as long as `head` and `pointer` leave room.
    """
    room = cap - size(head) - size(pointer) - _MORE_MAX
    part = excerpt(text, budget=max(room, 0), intent=intent, failed=failed)
    return "\n".join(piece for piece in (head, part.text, more_line(part, pointer)) if piece)


def more_line(part: Excerpt, pointer: str) -> str:
    """`12 lines, 3,400 B left out; more: CALL`."""
    if not part.left_out_bytes:
        return f"again: {pointer}"
    lines = f"{part.left_out_lines:,} lines, " if part.left_out_lines else ""
    return f"{lines}{part.left_out_bytes:,} B left out; more: {pointer}"


def size(text: str) -> int:
    """Bytes of UTF-8; a lone surrogate counts three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


_size = size


def _enough(scan: Scan, points: array[float], *, failed: bool) -> int:
    """Bytes for lines that say nothing by themselves: all there are after a failure, or when nothing answers."""
    if failed:
        return limits.SHORT_REPLY
    if not scan.words:
        return _AN_IDEA
    answered = any(hit and worth >= TELLING for hit, worth in zip(scan.hits, points, strict=True))
    return _AROUND_AN_ANSWER if answered else limits.SHORT_REPLY


def _choose(scan: Scan, points: array[float], sure: list[int], room: _Room, limit: tuple[int, int]) -> list[int]:
    """The `sure` ones in their part, units by falling points, then more of both ends. Sorted.

    `limit`: bytes that what says nothing by itself gets at most, the rest is one call away; and how many of them the
    ends.
    """
    budget, (enough, ends) = room.budget, limit
    for unit in sure:
        if not room.take(unit, int(budget * _ROOM_FOR_SURE)):
            break
    if not scan.words:
        room.fill_ends(ends)
    ranked = sorted((unit for unit in range(scan.count) if points[unit] > 0), key=lambda unit: -points[unit])
    for unit in ranked:
        if room.left <= 0:
            break
        room.take(unit, budget if points[unit] >= TELLING else enough)
    room.fill_ends(ends if ranked and points[ranked[0]] >= TELLING else enough)
    return sorted(room.taken)


_ROOM_FOR_SURE = 0.25
"""An intent of common words must not push out the one error."""
_AN_IDEA = 1_200
"""Bytes of a text about which nothing was asked: its ends and what is unlike the rest."""
_AROUND_AN_ANSWER = 800


class _Room:
    """What has been taken and what it costs, each gap line counted."""

    __slots__ = ("_holes", "_mark", "_scan", "budget", "left", "taken")

    def __init__(self, scan: Scan, budget: int, whole: Condensed) -> None:
        self._scan = scan
        self.budget = budget
        mark = _BYTES if scan.has_stretches or whole.holes else _LINES
        self._mark = len(mark.format(whole.size)) + 1
        self._holes = {bisect_right(scan.starts, place) - 1 for place, _, _ in whole.holes}
        self.left = budget - self._mark
        self.taken: set[int] = set()

    def take(self, unit: int, limit: int) -> bool:
        """Takes the unit if it fits into `limit` bytes of the budget."""
        if unit in self.taken or unit in self._holes:
            return True
        alone = unit - 1 not in self.taken and unit + 1 not in self.taken
        cost = size(self._scan.unit(unit)) + 1 + (self._mark if alone else 0)
        if cost > self.left - (self.budget - limit):
            return False
        self.taken.add(unit)
        self.left -= cost
        return True

    def fill_ends(self, limit: int) -> None:
        """Adds lines from both ends towards the middle, two at the end for each at the beginning."""
        head, tail = 0, self._scan.count - 1
        while head <= tail:
            fits = [self.take(head, limit)]
            fits += [self.take(unit, limit) for unit in (tail, tail - 1) if unit >= 0]
            if not all(fits):
                return
            head, tail = head + 1, tail - 2


def _shown(scan: Scan, chosen: list[int], whole: Condensed) -> Excerpt:
    lines: list[str] = []
    left_lines = left_bytes = at = 0
    spans = [*_spans(scan, chosen), (len(scan.text), len(scan.text))]
    for start, end in spans:
        gap = scan.text[at:start]
        if gap:
            missing = [hole for hole in whole.holes if at <= hole[0] < start]
            feeds = gap.count("\n") + sum(hole[1] for hole in missing)
            cut = size(gap) + sum(hole[2] for hole in missing)
            inside = at or start < len(scan.text)
            mark = _mark(feeds, cut, whole_lines=gap.endswith("\n"), inside=bool(inside))
            if cut <= len(mark) and not missing:
                lines.append(gap.removesuffix("\n"))
            else:
                lines.append(mark)
                left_lines += max(feeds + (feeds > 0 and not gap.endswith("\n")), 1)
                left_bytes += cut
        if end > start:
            lines.append(scan.text[start:end].removesuffix("\n"))
        at = end
    return Excerpt("\n".join(lines), left_lines, min(left_bytes, whole.size))


def _mark(feeds: int, cut: int, *, whole_lines: bool, inside: bool) -> str:
    if feeds <= 0 and inside:
        return _BYTES.format(cut)
    count = feeds + (not whole_lines)
    return _LINES.format(count) if count > 1 else _LINES.format(1).replace("lines", "line")


def _spans(scan: Scan, chosen: list[int]) -> list[tuple[int, int]]:
    """(start, end) in the text of each run of neighbours."""
    spans: list[tuple[int, int]] = []
    for unit in chosen:
        start, end = scan.starts[unit], scan.starts[unit + 1]
        if spans and spans[-1][1] == start:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans
