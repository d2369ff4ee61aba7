"""What PowerShell expressions are worth, as far as the text says it: `'r' + 'm'`, `'{0}m' -f 'r'`, `[char]114`.

A value is the parts of a word, so that variables in it are followed later.
"""

from __future__ import annotations

from context_mode_runtime.shell.words import LITERAL, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from context_mode_runtime.shell.words import Part

    Value = list[Part]
    Token = str | Value
    """An operator in lower case, or the value of an operand."""

_OPERATORS = ("+", ",", "-f", "-join", "-replace", "-creplace", "-ireplace", "-split", "-as")
_LENGTH_MAX = 4_096
_TOKENS_MAX = 512
_CHARACTER = "[char]"


def values_of(words: list[Word]) -> list[Word] | None:
    """The values that the expression in `words` has, several for a list; None when it is no such expression."""
    tokens = _tokens(words)
    if tokens is None or not tokens:
        return None
    found = _Expression(tokens).read()
    return None if found is None else [Word(parts or [text_part("")], words[0].start) for parts in found]


def literal(parts: Value) -> str | None:
    """The text of parts that hold no variable."""
    if any(part[0] != LITERAL for part in parts):
        return None
    return "".join([part[1] for part in parts])


def text_part(text: str) -> Part:
    """A text as a quoted part."""
    return (LITERAL, text, True, None, None)


def _tokens(words: list[Word]) -> list[Token] | None:
    found: list[Token] = []
    for word in words:
        glued = False
        for part in word.parts:
            if part[0] == LITERAL and not part[2]:
                pieces = _plain_tokens(part[1])
                if pieces is None:
                    return None
                found += pieces
                glued = False
            elif glued and isinstance(found[-1], list):
                found[-1].append(part)
            else:
                found.append([part])
                glued = True
        if len(found) > _TOKENS_MAX:
            return None
    return found


def _plain_tokens(text: str) -> list[Token] | None:
    """Operators, numbers and casts of unquoted text; None when there is anything else in it."""
    found: list[Token] = []
    at = 0
    text = text.lower()
    while at < len(text):
        if len(found) > _TOKENS_MAX:
            return None
        operator = next((one for one in _OPERATORS if text.startswith(one, at)), "")
        if operator:
            found.append(operator)
            at += len(operator)
            continue
        end = text.find("]", at) + 1 if text[at] == "[" else at
        digits = end
        while digits < len(text) and text[digits].isalnum():
            digits += 1
        number = _number(text[end:digits])
        cast = text[at:end]
        if (number is None and digits > end) or (end == at and number is None):
            return None
        if number is not None:
            found.append([text_part(chr(number) if cast == _CHARACTER and number < _UNICODE else str(number))])
        elif cast == _CHARACTER or cast.endswith("[]]"):
            found.append(cast)
        at = digits
    return found


_UNICODE = 0x110000


def _number(text: str) -> int | None:
    try:
        return int(text, 0) if text[:2].lower() == "0x" else int(text)
    except ValueError:
        return None


class _Expression:
    """Reads tokens by the strength of their operators: `,`, then `-f`, then `+`, then `-join` and `-replace`."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0

    def read(self) -> list[Value] | None:
        """All of it, or None."""
        found = self._joined()
        return found if self.at == len(self.tokens) else None

    def _take(self, *operators: str) -> str:
        token = self.tokens[self.at] if self.at < len(self.tokens) else ""
        if isinstance(token, str) and token in operators:
            self.at += 1
            return token
        return ""

    def _joined(self) -> list[Value] | None:
        if self._take("-join"):
            found = self._sum()
            return None if found is None else [[part for one in found for part in one]]
        left = self._sum()
        while left is not None:
            operator = self._take("-join", "-replace", "-creplace", "-ireplace")
            if not operator:
                return left
            right = self._sum()
            left = None if right is None else _OPERATIONS[operator](left, right)
        return None

    def _sum(self) -> list[Value] | None:
        left = self._filled()
        while left is not None and self._take("+"):
            right = self._filled()
            if right is None:
                return None
            left = [left[0] + right[0]] if len(left) == len(right) == 1 else left + right
        return left

    def _filled(self) -> list[Value] | None:
        left = self._list()
        while left is not None and self._take("-f"):
            right = self._list()
            left = None if right is None else _format(left, right)
        return left

    def _list(self) -> list[Value] | None:
        found: list[Value] = []
        self._take(",")
        while True:
            value = self._operand()
            if value is None:
                return None
            found.append(value)
            if not self._take(","):
                return found

    def _operand(self) -> Value | None:
        cast = self._take(_CHARACTER, "[char[]]", "[string[]]", "[object[]]")
        token = self.tokens[self.at] if self.at < len(self.tokens) else ""
        if isinstance(token, str):
            return None
        self.at += 1
        text = literal(token) if cast == _CHARACTER else None
        number = _number(text) if text else None
        return [text_part(chr(number))] if number is not None and number < _UNICODE else list(token)


def _join(left: list[Value], right: list[Value]) -> list[Value] | None:
    out: Value = []
    for number, one in enumerate(left):
        out += [*(right[0] if number else []), *one]
    return [out]


def _replace(left: list[Value], right: list[Value]) -> list[Value] | None:
    """Plain texts only; what is special in a regular expression is left alone."""
    old = literal(right[0])
    new = literal(right[1]) if len(right) > 1 else ""
    if not old or new is None or any(c in old for c in r"\.[]()*+?^$|{}"):
        return None
    texts = [literal(one) for one in left]
    return [[text_part(_replaced(text, old, new))] for text in texts if text is not None] or None


def _replaced(text: str, old: str, new: str) -> str:
    """Without regard to case."""
    out, at, low = [], 0, text.lower()
    found = low.find(old.lower())
    while found >= 0:
        out += [text[at:found], new]
        at = found + len(old)
        found = low.find(old.lower(), at)
    return "".join([*out, text[at:]])[:_LENGTH_MAX]


def _format(left: list[Value], right: list[Value]) -> list[Value] | None:
    """`'{1}{0}' -f 'm', 'r'`: the places are filled with parts."""
    text = literal(left[0])
    if text is None or len(text) > _LENGTH_MAX:
        return None
    out: Value = []
    for number, piece in enumerate(text.split("{")):
        place, cut, rest = piece.partition("}")
        if number and cut and place.isdigit():
            out += right[int(place)] if int(place) < len(right) else []
        else:
            rest = piece if not number else "{" + piece
        out.append(text_part(rest))
    return [out]


_OPERATIONS: dict[str, Callable[[list[Value], list[Value]], list[Value] | None]] = {
    "-join": _join,
    "-replace": _replace,
    "-creplace": _replace,
    "-ireplace": _replace,
}
