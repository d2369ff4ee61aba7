"""Which conversation a request belongs to, by the ways that the agent's spec allows, in its order.

Never a guess: what no way tells stays unknown, and then nothing is counted against anybody.
"""

from __future__ import annotations

import os

from context_mode_runtime import notes, where

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from context_mode_runtime.notes import CallNote
    from context_mode_runtime.where import Where

    Record = dict[str, object]
    Way = Callable[[str, Record, Record], "Caller | None"]


class Caller:
    """A conversation as the host names it, its sub-agent where the host tells one, and the key that the store knows."""

    __slots__ = ("conversation", "folder", "key", "subagent")

    def __init__(self, agent: str = "", conversation: str = "", subagent: str = "", folder: str = "") -> None:
        """An empty conversation is an unknown caller: its key is None. `folder` is what a hook noted with the call."""
        self.folder = folder
        self.conversation = conversation
        self.subagent = "" if subagent == conversation else subagent
        self.key = notes.conversation_key(agent, conversation, subagent)


def looked_at(params: Record) -> Record:
    """What the spec's paths of a request are looked up in: `params`, and its `_meta` and `arguments` by themselves."""
    meta, arguments = params.get("_meta"), params.get("arguments")
    return {
        "params": params,
        "_meta": meta if isinstance(meta, dict) else {},
        "arguments": arguments if isinstance(arguments, dict) else {},
    }


def caller(agent: str, rules: Record, params: Record) -> Caller:
    """The caller of one `tools/call` by the first way of `rules["request"]` that tells one."""
    payload = looked_at(params)
    for record in records(rules):
        way = _WAYS.get(str(record.get("way")))
        found = way(agent, record, payload) if way else None
        if found is not None:
            return found
    return Caller()


def records(rules: Record) -> list[Record]:
    """The ways of a spec's `identity` map, in order."""
    ways = rules.get("request")
    return [way for way in ways if isinstance(way, dict)] if isinstance(ways, list) else []


def _said(agent: str, record: Record, payload: Record) -> Caller | None:
    """The request itself holds the conversation: the host's `_meta`, one that a hook adds, or a bridge's argument."""
    conversation = where.text(payload, _path(record, "conversation"))
    return Caller(agent, conversation, where.text(payload, _path(record, "subagent"))) if conversation else None


def _joined(agent: str, record: Record, payload: Record) -> Caller | None:
    """The host's call id, joined with what its `pre_tool` hook noted."""
    call = where.text(payload, _path(record, "call"))
    return _noted(agent, notes.call_note(agent, call)) if call else None


def _matched(agent: str, _record: Record, payload: Record) -> Caller | None:
    """The call itself, noted moments before by a hook of the same host process."""
    name = where.text(payload, [["params", "name"]])
    return _noted(agent, notes.match_note(agent, notes.host_process(), name, payload["arguments"]))


def _variable(agent: str, record: Record, _payload: Record) -> Caller | None:
    """A variable of the host's, where one process is proven to be one conversation."""
    conversation = os.environ.get(str(record.get("variable")), "")
    return Caller(agent, conversation) if conversation else None


def _noted(agent: str, note: CallNote | None) -> Caller | None:
    return Caller(agent, note.conversation, note.subagent, note.folder) if note and note.conversation else None


def _path(record: Record, name: str) -> Where | None:
    found = record.get(name)
    return found if isinstance(found, list) else None


def added_arguments(rules: Record) -> set[str]:
    """The names of arguments that a bridge adds: the last key of each path of the way `argument`."""
    paths = [_path(record, name) for record in records(rules) for name in ("conversation", "subagent", "call")
             if record.get("way") == "argument"]  # fmt: skip
    return {str(steps[-1]) for path in paths if path for steps in path if steps}


_WAYS: dict[str, Way] = {
    "meta": _said,
    "added_meta": _said,
    "argument": _said,
    "join": _joined,
    "match": _matched,
    "variable": _variable,
}
