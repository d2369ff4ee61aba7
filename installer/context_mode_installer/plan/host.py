"""One host in one scope, as the plan sees it: its files on the desk, the holes of its spec, what counts as ours."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any

from context_mode_installer import formats, launchers, seats
from context_mode_installer.native.found import find_install
from context_mode_installer.places import fill, fill_text
from context_mode_installer.plan.draft import Config, PlanError
from context_mode_installer.plan.hooks import SHELL_HOME, spots
from context_mode_installer.plan.ours import what_runs, words_of_entry, words_of_handler
from context_mode_installer.plan.spread import spread
from context_mode_runtime.agents import platform

if TYPE_CHECKING:
    from context_mode_installer.detect import Host
    from context_mode_installer.native.found import Install
    from context_mode_installer.plan.draft import Draft
    from context_mode_installer.plan.ours import Kind
    from context_mode_installer.receipt import Entry
    from context_mode_installer.specs.model import AgentSpec, ConfigFile, Edit, HookFile, Only, Scope, Surface


class Target:
    """A host that a plan works on."""

    def __init__(self, host: Host, scope: Scope, project: str | None, agents: frozenset[str], draft: Draft) -> None:
        """`project` is the folder of a project scope, `agents` are all known ids."""
        self.host = host
        self.scope: Scope = scope
        self.project = project
        self.agents = agents
        self.draft = draft
        self.removing = False
        """Whether entries of every version and platform are looked at."""
        self.replaced = False
        """Whether it is a package of ours that takes the place of what a removal takes out."""
        self.as_is = False
        """Whether hooks are looked for where they are, not where setup would put them."""
        self.home_form = host.spec.home_form(scope)
        """What the host replaces by the home in this scope's files, which others share."""
        files = launchers.names()
        self.holes: dict[str, Any] = {
            **host.places.holes,
            "serve": self._program(files[launchers.SERVE]),
            "hook": self._program(files[launchers.HOOK]),
        }
        if project is not None:
            self.holes["project"] = project
        self.spec: AgentSpec = spread(host.spec, self.holes)
        self.events = frozenset(one.name for event in self.spec.events for one in event.hosts) | frozenset(
            event.event for event in self.spec.events
        )
        self._configs: dict[str, Config] = {}
        self._forms: list[tuple[Surface, str, str | None]] | None = None

    @functools.cached_property
    def install(self) -> Install | None:
        """The native package of ours that is in force. Looked at once, before the plan changes anything."""
        return find_install(self)

    def leaving(self) -> Target:
        """The same host and place, as a removal looks at it."""
        other = Target(self.host, self.scope, self.project, self.agents, self.draft)
        other.removing = other.replaced = True
        return other

    def keep_known(self, edit: str) -> None:
        """What an earlier setup put in stays ours, though this one is not to add it."""
        mine = (self.spec.id, self.scope, self.project, edit)
        entries = self.draft.receipt.entries
        self.draft.put_in += [one for one in entries if (one.agent, one.scope, one.project, one.edit) == mine]

    def known(self, edit: Edit, at: formats.Path) -> Entry | None:
        """What the receipt says of an edit at a place: in its file, else in one of before; never in a copy of it."""
        file = self.config(edit.file or "").path
        found = self.draft.receipt.find(self.spec.id, self.scope, self.project, edit.name, at, file)
        same = [one.file for one in self.spec.edits_in(self.scope) if one.name == edit.name and one.file != edit.file]
        copies = [self.config(name).path for name in same if name]
        return None if found is None or found.file in copies else found

    def config(self, name: str) -> Config:
        """A file of the spec by its name: the candidate that holds ours, else the strongest one there, else `new`."""
        if name not in self._configs:
            file = self.spec.file(name)
            self._configs[name] = Config(self.draft.desk, file, self._choose(file))
        return self._configs[name]

    def everywhere(self, name: str) -> list[Config]:
        """Every candidate of a file that is there, weak to strong: the host reads them all."""
        file = self.spec.file(name)
        found = [Config(self.draft.desk, file, path) for path in map(self.path, file.paths)]
        return [config for config in found if self.draft.desk.read(config.path) is not None]

    def configs(self) -> list[Config]:
        """All files of this scope, every candidate that is there."""
        out = {}
        for file in self.spec.files:
            if file.scope == self.scope and file.format != "text":
                for path in map(self.path, file.paths):
                    if self.draft.desk.read(path) is not None:
                        out[path] = Config(self.draft.desk, file, path)
        return list(out.values())

    def path(self, template: str) -> str:
        """A path template, filled."""
        return os.path.normpath(fill_text(template, self.holes))

    def keys(self, at: tuple[str, ...], more: dict[str, str] | None = None) -> formats.Path:
        """Keys of the spec, filled."""
        return tuple(fill_text(key, {**self.holes, **(more or {})}) for key in at)

    def value(self, edit: Edit) -> Any:  # noqa: ANN401 - any JSON
        """What an edit puts in."""
        return fill(edit.value, self.holes)

    def holds(self, only: Only | None) -> bool:
        """Whether an entry of the spec holds for this version and platform."""
        if only is None or self.removing:
            return True
        if only.platforms and platform() not in only.platforms:
            return False
        if self.host.version is None:
            return only.unprobed or (only.since is None and only.until is None)
        version = _number(self.host.version)
        late = only.until is not None and version >= _number(only.until)
        return not late and (only.since is None or version >= _number(only.since))

    def entry_kind(self, entry: object, edit: Edit) -> Kind | None:
        """Which of our programs an MCP entry runs."""
        return what_runs(words_of_entry(entry, edit.value), self.agents, self.events)

    def is_our_hook(self, handler: object, surface: Surface) -> bool:
        """Whether a handler runs our hook."""
        return what_runs(words_of_handler(handler, surface.command), self.agents, self.events) == "hook"

    def is_our_seat(self, value: object) -> bool:
        """Whether a setting points to our launcher in the shell's seat."""
        seat = self.spec.shell_seat.seat
        return seat is not None and isinstance(value, str) and seats.is_ours(value, self.spec.id, seat)

    def before(self, path: str) -> bytes:
        """A file as it was before our first change of it; empty where that isn't known."""
        return self.draft.originals.get(path, b"")

    def surfaces(self) -> list[tuple[Surface, str]]:
        """The ways of declaring hooks in this scope, each with the name of its file; when removing, of every file."""
        used = [(surface, used) for surface, used, _ in self._in_use()]
        return used + (self.idle_surfaces() if self.removing else [])

    def idle_surfaces(self) -> list[tuple[Surface, str]]:
        """The files that could take the same hooks and don't, because the host wants them in one place."""
        return [(surface, idle) for surface, _, idle in self._in_use() if idle is not None]

    def retired_surfaces(self) -> list[tuple[Surface, str]]:
        """The ways of declaring hooks that do not hold for this version or platform, each with its file."""
        return [
            (surface, place.file)
            for surface in self.spec.hooks
            if not self.holds(surface.only)
            for place in surface.files
            if place.scope == self.scope
        ]

    def _in_use(self) -> list[tuple[Surface, str, str | None]]:
        """Surface, file in use, the other one. Looked at once, before the plan changes anything."""
        if self._forms is None:
            self._forms = [
                (surface, *self._one_of(surface, place))
                for surface in self.spec.hooks
                if self.holds(surface.only)
                for place in surface.files
                if place.scope == self.scope
            ]
        return self._forms

    def _one_of(self, surface: Surface, place: HookFile) -> tuple[str, str | None]:
        """The file where hooks of others are; where that does not tell, the one where ours are; else the first."""
        if place.or_ is None:
            return place.file, None
        first, second = (self._whose(surface, name) for name in (place.file, place.or_))
        others_only_there = second[1] and not first[1]
        ours_only_there = second[0] and not first[0]
        if ours_only_there if self.as_is or first[1] == second[1] else others_only_there:
            return place.or_, place.file
        return place.file, place.or_

    def apart(self) -> list[str]:
        """Idle files with hooks of others in them, where none of others stand beside ours."""
        return [
            self.config(idle).path
            for surface, used, idle in self._in_use()
            if idle is not None and self._whose(surface, idle)[1] and not self._whose(surface, used)[1]
        ]

    def _whose(self, surface: Surface, name: str) -> tuple[bool, bool]:
        """Whether hooks of ours and of others stand in a file."""
        mine = [self.is_our_hook(spot.value, surface) for spot in spots(self.config(name).value(), surface)]
        return any(mine), not all(mine)

    def _program(self, name: str) -> str:
        """A program of ours as it is written into files of this scope."""
        path, home = os.path.join(self.host.places.holes["bin"], name), self.host.places.holes["home"]
        below = self.home_form is not None and path.startswith(home.rstrip(os.sep) + os.sep)
        return f"{self.home_form}{path[len(home.rstrip(os.sep)) :]}" if below else path

    def started(self, word: str) -> str:
        """A word of a file of this scope as the host starts it."""
        for form in (self.home_form, SHELL_HOME) if self.home_form else ():
            if word.startswith(f"{form}/"):
                return str(self.host.places.holes["home"]) + word[len(form) :]
        return word

    def check_expands(self, names: tuple[str, ...]) -> None:
        """Refuses a path of ours that the host would expand, or that only this machine has. Raises PlanError."""
        path = self.holes["hook"]
        if self.home_form is not None:
            if not path.startswith(self.home_form):
                why = "is not below the home; others share the file that would name it"
                raise PlanError(f"{self.spec.name}: {path} {why}")
            path = path[len(self.home_form) :]
        for name in names:
            if any(form in path for form in (f"${name}", f"${{{name}}}")):
                raise PlanError(f"{self.spec.name} would replace ${name} in the path {path}")

    def _choose(self, file: ConfigFile) -> str:
        candidates = [self.path(one) for one in file.paths]
        there = [path for path in candidates if self.draft.desk.read(path) is not None]
        ours = [path for path in there if self.draft.receipt.steps.get(path)]
        if len(there) > 1 and not ours:
            ours = [path for path in there if self._holds_ours(Config(self.draft.desk, file, path))]
        if ours or there:
            return (ours or there)[-1]
        return self.path(file.new) if file.new else candidates[-1]

    def _holds_ours(self, config: Config) -> bool:
        """Whether an entry that runs our server stands in a file, where the spec puts it."""
        edits = [edit for edit in self.spec.edits if edit.file == config.file.name and edit.kind == "key"]
        return any(self.entry_kind(config.get(self.keys(edit.at)), edit) == "serve" for edit in edits)


def _number(version: str) -> tuple[int, ...]:
    return tuple(int("".join(filter(str.isdigit, part)) or 0) for part in version.split("."))
