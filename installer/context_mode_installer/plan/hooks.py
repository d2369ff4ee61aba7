"""Our hook entries in a host's lists: each event once, neighbours untouched, duplicates and old ones gone."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

from context_mode_installer import formats
from context_mode_installer.places import fill
from context_mode_installer.plan.draft import Change, Obstacle
from context_mode_installer.plan.merge import merged, write_differences
from context_mode_installer.plan.ours import is_foreign, words_of_handler
from context_mode_installer.plan.steps import steps_of
from context_mode_installer.receipt import Entry
from context_mode_installer.specs.where import holes
from context_mode_runtime.agents import platform

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_mode_installer.plan.draft import Config
    from context_mode_installer.plan.host import Target
    from context_mode_installer.specs.model import HostEvent, Surface

EDIT = "hook"
"""How receipts call a hook entry."""


SHELL_HOME = "$HOME"
"""How every shell spells the home, whatever the host replaces in the rest of its files."""


class Spot(NamedTuple):
    """A handler in a file: the keys to its list, its group there, its own index, itself, the event it is for."""

    list_at: formats.Path
    group: int
    handler: int | None
    """None where the list holds handlers without groups."""
    value: Any
    event: str
    """The host's event: the key of the list, or what the entry says where one list holds all events."""


def command_line(target: Target, surface: Surface, event: str, agent: str = "") -> dict[str, Any]:
    """The holes of a group template that say what runs: program and arguments, or one string for the host's shell.

    `agent` is another owner of a shared file, whose entry serves this host too.
    """
    target.check_expands(surface.command.expands)
    program, arguments = target.holes["hook"].replace("\\", "/"), [agent or target.spec.id, event]
    form = target.home_form
    if form and surface.command.form != "argv" and program.startswith(form):
        program, form = SHELL_HOME + program[len(form) :], SHELL_HOME
    line = " ".join([_quoted(program, form or ""), *arguments])
    windows = _for_powershell(line, form or "") if surface.command.windows == "powershell" else line
    one_key = "command_windows" not in holes(surface.group)
    return {
        "program": program, "arguments": arguments, "command_windows": windows,
        "command": windows if one_key and platform() == "windows" else line,
    }  # fmt: skip


def _for_powershell(line: str, form: str) -> str:
    """A quoted path by itself is only a text there, and `$` and the backtick mean something between double quotes.

    `form`, which the shell or the host is to replace by the home, stays between them.
    """
    as_text = not (form and line.startswith(f'"{form}"')) and set(line) & set("$`") and "'" not in line
    return "& " + (line.replace('"', "'") if as_text else line)


def _quoted(path: str, form: str) -> str:
    """`form` is the part that a shell, if not the host, replaces by the home; nothing in other places."""
    if form and path.startswith(form):
        return f'"{form}"{shlex.quote(path[len(form) :])}'
    return f'"{path}"' if path[1:2] == ":" else shlex.quote(path)


def group_for(target: Target, surface: Surface, event: HostEvent, agent: str = "") -> Any:  # noqa: ANN401 - any JSON
    """What setup writes for one event of a host."""
    said = {"event": event.name, "matcher": event.matcher, "timeout": event.timeout}
    return fill(surface.group, {**target.holes, **said, **command_line(target, surface, event.name, agent)})


def other_owner(surface: Surface, config: Config, spot: Spot) -> str:
    """The other host of a shared file whose entry a handler of ours is; nothing when it is this host's."""
    words = words_of_handler(spot.value, surface.command)
    return next((agent for agent in config.file.shared_with if agent in words), "")


def events_of(target: Target, surface: Surface) -> list[HostEvent]:
    """The events that are declared on a surface."""
    return [
        host
        for event in target.spec.events
        for host in event.hosts
        if host.surface in (None, surface.surface) and target.holds(host.only)
    ]


def spots(value: object, surface: Surface) -> Iterator[Spot]:
    """All handlers of a file's hook lists, those of events that we don't know too."""
    for list_at in _lists(value, surface.list_at, ()):
        groups = formats.get(value, list_at)
        for index, group in enumerate(groups if isinstance(groups, list) else ()):
            event = _event_of(surface, list_at, group)
            if surface.handlers_at is None:
                yield Spot(list_at, index, None, group, event)
                continue
            handlers = formats.get(group, surface.handlers_at)
            for number, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                yield Spot(list_at, index, number, handler, event)


def _event_of(surface: Surface, list_at: formats.Path, group: object) -> str:
    """The host's event of an entry; empty where the entry does not say it."""
    if _one_list(surface):
        said = formats.get(group, _keys_of("{event}", surface.group))
        return said if isinstance(said, str) else ""
    (index,) = (n for n, key in enumerate(surface.list_at) if "{event}" in key)
    return str(list_at[index])


def _one_list(surface: Surface) -> bool:
    """Whether one list holds the entries of all events, each with its event in it."""
    return not any("{event}" in key for key in surface.list_at)


def _keys_of(hole: str, template: object) -> tuple[str, ...]:
    """The keys down to a hole of a template; none where it does not stand alone."""
    for key, value in template.items() if isinstance(template, dict) else ():
        if value == hole:
            return (key,)
        inner = _keys_of(hole, value)
        if inner:
            return (key, *inner)
    return ()


def entry_at(surface: Surface, list_at: formats.Path, event: str) -> formats.Path:
    """How receipts call the place of an event's entry: its list, and the event where one list holds all."""
    return (*list_at, event) if _one_list(surface) else list_at


def _lists(value: object, at: tuple[str, ...], done: formats.Path) -> Iterator[formats.Path]:
    if not at:
        yield done
    elif "{event}" in at[0]:
        for key in list(value) if isinstance(value, dict) else ():
            yield from _lists(formats.get(value, (key,)), at[1:], (*done, key))
    else:
        yield from _lists(formats.get(value, (at[0],)), at[1:], (*done, at[0]))


def ours_in(target: Target, surface: Surface, value: object) -> list[Spot]:
    """The handlers of ours in a file."""
    return [spot for spot in spots(value, surface) if target.is_our_hook(spot.value, surface)]


def plan_hooks(target: Target, *, replace: bool) -> None:
    """Adds the hook entries of a host's scope to the plan; takes ours out of a file that is not the one in use."""
    for surface, name in target.idle_surfaces():
        _foreign_hooks(target, surface, target.config(name), replace=replace)
        leave(target, surface, target.config(name))
    for surface, name in target.surfaces():
        config = target.config(name)
        _foreign_hooks(target, surface, config, replace=replace)
        wanted = {one.name: one for one in events_of(target, surface)}
        _drop_strays(target, surface, config, wanted)
        for event in wanted.values():
            _one_event(target, surface, config, event)


def leave(target: Target, surface: Surface, config: Config) -> None:
    """Takes all of ours out of a file that is not in use; the file goes, too, when setup made it."""
    steps = steps_of(target.draft, target.draft.backups, config.path)
    for spot in reversed(ours_in(target, surface, config.value())):
        take_out(config, surface, spot, (steps[0].before or b"") if steps else None)
        what = f"hook {spot.event} taken out"
        target.draft.changes.append(Change(target.spec.id, config.path, what))
        if steps and steps[0].before is None and config.bare:
            config.desk.write(config.path, None)


def _foreign_hooks(target: Target, surface: Surface, config: Config, *, replace: bool) -> None:
    for spot in reversed(list(spots(config.value(), surface))):
        words = words_of_handler(spot.value, surface.command)
        if target.is_our_hook(spot.value, surface) or not is_foreign(words):
            continue
        where = formats.shown(spot.list_at)
        if replace:
            take_out(config, surface, spot)
            target.draft.changes.append(
                Change(target.spec.id, config.path, f"hook of another tool at {where} taken out")
            )
        else:
            fix = f"context-mode setup --agents {target.spec.id} --replace"
            what = f"{where} runs another tool called context-mode"
            target.draft.obstacles.append(Obstacle(target.spec.id, config.path, what, fix))


def _drop_strays(target: Target, surface: Surface, config: Config, wanted: dict[str, HostEvent]) -> None:
    """Takes out ours where it has no business: second ones, those of other events, those in a stranger's group."""
    seen: set[str] = set()
    stray: list[Spot] = []
    for spot in ours_in(target, surface, config.value()):
        event = wanted.get(spot.event)
        if event is None and other_owner(surface, config, spot):
            continue
        if event is None or spot.event in seen or not _fits_group(target, surface, config, (spot, event)):
            stray.append(spot)
        else:
            seen.add(spot.event)
    for spot in reversed(stray):
        take_out(config, surface, spot)
        what = f"hook {spot.event}: a second or old entry of ours taken out"
        target.draft.changes.append(Change(target.spec.id, config.path, what))


def _fits_group(target: Target, surface: Surface, config: Config, found: tuple[Spot, HostEvent]) -> bool:
    """Whether ours may stay in its group: alone there, or the group's own keys are as ours would be."""
    spot, event = found
    if surface.handlers_at is None:
        return True
    group = config.get((*spot.list_at, spot.group))
    handlers = formats.get(group, surface.handlers_at)
    if isinstance(handlers, list) and all(target.is_our_hook(one, surface) for one in handlers):
        return True
    return _frame(group, surface) == _frame(group_for(target, surface, event), surface)


def _frame(group: object, surface: Surface) -> object:
    """A group without its handlers."""
    inner = surface.handlers_at[0] if surface.handlers_at else None
    return {key: item for key, item in group.items() if key != inner} if isinstance(group, dict) else group


def take_out(config: Config, surface: Surface, spot: Spot, before: bytes | None = None) -> None:
    """Takes one handler out, with its group when that held nothing else."""
    at: formats.Path = (*spot.list_at, spot.group)
    if surface.handlers_at is not None and spot.handler is not None:
        handlers = config.get((*at, *surface.handlers_at))
        if isinstance(handlers, list) and len(handlers) > 1:
            at = (*at, *surface.handlers_at, spot.handler)
    config.remove(at, before)


def hand_over(target: Target, surface: Surface, config: Config, place: tuple[Spot, str]) -> bool:
    """Makes an entry of a shared file name the host that stays (`place`: entry, host): it serves who is set up."""
    spot, agent = place
    event = next((one for one in events_of(target, surface) if one.name == spot.event), None)
    if event is None or target.spec.id not in words_of_handler(spot.value, surface.command):
        return False
    mine, theirs = (group_for(target, surface, event, name) for name in ("", agent))
    return _mend(config, surface, spot, (theirs, mine))


def _one_event(target: Target, surface: Surface, config: Config, event: HostEvent) -> None:
    list_at = target.keys(surface.list_at, {"event": event.name})
    at = entry_at(surface, list_at, event.name)
    known = target.draft.receipt.find(target.spec.id, target.scope, target.project, EDIT, at)
    mine = [spot for spot in ours_in(target, surface, config.value()) if spot.event == event.name]
    group = group_for(target, surface, event, other_owner(surface, config, mine[0]) if mine else "")
    if not mine:
        config.append(list_at, group)
        target.draft.changes.append(Change(target.spec.id, config.path, f"hook {event.name} added"))
    elif _mend(config, surface, mine[0], (group, known.value if known else formats.MISSING)):
        target.draft.changes.append(Change(target.spec.id, config.path, f"hook {event.name} mended"))
    entry = Entry(target.spec.id, target.scope, target.project, EDIT, EDIT, config.path, at, group)
    target.draft.put_in.append(entry)


def _mend(config: Config, surface: Surface, spot: Spot, two: tuple[object, object]) -> bool:
    """Makes our handler and its group what they have to be. `two`: what is wanted, what setup wrote last."""
    wanted, written = two
    at: formats.Path = (*spot.list_at, spot.group)
    changed = False
    if surface.handlers_at is not None and spot.handler is not None:
        first: formats.Path = (*surface.handlers_at, 0)
        handler = merged(formats.get(wanted, first), spot.value, formats.get(written, first))
        changed = write_differences(config, (*at, *surface.handlers_at, spot.handler), spot.value, handler)
    current = config.get(at)
    frame = merged(_frame(wanted, surface), _frame(current, surface), _frame(written, surface))
    if not isinstance(current, dict) or not isinstance(frame, dict) or not isinstance(wanted, dict):
        return changed
    lost = {key for key in surface.group if key not in wanted}
    inner = {key: item for key, item in current.items() if key not in frame}
    new = {key: item for key, item in (inner | frame).items() if key not in lost}
    return write_differences(config, at, current, new) or changed
