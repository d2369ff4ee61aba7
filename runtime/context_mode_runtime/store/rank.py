"""Orders candidate chunks: fused ranks first, then how much of the query stands in the chunk, where and how close."""

from __future__ import annotations

import unicodedata

from context_mode_runtime import limits
from context_mode_runtime.store.chunks import HEADING_PART
from context_mode_runtime.store.passage import best_passage, comments
from context_mode_runtime.store.words import WORD_MIN, nfc, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_mode_runtime.store.query import Query, Term
    from context_mode_runtime.store.snippet import Place

_PLACES = 30
_BEGINS = 3
_OTHER_FORM = 0.95
_INSIDE = 0.6
_COVER = 0.8
_SHARE = 0.45
_HALF = 0.5
_FUSED = 16.0
_PRECISE = 0.45
_HEADING = 2.3
_PATH = 0.25
_TITLED = 0.6
_PHRASE = 0.2
_DEFINED = 0.8
_MARKS = " \t`*-_#\"'.$@0123456789)("
_BEHIND = ("", "\n", "\r", ":", "=", "(", "`", '"', ",", "[", "<")
_BEHIND_SPACE = ("  ", " =", " (", " :", " [", " <")
_NAME_MAX = 100


class Candidate:
    """A chunk that may answer: `id`, `heading`, `text`, its source's `label`; `base` from fusion, `score` by rank.

    `columns`: what stands for the heading where that holds only the first columns of a wide table.
    `places`: (start, number of the word, its weight), sorted; `passage`: (first, last) place of its best stretch.
    """

    __slots__ = ("base", "columns", "heading", "id", "label", "line", "passage", "places", "score", "text")

    def __init__(self, row: tuple[int, str, str, int, str], base: float) -> None:
        self.id, self.heading, self.text, self.line, self.label = row
        self.base = base
        self.columns = ""
        self.score = 0.0
        self.places: list[Place] = []
        self.passage = (0, 0)


def fuse(lists: Iterable[Iterable[int]]) -> dict[int, float]:
    """Reciprocal rank fusion: chunk id to the sum of 1 / (RRF_K + rank) over the ranked lists."""
    out: dict[int, float] = {}
    for ids in lists:
        for rank, number in enumerate(ids, 1):
            out[number] = out.get(number, 0.0) + 1 / (limits.RRF_K + rank)
    return out


def order(candidates: list[Candidate], query: Query) -> list[Candidate]:
    """The candidates, best first; of chunks with the same text only the best one stays."""
    total = sum(term.idf for term in query.terms) or 1.0
    labels = {item.label: f" {' '.join(words_of(nfc(item.label).lower()))}" for item in candidates}
    for candidate in candidates:
        _score(candidate, query, total, labels[candidate.label])
    candidates.sort(key=lambda candidate: (-candidate.score, candidate.id))
    seen: set[str] = set()
    out = []
    for candidate in candidates:
        text = candidate.text.strip()
        if text not in seen:
            seen.add(text)
            out.append(candidate)
    return out


def _score(candidate: Candidate, query: Query, total: float, label: str) -> None:
    """Sets the candidate's score; `total` is the weight of all terms, `label` the words of its source's label."""
    heading = nfc(candidate.columns or candidate.heading).lower()
    low = _below(heading, candidate.text.lower())
    last = heading.rpartition(" > ")[2]
    places: list[tuple[int, int]] = []
    weights: list[float] = []
    share = titled = defined = 0.0
    hidden = comments(low)
    for number, term in enumerate(query.terms):
        found, quality = _shown(*_find(low, term), hidden)
        in_path = _holds(heading, term) or _begins(label, term)
        in_title = (in_path and _holds(last, term)) or _PATH * in_path
        weight = term.idf / total
        share += weight * max(quality, 0.9 * in_path)
        titled += weight * in_title
        weights.append(weight * quality * (1 - _TITLED * in_title))
        defined += weight * any(_defines(low, at) for at in found)
        places += [(at, number) for at in found]
    for piece in query.pieces:
        at = _whole(low, piece)
        if at >= 0:
            places.append((at, len(weights)))
            weights.append(_PHRASE)
    places.sort()
    passage, *stretch = best_passage(places, weights)
    candidate.passage = (stretch[0], stretch[1])
    candidate.places = [(at, number, weights[number]) for at, number in places]
    exact = max(_exact(low, query), _exact(heading, query))
    title = _HEADING * titled * share * (1 + _PRECISE * _precision(last, query))
    told = (_TITLED * titled + passage) ** _COVER * min(1.0, share / _HALF)
    defined *= _DEFINED * share if len(query.terms) > 1 else 0.0
    candidate.score = told + _SHARE * share + _FUSED * candidate.base + title + _PHRASE * exact + defined


def _below(heading: str, low: str) -> str:
    """The text with its first line blanked out where that is the heading: a table's columns are asked for by name."""
    start = len(low) - len(low.lstrip())
    end = low.find("\n", start)
    if end < 0 or not heading:
        return low
    line = " ".join(low[start:end].split())
    return " " * end + low[end:] if line[: max(len(heading), HEADING_PART)] == heading else low


def _shown(found: list[int], quality: float, hidden: list[tuple[int, int]]) -> tuple[list[int], float]:
    """Without what stands in a comment; where all does, at half the quality."""
    shown = [at for at in found if not any(start <= at < end for start, end in hidden)] if hidden else found
    return (shown, quality) if shown else (found, quality / 2)


def _find(low: str, term: Term) -> tuple[list[int], float]:
    """Where a term stands, and its best grade: 1.0 as asked, 0.95 in another form, 0.6 inside a word, 0.0 nowhere."""
    places: list[int] = []
    quality = 0.0
    for needle in term.needles:
        for form in (needle,) if needle.isascii() else {needle, unicodedata.normalize("NFD", needle)}:
            quality = max(quality, _find_form(low, form, term.word, places))
    return places, quality


def _find_form(low: str, form: str, word: str, places: list[int]) -> float:
    """Adds where `form` stands to `places`; the best grade among them."""
    whole, size = not form.isascii(), len(form)
    best = 0.0
    at = low.find(form)
    while at >= 0 and len(places) < _PLACES:
        if whole or at == 0 or not low[at - 1].isalnum():
            short = size < _BEGINS and low[at + size : at + size + 1].isalnum()
            grade = 0.0 if short else 1.0 if _stands_alone(low, word, at) else _OTHER_FORM
        else:
            grade = _INSIDE if size > _BEGINS else 0.0
        if grade:
            places.append(at)
            best = max(best, grade)
        at = low.find(form, at + size)
    return best


def _defines(low: str, at: int) -> bool:
    """Whether the name at `at` begins its line, behind marks at most, and is followed as one that is defined there."""
    begin = low.rfind("\n", 0, at) + 1
    if low[begin:at].strip(_MARKS):
        return False
    end, stop = at, min(len(low), at + _NAME_MAX)
    while end < stop and (low[end].isalnum() or low[end] in "_-."):
        end += 1
    return low[end : end + 1] in _BEHIND or low[end : end + 2] in _BEHIND_SPACE


def _stands_alone(low: str, word: str, at: int) -> bool:
    return low.startswith(word, at) and not low[at + len(word) : at + len(word) + 1].isalnum()


def _whole(low: str, piece: str) -> int:
    """Where `piece` stands and is no part of a longer name, -1 for nowhere."""
    at = low.find(piece)
    while at >= 0:
        end = at + len(piece)
        if not _is_name(low[at - 1 : at]) and not _is_name(low[end : end + 1]):
            return at
        at = low.find(piece, end)
    return -1


def _is_name(character: str) -> bool:
    return character.isalnum() or character == "_"


def _precision(heading: str, query: Query) -> float:
    """Which part of a heading's words the query asks for."""
    words = words_of(heading)
    needles = [needle for term in query.terms for needle in term.needles if needle in heading]
    asked = sum(any(map(word.__contains__, needles)) for word in words) if needles else 0
    return asked / len(words) if words else 0.0


def _holds(text: str, term: Term) -> float:
    for needle in term.needles:
        if needle in text:
            return 1.0
    return 0.0


def _begins(label: str, term: Term) -> float:
    """Whether one of a label's words, each behind a space, begins as a form of the term."""
    if len(term.word) >= WORD_MIN:
        for needle in term.needles:
            if f" {needle}" in label:
                return 1.0
    return 0.0


def _exact(low: str, query: Query) -> float:
    """1.0 when the whole query or one of its phrases stands there as it is written."""
    whole = query.text.lower()
    if len(query.terms) > 1 and whole in low:
        return 1.0
    if not query.phrases:
        return 0.0
    if any(_whole(low, piece) >= 0 for piece in query.pieces):
        return 1.0
    plain = f" {' '.join(words_of(low))} "
    return max(0.8 if f" {' '.join(phrase)}" in plain else 0.0 for phrase in query.phrases)
