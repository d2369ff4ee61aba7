"""Memory files of every agent: searched with everything else, kept up to date by size and time."""

from __future__ import annotations

import os

from context_mode_runtime import agents, log, paths
from context_mode_runtime.fetch.folder import read_document
from context_mode_runtime.server.guard import Guard
from context_mode_runtime.store.errors import StoreError
from context_mode_runtime.store.purge import purge_sources
from context_mode_runtime.store.sources import add_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.server.call import Call
    from context_mode_runtime.store.db import Store

    State = tuple[int, int]

LABEL = "memory "
"""What the label of a memory file begins with, and so every hit line in it."""
_FILE_MAX = 262_144

_known_places: dict[str, list[str]] = {}


def bring_up_to_date(call: Call) -> None:
    """Stores the memory files of this project and user that are new or changed, and takes out those that a rule denies.

    A store that can't be written waits. Every process sees what another one has stored already.
    """
    found = _files(call.project().worktree)
    if not found:
        return
    guard = Guard(call)
    denied = {path for path in found if guard.reason(path)}
    try:
        known = _known(call.store())
        for path, state in found.items():
            if path not in denied and state not in known.get(path, {}).values():
                _store(call, guard, path)
        gone = [number for path in denied for number in known.get(path, {})]
        if gone:
            purge_sources(call.store(), gone)
    except StoreError as error:
        log.log_error("serve memory", error)


def _known(store: Store) -> dict[str, dict[int, State]]:
    """What is stored: by path the sources with the size and time that the file had."""
    with store.read() as db:
        rows = db.execute(
            "SELECT origin, id, origin_size, origin_mtime FROM sources WHERE label GLOB ? AND origin NOTNULL",
            (f"{LABEL}*",),
        ).fetchall()
    known: dict[str, dict[int, State]] = {}
    for path, number, size, mtime in rows:
        known.setdefault(path, {})[number] = (size, mtime)
    return known


def _files(worktree: str) -> dict[str, State]:
    """Size and time of each memory file by its real path, no bigger than 256 KiB.

    A link of the project that leads out of it is left out: nobody asked to read what a repository points at.
    """
    found: dict[str, State] = {}
    for path in _paths(worktree):
        try:
            status = os.stat(path)
        except OSError:
            continue
        real = os.path.realpath(path)
        if status.st_size <= _FILE_MAX and (not _within(path, worktree) or _within(real, worktree)):
            found[real] = (status.st_size, status.st_mtime_ns)
    return found


def _within(path: str, folder: str) -> bool:
    return path.startswith(folder + os.sep)


def _paths(worktree: str) -> list[str]:
    """Every place that a known agent's table names, patterns opened."""
    from glob import glob, has_magic

    places = _known_places.get(worktree)
    if places is None:
        places = _known_places[worktree] = _places(worktree)
    opened = [
        path for place in places for path in (sorted(glob(place, recursive=True)) if has_magic(place) else [place])
    ]
    return list(dict.fromkeys(opened))


def _places(worktree: str) -> list[str]:
    """Paths and patterns of the tables as they are now: they are read once for each process."""
    found: list[str] = []
    for agent in agents.known_agents():
        try:
            table = agents.load_agent(agent)
            folders = {**agents.root_folders(table), "project": worktree}
            found += [agents.fill(pattern, folders) for pattern in table["texts"]["memory"]]
        except (KeyError, ValueError, agents.UnknownAgentError) as error:
            log.log_error(f"serve memory {agent}", error)
    return [place for place in found if os.path.isabs(place) and "{" not in place]


def _store(call: Call, guard: Guard, path: str) -> None:
    try:
        document = read_document(path, judge=guard.reason)
    except OSError:
        return
    worktree = call.project().worktree
    inside = _within(path, worktree)
    shown = os.path.relpath(path, worktree) if inside else paths.tilde(path)
    add_source(
        call.store(),
        document.text,
        label=LABEL + shown,
        kind=document.kind,
        origin=path,
        mark=document.mark,
        worktree=worktree if inside else None,
        tool=call.tool,
    )
