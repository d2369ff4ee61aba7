"""Files of variables (`.env`): one `NAME=value` a line, read as the common readers of such files do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from context_mode_installer.formats.base import ShapeError, newline_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_mode_installer.formats.base import Path

_ENTRY = re.compile(
    r"""^[ \t]*(?:export[ \t]+)?(?P<name>[A-Za-z_][\w.-]*)[ \t]*=[ \t]*
    (?:'(?P<single>[^']*)'|"(?P<double>(?:\\.|[^"\\])*)"|(?P<plain>[^\r\n#]*))
    [ \t]*(?:\#[^\r\n]*)?(?:\r?\n|\Z)""",
    re.MULTILINE | re.VERBOSE | re.DOTALL,
)
_PLAIN = re.compile(r"[\w./:@%+,=~-]*\Z")


class EnvEditor:
    """A table of texts, one deep. What is no entry stays and says nothing."""

    def read(self, text: str) -> object:
        """Names and values; of two entries of one name the last."""
        return {match["name"]: _value(match) for match in _ENTRY.finditer(text)}

    def seed(self, text: str) -> str:
        """Any text will do."""
        return text

    def put(self, text: str, path: Path, value: object) -> str:
        """Sets a variable: in its last line, else in a new one at the end. Raises ShapeError for what is no text."""
        name = _name(path)
        if not isinstance(value, str):
            raise ShapeError("a file of variables holds texts only", 1, 1)
        end = newline_of(text)
        found = list(_entries(text, name))
        if found:
            last = found[-1]
            return text[: last.start()] + f"{name}={_written(value)}{end}" + text[last.end() :]
        begin = end if text and not text.endswith("\n") else ""
        return f"{text}{begin}{name}={_written(value)}{end}"

    def append(self, text: str, path: Path, item: object) -> str:
        """There are no lists. Raises ShapeError."""
        del text
        raise ShapeError(f"a file of variables holds no list for {item!r} at {path}", 1, 1)

    def remove(self, text: str, path: Path, blank: str) -> str:
        """Without the lines of a variable."""
        del blank
        for match in reversed(list(_entries(text, _name(path)))):
            text = text[: match.start()] + text[match.end() :]
        return text

    def rename(self, text: str, path: Path, name: str) -> str:
        """Names are the host's. Raises ShapeError."""
        del text
        raise ShapeError(f"the variable {path} is not renamed to {name}", 1, 1)

    def blank(self, text: str, path: Path) -> str | None:
        """Nothing: a text holds no list and no table."""
        del text, path
        return None

    def place(self, text: str, path: Path) -> int | None:
        """The offset of a variable's last line."""
        return next((match.start() for match in reversed(list(_entries(text, _name(path))))), None)


def _name(path: Path) -> str:
    if len(path) != 1 or not isinstance(path[0], str):
        raise ShapeError("a file of variables has names only", 1, 1)
    return path[0]


def _entries(text: str, name: str) -> Iterator[re.Match[str]]:
    return (match for match in _ENTRY.finditer(text) if match["name"] == name)


def _value(match: re.Match[str]) -> str:
    if match["single"] is not None:
        return match["single"]
    if match["double"] is not None:
        return re.sub(r"\\(.)", lambda one: {"n": "\n"}.get(one[1], one[1]), match["double"])
    return match["plain"].strip()


def _written(value: str) -> str:
    if _PLAIN.match(value):
        return value
    return f"'{value}'" if "'" not in value else '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'
