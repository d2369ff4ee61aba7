"""Where a host's files are on this machine: roots, the variables that move them, and texts with holes filled in."""

from __future__ import annotations

import os
import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from context_mode_runtime import paths
from context_mode_runtime.agents import platform, root_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from context_mode_installer.specs.model import AgentSpec

_HOLE = re.compile(r"\{([a-z_]+)\}")
_DROP = object()


class Moved(NamedTuple):
    """A root that a variable moved: its name, the variable, the folder."""

    root: str
    variable: str
    folder: str


class Places(NamedTuple):
    """The folders of one host: `holes` are the values of `{home}`, `{bin}`, `{config}`, ... in its spec's paths."""

    holes: dict[str, str]
    moved: tuple[Moved, ...]
    missing: tuple[Moved, ...]
    """Moved roots that the host would not make itself and that aren't there."""

    def profiles(self) -> list[str]:
        """`FOLDER (VARIABLE)` for each folder that a variable chose; several roots in one are one profile."""
        return list(dict.fromkeys(f"{paths.tilde(one.folder)} ({one.variable})" for one in self.moved))

    def path(self, template: str) -> str:
        """A path template with its holes filled, `/` turned into this system's separator."""
        return os.path.normpath(fill_text(template, self.holes))


def find_places(spec: AgentSpec, environment: Mapping[str, str], project: str | None = None) -> Places:
    """Reads the variables of `environment` that move a host's roots. `project` fills `{project}`."""
    home = paths.home()
    holes = {"home": home, "bin": paths.bin_dir()}
    if project is not None:
        holes["project"] = project
    moved: list[Moved] = []
    for root in spec.roots:
        if root.platform in (None, platform()):
            holes[root.name], variable = root_folder(asdict(root), home, environment)
            if variable:
                moved.append(Moved(root.name, variable, holes[root.name]))
    must = {root.name for root in spec.roots if root.must_exist}
    missing = tuple(one for one in moved if one.root in must and not os.path.isdir(one.folder))
    return Places(holes, tuple(moved), missing)


def fill_text(template: str, holes: Mapping[str, Any]) -> str:
    """A text with its holes filled; holes without a value stay as they are."""
    return _HOLE.sub(lambda hole: str(holes[hole[1]]) if hole[1] in holes else hole[0], template)


def fill(template: object, holes: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any JSON
    """A JSON template with its holes filled: a text that is one hole takes the value as it is, None drops its key."""
    filled = _fill(template, holes)
    return None if filled is _DROP else filled


def _fill(template: object, holes: Mapping[str, Any]) -> object:
    if isinstance(template, str):
        whole = _HOLE.fullmatch(template)
        if whole and whole[1] in holes:
            return _DROP if holes[whole[1]] is None else holes[whole[1]]
        return fill_text(template, holes)
    if isinstance(template, dict):
        pairs = ((fill_text(key, holes), _fill(value, holes)) for key, value in template.items())
        return {key: value for key, value in pairs if value is not _DROP}
    if isinstance(template, list):
        return [value for value in (_fill(item, holes) for item in template) if value is not _DROP]
    return template
