"""A package of ours that a host has installed and switched on, told by the host's own files and by our mark in it."""

from __future__ import annotations

import glob
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from context_mode_installer import formats, launchers
from context_mode_installer.native.make import MARK
from context_mode_installer.native.write import read_mark
from context_mode_installer.places import fill_text
from context_mode_installer.specs.where import compile_where
from context_mode_runtime import where
from context_mode_runtime.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from context_mode_installer.plan.host import Target
    from context_mode_installer.specs.model import Native, NativePlace


class Install(NamedTuple):
    """`key` is how the host notes it in the file `noted_in` (empty: nowhere), `found` the hole `{found}`.

    `folder` is what runs, `version` that of its mark.
    """

    key: str
    noted_in: str
    found: str
    folder: str
    version: str

    def commands(self, native: Native, words: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
        """Commands of the spec with their holes filled: `{folder}` is the DIR that the package lies in."""
        inside = os.path.join(os.sep, native.folder or "").rstrip(os.sep)
        said = {"version": VERSION, "folder": self.folder.removesuffix(inside)}
        return [tuple(fill_text(word, said) for word in one) for one in words]

    def program(self, name: str) -> str:
        """One of its starters."""
        return os.path.join(self.folder, "bin", launchers.names()[name])


def find_install(target: Target) -> Install | None:
    """The package that is in force; None where there is none, or it is switched off, or it isn't ours."""
    native = target.spec.native
    if native is None:
        return None
    for key, noted_in, found in _enabled(target, native):
        for place in native.places:
            for folder in _folders(target, place, found):
                mark = read_mark(Path(folder, MARK))
                if mark is not None and mark["agent"] == target.spec.id:
                    return Install(key, noted_in, found, folder, str(mark["version"]))
    return None


def _enabled(target: Target, native: Native) -> Iterator[tuple[str, str, str]]:
    """What the host notes as in and on: the item, its file, and the hole `{found}`."""
    if native.enabled is None:
        yield "", "", ""
        return
    for config in target.everywhere(native.enabled.file):
        for item, _ in named(config.get(target.keys(native.enabled.at))):
            match = re.search(native.enabled.key, item)
            if match:
                found = match[1] if match.re.groups else item
                yield item, config.path, _absolute(found, os.path.dirname(config.path))


def named(table: object) -> list[tuple[str, str | int]]:
    """What stands in a map or a list and is not switched off: its key or first text, and the step down to it."""
    if isinstance(table, dict):
        on = {key: value for key, value in table.items() if value is not False}
        return [(key, key) for key, value in on.items() if formats.get(value, ("enabled",)) is not False]
    items = table if isinstance(table, list) else []
    return [(text, n) for n, item in enumerate(items) for text in first_text(item)]


def first_text(item: object) -> list[str]:
    """What an item of a list says: itself, or the first text in it; nothing where there is none."""
    values = item.values() if isinstance(item, dict) else item if isinstance(item, list) else [item]
    return [value for value in values if isinstance(value, str)][:1]


def _absolute(text: str, folder: str) -> str:
    """An item that is a path (relative to the file that it stands in), made absolute; others stay as they are."""
    path = text.removeprefix("file://")
    if path.startswith(("./", "../", "~", "/")) or path in (".", ".."):
        return os.path.normpath(os.path.join(folder, os.path.expanduser(path)))
    return text


def _folders(target: Target, place: NativePlace, found: str) -> list[str]:
    """Where the package may lie, the newest version first."""
    if place.file is None:
        literal = {name: glob.escape(str(value)) for name, value in {**target.holes, "found": found}.items()}
        return sorted(glob.glob(os.path.normpath(fill_text(place.path, literal))), key=_natural, reverse=True)
    data = target.draft.desk.system.state(target.path(place.file)).data
    try:
        said = json.loads(data or b"null")
    except ValueError:
        return []
    steps = compile_where([item.replace("{found}", found) for item in place.where or ()])
    named = [text for text in where.values(said, steps) if isinstance(text, str)]
    return [os.path.normpath(os.path.join(text, place.path)) for text in named]


def _natural(path: str) -> list[tuple[int, str]]:
    return [(int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", path)]
