"""Cuts secrets out of a text that comes piece by piece: what lies across a border is found as in the whole text."""

from __future__ import annotations

from context_mode_runtime.redact import PRIVATE, find_spans, key_block_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

BLOCK = 524_288
"""Characters that are given out at once."""
_BEFORE = 1_024
"""Characters before a block, where a name may stand whose value is in it."""
_BEHIND = 65_536
"""Characters behind a block in which a value, a key block say, that begins in it is to end; a longer one is cut on."""
_CLOSE = "</private>"
_OPENED = (("<private>", _CLOSE), ("-----begin ", "-----end "))


class Redactor:
    """One text. `cut`: bytes taken out so far. Holds at most a block with its surroundings."""

    __slots__ = ("_before", "_held", "_inside", "_names", "cut")

    def __init__(self, names: Iterable[str] = ()) -> None:
        """`names`: further key names whose values are secret, as for `redact`."""
        self._names = [name.lower() for name in names if name]
        self._before = ""
        self._held = ""
        self._inside = ""
        self.cut = 0

    def feed(self, text: str) -> str:
        """Takes text and gives out what can be judged, in whole blocks."""
        self._held += text
        out = []
        while len(self._held) >= BLOCK + _BEHIND:
            out.append(self._skip(last=False) if self._inside else self._give(BLOCK, behind=_BEHIND))
        return "".join(out)

    def flush(self) -> str:
        """The whole lines that can be judged by what is there: up to a private mark or key block still open."""
        if self._inside:
            self._skip(last=False)
        ready = 0 if self._inside else _ready(self._held)
        return self._give(ready) if ready else ""

    def end(self) -> str:
        """The rest, when nothing more comes."""
        out = []
        while self._held:
            out.append(self._skip(last=True) if self._inside else self._give(len(self._held)))
        return "".join(out)

    def _give(self, count: int, *, behind: int = 0) -> str:
        """The first `count` characters, and what belongs to a value that begins in them."""
        base = len(self._before)
        window = self._before + self._held[: count + behind]
        out: list[str] = []
        at = base
        for start, end, mark in sorted(find_spans(window, self._names)):
            if base <= start < base + count and end > at:
                if behind and end == len(window) and (mark == PRIVATE or window.startswith("-----BEGIN ", start)):
                    self._inside = mark
                    end -= len(_CLOSE) - 1  # noqa: PLW2901 - the mark that ends it may lie across the border
                if start >= at:
                    out += (window[at:start], mark)
                self.cut += _size(window[max(start, at) : end])
                at = max(at, end)
        after = max(at, base + count)
        out.append(window[at:after])
        self._move(window, after)
        return "".join(out)

    def _move(self, window: str, after: int) -> None:
        self._held = self._held[after - len(self._before) :]
        self._before = window[max(after - _BEFORE, 0) : after]

    def _skip(self, *, last: bool) -> str:
        """Drops what still belongs to the value that the last block ended in."""
        if self._inside == PRIVATE:
            close = self._held.lower().find(_CLOSE)
            ended = close >= 0
            count = close + len(_CLOSE) if ended else len(self._held) - (0 if last else len(_CLOSE))
        else:
            count = key_block_end(self._held)
            ended = count < len(self._held)
        gone = self._held[: max(count, 0)]
        self.cut += _size(gone)
        self._move(self._before + gone, len(self._before) + len(gone))
        if ended or last:
            self._inside = ""
        return ""


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _ready(text: str) -> int:
    """Where the lines end that hold no private mark or key block that is still open."""
    end = text.rfind("\n") + 1
    low = text[:end].lower()
    while end:
        opened = [low.rfind(opening, 0, end) for opening, closing in _OPENED if _is_open(low[:end], opening, closing)]
        if not opened:
            break
        end = low.rfind("\n", 0, min(opened)) + 1
    return end


def _is_open(low: str, opening: str, closing: str) -> bool:
    at = low.rfind(opening)
    return at >= 0 and closing not in low[at:]
