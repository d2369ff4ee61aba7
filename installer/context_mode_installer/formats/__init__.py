"""Byte-exact editing of config files: set a key, append an item, rename a key, take either out again.

Every function takes and returns the bytes of a whole file and the name of its format: `json`, `jsonc` (comments),
`jsonc-trailing` (comments and trailing commas), `toml`, `yaml`, `env` (lines of `NAME=value`). All raise FormatError,
with line and column, for a file that does not parse, and ShapeError where the file has something else at the path than
the edit needs. Each edit is checked: the new text, parsed, says exactly what was asked, else nothing is returned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from context_mode_installer.formats.base import FormatError, Key, Path, ShapeError, Text, decode, error_at, same, shown
from context_mode_installer.formats.env_ import EnvEditor
from context_mode_installer.formats.json_ import JsonEditor
from context_mode_installer.formats.toml_ import TomlEditor
from context_mode_installer.formats.values import MISSING, get, with_item, with_name, with_value, without
from context_mode_installer.formats.yaml_ import YamlEditor

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "MISSING",
    "FormatError",
    "Key",
    "Path",
    "ShapeError",
    "append_item",
    "get",
    "read",
    "remove",
    "rename_key",
    "same",
    "set_value",
    "shown",
    "where",
]


class Editor(Protocol):
    """What a format has to bring."""

    def read(self, text: str) -> object:
        """The value of a document."""

    def seed(self, text: str) -> str:
        """A document to edit, where `text` may be empty."""

    def put(self, text: str, path: Path, value: object) -> str:
        """Sets the value at `path`."""

    def append(self, text: str, path: Path, item: object) -> str:
        """Adds an item to the list at `path`."""

    def remove(self, text: str, path: Path, blank: str) -> str:
        """Takes out the key or item at `path`; `blank` stays inside what gets empty by it."""

    def rename(self, text: str, path: Path, name: str) -> str:
        """Gives the key at `path` another name."""

    def blank(self, text: str, path: Path) -> str | None:
        """What stands inside an empty list or table."""

    def place(self, text: str, path: Path) -> int | None:
        """The offset of what stands at `path`."""


_EDITORS: dict[str, Editor] = {
    "json": JsonEditor(comments=False, trailing_commas=False),
    "jsonc": JsonEditor(comments=True, trailing_commas=False),
    "jsonc-trailing": JsonEditor(comments=True, trailing_commas=True),
    "toml": TomlEditor(),
    "yaml": YamlEditor(),
    "env": EnvEditor(),
}


def read(form: str, data: bytes) -> object:
    """The value of a file; an empty file is an empty table."""
    return _EDITORS[form].read(decode(data).text)


def where(form: str, data: bytes, path: Path) -> tuple[int, int]:
    """Line and column, from 1, of what stands at `path`; of the top where nothing does."""
    text = decode(data).text
    found = error_at(text, _EDITORS[form].place(text, path) or 0, "")
    return found.line, found.column


def set_value(form: str, data: bytes, path: Path, value: object) -> bytes:
    """The file with `value` at `path`. Missing tables on the way are made; an equal value changes no byte."""
    editor = _EDITORS[form]
    if same(get(read(form, data), path), value):
        return data
    return _edited(form, data, lambda text: editor.put(text, path, value), lambda old: with_value(old, path, value))


def append_item(form: str, data: bytes, path: Path, item: object) -> bytes:
    """The file with `item` behind the last one of the list at `path`, which is made where it is missing."""
    editor = _EDITORS[form]
    return _edited(form, data, lambda text: editor.append(text, path, item), lambda old: with_item(old, path, item))


def rename_key(form: str, data: bytes, path: Path, name: str) -> bytes:
    """The file with the key at `path` called `name`, its value and place untouched. No such key: nothing changes."""
    editor = _EDITORS[form]
    return _edited(form, data, lambda text: editor.rename(text, path, name), lambda old: with_name(old, path, name))


def remove(form: str, data: bytes, path: Path, before: bytes | None = None) -> bytes:
    """The file without the key or item at `path`.

    `before` is the file as it was before we put something in: tables and lists that it hasn't got go too when they
    get empty, those that were empty in it get their white space back, and so does a file that was empty.
    """
    editor = _EDITORS[form]
    was = decode(before) if before is not None else None
    old = editor.read(was.text) if was else None
    while get(read(form, data), path) is not MISSING:
        blank = editor.blank(was.text, path[:-1]) if was and get(old, path[:-1]) in ([], {}) else None
        data = _removed(form, data, path, blank or "")
        path = path[:-1]
        if was is None or not path or get(old, path) is not MISSING or get(read(form, data), path) not in ([], {}):
            break
    if was and not was.text.strip() and not read(form, data):
        return before or b""
    return data


def _removed(form: str, data: bytes, path: Path, blank: str) -> bytes:
    editor = _EDITORS[form]
    return _edited(form, data, lambda text: editor.remove(text, path, blank), lambda old: without(old, path))


def _edited(form: str, data: bytes, edit: Callable[[str], str], meant: Callable[[object], object]) -> bytes:
    editor, file = _EDITORS[form], decode(data)
    old = editor.read(file.text)
    new = edit(editor.seed(file.text))
    wanted = meant(old)
    try:
        fits = _agrees(editor.read(new), wanted)
    except FormatError:
        fits = False
    if not fits:
        raise ShapeError("the file is written in a form that this edit does not know; nothing was changed", 1, 1)
    return Text(file.bom, new).encode()


def _agrees(got: object, wanted: object) -> bool:
    """Equal values; a table or list that got empty may be gone, where the format has no other way to say it."""
    return same(got, wanted) or same(_pruned(got), _pruned(wanted))


def _pruned(value: object) -> object:
    if isinstance(value, dict):
        kept = {key: _pruned(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item not in ({}, [])}
    return [_pruned(item) for item in value] if isinstance(value, list) else value
