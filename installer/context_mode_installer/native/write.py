"""Puts a package into a folder: a new one, an empty one, or one that holds an earlier package of the same agent."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from typing import TYPE_CHECKING

from context_mode_installer.result import UserError
from context_mode_runtime.paths import tilde

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from context_mode_installer.native.make import Item


def write_package(items: Sequence[Item], folder: Path, mark: Path, agent: str) -> None:
    """Writes all files, each by rename, and takes away those of the earlier package that are no more.

    `mark` is where the package's mark lies in `folder`. Raises UserError for a folder that isn't ours to fill.
    """
    earlier = _earlier(folder, mark, agent)
    try:
        for item in items:
            _put(folder / item.path, item)
        _clear(folder, earlier - {item.path for item in items})
    except OSError as error:
        raise UserError(f"{tilde(str(error.filename or folder))}: {error.strerror}", exit_code=1) from None


def _earlier(folder: Path, mark: Path, agent: str) -> set[str]:
    """The files that an earlier package put there."""
    if not folder.exists():
        return set()
    if not folder.is_dir():
        raise UserError(f"{tilde(str(folder))} is no folder")
    if not any(folder.iterdir()):
        return set()
    said = read_mark(folder / mark)
    if said is None:
        raise UserError(f"{tilde(str(folder))} is not empty and holds no package of ours: name another folder")
    if said["agent"] != agent:
        raise UserError(f"{tilde(str(folder))} holds the package for {said['agent']}: name another folder")
    return {name for name in said.get("files", ()) if _inside(name)}


def read_mark(path: Path) -> dict[str, str | list[str]] | None:
    """What the mark of a package says (agent, version, files); None where there is none of ours."""
    try:
        said = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return said if isinstance(said, dict) and {"agent", "version"} <= set(said) else None


def _inside(name: object) -> bool:
    return isinstance(name, str) and not os.path.isabs(name) and ".." not in name.split("/")


def _put(path: Path, item: Item) -> None:
    if path.is_file() and path.read_bytes() == item.data and path.stat().st_mode & 0o777 == item.mode:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temp = tempfile.mkstemp(dir=path.parent, prefix=".context-mode-")
    try:
        with open(handle, "wb") as file:
            file.write(item.data)
        os.chmod(temp, item.mode)
        os.replace(temp, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temp)
        raise


def _clear(folder: Path, names: Iterable[str]) -> None:
    for name in names:
        path = folder / name
        path.unlink(missing_ok=True)
        for above in path.parents:
            if above == folder:
                break
            try:
                above.rmdir()
            except OSError:
                break
