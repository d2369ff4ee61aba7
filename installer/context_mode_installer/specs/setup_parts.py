"""The parts of a spec that setup and doctor read: places, files, edits, hook declarations (docs/spec-language.md).

Attributes are called as the keys are; a key that is a Python word gets a trailing underscore (`class_`, `list_`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

Template = Annotated[Any, "json"]
"""A parsed JSON text with holes."""
Scope = Literal["user", "project"]
Keys = tuple[str, ...]
"""Keys down into a file."""


@dataclass(frozen=True)
class Verified:
    """What was seen with one version."""

    version: str
    how: str
    on: str
    what: str


@dataclass(frozen=True)
class FolderSign:
    """A folder that tells of an installation, `strong` or `weak`."""

    path: str
    sign: str


@dataclass(frozen=True)
class Detection:
    """How the host is found."""

    binary: str | None
    arguments: tuple[str, ...]
    version: str | None
    not_: str | None
    also_at: tuple[str, ...]
    folders: tuple[FolderSign, ...]


@dataclass(frozen=True)
class Variable:
    """An environment variable that moves a root."""

    name: str
    means: Literal["folder", "home", "parent", "adds"]
    tail: str | None


@dataclass(frozen=True)
class Root:
    """One of the host's own folders."""

    name: str
    platform: str | None
    default: str
    resolved: bool
    must_exist: bool
    variables: tuple[Variable, ...]


@dataclass(frozen=True)
class ScopeRule:
    """Whether setup works in a scope; `refused` says why not, `home` what the host replaces by the home."""

    scope: Scope
    refused: str | None
    home: str | None


@dataclass(frozen=True)
class ConfigFile:
    """A config file that setup writes or reads."""

    name: str
    scope: Scope
    format: Literal["json", "jsonc", "jsonc-trailing", "toml", "yaml", "env", "text"]
    each: tuple[str, ...]
    paths: tuple[str, ...]
    new: str | None
    seed: str | None
    own: bool
    shared_with: tuple[str, ...]
    broken: str


@dataclass(frozen=True)
class Only:
    """Where an entry holds."""

    since: str | None
    until: str | None
    unprobed: bool
    platforms: tuple[str, ...]


@dataclass(frozen=True)
class Edit:
    """One thing that setup puts in. Attributes of other kinds than its own are None or empty."""

    name: str
    scope: Scope
    kind: Literal["key", "list_item", "flag", "own_file", "host_command"]
    approval: bool
    affects: str | None
    only: Only | None
    file: str | None = None
    at: Keys = ()
    value: Template = None
    held_by: tuple[Keys, ...] = ()
    text: str | None = None
    template: str | None = None
    run: tuple[str, ...] = ()
    undo: tuple[str, ...] = ()


@dataclass(frozen=True)
class HookFile:
    """The file of a surface in one scope; `or_` is a second one that the host reads the same lists from."""

    scope: Scope
    file: str
    or_: str | None


@dataclass(frozen=True)
class Command:
    """How the host runs a hook."""

    form: Literal["argv", "sh", "bash", "login-shell"]
    windows: str | None
    program_at: Keys
    arguments_at: Keys | None
    expands: tuple[str, ...]


@dataclass(frozen=True)
class Timeout:
    """The host's time limit: unit of what is written, and what holds when nothing is."""

    unit: Literal["s", "ms"]
    default: int


@dataclass(frozen=True)
class Matcher:
    """How the host reads a matcher."""

    dialect: Literal["exact-or-regex", "free-regex", "whole-regex", "glob", "none"]
    exact: str | None


@dataclass(frozen=True)
class Surface:
    """One form of declaring hooks."""

    surface: str
    files: tuple[HookFile, ...]
    list_at: Keys
    group: Template
    handlers_at: Keys | None
    command: Command
    timeout: Timeout
    matcher: Matcher
    only: Only | None


@dataclass(frozen=True)
class Trust:
    """A step without which the host does not run our hooks: a hash that we write, or a step of the user."""

    form: Literal["hash", "step"]
    affects: str
    file: str | None = None
    at: Keys = ()
    text: Template = None
    matcher_events: tuple[str, ...] = ()
    say: str | None = None
    run: tuple[str, ...] = ()
    only: Only | None = None


@dataclass(frozen=True)
class Switch:
    """A setting that switches us off."""

    scope: Scope
    file: str
    at: Keys
    off: Template
    default: Template
    what: str


@dataclass(frozen=True)
class Foreign:
    """A sign of another tool called context-mode."""

    file: str
    at: Keys
    key: str
    what: str


@dataclass(frozen=True)
class SkillFolder:
    """Where skills are put."""

    scope: Scope
    folder: str
    shared_with: tuple[str, ...]


@dataclass(frozen=True)
class Texts:
    """Skills, memory files, files that pass whole."""

    skills: tuple[SkillFolder, ...]
    skill_call: str | None
    memory: tuple[str, ...]
    whole: tuple[str, ...]
    shown: tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    """A name and a text."""

    name: str
    value: str


@dataclass(frozen=True)
class Listing:
    """A command of the host and what a healthy answer looks like."""

    argv: tuple[str, ...]
    healthy: str
    environment: tuple[Pair, ...]


@dataclass(frozen=True)
class Commands:
    """The host's own commands, and what the user has to do after setup."""

    list_: Listing | None
    next: tuple[str, ...]
    next_in_project: tuple[str, ...]


@dataclass(frozen=True)
class NativeFile:
    """A file of the native package, by its text or a template."""

    path: str
    text: str | None
    template: str | None


@dataclass(frozen=True)
class NativeEnabled:
    """Where the host notes that the package is in and on."""

    file: str
    at: Keys
    key: str


@dataclass(frozen=True)
class NativePlace:
    """Where the host keeps the package: a glob, or a folder that a JSON file of the host names and what follows it."""

    file: str | None
    where: tuple[str, ...] | None
    path: str


@dataclass(frozen=True)
class Native:
    """The host's own plugin or extension form."""

    folder: str | None
    token: str | None
    tool_name: str
    skills: str | None
    skill_call: str | None
    files: tuple[NativeFile, ...]
    environment: tuple[Pair, ...]
    add: tuple[tuple[str, ...], ...]
    list_: Listing | None
    update: tuple[tuple[str, ...], ...]
    remove: tuple[tuple[str, ...], ...]
    enabled: NativeEnabled | None
    places: tuple[NativePlace, ...]
    edits: tuple[Edit, ...]
    trust_file: str | None


@dataclass(frozen=True)
class Bridge:
    """The file that carries an in-process host's events to our hook."""

    template: str
    timeout_ms: int
    tool_name: str | None
    only: Only | None


@dataclass(frozen=True)
class SeatVariable:
    """A variable as it is without us; `value` None: it is not there."""

    name: str
    value: str | None


@dataclass(frozen=True)
class SeatCommand:
    """Where the model's command stands in the text that the host makes of it."""

    after: str | None
    before: str | None
    quoted: bool


@dataclass(frozen=True)
class SeatOverruled:
    """A project's own file that switches the seat off there, by being there or by a value in it."""

    path: str
    format: str | None
    at: Keys


@dataclass(frozen=True)
class Seat:
    """How our program takes the place of the shell that runs the model's commands."""

    shells: tuple[str, ...]
    edits: tuple[Edit, ...]
    marks: tuple[str, ...]
    environment: tuple[SeatVariable, ...]
    command: SeatCommand
    conversation: str | None
    overruled: tuple[SeatOverruled, ...]
    only: Only | None


@dataclass(frozen=True)
class ShellSeat:
    """Whether the host has such a place: `absent` says why not."""

    absent: str | None
    seat: Seat | None
