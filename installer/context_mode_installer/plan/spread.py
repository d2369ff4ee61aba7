"""Files that a host keeps several of: one in each of its folders (profiles, a preview beside the stable release)."""

from __future__ import annotations

import glob
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from context_mode_installer.places import fill_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from context_mode_installer.specs.model import AgentSpec, ConfigFile, Edit, Foreign, Switch

T = TypeVar("T", "Edit", "Switch", "Foreign")
HOLE = "each"


def spread(spec: AgentSpec, holes: Mapping[str, Any]) -> AgentSpec:
    """The spec with a file, and all that is said of it, once for each folder that holds one."""
    for file in spec.files:
        if file.each:
            copies = [_copy(file, folder, n) for n, folder in enumerate(_folders(file.each, holes))]
            spec = _with_copies(spec, file, copies)
    return spec


def _folders(templates: tuple[str, ...], holes: Mapping[str, Any]) -> list[str]:
    """Those that are there, each once; the first of the list where none is."""
    escaped = {name: glob.escape(str(value)) for name, value in holes.items()}
    found = [folder for one in templates for folder in sorted(glob.glob(fill_text(one, escaped)))]
    there = [os.path.normpath(folder) for folder in found if os.path.isdir(folder)]
    return list(dict.fromkeys(there)) or [os.path.normpath(fill_text(templates[0], holes))]


def _copy(file: ConfigFile, folder: str, n: int) -> ConfigFile:
    paths = tuple(fill_text(path, {HOLE: folder}) for path in file.paths)
    new = None if file.new is None else fill_text(file.new, {HOLE: folder})
    return replace(file, name=f"{file.name} {folder}" if n else file.name, paths=paths, new=new, each=())


def _with_copies(spec: AgentSpec, file: ConfigFile, copies: list[ConfigFile]) -> AgentSpec:
    def once_a_copy(entries: tuple[T, ...]) -> tuple[T, ...]:
        out: list[T] = []
        for entry in entries:
            names = [copy.name for copy in copies] if entry.file == file.name else [entry.file]
            out += [replace(entry, file=name) for name in names]
        return tuple(out)

    return replace(
        spec,
        files=tuple(copy for one in spec.files for copy in (copies if one is file else [one])),
        edits=once_a_copy(spec.edits),
        switches=once_a_copy(spec.switches),
        foreign=once_a_copy(spec.foreign),
    )
