"""What goes into the journal from a hook call."""

from __future__ import annotations

import os

from context_mode_runtime import jsonio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.hooks.call import Call
    from context_mode_runtime.store.db import Store

TEXT_MAX = 16_384
"""Longest text of one row; what a host or a user writes in one go is far shorter."""


class Row:
    """A journal row to be: its kind, one line for lists, and the details that belong to it."""

    __slots__ = ("detail", "kind", "text")

    def __init__(self, kind: str, text: str, detail: str | None = None) -> None:
        self.kind = kind
        self.text = text[:TEXT_MAX]
        self.detail = detail[:TEXT_MAX] if detail else None


def add(store: Store, call: Call, row: Row, *, parent: bool = False) -> None:
    """Writes the row to its conversation's journal; without a conversation id there is nothing to write to."""
    from context_mode_runtime.store.journal import add_row

    key = call.parent_key() if parent else call.key()
    if key:
        add_row(store, key, row.kind, row.text, detail=row.detail)


def tool_row(call: Call) -> Row | None:
    """The row of a tool that ran: an edit, a command, its failure, a task list, a decision, a sub-agent."""
    if call.table["events"][call.host_event]["failure"]:
        return Row("failure", _subject(call), call.get("error") or None)
    maker = _MAKERS.get(call.tool_class)
    return maker(call) if maker else None


def label(call: Call) -> str:
    """The label of a stored output: the command's first line, the address, or the tool's name."""
    return (_subject(call) or call.get("tool"))[:120]


def last_prompt(store: Store, call: Call) -> str:
    """The latest prompt of this conversation, or an empty string."""
    from context_mode_runtime.store.journal import rows

    key = call.key()
    found = rows(store, key, kinds=("prompt",), limit=1) if key else []
    return str(found[0].text) if found else ""


def _subject(call: Call) -> str:
    text = call.field("command") or call.field("url") or call.field("path") or call.field("prompt") or call.get("tool")
    return " ".join(text.split())


def _command(call: Call) -> Row:
    command = call.field("command")
    kind = "commit" if command.lstrip().startswith("git commit") else "command"
    return Row(kind, " ".join(command.split()))


def _edit(call: Call) -> Row:
    project = call.project()
    root = project.worktree + os.sep if project else ""
    paths = [str(path) for path in call.fields("path")]
    return Row("edit", ", ".join(path.removeprefix(root) for path in paths) or call.get("tool"))


def _agent(call: Call) -> Row:
    return Row("subagent", " ".join(call.field("prompt").split()))


def _tasks(call: Call) -> Row:
    found = call.fields("tasks")
    value = found[0] if found else ""
    items = value if isinstance(value, list) else [value]
    return Row("task", "; ".join(_task(item) for item in items))


def _task(item: object) -> str:
    if not isinstance(item, dict):
        return str(item)
    text = item.get("content") or item.get("step") or item.get("subject") or jsonio.dumps(item)
    state = item.get("status")
    return f"[{state}] {text}" if state else str(text)


def _decision(call: Call) -> Row:
    found = call.fields("text")
    value = found[0] if found else ""
    return Row("decision", value if isinstance(value, str) else jsonio.dumps(value))


_MAKERS = {"shell": _command, "edit": _edit, "agent": _agent, "task": _tasks, "decision": _decision}
