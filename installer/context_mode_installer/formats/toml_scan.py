"""Where the statements, keys and values of a TOML 1.0 document stand. `tomllib` has checked the text before."""

from __future__ import annotations

import re
import tomllib

from context_mode_installer.formats.base import FormatError, Path, error_at
from context_mode_installer.formats.boxes import Box

_GAP = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_BLANKS = re.compile(r"[ \t]*")
_LINE_REST = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\r?\n|$)")
_KEY = re.compile(r"""[A-Za-z0-9_-]+|"(?:\\.|[^"\\])*"|'[^']*'""")
_STRING = re.compile(
    r'"""(?:\\[\s\S]|(?!""")[^\\])*"{3,5}'
    r"|'''(?:(?!''')[\s\S])*'{3,5}"
    r"""|"(?:\\.|[^"\\])*"|'[^']*'""",
)
_SCALAR = re.compile(r"\d{4}-\d\d-\d\d[ ]\d\d:[^\s,\]}#]+|[^\s,\]}#]+")
_PLACE = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)$", re.DOTALL)


class Segment:
    """One key as it is written: the path that it names, and its span."""

    __slots__ = ("end", "path", "start")

    def __init__(self, path: Path, start: int, end: int) -> None:
        """`path` is whole, from the top of the document."""
        self.path = path
        self.start = start
        self.end = end


class Value:
    """A value and its place; `members` are those of an array or inline table, each with the place where it begins."""

    __slots__ = ("end", "kind", "members", "path", "start")

    def __init__(self, path: Path, start: int, kind: str) -> None:
        """`kind` is `array`, `table` or `scalar`."""
        self.path = path
        self.start = start
        self.end = start
        self.kind = kind
        self.members: list[tuple[int, Value]] = []

    def box(self) -> Box:
        """The spans of the members."""
        return Box(self.start, self.end, tuple((start, value.end) for start, value in self.members))

    def walk(self) -> list[Value]:
        """The value itself and all inside."""
        return [self, *(inner for _, value in self.members for inner in value.walk())]


class Statement:
    """A header or a key with its value: whole lines from `start` to `end`, comment and line end included."""

    __slots__ = ("end", "kind", "path", "section", "start", "value")

    def __init__(self, kind: str, start: int) -> None:
        """`kind` is `table`, `item` (a header in double brackets) or `key`; `section` is the header's path."""
        self.kind = kind
        self.start = start
        self.end = start
        self.path: Path = ()
        self.section: Path = ()
        self.value: Value | None = None


def check(text: str) -> dict[str, object]:
    """The value of a document. Raises FormatError with the place of the first fault."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.match(str(error))
        if found and found.group(2):
            raise FormatError(found.group(1), int(found.group(2)), int(found.group(3))) from None
        raise error_at(text, len(text), found.group(1) if found else str(error)) from None
    except RecursionError:
        raise error_at(text, 0, "nested too deep") from None


def bare(raw: str) -> str:
    """A key without its quotes and escapes."""
    if raw[:1] not in {'"', "'"}:
        return raw
    return next(iter(tomllib.loads(f"{raw}=0")))


class Scan:
    """The statements of a document in order, and every key segment in it."""

    def __init__(self, text: str) -> None:
        """Reads `text`, which is valid."""
        self.text = text
        self.statements: list[Statement] = []
        self.segments: list[Segment] = []
        self._items: dict[Path, int] = {}
        section: Path = ()
        at = self._skip(0)
        while at < len(text):
            statement = self._header(at) if text[at] == "[" else self._key(at, section)
            section = statement.section
            self.statements.append(statement)
            at = self._skip(statement.end)

    def values(self) -> list[Value]:
        """All values, those inside arrays and inline tables too."""
        return [value for one in self.statements if one.value for value in one.value.walk()]

    def _skip(self, at: int) -> int:
        found = _GAP.match(self.text, at)
        return found.end() if found else at

    def _blanks(self, at: int) -> int:
        found = _BLANKS.match(self.text, at)
        return found.end() if found else at

    def _line_start(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def _line_end(self, at: int) -> int:
        found = _LINE_REST.match(self.text, at)
        return found.end() if found else at

    def _keys(self, at: int, base: Path, *, header: bool = False) -> tuple[Path, int]:
        path = base
        while True:
            at = self._blanks(at)
            found = _KEY.match(self.text, at)
            if not found:
                raise error_at(self.text, at, "a key is missing")
            path = (*path, bare(found.group()))
            self.segments.append(Segment(path, at, found.end()))
            at = self._blanks(found.end())
            if self.text[at] != ".":
                return path, at
            if header and path in self._items:
                path = (*path, self._items[path])
            at += 1

    def _header(self, at: int) -> Statement:
        item = self.text.startswith("[[", at)
        statement = Statement("item" if item else "table", self._line_start(at))
        path, at = self._keys(at + 1 + item, (), header=True)
        if item:
            self._items[path] = self._items.get(path, -1) + 1
            path = (*path, self._items[path])
        statement.path = statement.section = path
        statement.end = self._line_end(at + 1 + item)
        return statement

    def _key(self, at: int, section: Path) -> Statement:
        statement = Statement("key", self._line_start(at))
        statement.section = section
        statement.path, at = self._keys(at, section)
        statement.value = self._value(self._blanks(at + 1), statement.path)
        statement.end = self._line_end(statement.value.end)
        return statement

    def _value(self, at: int, path: Path) -> Value:
        sign = self.text[at]
        if sign in "[{":
            return self._members(at, path, "array" if sign == "[" else "table")
        value = Value(path, at, "scalar")
        found = (_STRING if sign in "\"'" else _SCALAR).match(self.text, at)
        value.end = found.end() if found else at
        return value

    def _members(self, at: int, path: Path, kind: str) -> Value:
        value = Value(path, at, kind)
        at = self._skip(at + 1)
        while self.text[at] not in "]}":
            start, inner = at, (*path, len(value.members))
            if kind == "table":
                inner, at = self._keys(at, path)
                at = self._skip(at + 1)
            member = self._value(at, inner)
            value.members.append((start, member))
            at = self._skip(member.end)
            if self.text[at] == ",":
                at = self._skip(at + 1)
        value.end = at + 1
        return value
