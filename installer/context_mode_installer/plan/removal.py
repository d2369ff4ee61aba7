"""Taking out what setup put in: exactly that, and byte for byte where the user changed nothing near it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from context_mode_installer import formats
from context_mode_installer.places import fill_text
from context_mode_installer.plan.draft import Change
from context_mode_installer.plan.hooks import EDIT, entry_at, hand_over, leave, ours_in, take_out
from context_mode_installer.plan.revert import Conflict, reverted
from context_mode_installer.plan.skills import take_out_skills
from context_mode_installer.plan.steps import steps_of
from context_mode_installer.plan.trust import plan_trust
from context_mode_installer.specs.where import holes

if TYPE_CHECKING:
    from context_mode_installer.backups import Backups
    from context_mode_installer.plan.draft import Config, Draft
    from context_mode_installer.plan.host import Target
    from context_mode_installer.receipt import Entry
    from context_mode_installer.specs.model import Edit


def plan_removal(target: Target) -> None:
    """Takes everything of ours out of a host's files of one scope."""
    for surface, name in target.surfaces():
        config = target.config(name)
        for spot in reversed(ours_in(target, surface, config.value())):
            stays = _needed_by(target, config, EDIT, entry_at(surface, spot.list_at, spot.event))
            if stays:
                if hand_over(target, surface, config, (spot, stays)):
                    _say(target, config, f"hook {spot.event} left to {stays}")
                continue
            take_out(config, surface, spot, target.before(config.path))
            _say(target, config, f"hook {spot.event} taken out")
    plan_trust(target, approve=False, taken_out=True)
    if not keeps_skills(target):
        take_out_skills(target)
    for edit in reversed(target.spec.edits_in(target.scope)):
        if edit.kind == "host_command":
            _undo_command(target, edit)
        else:
            take_back(target, edit)


def _undo_command(target: Target, edit: Edit) -> None:
    """The host's command that takes back one that an earlier setup had run."""
    known = target.draft.receipt.find(target.spec.id, target.scope, target.project, edit.name, ())
    if known is not None and edit.undo:
        words = tuple(fill_text(word, target.holes) for word in edit.undo)
        target.draft.commands.append((target.spec.id, words))
        what = f"{edit.name} taken back by a command, afterwards: {shlex.join(words)}"
        target.draft.changes.append(Change(target.spec.id, words[0], what))


def keeps_skills(target: Target) -> bool:
    """Whether our skills stay in the host's folders because a package without skills takes the entries' place."""
    native = target.spec.native
    return target.replaced and native is not None and native.skills is None


def plan_retired(target: Target) -> None:
    """Takes back what an earlier setup put in and what does not hold for this version or platform of the host."""
    for edit in reversed(target.spec.edits_in(target.scope)):
        if edit.kind != "host_command" and not target.holds(edit.only):
            at = target.keys(edit.at)
            if target.draft.receipt.find(target.spec.id, target.scope, target.project, edit.name, at):
                take_back(target, edit)
    for surface, name in target.retired_surfaces():
        leave(target, surface, target.config(name))


def take_back(target: Target, edit: Edit) -> None:
    """Takes out what one edit put in, unless another owner of a shared file needs it."""
    config, at = target.config(edit.file or ""), target.keys(edit.at)
    known = target.known(edit, at)
    if _needed_by(target, config, edit.name, at):
        return
    if edit.kind == "key" and "serve" in holes(edit.value):
        if target.entry_kind(config.get(at), edit) == "serve":
            _remove(target, config, at, edit.name)
    elif edit.kind == "key" and target.is_our_seat(config.get(at)):
        _remove(target, config, at, edit.name)
    elif known is not None and edit.kind == "own_file":
        if target.draft.desk.read(config.path) is not None:
            target.draft.desk.write(config.path, None)
            _say(target, config, f"{edit.name} taken away")
    elif known is not None:
        _take_back_value(target, edit, config, known)


def _take_back_value(target: Target, edit: Edit, config: Config, known: Entry) -> None:
    """Takes back what is as we put it in; what the user changed since stays."""
    current = config.get(known.at)
    if edit.kind == "list_item":
        items = current if isinstance(current, list) else []
        for index in [n for n, item in enumerate(items) if formats.same(item, known.value)][-1:]:
            _remove(target, config, (*known.at, index), edit.name)
    elif not formats.same(current, known.value):
        return
    elif edit.kind == "key":
        _remove(target, config, known.at, edit.name)
    elif not _held(target, config, edit):
        _set_back(target, config, known)


def _remove(target: Target, config: Config, at: formats.Path, name: str) -> None:
    config.remove(at, target.before(config.path))
    _say(target, config, f"{name} {formats.shown(at)} taken out")


def _needed_by(target: Target, config: Config, edit: str, at: formats.Path) -> str:
    """Another owner of a shared file, one that stays and needs the same thing, or nothing."""
    gone = target.draft.leaving | {target.spec.id}
    entries = [one for one in target.draft.receipt.entries if one.agent not in gone]
    return next((one.agent for one in entries if (one.file, one.edit, one.at) == (config.path, edit, at)), "")


def _held(target: Target, config: Config, edit: Edit) -> bool:
    """Whether something in the file needs a switch that did without it before setup."""
    data = target.before(config.path)
    before = formats.read(config.form, data) if data else {}
    now = [(at, config.get(at)) for at in edit.held_by]
    return any(
        value not in (formats.MISSING, {}, []) and not formats.same(value, formats.get(before, at)) for at, value in now
    )


def _set_back(target: Target, config: Config, known: Entry) -> None:
    if known.was is None:
        _remove(target, config, known.at, known.edit)
    else:
        config.set(known.at, known.was[0])
        _say(target, config, f"{known.edit} {formats.shown(known.at)} set back")


def _say(target: Target, config: Config, what: str) -> None:
    target.draft.changes.append(Change(target.spec.id, config.path, what))


def give_back_bytes(draft: Draft, backups: Backups, forms: dict[str, tuple[str, str]]) -> None:
    """Where the files' earlier bytes say the same as what the removal came to, takes those bytes.

    `forms` has the format and the seed of each file. One that setup made goes when nothing but its seed is left.
    """
    for path, (form, seed) in forms.items():
        now = draft.desk.on_disk(path)
        left = draft.desk.read(path)
        steps = steps_of(draft, backups, path)
        if now is None or left == now:
            continue
        if not steps:
            draft.desk.write(path, left or None)
            continue
        try:
            earlier = reverted(now, steps)
        except Conflict:
            earlier = left
        made = steps[0].before is None
        if made and any(_says_the_same(form, nothing, left) for nothing in (None, seed.encode())):
            draft.desk.write(path, None)
        elif _says_the_same(form, earlier, left):
            draft.desk.write(path, earlier)


def _says_the_same(form: str, left: bytes | None, right: bytes | None) -> bool:
    if form == "text":
        return right is None or left == right
    return formats.same(*(formats.read(form, data) if data else {} for data in (left, right)))
