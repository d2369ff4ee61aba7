"""What is wrong with a spec, where, and what would be right."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .load import Document, Way

_CLOSE = 0.5


@dataclass(frozen=True, order=True)
class Finding:
    """One fault. `line` and `column` count from 1."""

    file: str
    line: int
    column: int
    wrong: str
    right: str

    def __str__(self) -> str:
        """One line, as compilers write it."""
        return f"{self.file}:{self.line}:{self.column} {self.wrong}; {self.right}"


class Sheet:
    """A spec under examination and what was found so far."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.spec: Any = document.value
        self.findings: list[Finding] = []

    def add(self, way: Way, wrong: str, right: str, *, key: bool = False) -> None:
        """Notes a fault at the value at `way`, or at its key."""
        line, column = self.document.key_place(way) if key else self.document.place(way)
        self.findings.append(Finding(self.document.file, line, column, wrong, right))

    def known(self, way: Way, word: str, words: Iterable[str], what: str) -> bool:
        """Whether `word` is one of `words`; a fault at `way` when it is not."""
        options = list(words)
        if word in options:
            return True
        self.add(way, f"{word!r} is no {what}", nearest(word, options))
        return False

    def unique(self, ways: Iterable[tuple[Way, object]], what: str) -> None:
        """A fault at each way whose value came before."""
        seen: list[object] = []
        for way, value in ways:
            if value in seen:
                self.add(way, f"{what} {spoken(value)} stands here for the second time", "join the two or rename one")
            seen.append(value)


def nearest(word: str, words: Iterable[str]) -> str:
    """What to write instead of `word`: the most similar of `words`, else all of them."""
    options = sorted(set(words))
    close = difflib.get_close_matches(word, options, n=1, cutoff=_CLOSE)
    if close:
        return f"did you mean {close[0]}?"
    return f"known: {', '.join(options)}" if options else "there is none to name"


def spoken(value: object) -> str:
    """A value in a message; a tuple as its parts."""
    return " / ".join(str(part) for part in value) if isinstance(value, tuple) else str(value)
