"""What a spec's `edits` come to in a setup: MCP entry, approvals, switches, files of our own."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

from context_mode_installer import formats
from context_mode_installer.places import fill_text
from context_mode_installer.plan.draft import Change, Obstacle
from context_mode_installer.plan.merge import merged, write_differences
from context_mode_installer.receipt import Entry
from context_mode_installer.specs.where import holes
from context_mode_installer.templates import read_template
from context_mode_runtime import paths

if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_mode_installer.plan.draft import Config
    from context_mode_installer.plan.host import Target
    from context_mode_installer.specs.model import Edit


def plan_edits(target: Target, *, approve: bool, replace: bool) -> None:
    """Adds the edits of a host's scope to the plan. Without `approve` those that grant something are left out."""
    plan_these(target, target.spec.edits_in(target.scope), approve=approve, replace=replace)


def plan_these(target: Target, edits: Iterable[Edit], *, approve: bool, replace: bool) -> None:
    """Adds edits to the plan. Without `approve` those that grant something are left out."""
    wanted = list(edits)
    places = {(edit.file, edit.at) for edit in wanted if target.holds(edit.only)}
    for edit in wanted:
        if not target.holds(edit.only):
            if (edit.file, edit.at) not in places:
                _retire(target, edit)
            continue
        if edit.approval and not approve:
            target.keep_known(edit.name)
            continue
        if edit.kind == "host_command":
            _host_command(target, edit)
            continue
        place = _Place(target, edit, target.config(edit.file or ""), target.keys(edit.at))
        if edit.kind == "key" and "serve" in holes(edit.value):
            _entry(place, replace=replace)
        else:
            _PLANNERS[edit.kind](place)


def _retire(target: Target, edit: Edit) -> None:
    """Takes out an entry of ours that was for another version of the host, and the maps that it leaves empty."""
    if edit.kind != "key" or "serve" not in holes(edit.value):
        return
    place = _Place(target, edit, target.config(edit.file or ""), target.keys(edit.at))
    if target.entry_kind(place.config.get(place.at), edit) != "serve":
        return
    place.config.remove(place.at)
    for end in range(len(place.at) - 1, 0, -1):
        if place.config.get(place.at[:end]) == {}:
            place.config.remove(place.at[:end])
    place.say("taken out: it is for other versions")


def _host_command(target: Target, edit: Edit) -> None:
    """A command is run once; again when the spec says other words."""
    words = [fill_text(word, target.holes) for word in edit.run]
    known = target.draft.receipt.find(target.spec.id, target.scope, target.project, edit.name, ())
    if known is None or known.value != words:
        target.draft.commands.append((target.spec.id, tuple(words)))
        what = f"{'approval' if edit.approval else edit.name} added by a command, afterwards: {shlex.join(words)}"
        target.draft.changes.append(Change(target.spec.id, words[0], what, edit.affects))
    entry = Entry(target.spec.id, target.scope, target.project, edit.name, edit.kind, "", (), words)
    target.draft.put_in.append(entry)


def template_text(target: Target, edit: Edit) -> str:
    """The text of a file that is wholly ours. In a program a hole stands within quotes: its value comes escaped."""
    if edit.text is not None:
        return fill_text(edit.text, target.holes)
    holes = {name: json.dumps(value, ensure_ascii=False)[1:-1] for name, value in target.holes.items()}
    if target.spec.bridge is not None:
        holes["limit_ms"] = str(target.spec.bridge.timeout_ms)
    return fill_text(read_template(edit.template or ""), holes)


class _Place(NamedTuple):
    """One edit at its place in a file."""

    target: Target
    edit: Edit
    config: Config
    at: formats.Path

    @property
    def known(self) -> Entry | None:
        """What the receipt says of it."""
        return self.target.known(self.edit, self.at)

    def say(self, how: str) -> None:
        """Adds a line to the plan."""
        name = "approval" if self.edit.approval else self.edit.name
        what = " ".join([name, *([formats.shown(self.at)] if self.at else []), how])
        self.target.draft.changes.append(Change(self.target.spec.id, self.config.path, what, self.edit.affects))

    def record(self, value: object, was: list[Any] | None = None) -> None:
        """Adds it to the receipt."""
        target, edit = self.target, self.edit
        entry = Entry(
            target.spec.id, target.scope, target.project, edit.name, edit.kind, self.config.path, self.at, value, was
        )
        target.draft.put_in.append(entry)

    def keep(self) -> None:
        """It is there already: ours if the receipt says so, else the user's own."""
        if self.known:
            self.target.draft.put_in.append(self.known)


def _entry(place: _Place, *, replace: bool) -> None:
    """An entry that runs our server: made, mended with the user's own changes kept, or in the way of another tool."""
    config, at, value = place.config, place.at, place.target.value(place.edit)
    _drop_others(place)
    current = config.get(at)
    foreign = current is not formats.MISSING and place.target.entry_kind(current, place.edit) != "serve"
    if foreign and not replace:
        fix = f"context-mode setup --agents {place.target.spec.id} --replace"
        obstacle = Obstacle(place.target.spec.id, config.path, f"{formats.shown(at)} runs another program", fix)
        place.target.draft.obstacles.append(obstacle)
        return
    if foreign:
        config.remove(at)
    if foreign or current is formats.MISSING:
        config.set(at, value)
        place.say("replaced" if foreign else "added")
    else:
        new = merged(value, current, place.known.value if place.known else formats.MISSING)
        if write_differences(config, at, current, new):
            place.say("mended")
    place.record(value)


def _drop_others(place: _Place) -> None:
    """Takes out entries that run our server under another name."""
    for config in place.target.everywhere(place.config.file.name):
        table = config.get(place.at[:-1])
        for name, entry in table.items() if isinstance(table, dict) else ():
            here = config.path == place.config.path and name == place.at[-1]
            if not here and place.target.entry_kind(entry, place.edit) == "serve":
                config.remove((*place.at[:-1], name))
                where = "" if config.path == place.config.path else f" of {paths.tilde(config.path)}"
                place.say(f"kept, {name}{where} taken out: it runs our server a second time")


def _key(place: _Place) -> None:
    current, value = place.config.get(place.at), place.target.value(place.edit)
    if formats.same(current, value):
        place.keep()
    elif (
        current is formats.MISSING
        or (place.known and formats.same(current, place.known.value))
        or place.target.is_our_seat(current)
    ):
        place.config.set(place.at, value)
        place.say("added" if current is formats.MISSING else "mended")
        place.record(value)
    else:
        where = f"{paths.tilde(place.config.path)}: {formats.shown(place.at)}"
        place.target.draft.notes.append(f"{where} was set by you and stays as it is")


def _list_item(place: _Place) -> None:
    items, value = place.config.get(place.at), place.target.value(place.edit)
    if isinstance(items, list) and any(formats.same(item, value) for item in items):
        place.keep()
        return
    place.config.append(place.at, value)
    place.say(f"{value} added" if isinstance(value, str) else "added")
    place.record(value)


def _flag(place: _Place) -> None:
    current, value = place.config.get(place.at), place.target.value(place.edit)
    if formats.same(current, value):
        place.keep()
        return
    place.config.set(place.at, value)
    place.say("switched on")
    place.record(value, None if current is formats.MISSING else [current])


def _own_file(place: _Place) -> None:
    place.target.check_expands(())
    text = template_text(place.target, place.edit).encode()
    if place.target.draft.desk.read(place.config.path) != text:
        place.target.draft.desk.write(place.config.path, text)
        place.say("written")
    place.record(None)


_PLANNERS = {"key": _key, "list_item": _list_item, "flag": _flag, "own_file": _own_file}
