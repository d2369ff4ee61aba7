"""Finds the text between `<private>` and `</private>`, whatever their case. Linear in the size of the text.

A part begins with an opening tag and ends with the next closing one. An opening tag that nothing closes hides nothing.
One that is quoted by itself (backticks, `"` or `'` on both sides) speaks of the tag: it opens a part only where the
closing tag stands on its own line. Works on text in lower case.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

OPEN, CLOSE = "<private>", "</private>"
_QUOTES = ("`", '"', "'")


def parts(low: str, start: int = 0) -> Iterator[tuple[int, int]]:
    """(begin, end) of each private part from `start` on, tags included; a last one that stays open ends at -1."""
    at = low.find(OPEN, start)
    close = feed = 0
    while at >= 0:
        inside = at + len(OPEN)
        close = low.find(CLOSE, inside) if 0 <= close < inside else close
        if _is_mention(low, at):
            feed = low.find("\n", inside) if 0 <= feed < inside else feed
            if feed >= 0 and not 0 <= close < feed:
                at = low.find(OPEN, inside)
                continue
        if close < 0:
            yield at, -1
            return
        yield at, close + len(CLOSE)
        at = low.find(OPEN, close)


def still_open(low: str, start: int = 0) -> int:
    """Where the private part begins that more text may close, or -1; looked for from `start` on."""
    return next((at for at, end in parts(low, start) if end < 0), -1)


def decided(low: str, at: int) -> int:
    """Behind which place it is known what the opening tag at `at` is: its closing tag, or its line; -1: not yet."""
    inside = at + len(OPEN)
    close = low.find(CLOSE, inside)
    feed = low.find("\n", inside) if _is_mention(low, at) else -1
    if feed >= 0 and not 0 <= close < feed:
        return feed + 1
    return close + len(CLOSE) if close >= 0 else -1


def _is_mention(low: str, at: int) -> bool:
    quote = low[at - 1 : at]
    return quote in _QUOTES and low.startswith(quote, at + len(OPEN))
