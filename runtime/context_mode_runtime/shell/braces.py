"""Brace lists and ranges: `{a,b}`, `{a..c}`, `{1..3}`, one in another."""

from __future__ import annotations

from context_mode_runtime.shell.words import LITERAL, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.shell.words import Budget, Part

_WORDS_MAX = 64
_HIDDEN = 0xF0000
"""Parts that are quoted or expanded are single private signs while braces are looked for."""


def braced(word: Word, budget: Budget) -> list[Word]:
    """The words that the brace lists of `word` make, at most 64; quoted braces stay."""
    text = "".join([part[1] for part in word.parts if part[0] == LITERAL and not part[2]])
    if "{" not in text or not ("," in text or ".." in text):
        return [word]
    if text.count("{") > _WORDS_MAX or not budget.take(len(text)):
        budget.spent = True
        return [word]
    hidden = [part for part in word.parts if part[0] != LITERAL or part[2]]
    signs = iter(range(_HIDDEN, _HIDDEN + len(hidden)))
    plain = "".join([part[1] if part[0] == LITERAL and not part[2] else chr(next(signs)) for part in word.parts])
    done: list[str] = []
    todo = [plain]
    while todo and len(done) + len(todo) <= _WORDS_MAX:
        head = todo.pop(0)
        choices = _first(head)
        if choices is None or not budget.take(sum(map(len, choices))):
            done.append(head)
        else:
            todo = choices + todo
    return [Word(_parts(made, hidden), word.start) for made in done + todo if made]


def _parts(text: str, hidden: list[Part]) -> list[Part]:
    parts: list[Part] = []
    plain = ""
    for sign in text:
        if 0 <= ord(sign) - _HIDDEN < len(hidden):
            parts += [(LITERAL, plain, False, None, None)] if plain else []
            parts.append(hidden[ord(sign) - _HIDDEN])
            plain = ""
        else:
            plain += sign
    return [*parts, (LITERAL, plain, False, None, None)] if plain else parts


def _first(text: str) -> list[str] | None:
    """The words that the first brace list of `text` makes, or None."""
    start = text.find("{")
    while start >= 0:
        depth, cuts = 0, [start]
        for at in range(start, len(text)):
            c = text[at]
            depth += (c == "{") - (c == "}")
            if c == "," and depth == 1:
                cuts.append(at)
            if depth == 0:
                pieces = _range(text[start + 1 : at]) if len(cuts) == 1 else None
                if len(cuts) > 1:
                    cuts.append(at)
                    pieces = [text[cuts[n] + 1 : cuts[n + 1]] for n in range(len(cuts) - 1)]
                if pieces is None:
                    break
                return [text[:start] + piece + text[at + 1 :] for piece in pieces]
        else:
            return None
        start = text.find("{", start + 1)
    return None


def _range(body: str) -> list[str] | None:
    """What `a..c` or `1..9..2` stands for."""
    ends = body.split("..")
    if len(ends) not in (2, 3):
        return None
    numbers = [end.lstrip("-").isdecimal() for end in ends]
    if all(numbers[:2]):
        first, last = int(ends[0]), int(ends[1])
    elif len(ends[0]) == len(ends[1]) == 1 and not any(numbers[:2]):
        first, last = ord(ends[0]), ord(ends[1])
    else:
        return None
    step = max(1, abs(int(ends[2]))) if len(ends) > 2 and numbers[2] else 1  # noqa: PLR2004 - the third is the step
    found = range(first, last + (1 if last >= first else -1), step if last >= first else -step)
    return [str(one) if numbers[0] else chr(one) for one in found[:_WORDS_MAX]]
