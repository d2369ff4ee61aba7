"""One hook call as its handlers see it: who calls, which tool, in which project, under which policy."""

from __future__ import annotations

import os

from context_mode_runtime import notes, where
from context_mode_runtime.agents import root_folders
from context_mode_runtime.project import Project, first_project
from context_mode_runtime.wildcard import matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from context_mode_runtime.agents import Table
    from context_mode_runtime.policy.load import Policy
    from context_mode_runtime.store.db import Store


class Decision:
    """What to answer: a verb of the spec language and the values of its holes."""

    __slots__ = ("holes", "verb")

    def __init__(self, verb: str, **holes: object) -> None:
        self.verb = verb
        self.holes = holes


class Call:
    """A payload and the table to read it by. What costs something is looked up when it is first asked for."""

    __slots__ = ("_policy", "_project", "assume_server", "event", "host_event", "payload", "table", "tool")

    def __init__(
        self, table: Table, event: str, host_event: str, payload: dict[str, object], *, assume_server: bool
    ) -> None:
        self.table = table
        self.event = event
        self.host_event = host_event
        self.payload = payload
        self.assume_server = assume_server
        self.tool = _tool(table, self.get("tool"))
        self._project: Project | None = None
        self._policy: Policy | None = None

    def value(self, name: str) -> object:
        """A common value of the payload by its name in the spec's `payload` section."""
        return where.find(self.payload, self.table["payload"][name])

    def get(self, name: str) -> str:
        """The same as text; empty when it is no text."""
        value = self.value(name)
        return value if isinstance(value, str) else ""

    def misfit(self) -> str:
        """What of the payload has a type that it can't have and so counts as not there; else an empty string."""
        read = {name: self.value(name) for name in ("tool", "cwd", "source")}
        read["conversation"] = where.find(self.payload, self.table["identity"]["hook"]["conversation"])
        for name, value in read.items():
            if value is not None and not isinstance(value, str):
                return f"the payload's {name} is a {type(value).__name__}, not a text"
        given = self.value("input")
        if given is None or isinstance(given, (dict, list, str)):
            return ""
        return f"the payload's input is a {type(given).__name__}, not an object"

    def field(self, name: str) -> str:
        """An input of the tool by its name in the spec's `tools` section, or an empty string."""
        wheres = self.tool["fields"] if self.tool else {}
        return where.text(self.payload, wheres.get(name))

    def fields(self, name: str) -> list[object]:
        """All values of such an input."""
        wheres = self.tool["fields"] if self.tool else {}
        return where.values(self.payload, wheres[name]) if name in wheres else []

    @property
    def tool_class(self) -> str:
        """The tool's class, or an empty string."""
        return str(self.tool["class"]) if self.tool else ""

    def verb(self, verb: str) -> dict[str, Any] | None:
        """How this host event takes a verb for a tool of this class, or None where it can't."""
        found: dict[str, Any] | None = self.table["replies"]["verbs"].get(verb, {}).get(self.host_event)
        return found if found and (found["classes"] is None or self.tool_class in found["classes"]) else None

    def at(self, moment: str) -> bool:
        """Whether this payload is that moment of the spec's `compaction` section."""
        place = self.table["compaction"][moment]
        if not place or place["event"] != self.event:
            return False
        return place["when"] is None or where.holds(self.payload, place["when"])

    def conversation(self) -> str:
        """The host's id of the conversation, or an empty string."""
        return _plain(where.text(self.payload, self.table["identity"]["hook"]["conversation"]))

    def subagent(self) -> str:
        """The host's id of the sub-agent, or an empty string."""
        return _plain(where.text(self.payload, self.table["identity"]["hook"]["subagent"]))

    def key(self) -> str | None:
        """`agent:conversation[:sub-agent]`, the store's name of the conversation; None when the host tells none."""
        return notes.conversation_key(self.table["id"], self.conversation(), self.subagent())

    def parent_key(self) -> str | None:
        """The key of the conversation that a sub-agent works for; the same as `key` in the main conversation."""
        return notes.conversation_key(self.table["id"], self.conversation())

    def cwd(self) -> str:
        """The folder the call works in now; `/` where nobody tells one."""
        given = self.get("cwd")
        if given and "\0" not in given:
            return given
        try:
            return os.getcwd()
        except OSError:
            return os.sep

    def folder(self) -> str:
        """The folder that a command runs in: the one that its tool was given, else the current one."""
        given = self.field("folder")
        return os.path.normpath(os.path.join(self.cwd(), given)) if given and "\0" not in given else self.cwd()

    def hides_subagents(self) -> bool:
        """Whether this host tells a conversation and its sub-agents by one id."""
        return not self.table["identity"]["hook"]["subagent"] and bool(self.conversation())

    def project(self) -> Project | None:
        """By the host's variable, the conversation's first folder, the current one (contract, section 7, Project)."""
        if self._project is None:
            self._project = first_project(self._folders())
        return self._project

    def _folders(self) -> Iterator[str]:
        yield from notes.told_folders(self.table, self.conversation())
        yield self.cwd()

    def roots(self) -> dict[str, str]:
        """Folders for the holes of path templates."""
        folders = root_folders(self.table)
        project = self.project()
        if project:
            folders["project"] = project.worktree
        folders["conversation"] = self.conversation()
        named = (os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
        folders["tmp"] = next(filter(None, named), "/tmp")  # noqa: S108 - where hosts put what they cut
        return folders

    def policy(self) -> Policy:
        """The policy in force in the project."""
        if self._policy is None:
            from context_mode_runtime.policy.load import load_policy

            project = self.project()
            self._policy = load_policy(project.root if project else None)
        return self._policy

    def open_store(self) -> Store | None:
        """The project's database, or None without a project. Raises StoreError."""
        from context_mode_runtime.store.db import Store

        project = self.project()
        if project is None:
            return None
        store = Store.open(project.key(), name=project.name)
        store.secret_names = tuple(self.policy().redact)
        return store

    def tool_name(self, tool: str) -> str:
        """One of our tools as this host spells it."""
        return str(self.table["server"]["tool_name"]).replace("{tool}", tool)


def _plain(text: str) -> str:
    """Without lone surrogates, which no file name and no database takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _tool(table: Table, name: str) -> dict[str, Any] | None:
    if not name:
        return None
    for tool in table["tools"]:
        if any(matches(pattern, name) for pattern in tool["names"]):
            found: dict[str, Any] = tool
            return found
    return None
