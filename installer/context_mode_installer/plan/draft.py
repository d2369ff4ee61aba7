"""A plan while it is made: files as they will be, what each change is for, what stands in the way."""

from __future__ import annotations

import functools
import os
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from context_mode_installer import formats
from context_mode_installer.result import UserError, Verbatim
from context_mode_installer.screen import editing, excerpt, quoted
from context_mode_installer.system import PathError
from context_mode_installer.transaction import FileChange
from context_mode_runtime import paths

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from context_mode_installer.backups import Backups
    from context_mode_installer.receipt import Entry, Receipt
    from context_mode_installer.specs.model import ConfigFile
    from context_mode_installer.system import System

T = TypeVar("T")
_OPEN = (0o644, 0o755)
_KEYS = (0o600, 0o755)
"""Modes of a new file and new folder; people keep keys in files of variables."""
_UNCHANGED = "Nothing was changed."


class PlanError(UserError):
    """A file that stops the whole plan: which, where in it, and that nothing was changed."""

    def __init__(self, message: str, shown: Sequence[str] = (), fix: str | None = None) -> None:
        """`message` is a line without its full stop; `shown` says the same on a screen; `fix` is what mends it."""
        lines = (*(shown or [message]), Verbatim(f"help: {fix}"), _UNCHANGED) if fix else ()
        super().__init__(f"{message}. {_UNCHANGED}", exit_code=1, shown=lines, fix=fix)


def path_problem(error: PathError) -> PlanError:
    """A path that setup can't use, as what stops the plan."""
    why = f"{paths.tilde(error.path)} {error.reason}"
    return PlanError(why, fix=f"{shlex.join(error.fix)} {quoted(error.path)}" if error.fix else None)


@dataclass(frozen=True)
class Change:
    """One thing that a plan does: for people. `affects` is said of approvals and switches."""

    agent: str
    file: str
    what: str
    affects: str | None = None


class Off(NamedTuple):
    """A setting that switches us off, and its file."""

    agent: str
    what: str
    file: str


@dataclass(frozen=True)
class Obstacle:
    """A foreign tool of our name: what was seen where, and how to mend it."""

    agent: str
    file: str
    what: str
    fix: str

    @property
    def said(self) -> str:
        """Where and what, in a line."""
        return f"{paths.tilde(self.file)}: {self.what}"


class Desk:
    """Files as the plan leaves them. Reads go to the disk, writes stay here."""

    def __init__(self, system: System) -> None:
        """An empty desk."""
        self.system = system
        self._before: dict[str, bytes | None] = {}
        self._after: dict[str, bytes | None] = {}
        self._modes: dict[str, tuple[int, int]] = {}

    def read(self, path: str) -> bytes | None:
        """The bytes of a file as they are in the plan. Raises PlanError for one that setup can't use."""
        if path not in self._before:
            try:
                self.system.target(path)
                self._before[path] = self._after[path] = self.system.state(path).data
            except PathError as error:
                raise path_problem(error) from None
        return self._after[path]

    def write(self, path: str, data: bytes | None, modes: tuple[int, int] = _OPEN) -> None:
        """Sets the bytes of a file; None takes it away. `modes` are those of a new file and of new folders."""
        self.read(path)
        self._after[path] = data
        self._modes[path] = modes

    def on_disk(self, path: str) -> bytes | None:
        """The bytes of a file before the plan."""
        self.read(path)
        return self._before[path]

    def changes(self) -> list[FileChange]:
        """The files that the plan changes, in the order of their first use. Raises PlanError for a read-only one."""
        out = []
        for path, after in self._after.items():
            if after != self._before[path]:
                self._check_writable(path)
                out.append(FileChange(path, self._before[path], after, *self._modes.get(path, _OPEN)))
        return out

    def _check_writable(self, path: str) -> None:
        target = self.system.target(path)
        folder = os.path.dirname(target)
        while not os.path.isdir(folder):
            folder = os.path.dirname(folder)
        for one in [folder, *([target] if os.path.exists(target) else [])]:
            if not os.access(one, os.W_OK):
                why = f"{paths.tilde(path)} can't be written: you have no right to change {paths.tilde(one)}"
                raise PlanError(why, fix=f"chmod u+w {quoted(one)}")


class Config:
    """One config file on the desk, with its format. All errors name the file and the place in it."""

    def __init__(self, desk: Desk, file: ConfigFile, path: str) -> None:
        """`path` is one of the file's candidates, holes filled."""
        self.desk = desk
        self.file = file
        self.path = path
        self.form = file.format

    @property
    def data(self) -> bytes:
        """Its bytes; a new file begins with the seed of its spec."""
        data = self.desk.read(self.path)
        return (self.file.seed or "").encode() if data is None else data

    def value(self) -> object:
        """All that it says."""
        return self._guarded(lambda data: _value_of(self.form, data))

    @property
    def bare(self) -> bool:
        """Whether it says nothing beside its seed."""
        seed = _value_of(self.form, (self.file.seed or "").encode())
        value = self.value()
        return not value or formats.same(value, seed)

    def get(self, at: formats.Path) -> object:
        """What stands at a path, or `formats.MISSING`."""
        return formats.get(self.value(), at)

    def set(self, at: formats.Path, value: object) -> None:
        """Sets a value."""
        self._put(self._guarded(lambda data: formats.set_value(self.form, data, at, value)))

    def append(self, at: formats.Path, item: object) -> None:
        """Adds an item to a list."""
        self._put(self._guarded(lambda data: formats.append_item(self.form, data, at, item)))

    def remove(self, at: formats.Path, before: bytes | None = None) -> None:
        """Takes a key or item out, and what got empty by it and wasn't in `before`."""
        self._put(self._guarded(lambda data: formats.remove(self.form, data, at, before)))

    def rename(self, at: formats.Path, name: str) -> None:
        """Gives a key another name."""
        self._put(self._guarded(lambda data: formats.rename_key(self.form, data, at, name)))

    def _put(self, data: bytes) -> None:
        if data != self.data or (self.desk.read(self.path) is None and data):
            self.desk.write(self.path, data, _OPEN if self.form != "env" else _KEYS)

    def _guarded(self, act: Callable[[bytes], T]) -> T:
        try:
            return act(self.data)
        except formats.FormatError as error:
            data, found = self._as_the_user_knows_it(act, error)
            raise _unreadable(self.path, data, found, self.file.broken) from None

    def _as_the_user_knows_it(
        self, act: Callable[[bytes], T], error: formats.FormatError
    ) -> tuple[bytes, formats.FormatError]:
        """The same fault in the file as it is on the disk, where what the plan has put in moved its place."""
        before = self.desk.on_disk(self.path)
        try:
            act(before or b"")
        except formats.FormatError as found:
            return before or b"", found
        return self.data, error


def _unreadable(path: str, data: bytes, error: formats.FormatError, broken: str) -> PlanError:
    """A config that is not in its format: where, the line itself, what it means for the host."""
    place, lines = paths.tilde(path), data.decode(errors="replace").splitlines()
    text = lines[error.line - 1] if error.line <= len(lines) else ""
    shown = [
        error.reason,
        *excerpt(place, error.line, error.column, text),
        f"note: as it is, {broken}",
    ]
    return PlanError(f"{place}:{error.line}:{error.column} {error.reason} ({broken})", shown, editing(path))


@functools.lru_cache(maxsize=8)
def _value_of(form: str, data: bytes) -> object:
    """Read once: a plan looks at each file some twenty times, and some are large."""
    return formats.read(form, data)


@dataclass
class Draft:
    """What a plan comes to."""

    desk: Desk
    receipt: Receipt
    backups: Backups
    originals: dict[str, bytes] = field(default_factory=dict)
    """Files as they were before our first change of them."""
    changes: list[Change] = field(default_factory=list)
    obstacles: list[Obstacle] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    put_in: list[Entry] = field(default_factory=list)
    """What is ours after the plan, of the agents that it looked at."""
    leaving: frozenset[str] = frozenset()
    """Agents that a removal takes out."""
    switched_off: list[Off] = field(default_factory=list)
    moves: list[tuple[str, str]] = field(default_factory=list)
    """Folders of a foreign tool to move aside after the files are written: from, to."""
    commands: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    """Commands of the hosts to run after the files are written: (agent, words)."""
    updates: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    """Commands of the hosts that bring a newer package of ours: (agent, words)."""
