"""What the editors of all formats share: errors with a place, bytes to text and back, values compared exactly."""

from __future__ import annotations

from typing import NamedTuple

Key = str | int
Path = tuple[Key, ...]
"""Keys of tables and indices of lists, from the top of the document down."""

_BOM = "\ufeff"


class FormatError(Exception):
    """A config that can't be read, or can't take an edit: what is wrong, `line` and `column` (both from 1)."""

    def __init__(self, reason: str, line: int, column: int) -> None:
        """Keeps the three apart, so that callers can print `file:line:column: reason`."""
        super().__init__(f"line {line}, column {column}: {reason}")
        self.reason = reason
        self.line = line
        self.column = column


class ShapeError(FormatError):
    """The config is valid, but what stands at the path can't hold the entry (text where a table is needed)."""


class Text(NamedTuple):
    """A decoded config: `bom` is the byte order mark or nothing, `text` the rest, line ends untouched."""

    bom: str
    text: str

    def encode(self) -> bytes:
        """The bytes of the whole file."""
        return (self.bom + self.text).encode()


def decode(data: bytes) -> Text:
    """`data` as text, UTF-8 with or without a byte order mark. Raises FormatError on other bytes."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        good = data[: error.start].decode()
        raise error_at(good, len(good), "not UTF-8 text") from None
    return Text(_BOM, text[1:]) if text.startswith(_BOM) else Text("", text)


def error_at(text: str, offset: int, reason: str, kind: type[FormatError] = FormatError) -> FormatError:
    """The error for the character at `offset`."""
    line = text.count("\n", 0, offset) + 1
    return kind(reason, line, offset - (text.rfind("\n", 0, offset) + 1) + 1)


def newline_of(text: str) -> str:
    r"""The line end that a file uses: that of its first line, `\n` when it has one line only."""
    end = text.find("\n")
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"


def same(left: object, right: object) -> bool:
    """Whether two parsed values are equal, types included: 1, 1.0 and true are three values."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return type(left) is type(right) and (left == right or (left != left and right != right))  # noqa: PLR0124 - NaN


def shown(path: Path) -> str:
    """A path for people: `hooks.Stop[0].command`, keys with other signs quoted."""
    out = ""
    for key in path:
        if isinstance(key, int):
            out += f"[{key}]"
        else:
            plain = key.replace("-", "").replace("_", "").isalnum()
            out += ("." if out else "") + (key if plain else f'"{key}"')
    return out or "the top"
