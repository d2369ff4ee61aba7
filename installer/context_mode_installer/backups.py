"""`backups/<id>/`: what a setup found and what it wrote, exact copies with modes, for rolling back and for `--undo`.

`manifest.json` names the files in the order of writing; `before/N` and `after/N` hold the N-th file's bytes. A folder
without a manifest in state `done` belongs to a setup that did not end well, and is swept up by the next one. The
copies are the one place where secrets of the user's configs may lie (contract, section 4): folders 0700, files 0600.
"""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Literal, NamedTuple

from context_mode_installer.system import FileState, PathError, System
from context_mode_runtime import paths

if TYPE_CHECKING:
    from collections.abc import Sequence

MANIFEST = "manifest.json"
KEEP = 20
"""Backups kept unless the policy's `retention` says another number; those that `--remove` needs are kept beyond it."""

Side = Literal["before", "after"]


class Kept(NamedTuple):
    """One file of a backup: `path` as it was named, `target` behind links, `mode` and `owner` of the old file."""

    path: str
    target: str
    existed: bool
    stays: bool
    mode: int | None
    owner: tuple[int, int] | None


class Backup(NamedTuple):
    """One setup: what was done (`setup`, `remove`, `undo`), for which agents, and its files."""

    id: str
    command: str
    time: str
    agents: tuple[str, ...]
    files: tuple[Kept, ...]
    folders: tuple[str, ...]
    """Folders that were made, outermost first."""
    done: bool

    def to_json(self) -> bytes:
        """The manifest."""
        fields = self._asdict() | {"version": 1, "files": [one._asdict() for one in self.files]}
        return (json.dumps(fields, indent=2, ensure_ascii=False) + "\n").encode(errors="surrogateescape")

    @classmethod
    def from_json(cls, data: bytes) -> Backup:
        """The backup that a manifest describes. Raises ValueError for other bytes."""
        try:
            fields = json.loads(data.decode(errors="surrogateescape"))
            files = tuple(
                Kept(**(one | {"owner": tuple(one["owner"]) if one["owner"] else None})) for one in fields.pop("files")
            )
            fields.pop("version")
            lists = {name: tuple(fields[name]) for name in ("agents", "folders")}
            return cls(**(fields | lists), files=files)
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"no manifest of a backup: {error}") from None


class Backups:
    """The backups of one data root."""

    def __init__(self, system: System, root: str) -> None:
        """`root` is the data root, not the folder of the backups."""
        self.system = system
        self.folder = os.path.join(root, "backups")

    def path(self, backup: str, *names: str) -> str:
        """A path inside a backup."""
        return os.path.join(self.folder, backup, *names)

    def load(self, backup: str) -> Backup:
        """One backup. Raises PathError when there is none of this id, or its manifest is damaged."""
        path = self.path(backup, MANIFEST)
        data = self.system.state(path).data
        if data is None:
            raise PathError(path, "there is no such backup; `context-mode setup --history` lists them")
        try:
            return Backup.from_json(data)
        except ValueError as error:
            raise PathError(path, str(error)) from None

    def copy(self, backup: str, index: int, side: Side) -> bytes:
        """The bytes of the index-th file before or after. Raises PathError when they are gone."""
        path = self.path(backup, side, str(index))
        data = self.system.state(path).data
        if data is None:
            raise PathError(path, "is missing from this backup")
        return data

    def history(self) -> list[Backup]:
        """All finished backups, newest first; damaged ones are left out."""
        found = []
        for name in self.system.names(self.folder):
            try:
                one = self.load(name)
            except PathError:
                continue
            if one.done:
                found.append(one)
        return sorted(found, key=lambda one: one.id, reverse=True)

    def save(self, backup: Backup, before: Sequence[FileState], after: Sequence[bytes | None]) -> None:
        """Writes the copies, then the manifest. All of it is on the disk when this returns."""
        for folder in (os.path.dirname(self.folder), self.folder, self.path(backup.id)):
            self._make(folder)
        for side in ("before", "after"):
            self._make(self.path(backup.id, side))
        for index, (old, new) in enumerate(zip(before, after, strict=True)):
            if old.data is not None:
                self.system.write(self.path(backup.id, "before", str(index)), old.data, paths.PRIVATE_FILE)
            if new is not None:
                self.system.write(self.path(backup.id, "after", str(index)), new, paths.PRIVATE_FILE)
        self.mark(backup)

    def mark(self, backup: Backup) -> None:
        """Writes the manifest anew."""
        self.system.write(self.path(backup.id, MANIFEST), backup.to_json(), paths.PRIVATE_FILE)

    def sweep(self, *, keep: int, pinned: frozenset[str]) -> None:
        """Deletes backups that were never finished, and all but the newest `keep` of the others that aren't pinned."""
        done = [one.id for one in self.history()]
        stay = pinned.union(done[:keep])
        for name in self.system.names(self.folder):
            if name not in stay:
                self.delete(name)

    def delete(self, backup: str) -> None:
        """Deletes one backup, its manifest last."""
        for side in ("before", "after"):
            folder = self.path(backup, side)
            for name in self.system.names(folder):
                self.system.remove(os.path.join(folder, name))
            self.system.remove_folder(folder)
        for name in self.system.names(self.path(backup)):
            self.system.remove(self.path(backup, name))
        self.system.remove_folder(self.path(backup))

    def _make(self, folder: str) -> None:
        if not self.system.folder_exists(folder):
            self.system.make_folder(folder, paths.PRIVATE_FOLDER)


def new_id(older: Sequence[str]) -> str:
    """A name that sorts by time, behind all `older` ones whatever the clock says: `20261129T221500.123456Z`."""
    now_ns = time.time_ns()
    name = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now_ns // 10**9)) + f".{now_ns // 1000 % 10**6:06}Z"
    newest = max(older, default="")
    return name if name > newest else newest + "a"


def now() -> str:
    """The time for a manifest, in UTC."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
