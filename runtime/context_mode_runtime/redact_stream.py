"""Cuts secrets out of a text that comes piece by piece: what lies across a border is found as in the whole text.

With one exception: what comes behind an opening `<private>` is held back until its closing tag, HELD characters at
most. What goes on for longer is taken for private, to the closing tag or the end.
"""

from __future__ import annotations

from context_mode_runtime import private_tags
from context_mode_runtime.redact import PRIVATE, REDACTED, find_spans, key_block_end, lowered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_mode_runtime.redact import Span

BLOCK = 524_288
"""Characters that are given out at once."""
HELD = 1_048_576
"""Characters behind an opening tag that wait for the closing one."""
_BEFORE = 1_024
"""Characters before a block, where a name may stand whose value is in it."""
_BEHIND = 65_536
"""Characters behind a block in which a value, a key block say, that begins in it is to end; a longer one is cut on."""
_STEP = 65_536
"""Characters that come in before what is held back is looked at again."""
_EDGE = len(private_tags.CLOSE) - 1
"""Characters of a closing tag that may lie before a border."""
_KEY, _KEY_END = "-----BEGIN ", "-----END "


class Redactor:
    """One text. `cut`: bytes taken out so far. Holds at most a block with its surroundings, and HELD characters."""

    __slots__ = ("_before", "_held", "_inside", "_look_at", "_names", "cut")

    def __init__(self, names: Iterable[str] = ()) -> None:
        """`names`: further key names whose values are secret, as for `redact`."""
        self._names = [name.lower() for name in names if name]
        self._before = ""
        self._held = ""
        self._inside = ""
        self._look_at = 0
        self.cut = 0

    def feed(self, text: str) -> str:
        """Takes text and gives out what can be judged, in whole blocks."""
        self._held += text
        out = []
        while len(self._held) >= max(BLOCK + _BEHIND, self._look_at):
            out.append(self._skip(last=False) if self._inside else self._block())
        return "".join(out)

    def flush(self) -> str:
        """The whole lines that can be judged by what is there: up to a private part or key block still open."""
        if self._inside:
            self._skip(last=False)
        ready = 0 if self._inside else self._ready()
        return self._give(ready) if ready else ""

    def end(self, *, cut_off: bool = False) -> str:
        """The rest, when nothing more comes. `cut_off`: something of the text did not come, as for `redact`."""
        out = []
        while self._held:
            out.append(self._skip(last=True) if self._inside else self._give(len(self._held), cut_off=cut_off))
        return "".join(out)

    def _block(self) -> str:
        """The next block, or as much as can be judged. Nothing where all waits for a closing tag."""
        size = len(self._held)
        end, opened = self._window()
        given = self._give(BLOCK, end, opened) if opened else ""
        self._look_at = size + _STEP if len(self._held) == size else 0
        if not self._look_at or size < HELD:
            return given
        self._inside = PRIVATE
        self._drop(opened)
        self._skip(last=False)
        return given + PRIVATE

    def _window(self) -> tuple[int, int]:
        """How far to look for the next block, and where in that a private part begins that is still open, or -1.

        A part that closes counts as open until what a value may need behind its end is there, too.
        """
        base, end = len(self._before), BLOCK + _BEHIND
        while (opened := self._opened(end)) >= 0:
            decided = private_tags.decided(lowered(self._before + self._held), base + opened) - base
            if decided < 0 or decided + _BEHIND > len(self._held):
                break
            end = decided + _BEHIND
        return end, opened

    def _opened(self, count: int) -> int:
        """Where in the next `count` characters a private part begins that they don't close, or -1."""
        base = len(self._before)
        return max(private_tags.still_open(lowered(self._before + self._held[:count]), base) - base, -1)

    def _give(self, count: int, end: int = 0, opened: int = -1, *, cut_off: bool = False) -> str:
        """The first `count` characters, judged by those up to `end`, and what belongs to a value that begins in them.

        Nothing from `opened` on, and no value that reaches there.
        """
        base = len(self._before)
        window = self._before + self._held[: end or count]
        spans = sorted(find_spans(window, self._names, base, cut_off=cut_off))
        if opened >= 0:
            count = min(count, _clear(spans, base + opened) - base)
        out: list[str] = []
        at = base
        for start, stop, mark in spans:
            if base <= start < max(base + count, at) and stop > at:
                if end and stop == len(window) and _goes_on(window[start:]):
                    self._inside = REDACTED
                    stop -= _EDGE  # noqa: PLW2901 - the mark that ends it may lie across the border
                if start >= at:
                    out += (window[at:start], mark)
                self.cut += _size(window[max(start, at) : stop])
                at = max(at, stop)
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
            close = lowered(self._held).find(private_tags.CLOSE)
            ended = close >= 0
            count = close + len(private_tags.CLOSE) if ended else len(self._held) - (0 if last else _EDGE)
        else:
            count = key_block_end(self._held)
            ended = count < len(self._held)
        self._drop(count)
        if ended or last:
            self._inside = ""
        return ""

    def _drop(self, count: int) -> None:
        gone = self._held[: max(count, 0)]
        self.cut += _size(gone)
        self._move(self._before + gone, len(self._before) + len(gone))

    def _ready(self) -> int:
        """Where the lines end that hold no private part or key block that is still open."""
        end = self._held.rfind("\n") + 1
        while end:
            opened = [at for at in (self._opened(end), _open_key(self._held[:end])) if at >= 0]
            if not opened:
                break
            end = self._held.rfind("\n", 0, min(opened)) + 1
        return end


def _clear(spans: list[Span], opened: int) -> int:
    """How far nothing reaches to the place `opened` or behind it."""
    for start, end, _ in reversed(spans):
        if start < opened < end:
            opened = start
    return opened


def _goes_on(text: str) -> bool:
    """Whether this is a key block without its end."""
    return text.startswith(_KEY) and not (_KEY_END in text and text.endswith("-----"))


def _open_key(text: str) -> int:
    return text.find(_KEY, text.rfind(_KEY_END) + 1)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
