"""TOML, edited in place: only our own tables, keys and items are touched, in the form that the file has for them."""

from __future__ import annotations

import json
import re

from context_mode_installer.formats import boxes, values
from context_mode_installer.formats.base import Path, ShapeError, error_at, newline_of, shown
from context_mode_installer.formats.toml_scan import Scan, Statement, Value, check

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ARRAY_GAP = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_ARRAY_TAIL = re.compile(r"[ \t]*(?:#[^\r\n]*)?")
_INDENT = re.compile(r"\n([ \t]+)\S")


class TomlEditor:
    """All methods take and return the text of a document; they raise FormatError."""

    def read(self, text: str) -> object:
        """The value of a document."""
        return check(text)

    def seed(self, text: str) -> str:
        """A document to edit: `text` itself, an empty one is valid."""
        return text

    def put(self, text: str, path: Path, value: object) -> str:
        """`value` at `path`: replaced where it is, else a new key or table in the form of its parent."""
        whole, scan = check(text), Scan(text)
        found = _value_at(scan, path)
        if found:
            return text[: found.start] + inline(value) + text[found.end :]
        if values.get(whole, path) is not values.MISSING:
            return self.put(self.remove(text, path, ""), path, value)
        depth = next(n for n in range(len(path)) if values.get(whole, path[: n + 1]) is values.MISSING)
        parent, rest = path[:depth], path[depth:]
        box = _value_at(scan, parent)
        if box:
            return _into_table(text, box, rest, value)
        if not isinstance(values.get(whole, parent), dict) or not all(isinstance(key, str) for key in rest):
            raise error_at(text, _place(scan, parent), f"{shown(parent)} is no table", ShapeError)
        if isinstance(value, dict):
            return _new_block(text, scan, path, block(path, value, newline_of(text)))
        if len(rest) > 1:
            return _new_block(text, scan, path, block(path[:-1], {str(path[-1]): value}, newline_of(text)))
        return _new_key(text, scan, path, value)

    def append(self, text: str, path: Path, item: object) -> str:
        """`item` behind the list at `path`: in the brackets of an array, else as a table in double brackets."""
        whole, scan = check(text), Scan(text)
        found, now = _value_at(scan, path), values.get(whole, path)
        if found and found.kind == "array":
            return boxes.inserted(text, found.box(), lambda _: inline(item), _style(text, one_line=not found.members))
        if now is not values.MISSING and not isinstance(now, list):
            raise error_at(text, _place(scan, path), f"{shown(path)} is no list", ShapeError)
        if any(isinstance(k, int) and values.get(whole, path[:n]) is values.MISSING for n, k in enumerate(path, 1)):
            raise error_at(text, 0, f"{shown(path)}: there is no such item", ShapeError)
        inside = any(_value_at(scan, path[:depth]) for depth in range(1, len(path)))
        if inside or not isinstance(item, dict):
            return self.put(text, path, [item])
        return _new_block(text, scan, path, block((*path, 0), item, newline_of(text)))

    def remove(self, text: str, path: Path, blank: str) -> str:
        """The document without the key, table or item at `path`."""
        scan = Scan(text)
        ours = [one for one in scan.statements if one.path[: len(path)] == path]
        if ours:
            return _without_lines(text, scan.statements, ours)
        for value in scan.values():
            for index, (_, member) in enumerate(value.members):
                if member.path[: len(path)] == path:
                    style = _style(text, one_line=value.kind == "table")
                    return boxes.removed(text, value.box(), index, style, blank)
        return text

    def rename(self, text: str, path: Path, name: str) -> str:
        """The document with the key at `path` called `name`, in every place where it is written."""
        for segment in reversed(Scan(text).segments):
            if segment.path == path:
                text = text[: segment.start] + key_text(name) + text[segment.end :]
        return text

    def blank(self, text: str, path: Path) -> str | None:
        """What stands between the brackets of the empty array or inline table at `path`; None when it isn't one."""
        value = _value_at(Scan(text), path)
        if value is None or value.kind == "scalar" or value.members:
            return None
        return text[value.start + 1 : value.end - 1]

    def place(self, text: str, path: Path) -> int | None:
        """Where the thing at `path` stands, as an offset."""
        return _place(Scan(text), path)


def key_text(key: str) -> str:
    """A key as TOML: bare where it can be, literal when it holds a backslash or quote, else in double quotes."""
    return key if _BARE.fullmatch(key) else _quoted(key)


def inline(value: object) -> str:
    """A value on one line. Raises TypeError for what TOML hasn't got (null)."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list):
        return "[" + ", ".join(inline(item) for item in value) + "]"
    if isinstance(value, dict):
        inner = ", ".join(f"{key_text(str(key))} = {inline(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    raise TypeError(f"no TOML value: {type(value).__name__}")


def block(path: Path, table: dict[str, object], newline: str) -> str:
    """A table with its header, and the lists of tables in it as headers of their own. Ends with a line end."""
    item = isinstance(path[-1], int)
    names = ".".join(key_text(key) for key in path if isinstance(key, str))
    lines = [f"[[{names}]]" if item else f"[{names}]"]
    inner: list[str] = []
    for key, value in table.items():
        if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            inner += [newline + block((*path, key, 0), one, newline) for one in value]
        else:
            lines.append(f"{key_text(key)} = {inline(value)}")
    return "".join(line + newline for line in lines) + "".join(inner)


def _quoted(text: str) -> str:
    if ("\\" in text or '"' in text) and "'" not in text and text.isprintable():
        return f"'{text}'"
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _style(text: str, *, one_line: bool) -> boxes.Style:
    unit = _INDENT.search(text)
    return boxes.Style(
        gap=_ARRAY_GAP,
        tail=_ARRAY_TAIL,
        newline=newline_of(text),
        unit=unit.group(1) if unit else "  ",
        one_line=one_line,
    )


def _value_at(scan: Scan, path: Path) -> Value | None:
    return next((value for value in scan.values() if value.path == path), None) if path else None


def _place(scan: Scan, path: Path) -> int:
    places = [segment.start for segment in scan.segments if segment.path == path]
    return places[0] if places else 0


def _into_table(text: str, box: Value, rest: Path, value: object) -> str:
    if box.kind != "table" or not isinstance(rest[0], str):
        raise error_at(text, box.start, f"{shown(box.path)} is no table", ShapeError)
    member = f"{key_text(rest[0])} = {inline(values.with_value({}, rest[1:], value) if rest[1:] else value)}"
    if not box.members:
        return text[: box.start] + f"{{ {member} }}" + text[box.end :]
    return boxes.inserted(text, box.box(), lambda _: member, _style(text, one_line=True))


def _new_block(text: str, scan: Scan, path: Path, lines: str) -> str:
    """Puts a block behind the list item that it belongs to, else at the end of the file, after one blank line."""
    owner = next((path[:depth] for depth in range(len(path), 0, -1) if isinstance(path[depth - 1], int)), ())
    inside = [one.end for one in scan.statements if one.path[: len(owner)] == owner]
    at = inside[-1] if owner and inside else len(text)
    newline = newline_of(text)
    if not text[:at]:
        return lines + text
    if text[:at].endswith("\n"):
        return text[:at] + newline + lines + text[at:]
    return text[:at] + newline + newline + lines.removesuffix(newline)


def _new_key(text: str, scan: Scan, path: Path, value: object) -> str:
    parent, newline = path[:-1], newline_of(text)
    direct = [one for one in scan.statements if one.section == parent and (one.kind == "key" or parent)]
    if direct:
        direct = [one for one in direct if one.kind == "key"] or direct
        return _line_after(text, direct[-1], f"{key_text(str(path[-1]))} = {inline(value)}")
    dotted = [one for one in scan.statements if one.kind == "key" and one.path[: len(parent)] == parent]
    if parent and dotted:
        names = [key for key in path[len(dotted[-1].section) :] if isinstance(key, str)]
        return _line_after(text, dotted[-1], f"{'.'.join(map(key_text, names))} = {inline(value)}")
    if parent:
        return _new_block(text, scan, path, block(parent, {str(path[-1]): value}, newline))
    return f"{key_text(str(path[-1]))} = {inline(value)}{newline}{text}"


def _line_after(text: str, statement: Statement, line: str) -> str:
    head, newline = text[: statement.end], newline_of(text)
    if statement.kind == "key":
        line = _indent(text, statement) + line
    if head.endswith("\n"):
        return head + line + newline + text[statement.end :]
    return head + newline + line


def _indent(text: str, statement: Statement) -> str:
    end = statement.start
    while text[end] in " \t":
        end += 1
    return text[statement.start : end]


def _without_lines(text: str, statements: list[Statement], ours: list[Statement]) -> str:
    """Cuts whole statements, what stands between two of ours, and the blank line that a header of ours follows."""
    spans: list[tuple[int, int]] = []
    marked = set(map(id, ours))
    before = 0
    for one in statements:
        if id(one) in marked:
            start = spans.pop()[0] if before in marked else _block_start(text, one)
            spans.append((start, one.end))
        before = id(one)
    last = spans[-1]
    if last[1] == len(text) and not text.endswith("\n") and last[0]:
        start = last[0] - 1
        spans[-1] = (start - (text[start - 1 : start] == "\r"), last[1])
    return boxes.cut(text, spans)


def _block_start(text: str, one: Statement) -> int:
    if one.kind == "key":
        return one.start
    start = text.rfind("\n", 0, max(one.start - 1, 0)) + 1
    return start if one.start and not text[start : one.start].strip() else one.start
