"""Words of shell text and their parts."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.shell.model import Segment

    Part = tuple[int, str, bool, str | None, tuple[Segment, ...] | str | None]

WINDOWS = frozenset(("powershell", "pwsh", "cmd"))
"""Dialects of Windows: letter case does not count, and much is unseen in ordinary text, so that nothing is asked."""

LITERAL, VARIABLE, OPAQUE, PROCESS = 0, 1, 2, 3
"""Kinds of part; PROCESS is `<(...)`, which stays as written.

A part is (kind, text as written, quoted?, variable's name, commands of a substitution or a text to fall back on)."""

OPAQUE_MAX = 512
"""Longest text kept of a substitution: deep nesting would be quadratic otherwise."""
_LAST_CHARACTER = 0x10FFFF
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b", "E": "\x1b"}
_DIGITS = {"x": ("0123456789abcdefABCDEF", 2, 16), "u": ("0123456789abcdefABCDEF", 4, 16)}
_DIGITS["X"] = _DIGITS["x"]
_DIGITS["U"] = (_DIGITS["x"][0], 8, 16)
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


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


def plain_word(text: str, start: int) -> Word:
    """A word of plain text."""
    return Word([(LITERAL, text, False, None, None)], start)


def whole(word: Word) -> Word:
    """The word where a shell does not split it: behind `=`, `<<<` and `>`."""
    return word if word.literal else Word([(p[0], p[1], True, p[3], p[4]) for p in word.parts], word.start)


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


def ansi_c(text: str, at: int) -> tuple[str, int]:
    """Decodes `$'...'` from behind its opening quote; returns the text and the index behind the closing quote."""
    out: list[str] = []
    size = len(text)
    while at < size and text[at] != "'":
        if text[at] == "\\" and at + 1 < size:
            piece, at = escape(text, at + 1)
            out.append(piece)
            continue
        stop = at
        while stop < size and text[stop] not in "'\\":
            stop += 1
        out.append(text[at : stop or 1] if stop > at else text[at])
        at = max(stop, at + 1)
    return "".join(out).partition("\0")[0], at + 1


def escaped(text: str) -> str:
    """`text` with backslash escapes worked out, as `printf` and `echo -e` do; octal digits may follow a `0`."""
    if "\\" not in text:
        return text
    out: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == "\\" and at + 1 < len(text):
            octal = text[at + 1] == "0" and text[at + 2 : at + 3].isdigit()
            piece, at = escape(text, at + (2 if octal else 1))
        else:
            stop = text.find("\\", at + 1)
            stop = len(text) if stop < 0 else stop
            piece, at = text[at:stop], stop
        out.append(piece)
    return "".join(out)


def escape(text: str, at: int) -> tuple[str, int]:
    """The sign that the escape at `at`, behind its backslash, stands for, and the index behind it."""
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


def plain_name(body: str) -> str | None:
    """The variable of what stands in `${...}`, or None when its value is changed on the way."""
    stop = name_end(body, 0) if body[:1] not in "@*" else 1
    return body[:stop] if body[stop:] in ("", "[@]", "[*]") and stop else None
