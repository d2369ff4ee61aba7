"""Edits of parsed values: what a document must say after an edit, against which the edited text is checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from context_mode_installer.formats.base import Path

MISSING: Final = object()
"""What `get` returns for a path that leads nowhere."""


def get(value: object, path: Path) -> object:
    """The value at `path`, or MISSING."""
    for key in path:
        match value:
            case dict() if key in value:
                value = value[key]
            case list() if isinstance(key, int) and -len(value) <= key < len(value):
                value = value[key]
            case _:
                return MISSING
    return value


def with_value(value: object, path: Path, new: object) -> object:
    """A copy of `value` with `new` at `path`; missing tables on the way are made."""
    if not path:
        return new
    key, new = path[0], with_value(get(value, path[:1]), path[1:], new)
    if isinstance(key, int):
        items = list(value) if isinstance(value, list) else []
        items[key] = new
        return items
    return {**(value if isinstance(value, dict) else {}), key: new}


def with_item(value: object, path: Path, item: object) -> object:
    """A copy of `value` with `item` behind the list at `path`, which is made where it is missing."""
    old = get(value, path)
    return with_value(value, path, [*old, item] if isinstance(old, list) else [item])


def without(value: object, path: Path) -> object:
    """A copy of `value` without the key or item at `path`."""
    key = path[0]
    if len(path) > 1:
        return with_value(value, path[:1], without(get(value, path[:1]), path[1:]))
    if isinstance(value, list):
        return [item for index, item in enumerate(value) if index != key]
    return {name: item for name, item in value.items() if name != key} if isinstance(value, dict) else value


def with_name(value: object, path: Path, name: str) -> object:
    """A copy of `value` with the key at `path` called `name`, in the same place."""
    table = get(value, path[:-1])
    if not isinstance(table, dict):
        return value
    return with_value(value, path[:-1], {name if key == path[-1] else key: item for key, item in table.items()})
