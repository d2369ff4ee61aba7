"""Our three skills in a host's skill folders: written whole, a stranger's file of that name kept and given back."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, NamedTuple

from context_mode_installer.plan.draft import Change
from context_mode_installer.plan.steps import steps_of
from context_mode_installer.receipt import Entry
from context_mode_installer.skilltexts import SKILLS, skill_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_mode_installer.plan.host import Target
    from context_mode_installer.specs.model import SkillFolder

EDIT = "skill"
"""How receipts call one."""
FILE = "SKILL.md"


class Place(NamedTuple):
    """Where one skill belongs and what has to stand there."""

    name: str
    folder: str
    path: str
    text: bytes


def places(target: Target) -> Iterator[Place]:
    """The skills of a host in this scope."""
    for one in target.spec.texts.skills:
        if one.scope == target.scope:
            folder = target.path(one.folder)
            for name in SKILLS:
                text = _text(target, name, one)
                yield Place(name, folder, os.path.join(folder, name, FILE), text.encode())


def _text(target: Target, name: str, folder: SkillFolder) -> str:
    """With the host's own names; in a folder that several hosts read, with the bare name that is right for each."""
    spec = target.spec
    if folder.shared_with:
        return skill_text(name, "{tool}", None, None)
    return skill_text(name, spec.server.tool_name, spec.texts.skill_call, spec.server.load_hint)


def plan_skills(target: Target) -> None:
    """Writes what is missing or differs, and takes ours out of folders that are none of this host's any more."""
    wanted = list(places(target))
    for place in wanted:
        found = target.draft.desk.read(place.path)
        if found != place.text:
            target.draft.desk.write(place.path, place.text)
            _say(target, place.folder, place.name, _fate(target, place, found))
        target.draft.put_in.append(_entry(target, place))
    take_out_skills(target, but={place.path for place in wanted})


def _fate(target: Target, place: Place, found: bytes | None) -> str:
    if found is None:
        return "written"
    known = [one for one in target.draft.receipt.entries if (one.edit, one.file) == (EDIT, place.path)]
    if not known:
        return "written; the file of this name that is there is kept and given back by --remove"
    return "renewed" if any(one.value == _sum(found) for one in known) else "mended"


def _entry(target: Target, place: Place) -> Entry:
    return Entry(
        target.spec.id, target.scope, target.project, EDIT, "own_file", place.path, (place.name,), _sum(place.text)
    )


def take_out_skills(target: Target, but: set[str] | frozenset[str] = frozenset()) -> None:
    """Takes out those that the receipt knows or that are as we write them, unless another host that stays reads them.

    A stranger's file that was there is back.
    """
    draft = target.draft
    mine = (target.spec.id, target.scope, target.project)
    known = [one for one in draft.receipt.entries if one.edit == EDIT and (one.agent, one.scope, one.project) == mine]
    as_ours = [_entry(target, place) for place in places(target) if draft.desk.read(place.path) == place.text]
    for entry in [*known, *as_ours]:
        if entry.file in but or _needed(target, entry) or draft.desk.read(entry.file) is None:
            continue
        steps = steps_of(draft, draft.backups, entry.file)
        before = steps[0].before if steps else None
        if draft.desk.read(entry.file) != before:
            draft.desk.write(entry.file, before)
            _say(target, os.path.dirname(os.path.dirname(entry.file)), str(entry.at[0]), "taken out")


def _needed(target: Target, entry: Entry) -> bool:
    draft = target.draft
    others = [*draft.put_in, *(one for one in draft.receipt.entries if one.agent not in draft.leaving)]
    return any((one.edit, one.file) == (EDIT, entry.file) and one.agent != entry.agent for one in others)


def _say(target: Target, folder: str, name: str, fate: str) -> None:
    target.draft.changes.append(Change(target.spec.id, folder, f"{EDIT} {name} {fate}"))


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
