"""A plan in words and as data."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from context_mode_installer.result import Verbatim
from context_mode_runtime import paths
from context_mode_runtime.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from context_mode_installer.detect import Host
    from context_mode_installer.plan.build import Plan
    from context_mode_installer.plan.draft import Change

_FOLDED = ("hook", "skill", "launcher")
_FATES = ("added", "mended", "taken out", "written", "renewed")
_NAMES_MAX = 40
"""Names that take more characters are counted; `-v` and `--json` name them all."""
_DONE = {"setup": "set up", "remove": "taken out"}


@dataclass(frozen=True)
class Telling:
    """How a plan is told: with diffs and every name (`whole`); whether it was `done`; what was `seen` to work."""

    whole: bool = False
    done: bool = False
    seen: Mapping[str, Sequence[str]] = field(default_factory=dict)


def lines_of(plan: Plan, hosts: Sequence[Host], how: Telling) -> list[str]:
    """What people read: diffs, then per agent what changes in which file, what it affects, what was checked; notes.

    Where something is in the way nothing is changed, and only that is told.
    """
    if plan.obstacles:
        return _in_the_way(plan)
    lines = _diff_lines(plan) if how.whole else []
    fate = _DONE[plan.work.command]
    fate = fate if how.done else f"to be {fate}"
    lines += _section(f"context-mode {VERSION}", [one for one in plan.changes if not one.agent], plan, how)
    for host in hosts:
        changes = [one for one in plan.changes if one.agent == host.spec.id]
        title = f"{host.title}  {fate if changes else 'up to date'}"
        if how.seen.get(host.spec.id):
            title += f"; checked: {', '.join(how.seen[host.spec.id])}"
        lines += _section(title, changes, plan, how) or [title]
        lines += [f"  profile: {one}" for one in host.places.profiles()]
        lines += [f"  attention: {text}" for text in _attention(plan, host)]
    return [*lines, *plan.notes]


def _attention(plan: Plan, host: Host) -> list[str]:
    """What keeps an agent from being served: settings that switch us off; that it isn't there."""
    said = [one.what for one in plan.switched_off if one.agent == host.spec.id]
    absent = not (host.binary if host.spec.detection.binary else host.found)
    if absent and plan.work.command == "setup":
        said.append("its program was not found; set up for when it is there")
    return said


def _diff_lines(plan: Plan) -> list[str]:
    return [Verbatim(line) for text in plan.diffs.values() for line in [*text.split("\n"), ""]]


def _in_the_way(plan: Plan) -> list[str]:
    lines: list[str] = []
    for one in plan.obstacles:
        lines += [one.said, Verbatim(f"  fix: {one.fix}")]
    if any("--replace" in one.fix for one in plan.obstacles):
        lines.append("With --replace setup backs up what it takes out; --undo brings it back.")
    return lines


def _section(title: str, changes: Sequence[Change], plan: Plan, how: Telling) -> list[str]:
    if not changes:
        return []
    by_file: dict[str, list[Change]] = {}
    for change in changes:
        by_file.setdefault(change.file, []).append(change)
    lines = [title]
    for file, group in by_file.items():
        said = ", ".join(_folded([one.what for one in group if not one.affects], whole=how.whole))
        lines.append(f"  {paths.tilde(file)}{_size(file, by_file, plan.diffs)}" + (f": {said}" if said else ""))
        for one in group:
            lines += [f"    {one.what}", f"      affects: {one.affects}"] if one.affects else []
    return lines


def _size(path: str, named: Iterable[str], diffs: Mapping[str, str]) -> str:
    """How many lines come and go, `  +13 -1 lines`: of a file, or of a folder without what is `named` in it."""
    mine = [text for file, text in diffs.items() if _owner(file, named) == path]
    body = [line for text in mine for line in text.split("\n")[2:]]
    counts = [f"{sign}{count}" for sign in "+-" if (count := sum(line.startswith(sign) for line in body))]
    return f"  {' '.join(counts)} {'line' if counts in (['+1'], ['-1']) else 'lines'}" if counts else ""


def _owner(file: str, named: Iterable[str]) -> str:
    """The path that a file is told under: its own, or that of the nearest folder."""
    return max((one for one in named if file == one or file.startswith(one + os.sep)), key=len, default="")


def _folded(said: Sequence[str], *, whole: bool) -> list[str]:
    """Changes in words; hooks, skills and launchers with the same fate as one (they are taken out last one first)."""
    out: list[str] = []
    names: dict[tuple[str, str], list[str]] = {}
    for what in said:
        kind, _, rest = what.partition(" ")
        name, _, fate = rest.partition(" ")
        if kind in _FOLDED and fate in _FATES:
            names.setdefault((kind, fate), []).append(name)
        else:
            out.append(what)
    return [*(_fold(kind, fate, found, whole=whole) for (kind, fate), found in names.items()), *out]


def _fold(kind: str, fate: str, names: list[str], *, whole: bool) -> str:
    shown = ", ".join(names[::-1] if fate == "taken out" else names)
    kinds = f"{kind}s" if len(names) > 1 else kind
    return f"{kinds} {shown} {fate}" if whole or len(shown) <= _NAMES_MAX else f"{len(names)} {kinds} {fate}"


def plan_data(plan: Plan, hosts: Sequence[Host], seen: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """`data` of the envelope: agents with their changes, files with their diffs, obstacles, the backup's id."""
    return {
        "agents": [
            {
                "id": host.spec.id,
                "name": host.spec.name,
                "version": host.version,
                "binary": host.binary,
                "roots": {one.root: one.folder for one in host.places.moved},
                "checked": list(seen.get(host.spec.id, ())),
                "changes": [_change(one) for one in plan.changes if one.agent == host.spec.id],
                "switched_off": [one.what for one in plan.switched_off if one.agent == host.spec.id],
            }
            for host in hosts
        ],
        "changes": [_change(one) for one in plan.changes if not one.agent],
        "files": [{"path": path, "diff": text} for path, text in plan.diffs.items()],
        "findings": [
            {"agent": one.agent or None, "file": one.file, "what": one.what, "fix": one.fix} for one in plan.obstacles
        ],
        "backup": plan.work.id if plan.work.files else None,
    }


def _change(change: Change) -> dict[str, Any]:
    return {"file": change.file, "what": change.what, "affects": change.affects}
