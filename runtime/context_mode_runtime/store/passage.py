"""The stretch of a chunk that answers a query best: many of its rare words, close together, near the chunk's start."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Place = tuple[int, int]

_WINDOW = 120
_CLOSE = 2.7
_APART = 130
_EARLY = 0.2
_EARLY_WITHIN = 300


def comments(text: str) -> list[tuple[int, int]]:
    """(start, end) of each comment of Markdown or HTML: nobody reads them, many documents keep their history there."""
    out = []
    at = text.find("<!--")
    while at >= 0:
        close = text.find("-->", at)
        stop = close + 3 if close >= 0 else len(text)
        out.append((at, stop))
        at = text.find("<!--", stop)
    return out


def best_passage(places: Sequence[Place], weights: Sequence[float]) -> tuple[float, int, int]:
    """(score, first, last) of the best stretch; both ends are places of words; (0.0, 0, 0) without any.

    `places`: (start, number of the word), sorted. `weights`: what each word is worth, those of a whole query sum up to
    1 or less. A stretch is as short as its words allow, and at most _WINDOW characters from first to last word.
    """
    counts = [0] * len(weights)
    present, here, left = 0, 0.0, 0
    best, first, last = 0.0, 0, 0
    for at, word in places:
        counts[word] += 1
        if counts[word] == 1:
            present += 1
            here += weights[word]
        start, other = places[left]
        while at - start > _WINDOW or counts[other] > 1:
            counts[other] -= 1
            if not counts[other]:
                present -= 1
                here -= weights[other]
            left += 1
            start, other = places[left]
        score = here
        if present > 1:
            score += _CLOSE * here * (present / len(weights)) / (1 + (at - start) / (_APART * present))
        score *= 1 + _EARLY / (1 + start / _EARLY_WITHIN)
        if score > best + 1e-9:
            best, first, last = score, start, at
    return best, first, last
