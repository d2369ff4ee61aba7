"""YAML 1.2, edited in place: one document of block or flow collections; places come from the parser's own marks."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import CollectionNode, MappingNode, ScalarNode, SequenceNode

from context_mode_installer.formats import boxes
from context_mode_installer.formats.base import ShapeError, error_at, newline_of, shown
from context_mode_installer.formats.values import with_value

if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node

    from context_mode_installer.formats.base import Key, Path

_GAP = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_TAIL = re.compile(r"[ \t]*(?:#[^\r\n]*)?")
_LINE_REST = re.compile(r"[ \t]*(?:#[^\r\n]*)?(?:\r?\n|\Z)")
_INDENT = re.compile(r"\n( +)[^\s#-]")
_PLAIN = re.compile(r"[A-Za-z_/~][A-Za-z0-9_./+-]*")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"})


class YamlEditor:
    """All methods take and return the text of a document; they raise FormatError."""

    def read(self, text: str) -> object:
        """The value of a document; an empty one is an empty table."""
        _compose(text)
        try:
            value: object = YAML(typ="safe", pure=True).load(text)
        except (YAMLError, ValueError) as error:
            raise _fault(text, error) from None
        return {} if value is None else value

    def seed(self, text: str) -> str:
        """A document to edit: `text` itself, an empty one is valid."""
        return text

    def put(self, text: str, path: Path, value: object) -> str:
        """`value` at `path`; missing tables on the way are made, a value that is there is replaced."""
        node = _compose(text)
        if node is None:
            return _with_lines(text, len(text), _block(with_value({}, path, value), "", _unit(text)))
        for depth, key in enumerate(path):
            child = _child(node, key)
            if child is None:
                return _new_member(text, node, path[depth:], value, path[:depth])
            node = child
        if isinstance(node, ScalarNode) or _is_flow(node):
            return text[: node.start_mark.index] + _flow(value) + text[_end(text, node) :]
        return self.put(self.remove(text, path, ""), path, value)

    def append(self, text: str, path: Path, item: object) -> str:
        """`item` behind the list at `path`, which is made where it is missing."""
        root = _compose(text)
        node = _find(root, path) if root is not None else None
        if node is None:
            return self.put(text, path, [item])
        if not isinstance(node, SequenceNode):
            raise error_at(text, node.start_mark.index, f"{shown(path)} is no list", ShapeError)
        if _is_flow(node):
            return boxes.inserted(text, _box(text, node), lambda _: _flow(item), _style(text))
        first = _dash(text, node.value[0])
        indent = " " * (first - _line_start(text, first))
        return _with_lines(text, _end(text, node), _block([item], indent, _unit(text)))

    def remove(self, text: str, path: Path, blank: str) -> str:
        """The document without the key or item at `path`."""
        root = _compose(text)
        parent = _find(root, path[:-1]) if root is not None else None
        index = _index(parent, path[-1]) if parent is not None else None
        if parent is None or index is None:
            return text
        if _is_flow(parent):
            return boxes.removed(text, _box(text, parent), index, _style(text), blank)
        if len(parent.value) == 1:
            return _emptied(text, parent, blank)
        start, end = _span(text, parent, index)
        line = _line_start(text, start)
        if text[line:start].strip():
            raise error_at(text, start, "this entry shares its line with another", ShapeError)
        return _cut_lines(text, line, end)

    def rename(self, text: str, path: Path, name: str) -> str:
        """The document with the key at `path` called `name`."""
        root = _compose(text)
        parent = _find(root, path[:-1]) if root is not None else None
        index = _index(parent, path[-1]) if isinstance(parent, MappingNode) else None
        if parent is None or index is None:
            return text
        key = parent.value[index][0]
        return text[: key.start_mark.index] + _scalar(name) + text[key.end_mark.index :]

    def blank(self, text: str, path: Path) -> str | None:
        """What stands between the brackets of the empty list or table at `path`; None when it isn't one."""
        root = _compose(text)
        node = _find(root, path) if root is not None else None
        if node is None or isinstance(node, ScalarNode) or node.value:
            return None
        return text[node.start_mark.index + 1 : node.end_mark.index - 1]

    def place(self, text: str, path: Path) -> int | None:
        """Where the thing at `path` stands, as an offset."""
        root = _compose(text)
        node = _find(root, path) if root is not None else None
        return None if node is None else int(node.start_mark.index)


def _is_flow(node: Node) -> bool:
    return isinstance(node, CollectionNode) and bool(node.flow_style)


def _compose(text: str) -> Node | None:
    try:
        root: Node | None = YAML(typ="safe", pure=True).compose(text)
    except (YAMLError, ValueError) as error:
        raise _fault(text, error) from None
    except RecursionError:
        raise error_at(text, 0, "nested too deep") from None
    return root


def _fault(text: str, error: Exception) -> Exception:
    mark = (error.problem_mark or error.context_mark) if isinstance(error, MarkedYAMLError) else None
    reason = error.problem if isinstance(error, MarkedYAMLError) else str(error).split("\n", 1)[0]
    return error_at(text, min(mark.index, len(text)) if mark else 0, f"no YAML: {reason}")


def _index(node: Node, key: Key) -> int | None:
    if isinstance(node, SequenceNode):
        return key if isinstance(key, int) and 0 <= key < len(node.value) else None
    if isinstance(node, MappingNode):
        places = [n for n, (name, _) in enumerate(node.value) if isinstance(name, ScalarNode) and name.value == key]
        return places[0] if places else None
    return None


def _child(node: Node, key: Key) -> Node | None:
    index = _index(node, key)
    if index is None:
        return None
    child: Node = node.value[index] if isinstance(node, SequenceNode) else node.value[index][1]
    return child


def _find(node: Node, path: Path) -> Node | None:
    found: Node | None = node
    for key in path:
        found = _child(found, key) if found is not None else None
    return found


def _end(text: str, node: Node) -> int:
    """Where the text of a node ends: marks of block collections lie behind the remarks that follow."""
    if isinstance(node, ScalarNode) or _is_flow(node) or not node.value:
        end = int(node.end_mark.index)
        block_scalar = isinstance(node, ScalarNode) and node.style in ("|", ">")
        return len(text[:end].rstrip()) if block_scalar else end
    last = node.value[-1]
    return _end(text, last[1] if isinstance(node, MappingNode) else last)


def _span(text: str, parent: Node, index: int) -> tuple[int, int]:
    member = parent.value[index]
    if isinstance(parent, MappingNode):
        return int(member[0].start_mark.index), max(_end(text, member[1]), int(member[0].end_mark.index) + 1)
    return _dash(text, member), _end(text, member)


def _dash(text: str, item: Node) -> int:
    return text.rfind("-", 0, int(item.start_mark.index))


def _box(text: str, node: Node) -> boxes.Box:
    spans = []
    for member in node.value:
        first, last = member if isinstance(node, MappingNode) else (member, member)
        spans.append((int(first.start_mark.index), _end(text, last)))
    return boxes.Box(int(node.start_mark.index), int(node.end_mark.index), tuple(spans))


def _style(text: str) -> boxes.Style:
    return boxes.Style(gap=_GAP, tail=_TAIL, newline=newline_of(text), unit=_unit(text), one_line=True)


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return found.group(1) if found else "  "


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _line_end(text: str, at: int) -> int:
    found = _LINE_REST.match(text, at)
    if not found:
        raise error_at(text, at, "this entry shares its line with another", ShapeError)
    return found.end()


def _new_member(text: str, parent: Node, rest: Path, value: object, where: Path) -> str:
    key = rest[0]
    if not isinstance(parent, MappingNode) or not isinstance(key, str):
        raise error_at(text, int(parent.start_mark.index), f"{shown(where)} is no table", ShapeError)
    inner = with_value({}, rest[1:], value) if rest[1:] else value
    if _is_flow(parent):
        return boxes.inserted(text, _box(text, parent), lambda _: f"{_scalar(key)}: {_flow(inner)}", _style(text))
    indent = " " * int(parent.value[0][0].start_mark.column)
    return _with_lines(text, _end(text, parent), _block({key: inner}, indent, _unit(text)))


def _with_lines(text: str, at: int, lines: list[str]) -> str:
    """`text` with whole lines behind the line of `at`."""
    newline = newline_of(text)
    place = _line_end(text, at) if text[:at] else 0
    body = newline.join(lines)
    if not text[:place]:
        return body + newline + text
    if text[:place].endswith("\n"):
        return text[:place] + body + newline + text[place:]
    return text[:place] + newline + body


def _cut_lines(text: str, start: int, end: int) -> str:
    stop = _line_end(text, end)
    if stop == len(text) and not text.endswith("\n"):
        start -= 2 if text[start - 2 : start] == "\r\n" else 1
    return text[: max(start, 0)] + text[stop:]


def _emptied(text: str, parent: Node, blank: str) -> str:
    """The document when the only member of a block collection goes: an empty pair of brackets stands for it."""
    start, end = _span(text, parent, 0)
    brackets = "{" + blank + "}" if isinstance(parent, MappingNode) else "[" + blank + "]"
    line = _line_start(text, start)
    head = text[:line].rstrip()
    if not head.endswith(":"):
        return _cut_lines(text, line, end) if not text[line:start].strip() else text[:start] + brackets + text[end:]
    stop = _line_end(text, end)
    return f"{head} {brackets}{newline_of(text) if text[:stop].endswith(chr(10)) else ''}{text[stop:]}"


def _block(value: object, indent: str, unit: str) -> list[str]:
    """A table or list as lines of block style."""
    lines: list[str] = []
    if isinstance(value, dict):
        for key, item in value.items():
            lines += _entry(f"{indent}{_scalar(key)}:", item, indent + unit, unit)
    elif isinstance(value, list):
        for item in value:
            inner = _block(item, indent + "  ", unit) if isinstance(item, dict | list) and item else [_flow(item)]
            lines += [f"{indent}- {inner[0].lstrip(' ')}", *inner[1:]]
    return lines


def _entry(head: str, value: object, indent: str, unit: str) -> list[str]:
    if isinstance(value, dict | list) and value:
        return [head, *_block(value, indent, unit)]
    return [f"{head} {_flow(value)}"]


def _flow(value: object) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(key)}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    return _scalar(value)


def _scalar(value: object) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)
