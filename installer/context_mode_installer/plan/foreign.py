"""Another tool called context-mode: its plugin, its program on PATH, its databases."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from context_mode_installer import formats
from context_mode_installer.native.found import named
from context_mode_installer.plan.draft import Change, Obstacle
from context_mode_installer.plan.ours import NAME
from context_mode_runtime import paths
from context_mode_runtime.store.migrations import APPLICATION_ID

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from context_mode_installer.plan.draft import Draft
    from context_mode_installer.plan.host import Target

_SQLITE = b"SQLite format 3\0"
_ID_AT = 68
"""Where a SQLite file holds its application id: four bytes, big end first (sqlite.org/fileformat2.html)."""
_DEPTH = 3
PROGRAM = "another program called context-mode"
PROGRAM_FIX = "npm uninstall -g context-mode"


def plan_foreign(target: Target, *, replace: bool) -> None:
    """Adds a foreign tool's plugins and databases: as obstacles, or with `replace` as things to take out."""
    for sign in target.spec.foreign:
        for config in target.everywhere(sign.file):
            for key, place in reversed(named(config.get(sign.at))):
                if target.install and key in (target.install.key, target.install.found):
                    continue
                if not re.search(sign.key, key):
                    continue
                if replace:
                    config.remove((*sign.at, place))
                    target.draft.changes.append(Change(target.spec.id, config.path, f"{sign.what} ({key}) taken out"))
                else:
                    _obstacle(target, config.path, f"{sign.what}: {formats.shown((*sign.at, key))}")
    for template in target.spec.foreign_data:
        _data(target, target.path(template), replace=replace)


def _data(target: Target, folder: str, *, replace: bool) -> None:
    if not any(_is_strange(path) for path in _files(folder)):
        return
    if replace:
        aside = _free_name(f"{folder}.replaced")
        target.draft.moves.append((folder, aside))
        what = f"data of another tool moved aside to {paths.tilde(aside)}"
        target.draft.changes.append(Change(target.spec.id, folder, what))
    else:
        _obstacle(target, folder, "databases of another tool called context-mode")


def _obstacle(target: Target, file: str, what: str) -> None:
    fix = f"context-mode setup --agents {target.spec.id} --replace"
    target.draft.obstacles.append(Obstacle(target.spec.id, file, what, fix))


def plan_program(draft: Draft, environment: Mapping[str, str], *, replace: bool) -> None:
    """A foreign program on PATH: it stops a first setup; we can't take it out, only say how it goes."""
    path = foreign_program(environment)
    if path is None:
        return
    if replace or draft.receipt.entries:
        draft.notes.append(f"{paths.tilde(path)}: {PROGRAM}; it stays until you run: {PROGRAM_FIX}")
    else:
        what = f"{PROGRAM}; to keep both: context-mode setup --replace"
        draft.obstacles.append(Obstacle("", path, what, PROGRAM_FIX))


def foreign_program(environment: Mapping[str, str]) -> str | None:
    """A program of our name on PATH that a Node package brought."""
    places = (os.path.join(one, NAME) for one in environment.get("PATH", "").split(os.pathsep) if one)
    return next((path for path in places if os.path.isfile(path) and _is_node_program(path)), None)


def _is_node_program(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            first = file.readline(200)
    except OSError:
        return False
    return "node_modules" in os.path.realpath(path).split(os.sep) or (first.startswith(b"#!") and b"node" in first)


def _is_strange(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            head = file.read(_ID_AT + 4)
    except OSError:
        return False
    return head.startswith(_SQLITE) and int.from_bytes(head[_ID_AT:], "big") != APPLICATION_ID


def _files(folder: str) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        if place[len(folder) :].count(os.sep) >= _DEPTH:
            folders.clear()
        yield from (os.path.join(place, name) for name in names)


def _free_name(path: str) -> str:
    number, name = 1, path
    while os.path.lexists(name):
        number += 1
        name = f"{path}-{number}"
    return name
