"""JSON and JSONC, edited in place: comments, order, indent, line ends and trailing commas of the rest stay.

RFC 8259; comments and trailing commas as the JSONC readers of editors take them.
"""

from __future__ import annotations

import contextlib
import functools
import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined]  # there since 3.1, not in the stubs
from typing import TYPE_CHECKING

from context_mode_installer.formats import boxes
from context_mode_installer.formats.base import Path, ShapeError, error_at, newline_of, shown
from context_mode_installer.formats.values import with_value

if TYPE_CHECKING:
    from collections.abc import Callable

_PLAIN_GAP = re.compile(r"[ \t\r\n]*")
_GAP = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*[\s\S]*?\*/)*")
_TAIL = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[\s\S]*?\*/[ \t]*)*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
_INDENT = re.compile(r"\n([ \t]+)\S")
_GAP_STARTS = " \t\r\n/"
_WORDS = {"true": True, "false": False, "null": None}
_DEFAULT_UNIT = "  "


class Node:
    """A parsed value with its place: `members` are (key, start of the key, node); items of a list have no key."""

    __slots__ = ("end", "members", "start", "value")

    def __init__(self, start: int) -> None:
        """An unread value at `start`."""
        self.start = start
        self.end = start
        self.value: object = None
        self.members: list[tuple[str | None, int, Node]] = []

    def box(self) -> boxes.Box:
        """The spans of the members."""
        return boxes.Box(self.start, self.end, tuple((start, node.end) for _, start, node in self.members))


class _Parser:
    def __init__(self, text: str, *, comments: bool, trailing_commas: bool) -> None:
        self.text = text
        self.trailing_commas = trailing_commas
        self.comments = comments
        self.gap = _GAP if comments else _PLAIN_GAP

    def document(self) -> Node:
        try:
            root = self.value(self.skip(0))
        except RecursionError:
            raise error_at(self.text, 0, "nested too deep") from None
        end = self.skip(root.end)
        if end < len(self.text):
            self.fail(end, "text behind the end of the document")
        return root

    def skip(self, at: int) -> int:
        if self.text[at : at + 1] not in _GAP_STARTS:
            return at
        found = self.gap.match(self.text, at)
        return found.end() if found else at

    def fail(self, at: int, reason: str) -> None:
        if not self.comments and self.text[at : at + 2] in {"//", "/*"}:
            reason = "a comment, which this file can't have"
        elif at >= len(self.text):
            reason = f"the file ends here, {reason}"
        raise error_at(self.text, at, reason)

    def value(self, at: int) -> Node:
        sign = self.text[at : at + 1]
        if sign == "{":
            return self.table(at)
        if sign == "[":
            return self.array(at)
        node = Node(at)
        if sign == '"':
            node.value, node.end = self.string(at)
        else:
            node.value, node.end = self.scalar(at)
        return node

    def string(self, at: int) -> tuple[str, int]:
        try:
            value, end = scanstring(self.text, at + 1)
        except json.JSONDecodeError:
            return self.slow_string(at)
        return str(value), int(end)

    def slow_string(self, at: int) -> tuple[str, int]:
        """Says where a broken text is broken."""
        found = _STRING.match(self.text, at)
        if not found:
            raise error_at(self.text, at, "a text without its closing quote, or with a line break in it")
        try:
            return str(json.loads(found.group())), found.end()
        except json.JSONDecodeError as error:
            raise error_at(self.text, at + error.pos, f"in a text: {error.msg}") from None

    def scalar(self, at: int) -> tuple[object, int]:
        for word, value in _WORDS.items():
            if self.text.startswith(word, at):
                return value, at + len(word)
        found = _NUMBER.match(self.text, at)
        if not found:
            self.fail(at, "a value is missing")
            raise AssertionError
        number = found.group()
        return (float(number) if found.group(1) or found.group(2) else int(number)), found.end()

    def table(self, at: int) -> Node:
        node, out = Node(at), {}

        def member(place: int) -> int:
            if self.text[place : place + 1] != '"':
                self.fail(place, 'a key in double quotes or "}" is missing')
            key, end = self.string(place)
            colon = self.skip(end)
            if self.text[colon : colon + 1] != ":":
                self.fail(colon, 'a ":" is missing')
            child = self.value(self.skip(colon + 1))
            node.members.append((key, place, child))
            out[key] = child.value
            return child.end

        node.end = self.members(at, "}", member)
        node.value = out
        return node

    def array(self, at: int) -> Node:
        node = Node(at)

        def member(place: int) -> int:
            child = self.value(place)
            node.members.append((None, place, child))
            return child.end

        node.end = self.members(at, "]", member)
        node.value = [child.value for _, _, child in node.members]
        return node

    def members(self, at: int, close: str, member: Callable[[int], int]) -> int:
        at = self.skip(at + 1)
        if self.text[at : at + 1] == close:
            return at + 1
        while True:
            at = self.skip(member(at))
            sign = self.text[at : at + 1]
            if sign == close:
                return at + 1
            if sign != ",":
                self.fail(at, f'a "," or "{close}" is missing')
            at = self.skip(at + 1)
            if self.text[at : at + 1] == close:
                if self.trailing_commas:
                    return at + 1
                self.fail(at, 'a "," before the end, which this file can\'t have')


class JsonEditor:
    """Edits one dialect of JSON. All methods take and return the text of a document; they raise FormatError."""

    def __init__(self, *, comments: bool, trailing_commas: bool) -> None:
        """What the host that reads the file takes besides plain JSON."""
        self.comments = comments
        self.trailing_commas = trailing_commas

    def read(self, text: str) -> object:
        """The value of a document; an empty file is an empty object. Plain JSON is read by the fast reader."""
        if not text.strip():
            return {}
        if not self.comments:
            with contextlib.suppress(ValueError, RecursionError):
                return json.loads(text, parse_constant=_no_constant)
        return self._parse(text).value

    def seed(self, text: str) -> str:
        """A document to edit: `text`, or an empty object with a line end where there is nothing."""
        return text if text.strip() else "{}\n"

    def put(self, text: str, path: Path, value: object) -> str:
        """`value` at `path`; missing tables on the way are made, a value that is there is replaced."""
        node = self._parse(text)
        for depth, key in enumerate(path):
            index = _index(node, key)
            if index is None:
                return self._new_member(text, node, path[depth:], value, path[:depth])
            node = node.members[index][2]
        return text[: node.start] + self._render(text, node.start, value) + text[node.end :]

    def append(self, text: str, path: Path, item: object) -> str:
        """`item` behind the list at `path`, which is made where it is missing."""
        node = self._find(self._parse(text), path)
        if node is None:
            return self.put(text, path, [item])
        if not isinstance(node.value, list):
            raise error_at(text, node.start, f"{shown(path)} is no list", ShapeError)
        return self._insert(text, node, "", item)

    def remove(self, text: str, path: Path, blank: str) -> str:
        """The document without the member at `path`, a key's duplicates included."""
        while True:
            parent = self._find(self._parse(text), path[:-1])
            index = _index(parent, path[-1]) if parent else None
            if parent is None or index is None:
                return text
            text = boxes.removed(text, parent.box(), index, self._style(text), blank)
            if isinstance(path[-1], int) or sum(name == path[-1] for name, _, _ in parent.members) == 1:
                return text

    def rename(self, text: str, path: Path, name: str) -> str:
        """The document with the key at `path` called `name`."""
        parent = self._find(self._parse(text), path[:-1])
        index = _index(parent, path[-1]) if parent else None
        if parent is None or index is None:
            return text
        start = parent.members[index][1]
        return text[:start] + _STRING.sub(lambda _: json.dumps(name, ensure_ascii=False), text[start:], count=1)

    def blank(self, text: str, path: Path) -> str | None:
        """What stands between the brackets of the empty list or table at `path`; None when it isn't one."""
        node = self._find(self._parse(text), path) if text.strip() else None
        if node is None or node.members or text[node.start] not in "{[":
            return None
        return text[node.start + 1 : node.end - 1]

    def place(self, text: str, path: Path) -> int | None:
        """Where the value at `path` stands, as an offset."""
        node = self._find(self._parse(text), path)
        return node.start if node else None

    def _parse(self, text: str) -> Node:
        return _parsed(text, comments=self.comments, trailing_commas=self.trailing_commas)

    def _find(self, node: Node, path: Path) -> Node | None:
        for key in path:
            index = _index(node, key)
            if index is None:
                return None
            node = node.members[index][2]
        return node

    def _new_member(self, text: str, parent: Node, rest: Path, value: object, where: Path) -> str:
        key = rest[0]
        if not isinstance(parent.value, dict) or not isinstance(key, str):
            raise error_at(text, parent.start, f"{shown(where)} is no table", ShapeError)
        name = json.dumps(key, ensure_ascii=False) + self._colon(text)
        return self._insert(text, parent, name, with_value({}, rest[1:], value) if rest[1:] else value)

    def _insert(self, text: str, parent: Node, prefix: str, value: object) -> str:
        def render(indent: str | None) -> str:
            return prefix + self._dump(text, value, indent)

        return boxes.inserted(text, parent.box(), render, self._style(text))

    def _render(self, text: str, start: int, value: object) -> str:
        return self._dump(text, value, None if _minified(text) else boxes.indent_of(text, start))

    def _dump(self, text: str, value: object, indent: str | None) -> str:
        if indent is None:
            comma = "," if _tight(text) else ", "
            return json.dumps(value, ensure_ascii=False, separators=(comma, self._colon(text)))
        lines = json.dumps(value, ensure_ascii=False, indent=self._style(text).unit).split("\n")
        return (newline_of(text) + indent).join(lines)

    def _colon(self, text: str) -> str:
        return ":" if _tight(text) else ": "

    def _style(self, text: str) -> boxes.Style:
        unit = _INDENT.search(text)
        gap, tail = (_GAP, _TAIL) if self.comments else (_PLAIN_GAP, re.compile(r"[ \t]*"))
        return boxes.Style(
            gap=gap,
            tail=tail,
            newline=newline_of(text),
            unit=unit.group(1) if unit else _DEFAULT_UNIT,
            one_line=_minified(text),
            between="" if _tight(text) else " ",
        )


@functools.lru_cache(maxsize=4)
def _parsed(text: str, *, comments: bool, trailing_commas: bool) -> Node:
    """A document with its places. Kept for the next edit: a file of 5 MB takes a second."""
    return _Parser(text, comments=comments, trailing_commas=trailing_commas).document()


def _no_constant(word: str) -> None:
    raise ValueError(word)


def _index(node: Node, key: str | int) -> int | None:
    """The place of a member, the last of duplicates: that is the one that readers take."""
    if isinstance(key, int):
        return key if isinstance(node.value, list) and 0 <= key < len(node.members) else None
    for index in range(len(node.members) - 1, -1, -1):
        if node.members[index][0] == key:
            return index
    return None


def _minified(text: str) -> bool:
    """Whether the document stands on one line, with something in it."""
    inner = text.strip()
    return "\n" not in inner and len(inner) > len("{ }")


def _tight(text: str) -> bool:
    return _minified(text) and '": ' not in text
