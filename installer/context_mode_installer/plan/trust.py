"""Trust by hash: the host runs a hook only when its hash stands in a config, under a key that says where the hook is.

The hash is SHA-256 over compact JSON with sorted keys. When ours goes, the hooks behind it move up, and their keys too.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING

from context_mode_installer import formats
from context_mode_installer.places import fill
from context_mode_installer.plan.draft import Change
from context_mode_installer.plan.hooks import events_of, spots
from context_mode_installer.receipt import Entry

if TYPE_CHECKING:
    from context_mode_installer.plan.hooks import Spot
    from context_mode_installer.plan.host import Target
    from context_mode_installer.specs.model import Surface, Trust

EDIT = "trust"


def hash_of(trust: Trust, said: dict[str, object]) -> str:
    """The hash of one hook. `said`: event, event_snake, matcher (None if the event has none), command, timeout."""
    if said["event"] not in trust.matcher_events:
        said = {**said, "matcher": None}
    text = json.dumps(fill(trust.text, said), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def snake(event: str) -> str:
    """`PreToolUse` as `pre_tool_use`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", event).lower()


def plan_trust(target: Target, *, approve: bool, taken_out: bool = False) -> None:
    """Moves the keys of hooks that the plan moved; writes the hashes of ours, with `approve`, or takes them out."""
    trust = target.spec.trust
    if trust is None or trust.form != "hash":
        return
    idle = [] if taken_out else target.idle_surfaces()
    for surface, name in [*idle, *target.surfaces()]:
        hooks = target.config(name)
        before = hooks.desk.on_disk(hooks.path)
        old = formats.read(hooks.form, before) if before else {}
        strangers_moved = _moved(target, surface, (old, hooks.value()), hooks.path)
        mine = {} if taken_out or (surface, name) in idle else _hashes(target, surface, hooks.value(), hooks.path)
        _clear(target, trust, set(_keys_of_ours(target, surface, old, hooks.path)) - set(mine))
        for key, new in sorted(strangers_moved.items()):
            _rename(target, trust, key, new)
        if approve and mine:
            _write(target, trust, mine)
        elif mine:
            target.keep_known(EDIT)


def trust_package(target: Target, value: object, file: str) -> None:
    """Writes the hashes of the hooks of our native package; `value` is its hook file, `file` how the keys call that."""
    trust, surface = target.spec.trust, target.spec.hooks[0]
    if trust is not None and trust.form == "hash":
        _write(target, trust, _hashes(target, surface, value, file))


Place = tuple[str, str, int, int]
"""File, event, group, handler: where a hook stands."""


def _place(path: str, spot: Spot) -> Place:
    return path, spot.event, spot.group, spot.handler or 0


def _moved(target: Target, surface: Surface, two: tuple[object, object], path: str) -> dict[Place, Place]:
    """Strangers' hooks whose place the plan changed. Setup keeps their number and order in each list."""
    lists: list[dict[str, list[Place]]] = []
    for value in two:
        found: dict[str, list[Place]] = {}
        for spot in spots(value, surface):
            if not target.is_our_hook(spot.value, surface):
                found.setdefault(spot.event, []).append(_place(path, spot))
        lists.append(found)
    pairs = (
        (old, new) for event, olds in lists[0].items() for old, new in zip(olds, lists[1].get(event, []), strict=False)
    )
    return {old: new for old, new in pairs if old != new}


def _keys_of_ours(target: Target, surface: Surface, value: object, path: str) -> list[Place]:
    return [_place(path, spot) for spot in spots(value, surface) if target.is_our_hook(spot.value, surface)]


def _hashes(target: Target, surface: Surface, value: object, path: str) -> dict[Place, str]:
    trust = target.spec.trust
    if trust is None:
        return {}
    known = {one.name for one in events_of(target, surface)}
    out = {}
    for spot in spots(value, surface):
        place = _place(path, spot)
        if target.is_our_hook(spot.value, surface) and place[1] in known:
            group = formats.get(value, (*spot.list_at, spot.group))
            out[place] = hash_of(trust, _said(surface, spot, group, place[1]))
    return out


def _said(surface: Surface, spot: Spot, group: object, event: str) -> dict[str, object]:
    """What the host hashes of a hook, as it stands in the file."""

    def of(box: object, key: str) -> object:
        value = formats.get(box, (key,))
        return None if value is formats.MISSING else value

    timeout = of(spot.value, "timeout")
    return {
        "event": event,
        "event_snake": snake(event),
        "matcher": of(group, "matcher"),
        "command": formats.get(spot.value, surface.command.program_at),
        "timeout": surface.timeout.default if timeout is None else timeout,
    }


def _at(target: Target, trust: Trust, place: Place) -> formats.Path:
    file, event, group, handler = place
    more = {"file": file, "event_snake": snake(event), "group": str(group), "handler": str(handler)}
    return target.keys(trust.at, more)


def _rename(target: Target, trust: Trust, old: Place, new: Place) -> None:
    config = target.config(trust.file or "")
    at, to = _at(target, trust, old)[:-1], _at(target, trust, new)[:-1]
    if config.get(at) is not formats.MISSING:
        if config.get(to) is not formats.MISSING:
            config.remove(to)
        config.rename(at, str(to[-1]))


def _clear(target: Target, trust: Trust, places: set[Place]) -> None:
    config = target.config(trust.file or "")
    gone = [at for place in sorted(places) if config.get(at := _at(target, trust, place)[:-1]) is not formats.MISSING]
    for at in gone:
        config.remove(at, target.before(config.path))
    if gone:
        what = f"trust for {len(gone)} hooks of ours taken out"
        target.draft.changes.append(Change(target.spec.id, config.path, what))


def _write(target: Target, trust: Trust, hashes: dict[Place, str]) -> None:
    config = target.config(trust.file or "")
    written = 0
    for place, value in hashes.items():
        at = _at(target, trust, place)
        if not formats.same(config.get(at), value):
            config.set(at, value)
            written += 1
        entry = Entry(target.spec.id, target.scope, target.project, EDIT, EDIT, config.path, at, value)
        target.draft.put_in.append(entry)
    if written:
        what = f"trust for {written} hooks of ours"
        target.draft.changes.append(Change(target.spec.id, config.path, what, trust.affects))
