"""A checked spec as typed, frozen values, for setup, doctor and the commands (docs/spec-language.md).

JSON texts (`value`, `group`, `off`, ...) are parsed, their holes left in; WHEREs, conditions and paths stay texts.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from .run_parts import (
    Caller,
    Compaction,
    Condition,
    Event,
    Field,
    HookIdentity,
    HostEvent,
    Identity,
    Knows,
    Moment,
    Moved,
    Project,
    ReadRange,
    Replace,
    Replies,
    RuleFile,
    RuleNames,
    Rules,
    Server,
    SetValue,
    Tool,
    Verb,
    Way,
    Where,
)
from .setup_parts import (
    Bridge,
    Command,
    Commands,
    ConfigFile,
    Detection,
    Edit,
    FolderSign,
    Foreign,
    HookFile,
    Keys,
    Listing,
    Matcher,
    Native,
    NativeEnabled,
    NativeFile,
    NativePlace,
    Only,
    Pair,
    Root,
    Scope,
    ScopeRule,
    Seat,
    ShellSeat,
    SkillFolder,
    Surface,
    Switch,
    Template,
    Texts,
    Timeout,
    Trust,
    Variable,
    Verified,
)
from .where import parse_template

__all__ = [
    "AgentSpec",
    "Bridge",
    "Caller",
    "Command",
    "Commands",
    "Compaction",
    "Condition",
    "ConfigFile",
    "Detection",
    "Edit",
    "Event",
    "Field",
    "FolderSign",
    "Foreign",
    "HookFile",
    "HookIdentity",
    "HostEvent",
    "Identity",
    "Keys",
    "Knows",
    "Listing",
    "Matcher",
    "Moment",
    "Moved",
    "Native",
    "NativeEnabled",
    "NativeFile",
    "NativePlace",
    "Only",
    "Pair",
    "Project",
    "ReadRange",
    "Replace",
    "Replies",
    "Root",
    "RuleFile",
    "RuleNames",
    "Rules",
    "Scope",
    "ScopeRule",
    "Seat",
    "Server",
    "SetValue",
    "ShellSeat",
    "SkillFolder",
    "Surface",
    "Switch",
    "Template",
    "Texts",
    "Timeout",
    "Tool",
    "Trust",
    "Variable",
    "Verb",
    "Verified",
    "Way",
    "Where",
    "make_model",
]


@dataclass(frozen=True)
class AgentSpec:
    """All that is known about one agent."""

    spec: int
    id: str
    name: str
    docs: tuple[str, ...]
    verified: tuple[Verified, ...]
    detection: Detection
    roots: tuple[Root, ...]
    scopes: tuple[ScopeRule, ...]
    files: tuple[ConfigFile, ...]
    edits: tuple[Edit, ...]
    hooks: tuple[Surface, ...]
    events: tuple[Event, ...]
    knows: Knows
    callers: tuple[Caller, ...]
    payload: dict[str, Any]
    replies: Replies
    tools: tuple[Tool, ...]
    identity: Identity
    project: Project
    compaction: Compaction
    server: Server
    rules: Rules
    trust: Trust | None
    switches: tuple[Switch, ...]
    foreign: tuple[Foreign, ...]
    foreign_data: tuple[str, ...]
    texts: Texts
    commands: Commands
    native: Native | None
    bridge: Bridge | None
    shell_seat: ShellSeat

    def file(self, name: str) -> ConfigFile:
        """The config file of that name. Raises KeyError; a checked spec has every name that it uses."""
        return {file.name: file for file in self.files}[name]

    def refused(self, scope: Scope) -> str | None:
        """Why setup cannot work in this scope, or None."""
        return {rule.scope: rule.refused for rule in self.scopes}[scope]

    def home_form(self, scope: Scope) -> str | None:
        """What the host replaces by the home in the files of this scope, or None."""
        return {rule.scope: rule.home for rule in self.scopes}[scope]

    def edits_in(self, scope: Scope) -> list[Edit]:
        """What setup puts in for this scope, in order."""
        return [edit for edit in self.edits if edit.scope == scope]

    def surface_of(self, host: HostEvent) -> Surface | None:
        """The surface that a host event is declared on; None for a bridge."""
        return next((surface for surface in self.hooks if host.surface in (None, surface.surface)), None)


def make_model(spec: dict[str, Any]) -> AgentSpec:
    """The model of a checked spec (plain values as `load_file(...).value` gives them)."""
    model: AgentSpec = _make(AgentSpec, spec)
    return model


def _make(kind: type[Any], data: dict[str, Any]) -> Any:  # noqa: ANN401 - an instance of `kind`
    if kind not in _FIELDS:
        hints = get_type_hints(kind, include_extras=True)
        _FIELDS[kind] = [(field.name, field.name.rstrip("_"), hints[field.name]) for field in fields(kind)]
    return kind(**{name: _value(hint, data[key]) for name, key, hint in _FIELDS[kind] if key in data})


_FIELDS: dict[type[Any], list[tuple[str, str, Any]]] = {}
"""Attribute, key and type of each field of a class; looked up once."""


def _value(hint: Any, data: Any) -> Any:  # noqa: ANN401 - any type of the model
    if hint is Template:
        return None if data is None else parse_template(data)
    if get_origin(hint) is UnionType:
        (inner,) = (option for option in get_args(hint) if option is not NoneType)
        return None if data is None else _value(inner, data)
    if get_origin(hint) is tuple:
        return tuple(_value(get_args(hint)[0], item) for item in data)
    return _make(hint, data) if is_dataclass(hint) and isinstance(hint, type) else data
