"""The files of all projects' databases: how large they are, and what damaged ones were kept. Opens nothing."""

from __future__ import annotations

import os

from context_mode_runtime import paths
from context_mode_runtime.store import place

_DAMAGED = ".damaged-"
_SIDES = ("-wal", "-shm", "-journal")


class Files:
    """One project's files: `folder`, `path` of the database, its `bytes`, its `wal` bytes (0: none), kept `damaged`."""

    __slots__ = ("bytes", "damaged", "folder", "path", "wal")

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.path = os.path.join(folder, place.FILE)
        self.bytes = size(self.path)
        self.wal = size(self.path + "-wal")
        kept = [name for name in _names(folder) if _DAMAGED in name and not name.endswith(_SIDES)]
        self.damaged = [os.path.join(folder, name) for name in kept]

    def state(self) -> str:
        """A text that changes when the database is written to."""
        return f"{written(self.path)} {written(self.path + '-wal')}"


def all_files() -> list[Files]:
    """Every project that has a folder below the data root, by name."""
    root = os.path.join(paths.data_root(), "projects")
    return [Files(os.path.join(root, name)) for name in _names(root) if os.path.isdir(os.path.join(root, name))]


def size(path: str) -> int:
    """Bytes of a file, 0 where there is none."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def written(path: str) -> str:
    """When a file was written last and how large it is; empty for an empty one, and for none."""
    try:
        facts = os.stat(path)
    except OSError:
        return ""
    return f"{facts.st_mtime_ns} {facts.st_size}" if facts.st_size else ""


def spoken(count: int) -> str:
    """A size for people: `512 B`, `1.4 MB`."""
    value, unit = float(count), "B"
    for larger in ("KB", "MB", "GB"):
        if value < 1000:  # noqa: PLR2004 - the step of the units
            break
        value, unit = value / 1000, larger
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
