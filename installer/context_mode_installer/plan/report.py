"""A plan in words and as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from context_mode_runtime import paths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_mode_installer.detect import Host
    from context_mode_installer.plan.build import Plan
    from context_mode_installer.plan.draft import Change

_FOLDED = ("hook", "skill")
_FATES = ("added", "mended", "taken out", "written", "renewed")


def lines_of(plan: Plan, hosts: Sequence[Host], seen: dict[str, list[str]], *, diffs: bool) -> list[str]:
    """What people read: per agent what changes in which file, what it affects; then diffs, notes.

    Where something is in the way nothing is changed, and only that is told.
    """
    if plan.obstacles:
        return [*_in_the_way(plan), *plan.notes]
    lines = _section("context-mode", [one for one in plan.changes if not one.agent])
    for host in hosts:
        changes = [one for one in plan.changes if one.agent == host.spec.id]
        lines += _section(host.title, changes) or [f"{host.title}  up to date"]
        lines += [f"  profile: {one.folder} ({one.variable})" for one in host.places.moved]
        if seen.get(host.spec.id):
            lines.append(f"  checked: {', '.join(seen[host.spec.id])}")
        lines += _switched_off(host, plan)
    if diffs:
        lines += [line for text in plan.diffs().values() for line in ["", *text.split("\n")]]
        lines.append("")
    return [*lines, *plan.notes]


def _in_the_way(plan: Plan) -> list[str]:
    return [line for one in plan.obstacles for line in (f"{paths.tilde(one.file)}: {one.what}", f"  fix: {one.fix}")]


def _switched_off(host: Host, plan: Plan) -> list[str]:
    return [f"  attention: {text}" for agent, text in plan.switched_off if agent == host.spec.id]


def _section(title: str, changes: Sequence[Change]) -> list[str]:
    if not changes:
        return []
    lines = [f"{title}  {len(changes)} change{'s' if len(changes) > 1 else ''}"]
    by_file: dict[str, list[Change]] = {}
    for change in changes:
        by_file.setdefault(change.file, []).append(change)
    for file, group in by_file.items():
        for what, affects in _folded(group):
            lines.append(f"  {paths.tilde(file)}: {what}")
            if affects:
                lines.append(f"    affects: {affects}")
    return lines


def _folded(changes: Sequence[Change]) -> list[tuple[str, str | None]]:
    """Changes in words, hooks and skills with the same fate on one line (they are taken out last one first)."""
    out: list[tuple[str, str | None]] = []
    names: dict[tuple[str, str], list[str]] = {}
    for change in changes:
        kind, _, rest = change.what.partition(" ")
        name, _, fate = rest.partition(" ")
        if kind in _FOLDED and fate in _FATES:
            names.setdefault((kind, fate), []).append(name)
        else:
            out.append((change.what, change.affects))
    return [*(_fold(kind, fate, found) for (kind, fate), found in names.items()), *out]


def _fold(kind: str, fate: str, names: list[str]) -> tuple[str, None]:
    shown = names[::-1] if fate == "taken out" else names
    return f"{kind}{'s' if len(names) > 1 else ''} {', '.join(shown)} {fate}", None


def plan_data(plan: Plan, hosts: Sequence[Host], seen: dict[str, list[str]]) -> dict[str, Any]:
    """`data` of the envelope: agents with their changes, files with their diffs, obstacles, the backup's id."""
    return {
        "agents": [
            {
                "id": host.spec.id,
                "name": host.spec.name,
                "version": host.version,
                "binary": host.binary,
                "roots": {one.root: one.folder for one in host.places.moved},
                "checked": seen.get(host.spec.id, []),
                "changes": [_change(one) for one in plan.changes if one.agent == host.spec.id],
                "switched_off": [text for agent, text in plan.switched_off if agent == host.spec.id],
            }
            for host in hosts
        ],
        "changes": [_change(one) for one in plan.changes if not one.agent],
        "files": [{"path": path, "diff": text} for path, text in plan.diffs().items()],
        "findings": [
            {"agent": one.agent or None, "file": one.file, "what": one.what, "fix": one.fix} for one in plan.obstacles
        ],
        "backup": plan.work.id if plan.work.files else None,
    }


def _change(change: Change) -> dict[str, Any]:
    return {"file": change.file, "what": change.what, "affects": change.affects}
