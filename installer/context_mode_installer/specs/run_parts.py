"""The parts of a spec that say what happens at run time: events, replies, tools, identity (docs/spec-language.md).

Attributes are called as the keys are; a key that is a Python word gets a trailing underscore (`class_`, `list_`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from .setup_parts import Keys, Only, Pair, Template  # noqa: TC001 - make_model reads the annotations

Where = tuple[str, ...]
"""Alternatives, as they are written."""
Condition = dict[str, Any]


@dataclass(frozen=True)
class HostEvent:
    """One of the host's events, as we register it."""

    name: str
    surface: str | None
    matcher: str | None
    timeout: int | None
    limit_ms: int | None
    ignore: Condition | None
    failure: bool
    use: Literal["all", "identity"]
    only: Only | None


@dataclass(frozen=True)
class Event:
    """One of our nine events and what is behind it."""

    event: str
    absent: str | None
    hosts: tuple[HostEvent, ...]


@dataclass(frozen=True)
class Knows:
    """The host's own lists."""

    events: tuple[str, ...]
    tools: tuple[str, ...]


@dataclass(frozen=True)
class Caller:
    """Another agent whose calls arrive here, and its mark in the payload."""

    agent: str
    when: Condition


@dataclass(frozen=True)
class Verb:
    """One reply to one host event."""

    verb: Literal["deny", "ask", "replace", "context", "set_input", "add_meta"]
    event: str
    channel: Literal["stdout_json", "stdout_text", "stderr_exit", "bridge"]
    limit: int | None
    template: Template
    classes: tuple[str, ...] | None
    arrives: Literal["now", "next_turn"]


@dataclass(frozen=True)
class Replies:
    """What a hook answers."""

    pass_: str
    deny_code: int | None
    escaped: bool
    verbs: tuple[Verb, ...]


@dataclass(frozen=True)
class Field:
    """A part of a tool's input that rules or the journal read."""

    name: str
    where: Where


@dataclass(frozen=True)
class ReadRange:
    """How a read tool asks for a part of a file."""

    where: tuple[Where, ...]
    always: bool


@dataclass(frozen=True)
class SetValue:
    """A value that a replacement sets beside the text."""

    at: Keys
    value: Template


@dataclass(frozen=True)
class Replace:
    """How a tool's output is replaced."""

    shape: Literal["copy", "same", "text", "parts"]
    text_at: Keys
    set_: tuple[SetValue, ...]
    drop: tuple[str, ...]
    skip: Condition | None
    opening: str | None
    sample: Template


@dataclass(frozen=True)
class Moved:
    """Where the host puts output that is too big."""

    where: Where
    roots: tuple[str, ...]
    part: Literal["head", "tail", "both", "preview"]


@dataclass(frozen=True)
class Tool:
    """A tool of the host, or several of one class."""

    class_: str
    names: tuple[str, ...]
    dialect: str | None
    fields: tuple[Field, ...]
    range: ReadRange | None
    output: Where | None
    cut: Condition | None
    replace: Replace | None
    moved: Moved | None


@dataclass(frozen=True)
class HookIdentity:
    """Who is calling, in a hook's payload."""

    conversation: Where
    subagent: Where
    subagent_type: Where
    call: Where


@dataclass(frozen=True)
class Way:
    """A way in which a request tells its conversation."""

    way: Literal["meta", "added_meta", "join", "argument", "match", "variable"]
    conversation: Where | None
    subagent: Where | None
    call: Where | None
    variable: str | None


@dataclass(frozen=True)
class Identity:
    """How hook and server learn which conversation is calling."""

    hook: HookIdentity
    request: tuple[Way, ...]
    stale_variables: tuple[str, ...]
    follows: Condition | None


@dataclass(frozen=True)
class Project:
    """How the server learns the project."""

    request: Where | None
    roots: bool
    variables: tuple[str, ...]
    note: bool
    start_folder: bool
    never: tuple[str, ...]


@dataclass(frozen=True)
class Moment:
    """One of our events, under a condition."""

    event: str
    when: Condition | None


@dataclass(frozen=True)
class Compaction:
    """How a compaction is seen."""

    before: str | None
    state_block: Moment | None
    resumed: Moment | None


@dataclass(frozen=True)
class Server:
    """What the host makes of our MCP server."""

    tool_name: str
    tool_meta: tuple[Pair, ...]
    instructions_max: int
    load_hint: str | None


@dataclass(frozen=True)
class RuleFile:
    """A file with the host's own rules."""

    path: str
    format: str
    deny: Keys
    ask: Keys
    allow: Keys
    anchor: Literal["home", "project", "root"]


@dataclass(frozen=True)
class RuleNames:
    """How the host's rules call the tools of one class."""

    class_: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Rules:
    """The host's own permission rules."""

    order: str | None
    anchors: str | None
    files: tuple[RuleFile, ...]
    names: tuple[RuleNames, ...]
    unread: str | None
