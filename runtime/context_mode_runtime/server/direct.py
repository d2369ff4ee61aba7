"""A tool called without a host: by a person at the command line, in this process, in the folder they stand in."""

from __future__ import annotations

import threading
import time

from context_mode_runtime.project import find_project
from context_mode_runtime.server import lenient
from context_mode_runtime.server.call import Call, ToolError
from context_mode_runtime.server.calls import Running
from context_mode_runtime.server.identity import Caller
from context_mode_runtime.server.session import Connection
from context_mode_runtime.server.tools import registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from context_mode_runtime.project import Project
    from context_mode_runtime.store.db import Store

_TELL_EVERY_S = 1.0


class _Alone(Running):
    """A call that nobody waits for over a pipe; its progress goes to `tell`, at most once a second."""

    __slots__ = ("_tell", "_told")

    def __init__(self, tell: Callable[[str], None] | None) -> None:
        super().__init__(None, 0, None, threading.Event())
        self._tell = tell
        self._told = time.monotonic()

    def progress(self, text: str) -> None:
        """Passes it on."""
        now = time.monotonic()
        if self._tell is not None and now - self._told >= _TELL_EVERY_S:
            self._told = now
            self._tell(text)


def open_call(tool: str, arguments: dict[str, object], folder: str, tell: Callable[[str], None] | None = None) -> Call:
    """A call of `tool` in the project of `folder`, with arguments as its schema has them. Close it.

    Raises ToolError for arguments that don't fit.
    """
    where = (Caller(), find_project(folder))
    return Call(tool, _fitted(tool, arguments), Connection(None, None, folder), where, _Alone(tell))


def reading_call(tool: str, arguments: dict[str, object], project: Project, store: Store) -> Call:
    """A call of `tool` by a person who only looks: in this project, with a store that is open for reading.

    Raises ToolError for arguments that don't fit.
    """
    where = (Caller(), project)
    call = Call(tool, _fitted(tool, arguments), Connection(None, None, project.worktree), where, _Alone(None))
    call.lend(store)
    return call


def _fitted(tool: str, arguments: dict[str, object]) -> dict[str, object]:
    found = registry.named(tool)
    if found is None:
        raise ToolError(f"unknown tool {tool}")
    try:
        return lenient.fitted(found, arguments)
    except lenient.WrongArgumentsError as error:
        raise ToolError(str(error)) from None


def reply(call: Call) -> str:
    """What the tool answers. Raises ToolError."""
    tool = registry.named(call.tool)
    text = tool.handle(call) if tool else ""
    return "\n".join([text, *(f"  ({notice})" for notice in call.notices())])
