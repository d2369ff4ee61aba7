"""Words of a text, the same way for index and query: letters and digits, NFC, identifiers by parts, CJK by pairs.

FTS5's `unicode61` cuts at everything that is no letter or digit, so `snake_case`, dots and paths fall apart by
themselves. What it can't do stands in a chunk's `extra` column: the parts of `camelCase` words, and pairs of
characters of scripts that are written without spaces.
"""

from __future__ import annotations

import sys
from itertools import filterfalse

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

WORD_MIN = 3
"""Shorter words are not kept for the spelling fix."""
WORD_MAX = 40
"""Longer ones (digests, encoded data) neither."""
VOCABULARY_MAX = 25_000
"""Different words that one text gives to the spelling fix; where it has more (identifiers that count up, encoded data),
those after the first ones are found as they are written and not corrected. Bounds the memory of indexing."""

_DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_PATTERNS = {
    "word": r"[^\W_]+",
    "dense": f"[{_DENSE}]+",
}
COMPOSED = (("\x80", "\u02ff"), ("\u2010", "\u20cf"), ("\u2190", "\u2328"), ("\u232b", "\u2adb"))
"""Ranges of characters that NFC never changes: of Latin letters, punctuation, arrows, frames and ticks. `unicodedata`,
slow to load, is left alone for them."""
_ASCII = bytes(range(128))
_ASCII_WORDS = bytes(code if chr(code).isalnum() else 32 for code in _ASCII) + b" " * 128

_ready: dict[str, re.Pattern[str]] = {}


def _pattern(name: str) -> re.Pattern[str]:
    """Compiled at the first use: plain ASCII text, which most output is, does without `re`."""
    found = _ready.get(name)
    if found is None:
        import re

        found = _ready[name] = re.compile(_PATTERNS[name])
    return found


def nfc(text: str) -> str:
    """`text` in Unicode's composed form (UAX 15)."""
    if text.isascii() or all(any(a <= c <= b for a, b in COMPOSED) for c in set(_beyond_ascii(text))):
        return text
    import unicodedata

    return unicodedata.normalize("NFC", text)


def words_of(text: str) -> list[str]:
    """The words of an NFC text in order, as they are written."""
    if not text.isascii() and any(map(str.isalnum, _beyond_ascii(text))):
        return _pattern("word").findall(text)
    # without the pattern, where all that is not ASCII is dashes or quotation marks: four times as fast
    return text.encode("ascii", "replace").translate(_ASCII_WORDS).decode().split()


def parts_of(word: str) -> list[str]:
    """The parts of a `camelCase` word, one for a plain one: `parseHTMLPage2` is parse, HTML, Page, 2."""
    if not word.isascii() or word.islower() or word.isupper() or word[1:].islower():
        return [word]
    parts, begin = [], 0
    for at in range(1, len(word)):
        here, before = word[at], word[at - 1]
        starts = here.isupper() and (before.islower() or before.isdigit() or word[at + 1 : at + 2].islower())
        if starts or here.isdigit() != before.isdigit():
            parts.append(word[begin:at])
            begin = at
    return [*parts, word[begin:]]


def pairs_of(text: str) -> list[list[str]]:
    """Of each run of characters without spaces between words: its pairs, then its last character."""
    return [
        [run[at : at + 2] for at in range(len(run) - 1)] + [run[-1]]
        for run in (_pattern("dense").findall(text) if _may_be_dense(text) else [])
    ]


def is_dense(word: str) -> bool:
    """Whether a word is written in a script without spaces between words."""
    return _may_be_dense(word) and _pattern("dense").fullmatch(word) is not None


def _may_be_dense(text: str) -> bool:
    """Whether a character stands where such scripts have their blocks: `dense` compiles slowly, few texts need it."""
    return not text.isascii() and any("\u0e00" <= c < "\u2000" or c >= "\u2e80" for c in set(_beyond_ascii(text)))


def _beyond_ascii(text: str) -> str:
    """The characters of `text` that are not ASCII."""
    return text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")


_FIGURES_MAX = 4_000
"""Numbers that an Indexer knows again: texts repeat small ones, and logs have a new one in each line."""
_splits: dict[str, str] = {}
_SPLITS_MAX = 30_000
_HEX = "0123456789abcdefABCDEF"
_HEX_MIN = 8


def is_figure(word: str) -> bool:
    """Whether a word is a number or, from eight characters on, hexadecimal with a digit: nobody misspells those."""
    if word.isdigit():
        return True
    hexadecimal = len(word) >= _HEX_MIN and not word.lstrip(_HEX) and any(map(str.isdigit, word))
    return hexadecimal or (word[:2] in ("0x", "0X") and not word[2:].lstrip(_HEX))


def quoted(word: str) -> str:
    """A string of FTS5's query language that stands for `word` whatever it holds."""
    return '"' + word.replace('"', '""').replace("\0", " ") + '"'


class Indexer:
    """Finds, chunk by chunk, what goes into the `extra` column, and gathers the vocabulary of all it has seen.

    What it remembers is bounded by `most` words, VOCABULARY_MAX without it, and those of one chunk.
    """

    __slots__ = ("_figures", "_most", "_plain", "_split")

    def __init__(self, most: int = 0) -> None:
        self._most = most or VOCABULARY_MAX
        self._plain: set[str] = set()
        self._figures = 0
        self._split: dict[str, str] = {}

    def extra(self, text: str) -> str:
        """Further words by which the chunk `text` is to be found, joined by spaces."""
        composed = nfc(text)
        out: list[str] = []
        keeps = len(self._plain) + len(self._split) - self._figures < self._most
        for word in set(filterfalse(self._plain.__contains__, words_of(composed))):
            split = self._split.get(word)
            if split is None:
                split = self._first_seen(word, keeps=keeps)
            if split:
                out.append(split)
        out.sort()
        for pairs in pairs_of(composed):
            out += pairs
        if composed != text:
            out += sorted({word for word in words_of(composed) if not word.isascii()})
        return " ".join(out)

    def _first_seen(self, word: str, *, keeps: bool) -> str:
        if word.isalpha() and (word.islower() or word.isupper() or word[1:].islower()):  # most words have no parts
            if keeps:
                self._plain.add(word)
            return ""
        if is_figure(word):
            if self._figures < _FIGURES_MAX:
                self._figures += 1
                self._plain.add(word)
            return ""
        split = _split_of(word)
        if keeps and split:
            self._split[word] = split
        elif keeps:
            self._plain.add(word)
        return split

    def vocabulary(self) -> set[str]:
        """The words seen so far in lower case, fit for the spelling fix."""
        seen = {word.lower() for word in self._plain}
        for word, split in self._split.items():
            seen.add(word.lower())
            seen.update(split.lower().split())
        fit = {word for word in seen if WORD_MIN <= len(word) <= WORD_MAX}
        return {word for word in fit if (word.isalpha() or not is_figure(word)) and not is_dense(word)}


def _split_of(word: str) -> str:
    """The parts of a word with spaces between them, empty for one that has no parts."""
    split = _splits.get(word)
    if split is None:
        parts = parts_of(word)
        split = " ".join(parts) if parts[1:] else ""
        if len(_splits) >= _SPLITS_MAX:
            _splits.clear()
        _splits[word] = split
    return split


def vocabulary_of(texts: Iterable[str]) -> set[str]:
    """The vocabulary that an Indexer finds in `texts`, however much it is: for a few of them."""
    indexer = Indexer(sys.maxsize)
    for text in texts:
        indexer.extra(text)
    return indexer.vocabulary()
