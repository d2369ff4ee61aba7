"""D8 store: the current project's database opened and looked through, the files of all the others seen from outside."""

from __future__ import annotations

import functools
import os
import shlex
from typing import TYPE_CHECKING

from context_mode_installer.doctor.model import FIX, Outcome, Subject, failed, passed, warned
from context_mode_installer.screen import quoted
from context_mode_runtime import paths
from context_mode_runtime.project import find_project
from context_mode_runtime.store import filesystem, health, inventory, migrations, place
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.errors import (
    StoreDamagedError,
    StoreError,
    StoreForeignError,
    StoreMissingError,
    StoreNewerError,
)

if TYPE_CHECKING:
    from context_mode_runtime.project import Project
    from context_mode_runtime.store.inventory import Files


def store(_subject: Subject | None = None) -> Outcome:
    """D8: opens, pages and full-text tables whole, no write-ahead log on a network; sizes; what damaged files wait."""
    project = find_project(os.getcwd())
    every = inventory.all_files()
    mine = next((one for one in every if project and one.path == _path(project)), None)
    sizes = _sizes(mine, every)
    if project is not None and mine is not None and os.path.exists(mine.path):
        status = os.stat(mine.path)
        outcome = _looked(project.key(), project.name, (status.st_mtime_ns, status.st_size, mine.wal))
        if outcome.status != "PASS":
            return Outcome(outcome.status, f"{outcome.detail}; {sizes}", outcome.fix)
    others = [(said, f"ls -l {quoted(one.path)}") for one in every if one is not mine for said in _seen(one)]
    waiting = [*others, *((_kept(path), f"rm {quoted(path)}") for one in every for path in one.damaged)]
    if waiting:
        more = f" (and {len(waiting) - 1} more)" if waiting[1:] else ""
        said, fix = waiting[0]
        return warned(f"{said}{more}; {sizes}", fix)
    return passed(sizes)


def _path(project: Project) -> str:
    return os.path.join(paths.project_dir(project.key()), place.FILE)


def _sizes(mine: Files | None, every: list[Files]) -> str:
    total = sum(one.bytes + one.wal for one in every)
    here = "nothing stored for this folder"
    if mine is not None and mine.bytes:
        here = f"this project {inventory.spoken(mine.bytes)} + {inventory.spoken(mine.wal)} of log"
    kind = filesystem.kind_of(paths.data_root())
    on = f", on {kind}" if kind else ""
    return f"{here}; {len(every)} projects, {inventory.spoken(total)} in all{on}"


@functools.lru_cache(maxsize=8)
def _looked(key: str, name: str, _stamp: tuple[int, int, int]) -> Outcome:
    """One look for all agents of a run: a large file takes seconds."""
    path = os.path.join(paths.project_dir(key), place.FILE)
    shown = paths.tilde(path)
    try:
        findings = _findings(path, key, name)
    except StoreError as error:
        return failed(f"{shown}: {error.reason}{_AFTER.get(type(error), '')}", _fix(error, path))
    if not findings:
        return passed("")
    if any("full-text" in one for one in findings):
        return failed(findings[0], FIX)
    return warned(findings[0], FIX)


_AFTER: dict[type[StoreError], str] = {StoreDamagedError: "; it is damaged, will be moved aside, kept, and begun anew"}


def _fix(error: StoreError, path: str) -> str:
    if isinstance(error, StoreForeignError):
        return f"mv {shlex.quote(path)} {shlex.quote(path + '.other')}"
    return {StoreNewerError: "context-mode upgrade", StoreDamagedError: FIX}.get(type(error), f"ls -l {quoted(path)}")


def _findings(path: str, key: str, name: str) -> list[str]:
    """Nothing is changed: an older schema is not moved on here, a damaged file not moved aside. Raises StoreError."""
    place.check_header(path)
    if not place.is_sound(path):
        raise StoreDamagedError(path, "its pages are damaged")
    if _version(path) < migrations.LATEST:
        return []
    with Store.open(key, name=name, create=False) as opened:
        return health.findings(opened)


def _version(path: str) -> int:
    try:
        db = place.connect(path)
    except place.sqlite.Error as error:
        raise StoreError(path, str(error)) from error
    try:
        return int(db.execute("PRAGMA user_version").fetchone()[0])
    except place.sqlite.Error as error:
        raise StoreError(path, str(error)) from error
    finally:
        db.close()


def _seen(files: Files) -> list[str]:
    """What the first bytes of another project's database tell."""
    if not files.bytes:
        return []
    try:
        place.check_header(files.path)
    except StoreDamagedError as error:
        return [f"{paths.tilde(files.path)} is damaged ({error.reason}); its next use moves it aside and keeps it"]
    except StoreError as error:
        return [str(error).replace(files.path, paths.tilde(files.path))]
    return []


def _kept(path: str) -> str:
    size = inventory.spoken(inventory.size(path))
    return f"a damaged file is kept: {paths.tilde(path)} ({size}); read it with sqlite3's .recover, or delete it"


def mend() -> list[str]:
    """Repairs the current project's store; what was done, in lines. A damaged file is kept."""
    project = find_project(os.getcwd())
    if project is None:
        return []
    path = _path(project)
    try:
        if not place.is_sound(path):
            place.suspect(path)
        with Store.open(project.key(), name=project.name, create=False) as opened:
            bad = health.damaged_tables(opened)
            if bad:
                health.rebuild(opened)
            done = [f"store: {name} was rebuilt from its rows" for name in bad]
            return [*(f"store: {notice}" for notice in opened.notices), *done]
    except StoreMissingError:
        return []
    except StoreError as error:
        return [f"store: {error}"]
