"""Words of shell text: their parts, and what they become when literals of the same text are put in."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Part = tuple[int, str, bool, "str | None", "str | None"]
    Value = str | list[str]
    """A variable's literal: text, or the fields of an array."""
    Env = dict[str, list[Value]]

LITERAL, VARIABLE, OPAQUE, PROCESS = 0, 1, 2, 3
"""Kinds of part; PROCESS is `<(...)`, which stays as written.

A part is (kind, text as written, quoted?, variable's name, literal to fall back on)."""

OPAQUE_MAX = 512
"""Longest text kept of a substitution: deep nesting would be quadratic otherwise."""
_BRACES_MAX = 64
_LAST_CHARACTER = 0x10FFFF
_PRESET: dict[str, list[str | list[str]]] = {"IFS": [" "]}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b", "E": "\x1b"}
_DIGITS = {"x": ("0123456789abcdefABCDEF", 2, 16), "u": ("0123456789abcdefABCDEF", 4, 16)}
_DIGITS["U"] = (_DIGITS["x"][0], 8, 16)
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_GUARD = {"{": "\ue000", "}": "\ue001", ",": "\ue002"}


class Word:
    """One word: its parts in order, and where it starts in its text."""

    __slots__ = ("parts", "start")

    def __init__(self, parts: list[Part], start: int) -> None:
        self.parts = parts
        self.start = start

    @property
    def text(self) -> str:
        """The word after quote removal, expansions as written."""
        return "".join([part[1] for part in self.parts])

    @property
    def plain(self) -> str:
        """The text when nothing in it is quoted or expanded, else `""`: only then it can be a reserved word."""
        if len(self.parts) == 1 and self.parts[0][0] == LITERAL and not self.parts[0][2]:
            return self.parts[0][1]
        return ""

    @property
    def literal(self) -> bool:
        """Nothing in it is expanded."""
        return all(part[0] == LITERAL for part in self.parts)

    @property
    def quoted(self) -> bool:
        """Some of it is quoted."""
        return any(part[2] for part in self.parts)


class Budget:
    """How many more characters expansions may make; at zero they stay as written and `spent` is set."""

    __slots__ = ("left", "spent")

    def __init__(self, left: int) -> None:
        self.left = left
        self.spent = False

    def take(self, size: int) -> bool:
        """Takes `size` if there is as much left."""
        if size > self.left:
            self.spent = True
            return False
        self.left -= size
        return True


def expand(word: Word, env: Env, turn: int, budget: Budget, *, bare: bool = False) -> list[str]:
    """The fields that `word` becomes.

    `turn` picks among the values a variable had in this text, the newest is 0. What is unknown stays as written, or
    goes when `bare`. Unquoted values are split at white space; brace lists of literals are followed.
    """
    if word.literal:
        return _braces(word, budget)
    fields = [""]
    open_field = False
    for part in word.parts:
        values = _part_fields(part, env, turn, budget, bare=bare)
        open_field = open_field or part[2] or bool(values)
        if values:
            fields[-1] += values[0]
            fields += values[1:]
    kept = [field for field in fields if field]
    return kept or ([""] if open_field and not bare else [])


def _part_fields(part: Part, env: Env, turn: int, budget: Budget, *, bare: bool) -> list[str]:
    kind, text, quoted, name, default = part
    if kind in (LITERAL, PROCESS):
        return [text]
    value = _value(name, default, env, turn)
    if value is None:
        return [] if bare else [text]
    if not budget.take(len(value) if isinstance(value, str) else sum(map(len, value)) + 1):
        return [text]
    if isinstance(value, list):
        return value
    if quoted or not any(c in value for c in " \t\n"):
        return [value]
    edge = "\0"
    return [piece.strip(edge) for piece in (edge + value + edge).split()]


def _value(name: str | None, default: str | None, env: Env, turn: int) -> Value | None:
    values = env.get(name or "") or _PRESET.get(name or "")
    if values:
        return values[min(turn, len(values) - 1)]
    return default


def holds_unknown(words: Sequence[Word], env: Env) -> bool:
    """Some expansion of `words` has no literal in this text."""
    return any(p[0] != LITERAL and _value(p[3], p[4], env, 0) is None for word in words for p in word.parts)


def turns(words: Sequence[Word], env: Env) -> int:
    """How many values must be tried, at least 1."""
    most = 1
    for word in words:
        for part in word.parts:
            if part[0] == VARIABLE:
                most = max(most, len(env.get(part[3] or "", ())))
    return most


def _braces(word: Word, budget: Budget) -> list[str]:
    text = word.text
    if "{" not in text or "," not in text:
        return [text]
    if text.count("{") > _BRACES_MAX or not budget.take(len(text)):
        budget.spent = True
        return [text]
    if word.quoted:
        text = "".join(["".join([_GUARD.get(c, c) for c in p[1]]) if p[2] else p[1] for p in word.parts])
    done: list[str] = []
    todo = [text]
    while todo and len(done) + len(todo) <= _BRACES_MAX:
        head = todo.pop(0)
        choices = _first_brace(head)
        if choices is None or not budget.take(sum(map(len, choices))):
            done.append(head)
        else:
            todo = choices + todo
    return [_unguard(item) for item in done + todo if item]


def _unguard(text: str) -> str:
    for plain, guard in _GUARD.items():
        text = text.replace(guard, plain)
    return text


def _first_brace(text: str) -> list[str] | None:
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
                if len(cuts) == 1:
                    break
                cuts.append(at)
                pieces = [text[cuts[n] + 1 : cuts[n + 1]] for n in range(len(cuts) - 1)]
                return [text[:start] + piece + text[at + 1 :] for piece in pieces]
        else:
            return None
        start = text.find("{", start + 1)
    return None


def ansi_c(text: str, at: int) -> tuple[str, int]:
    """Decodes `$'...'` from behind its opening quote; returns the text and the index behind the closing quote."""
    out: list[str] = []
    size = len(text)
    while at < size and text[at] != "'":
        if text[at] == "\\" and at + 1 < size:
            piece, at = _escape(text, at + 1)
            out.append(piece)
            continue
        stop = at
        while stop < size and text[stop] not in "'\\":
            stop += 1
        out.append(text[at : stop or 1] if stop > at else text[at])
        at = max(stop, at + 1)
    return "".join(out), at + 1


def _escape(text: str, at: int) -> tuple[str, int]:
    c = text[at]
    if c in _ESCAPES:
        return _ESCAPES[c], at + 1
    if c in _DIGITS:
        digits, most, base = _DIGITS[c]
        return _number(text, at + 1, digits, most, base) if text[at + 1 : at + 2] in digits else ("\\" + c, at + 1)
    if c in "01234567":
        return _number(text, at, "01234567", 3, 8)
    if c == "c" and at + 1 < len(text):
        return chr(ord(text[at + 1]) & 0x1F), at + 2
    return (c if c in "\\'\"?" else "\\" + c), at + 1


def _number(text: str, at: int, digits: str, most: int, base: int) -> tuple[str, int]:
    stop = at
    while stop < len(text) and stop - at < most and text[stop] in digits:
        stop += 1
    code = int(text[at:stop] or "0", base)
    return (chr(code) if code <= _LAST_CHARACTER else ""), stop


def is_name(text: str) -> bool:
    """`text` can name a variable."""
    return bool(text) and not text[0].isdigit() and all(c in _NAME for c in text)


def name_end(text: str, at: int) -> int:
    """The index behind the variable name that starts at `at`."""
    while at < len(text) and text[at] in _NAME:
        at += 1
    return at


def parameter(body: str) -> tuple[str | None, str | None]:
    """The name and the literal fall-back of what stands in `${...}`; (None, None) when it is changed on the way."""
    stop = name_end(body, 0) if body[:1] not in "@*" else 1
    name, rest = body[:stop], body[stop:]
    if rest in ("", "[@]", "[*]"):
        return (name or None), None
    if rest[:1] == ":" and rest[1:2] in "-=+":
        rest = rest[1:]
    if rest[0] in "-=+" and "$" not in rest and "`" not in rest:
        return (name if rest[0] != "+" else None), rest[1:].replace('"', "").replace("'", "")
    return None, None
