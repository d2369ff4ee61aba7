"""Shell patterns: `*`, `?`, `[...]` with classes and ranges, `@(a|b)` and its kin."""

from __future__ import annotations

from context_mode_runtime.wildcard import signs_match

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SIZE_MAX = 256
"""Longest text and pattern that are compared; a longer one fits nothing."""
_PLAIN_MAX = 32
_WILD = frozenset("*?[(\\<")
_CLASSES = {
    "alpha": str.isalpha,
    "lower": str.islower,
    "upper": str.isupper,
    "digit": str.isdigit,
    "alnum": str.isalnum,
    "graph": str.isprintable,
    "print": str.isprintable,
}


def fits(pattern: str, text: str) -> bool:
    """The whole `text` is what `pattern` stands for."""
    return fitter(pattern)(text)


def fitter(pattern: str) -> Callable[[str], bool]:
    """Tells whether a whole text is what `pattern` stands for; the pattern is taken apart once."""
    if not wild(pattern):
        return pattern.__eq__
    if len(pattern) > SIZE_MAX:
        return lambda _: False
    choices = [_tokens(plain) for plain in _plain(pattern)]
    return lambda text: len(text) <= SIZE_MAX and any(signs_match(tokens, text, _sign) for tokens in choices)


def prefixes(pattern: str) -> Callable[[str, int], int]:
    """Tells how far the longest piece of a text that `pattern` stands for goes from a place; -1: there is none."""
    choices = [_tokens(plain) for plain in _plain(pattern)]
    return lambda text, start: max(_prefix(tokens, text, start) for tokens in choices)


def _prefix(tokens: list[str], text: str, start: int) -> int:
    """All places in `tokens` that the text may have come to are followed at once: length of the two multiplied."""
    if tokens and tokens[0] != "*" and not _sign(tokens[0], text[start]):
        return -1
    places = _behind_stars(tokens, {0})
    found = start if len(tokens) in places else -1
    for at in range(start, len(text)):
        here = [n for n in places if n < len(tokens)]
        reached = {n for n in here if tokens[n] == "*"} | {n + 1 for n in here if _sign(tokens[n], text[at])}
        if not reached:
            break
        places = _behind_stars(tokens, reached)
        found = at + 1 if len(tokens) in places else found
    return found


def _behind_stars(tokens: list[str], places: set[int]) -> set[int]:
    found = set(places)
    for place in places:
        end = place
        while end < len(tokens) and tokens[end] == "*":
            end += 1
        found.update(range(place, end + 1))
    return found


def wild(pattern: str) -> bool:
    """`pattern` may stand for more than itself."""
    return any(c in _WILD for c in pattern)


def _plain(pattern: str) -> list[str]:
    """`pattern` without lists in brackets: one pattern for each choice, repeated ones up to twice."""
    todo = [pattern.replace("<->", "*")]
    done: list[str] = []
    while todo and len(todo) + len(done) <= _PLAIN_MAX:
        head = todo.pop()
        start = head.find("(")
        end = head.find(")", start)
        if start < 0 or end < 0:
            done.append(head)
            continue
        kind = head[start - 1 : start] if start else ""
        before = head[: start - 1] if kind and kind in "@?*+!" else head[:start]
        choices = head[start + 1 : end].split("|") if kind != "!" else ["*"]
        if kind and kind in "*+":
            choices += [choice * 2 for choice in choices]
        if kind and kind in "?*":
            choices.append("")
        todo += [before + choice + head[end + 1 :] for choice in choices]
    return done + todo


def _tokens(pattern: str) -> list[str]:
    out: list[str] = []
    at = 0
    while at < len(pattern):
        end = at + 1
        if pattern[at] == "[":
            close = pattern.find("]", at + 2)
            while close > 0 and pattern[close - 1] == ":" and pattern.find("[:", at + 1, close - 1) > 0:
                close = pattern.find("]", close + 1)
            end = close + 1 if close > 0 else end
        elif pattern[at] == "\\":
            end = at + 2
        out.append(pattern[at:end])
        at = end
    return out


def _sign(piece: str, sign: str) -> bool:
    if piece == "?":
        return True
    if piece[0] != "[" or len(piece) == 1:
        return piece.lstrip("\\") == sign if len(piece) > 1 else piece == sign
    body = piece[1:-1]
    turned = body[:1] in ("!", "^")
    body = body[1:] if turned else body
    found = False
    while body:
        name, cut, rest = body[2:].partition(":]") if body.startswith("[:") else ("", "", "")
        if cut:
            found = found or (name in _CLASSES and _CLASSES[name](sign))
            body = rest
        elif body[1:2] == "-" and len(body) > len("a-"):
            found = found or body[0] <= sign <= body[2]
            body = body[3:]
        else:
            found = found or body[0] == sign
            body = body[1:]
    return found != turned
