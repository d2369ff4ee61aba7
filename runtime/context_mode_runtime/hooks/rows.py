"""What goes into the journal from a hook call."""

from __future__ import annotations

import os

from context_mode_runtime import jsonio, where

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.hooks.call import Call
    from context_mode_runtime.store.db import Store

TEXT_MAX = 16_384
"""Longest text of one row; what a host or a user writes in one go is far shorter."""
_LABEL_MAX = 120
_TASKS = 500


class Row:
    """A journal row to be: its kind, its text, the details that belong to it, the longest text it may have."""

    __slots__ = ("detail", "kind", "room", "text")

    def __init__(self, kind: str, text: str, detail: str | None = None, room: int = TEXT_MAX) -> None:
        self.kind = kind
        self.text = text
        self.detail = detail
        self.room = room


def add(store: Store, call: Call, row: Row, *, parent: bool = False) -> None:
    """Writes the row to its conversation's journal; without a conversation id or text there is nothing to write."""
    from context_mode_runtime.store.journal import add_row

    key = call.parent_key() if parent else call.key()
    row = _named_task(store, key, row) if key and row.kind == "task" else row
    if key and row.text.strip():
        add_row(store, key, row.kind, _cut(store, row.text, row.room), detail=_detail(store, row))


def _detail(store: Store, row: Row) -> str | None:
    """Of a failure that is too long the lines that matter: what failed stands at its end as a rule."""
    if row.kind != "failure" or not row.detail or len(row.detail) <= TEXT_MAX:
        return _cut(store, row.detail, TEXT_MAX) if row.detail else None
    from context_mode_runtime.excerpt import excerpt

    return excerpt(_cut(store, row.detail, len(row.detail)), budget=TEXT_MAX, failed=True).text


def _named_task(store: Store, key: str, row: Row) -> Row:
    """A change that names its task by number only gets the words that the task was made with, else no text."""
    if not row.text[:-1].isdecimal() or row.text[-1] != ".":
        return row
    from context_mode_runtime.store.journal import rows

    found = [one for one in rows(store, key, kinds=("task",), limit=_TASKS) if one.text.startswith(f"{row.text} ")]
    return Row("task", found[-1].text, row.detail or found[-1].detail) if found else Row("task", "")


def _cut(store: Store, text: str, room: int) -> str:
    """At most `room` characters, secrets out first: half a key looks like none."""
    from context_mode_runtime.redact import redact

    return redact(text, store.secret_names)[0][:room]


def tool_row(call: Call) -> Row | None:
    """The row of a tool that ran: an edit, a command, its failure, a task list, a decision, a sub-agent."""
    if call.table["events"][call.host_event]["failure"]:
        return Row("failure", _subject(call), call.get("error") or None)
    maker = _MAKERS.get(call.tool_class)
    return maker(call) if maker else None


def label(store: Store, call: Call) -> str:
    """The label of a stored output: the command on one line, the address, or the tool's name."""
    return _cut(store, _subject(call) or call.get("tool"), _LABEL_MAX)


def _subject(call: Call) -> str:
    text = call.field("command") or call.field("url") or call.field("path") or call.field("prompt") or call.get("tool")
    return _line(text)


def _line(text: str) -> str:
    """On one line, secrets out first: some are told by the line that they stand on."""
    from context_mode_runtime.redact import redact

    return " ".join(redact(text)[0].split())


def _command(call: Call) -> Row:
    command = call.field("command")
    kind = "commit" if command.lstrip().startswith("git commit") else "command"
    error = None if _tells_failures(call) else _failure(call, command)
    return Row("failure" if error else kind, _line(command), error)


def _tells_failures(call: Call) -> bool:
    """Whether this host has an event of its own for a failure of this tool: not where that event ignores the tool."""
    events = [event for event in call.table["events"].values() if event["failure"]]
    return any(not where.holds(call.payload, event["ignore"]) for event in events)


def _failure(call: Call, command: str) -> str | None:
    """Else the output has to tell: the host says no exit code."""
    from context_mode_runtime.hooks.said import failure

    tool = call.tool or {}
    parts = where.values(call.payload, tool["output"]) if tool.get("output") else []
    output = "\n".join(part for part in parts if isinstance(part, str))
    return failure(command, output, tool.get("dialect") or "bash", call.policy().redact)


def _edit(call: Call) -> Row:
    project = call.project()
    root = project.worktree + os.sep if project else ""
    paths = [str(path) for path in call.fields("path")]
    return Row("edit", ", ".join(path.removeprefix(root) for path in paths) or call.get("tool"))


def _agent(call: Call) -> Row:
    return Row("subagent", _line(call.field("prompt")))


def _tasks(call: Call) -> Row | None:
    """A whole list as `[state] words; ...`; a single task as `NUMBER. words`, where it has one, its state as detail."""
    found = call.fields("tasks")
    value = found[0] if found else None
    if isinstance(value, list):
        return Row("task", "; ".join(f"[{state or 'open'}] {words}" for words, state in map(_task, value) if words))
    words, state = _task(value)
    number = str(value.get("id") or value.get("taskId") or "") if isinstance(value, dict) else ""
    text = f"{number}. {words}".rstrip() if number.isdecimal() else words
    return Row("task", text, state or ("open" if words else None)) if text else None


def _task(item: object) -> tuple[str, str]:
    """Words and state of one task; empty what it does not tell."""
    if not isinstance(item, dict):
        return (item if isinstance(item, str) else ""), ""
    words = next(
        filter(None, map(item.get, ("content", "step", "subject", "title", "task_description", "description"))), ""
    )
    return str(words), str(item.get("status") or ("completed" if item.get("completed") is True else ""))


def _decision(call: Call) -> Row:
    found = call.fields("text")
    value = found[0] if found else ""
    if isinstance(value, dict):
        return Row("decision", "; ".join(f"{question} {answer}" for question, answer in value.items()))
    return Row("decision", value if isinstance(value, str) else jsonio.dumps(value))


_MAKERS = {"shell": _command, "edit": _edit, "agent": _agent, "task": _tasks, "decision": _decision}
