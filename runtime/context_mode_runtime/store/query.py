"""From any text to terms that FTS5 takes: each word quoted, stop words left out, CJK as a phrase of pairs."""

from __future__ import annotations

import re
from itertools import pairwise

from context_mode_runtime.store.common_words import COMMON_WEIGHT, COMMON_WORDS, STOP_WORDS
from context_mode_runtime.store.words import is_dense, nfc, pairs_of, parts_of, quoted, words_of

TERMS_MAX = 40
"""A longer query is cut: what follows adds nothing to its rank."""
_SUFFIXES = (
    "izations", "ization", "ations", "ation", "ities", "ments", "nesses", "ating", "ators", "ator", "ates", "ated",
    "ingly", "ment", "ness", "ions", "ings", "able", "ible", "ally", "ance", "ence", "ing", "ies", "ion", "ers", "est",
    "ed", "er", "es", "ly", "al", "e", "y", "s",
)  # fmt: skip
_STEM_MIN = 4
_DOUBLING = ("ing", "ed")
_DOUBLED = "bdglmnprt"
_VOWELS = "aeiou"


class Term:
    """One word of a query: `fts` expression, the lower-case `needle` its forms begin with, `word` as written.

    `idf`: how rare it is, times its `weight`.
    """

    __slots__ = ("df", "fts", "idf", "needles", "weight", "word")

    def __init__(self, word: str, fts: str, needles: list[str]) -> None:
        self.word = word
        self.fts = fts
        self.needles = needles
        self.df = 0
        self.idf = 1.0
        self.weight = COMMON_WEIGHT if word in COMMON_WORDS else 1.0


class Query:
    """`terms` without repeats, `phrases`: pieces of several words that were written without a space, or in quotes.

    `pieces`: the same as they are written, in lower case. `neighbours`: pairs of words side by side. Set by the search:
    `joined`, the neighbours that are one word in some text, and `total`, chunks in the store.
    """

    __slots__ = ("joined", "neighbours", "phrases", "pieces", "terms", "text", "total")

    def __init__(self, text: str) -> None:
        self.text = nfc(text).strip()
        written = [word.lower() for word in words_of(self.text)]
        words = list(dict.fromkeys(written))
        kept = [word for word in words if word not in STOP_WORDS] or words
        self.terms = [term_of(word) for word in kept[:TERMS_MAX]]
        self.pieces = _pieces(self.text)
        self.phrases = [words_of(piece)[:TERMS_MAX] for piece in self.pieces]
        self.neighbours = list(dict.fromkeys(pairwise(written)))[:TERMS_MAX]
        self.joined: list[str] = []
        self.total = 0


def term_of(word: str) -> Term:
    """The term for one word in lower case."""
    if not is_dense(word):
        return Term(word, quoted(word), [stem(word), *_other_stems(word)])
    pairs = pairs_of(word)[0]
    fts = quoted(" ".join(pairs[:-1])) if len(pairs) > 1 else quoted(word) + "*"
    return Term(word, fts, [word])


def parts_of_term(text: str, word: str) -> list[str]:
    """The parts of `word` in lower case as `text` spells it, none when it has only one; pairs of a dense script's."""
    if is_dense(word):
        return list(dict.fromkeys(pairs_of(word)[0][:-1]))
    for written in words_of(text):
        if written.lower() == word:
            parts = parts_of(written)
            return [part.lower() for part in parts] if len(parts) > 1 else []
    return []


def stem(word: str) -> str:
    """A beginning that the forms of an English word share: `enabling` and `enables` give `enabl`."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _STEM_MIN:
            return word[: -len(suffix)]
    return word


def _other_stems(word: str) -> list[str]:
    """Beginnings of forms that `stem` leaves out: `run` of `running`, `copie` of `copy`."""
    for suffix in _DOUBLING:
        bare = word.removesuffix(suffix)
        if bare != word and len(bare) >= _STEM_MIN and bare[-1] == bare[-2] and bare[-1] in _DOUBLED:
            return [bare[:-1]]
    if len(word) == _STEM_MIN and word.endswith("y") and word[-2] not in _VOWELS:
        return [word[:-1] + "ie"]
    return []


def _pieces(text: str) -> list[str]:
    out = []
    for quoted_part, plain in re.findall(r'"([^"]{2,200})"|(\S+)', text):
        piece = (quoted_part or plain).lower().strip("()[]{}<>,;:!?'\"`")
        words = words_of(piece)
        if len(words) > 1 and not any(is_dense(word) for word in words):
            out.append(piece)
    return out[:TERMS_MAX]
