"""Reads a spec: plain values, and the line and column of every one of them.

YAML 1.2 with its core types only; a date stays text. Aliases are followed; tags, merge keys and keys that come twice
are errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ruamel.yaml.nodes import Node

Way = tuple["str | int", ...]
"""The way to a value: keys and indexes from the root."""
Place = tuple[int, int]
"""Line and column, both from 1."""

MAX_SPEC_BYTES = 1024 * 1024
_TAG = "tag:yaml.org,2002:"


class SpecError(Exception):
    """A spec that cannot be read: `place` (line, column), what is wrong and what would be right."""

    def __init__(self, file: str, place: Place, wrong: str, right: str) -> None:
        super().__init__(f"{file}:{place[0]}:{place[1]} {wrong}")
        self.file = file
        self.place = place
        self.wrong = wrong
        self.right = right


@dataclass(frozen=True)
class Document:
    """A spec as it was read: the file, its plain value, the place of each value and of each key."""

    file: str
    value: Any
    places: dict[Way, Place]
    keys: dict[Way, Place]

    def place(self, path: Way) -> Place:
        """Where the value at `path` stands, or the nearest thing around it that exists."""
        while path not in self.places:
            path = path[:-1]
        return self.places[path]

    def key_place(self, path: Way) -> Place:
        """Where the key of the value at `path` stands; for an item of a list, the item."""
        return self.keys.get(path) or self.place(path)


def load_file(path: Path) -> Document:
    """The spec in the file `path`. Raises SpecError when it is missing, too big, not UTF-8 or not YAML."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_SPEC_BYTES + 1)
    except OSError as error:
        raise SpecError(str(path), (1, 1), error.strerror or str(error), "name a file that can be read") from None
    if len(raw) > MAX_SPEC_BYTES:
        raise SpecError(
            str(path), (1, 1), f"over {MAX_SPEC_BYTES:,} bytes", "a spec has some 10 KB: name the right file"
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise SpecError(str(path), (line, 1), "not UTF-8", "save it as UTF-8") from None
    return load_text(text, str(path))


def load_text(text: str, file: str) -> Document:
    """The spec in `text`; `file` is its name in messages. Raises SpecError."""
    try:
        root = YAML(typ="rt", pure=True).compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise SpecError(file, place, f"not YAML: {error.problem or error.context}", "mend the YAML here") from None
    except (YAMLError, ValueError) as error:
        raise SpecError(file, (1, 1), f"not YAML: {str(error).splitlines()[0]}", "mend the YAML") from None
    except RecursionError:
        raise SpecError(file, (1, 1), "nested too deep", "a spec needs ten levels") from None
    if root is None:
        raise SpecError(file, (1, 1), "the file is empty", "a spec is a map that begins with spec: 1")
    reader = _Reader(file)
    return Document(file, reader.value(root, ()), reader.places, reader.keys)


def _place(node: Node) -> Place:
    return node.start_mark.line + 1, node.start_mark.column + 1


class _Reader:
    """Turns composed nodes into values and notes their places."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.places: dict[Way, Place] = {}
        self.keys: dict[Way, Place] = {}
        self._open: list[Node] = []

    def value(self, node: Node, path: Way) -> Any:  # noqa: ANN401 - whatever YAML holds
        """The plain value of `node`, which stands at `path`."""
        self.places[path] = _place(node)
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        if any(node is other for other in self._open):
            raise SpecError(self.file, _place(node), "an alias that holds itself", "write the value out")
        self._open.append(node)
        try:
            if isinstance(node, MappingNode):
                return self._map(node, path)
            return self._list(node, path)
        finally:
            self._open.pop()

    def _list(self, node: Node, path: Way) -> list[Any]:
        assert isinstance(node, SequenceNode)  # noqa: S101 - there are three kinds of node
        return [self.value(item, (*path, n)) for n, item in enumerate(node.value)]

    def _map(self, node: MappingNode, path: Way) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, ScalarNode):
                raise SpecError(self.file, _place(key_node), "a key that is not text", "put a name before the colon")
            key = str(key_node.value)
            if key in out:
                raise SpecError(self.file, _place(key_node), f"the key {key} comes twice in this map", "keep one")
            self.keys[(*path, key)] = _place(key_node)
            out[key] = self.value(value_node, (*path, key))
        return out

    def _scalar(self, node: ScalarNode) -> Any:  # noqa: ANN401 - one of five types
        kind = str(node.tag).removeprefix(_TAG)
        text = str(node.value)
        read = _SCALARS.get(kind)
        if read is None:
            raise SpecError(self.file, _place(node), f"the tag {node.tag} has no meaning here", "write a plain value")
        try:
            return read(text)
        except ValueError:
            return text


_SCALARS: dict[str, Callable[[str], Any]] = {
    "null": lambda _text: None,
    "bool": lambda text: text.lower() == "true",
    "int": lambda text: int(text.replace("_", ""), 0),
    "float": float,
    "str": str,
    "timestamp": str,
}
