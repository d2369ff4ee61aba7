"""What one connection knows: its agent and roots, and for each request the caller and the project."""

from __future__ import annotations

import _thread
import os

from context_mode_runtime import log, notes, where
from context_mode_runtime.paths import NoHomeError
from context_mode_runtime.project import first_project
from context_mode_runtime.server import identity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.project import Project
    from context_mode_runtime.server.identity import Caller

_ROOTS_WAIT_S = 2.0
_ANY_HOST: dict[str, object] = {
    "project": {"request": None, "roots": True, "variables": [], "note": False, "start_folder": True},
    "identity": {"request": []},
    "server": {"tool_name": "{tool}", "tool_meta": {}, "instructions_max": 1_400, "load_hint": None},
}
"""The table of a host that nobody named: no identity, plain tool names, roots or the start folder."""


class Connection:
    """State of one pipe. Nothing of it belongs to a protocol era."""

    __slots__ = (
        "_mark",
        "_marked",
        "_roots",
        "_roots_due",
        "agent",
        "asks_roots",
        "key",
        "start_folder",
        "table",
    )

    def __init__(self, agent: str | None, table: dict[str, object] | None, start_folder: str) -> None:
        """`table` is the agent's compiled table, None for a host that nobody named."""
        self.agent = agent or ""
        self.table = table or _ANY_HOST
        self.start_folder = start_folder
        self.key = "mcp:" + os.urandom(6).hex()
        self.asks_roots = False
        self._roots: list[str] = []
        self._roots_due: _thread.LockType | None = None
        self._mark: int | None = None
        self._marked: str | None = None

    def part(self, name: str) -> dict[str, object]:
        """One closed map of the table."""
        found = self.table.get(name)
        return found if isinstance(found, dict) else {}

    def spelled(self, tool: str) -> str:
        """The name under which the model sees `tool` on this host."""
        return str(self.part("server").get("tool_name", "{tool}")).replace("{tool}", tool)

    def caller(self, params: dict[str, object]) -> Caller:
        """Who sent this `tools/call`, by the ways that the spec allows for this host."""
        return identity.caller(self.agent, self.part("identity"), params)

    def without_identity(self, arguments: dict[str, object]) -> dict[str, object]:
        """`arguments` without the one by which a bridge tells the conversation."""
        added = identity.added_arguments(self.part("identity"))
        return {name: value for name, value in arguments.items() if name not in added}

    def wants_roots(self) -> bool:
        """Whether to ask `roots/list`: the client offers it and the spec trusts the answer. Counts as asked."""
        asks = self.asks_roots and bool(self.part("project").get("roots"))
        if asks and self._roots_due is None:
            due = _thread.allocate_lock()
            due.acquire()
            self._roots_due = due
        return asks

    def take_roots(self, answer: object) -> None:
        """The client's answer to `roots/list`; anything but a list of file roots counts as no roots."""
        self._roots = folders_of(answer)
        due, self._roots_due = self._roots_due, None
        if due is not None:
            due.release()

    def await_roots(self) -> None:
        """Waits 2 s, and only once, for roots that were asked for: some hosts never answer. Not for the reader."""
        due = self._roots_due
        if due is None:
            return
        if due.acquire(timeout=_ROOTS_WAIT_S):
            due.release()
        else:
            self._roots_due = None

    def project(self, params: dict[str, object], caller: Caller) -> Project | None:
        """The project of this request, None when nothing but the home, `/` or our own folder is known.

        In order: the request, MCP roots, the host's variables, the hook's note of the conversation, the start folder.
        """
        return first_project(self._folders(params, caller, self.part("project")))

    def mark(self, project: Project | None) -> None:
        """Leaves this server's mark under `run/`, or brings it up to date: hooks route calls only to a live server."""
        root = project.root if project else None
        try:
            if self._mark is None:
                self._mark = notes.mark_server(self.agent, root)
            elif root != self._marked:
                notes.rewrite_mark(self._mark, self.agent, root)
            self._marked = root
        except (OSError, NoHomeError) as error:
            log.log_error("serve", error)

    def _folders(self, params: dict[str, object], caller: Caller, rules: dict[str, object]) -> list[str]:
        found = _said(params, rules)
        if rules.get("roots"):
            found += self._roots
        variables = rules.get("variables")
        if isinstance(variables, list):
            found += [os.environ.get(str(name), "") for name in variables]
        if rules.get("note") and caller.conversation:
            found += [notes.conversation_folder(self.agent, caller.conversation), caller.folder]
        if rules.get("start_folder"):
            found.append(self.start_folder)
        return [folder for folder in found if isinstance(folder, str) and os.path.isabs(folder)]


def _said(params: dict[str, object], rules: dict[str, object]) -> list[object]:
    """What the request itself says about its project, by the spec's path."""
    path = rules.get("request")
    return where.values(identity.looked_at(params), path) if isinstance(path, list) else []


def folders_of(answer: object) -> list[str]:
    """The folders behind the `file:` URIs of a `roots/list` result, in their order."""
    roots = answer.get("roots") if isinstance(answer, dict) else None
    uris = [root.get("uri") for root in roots if isinstance(root, dict)] if isinstance(roots, list) else []
    return [folder for folder in (_folder(uri) for uri in uris if isinstance(uri, str)) if folder]


def _folder(uri: str) -> str:
    """`/a b` for `file:///a%20b` and `file://localhost/a%20b`, nothing for another scheme or machine.

    On Windows `c:/a b` for `file:///c%3A/a%20b`, and another machine is a share: `//machine/share`.
    """
    if not uri.lower().startswith("file://"):
        return ""
    host, slash, path = uri[len("file://") :].partition("/")
    share = host not in ("", "localhost")
    if share and os.name != "nt":
        return ""
    head, *escaped = (slash + path).encode().split(b"%")
    try:
        folder = os.fsdecode(head + b"".join(bytes.fromhex(part[:2].decode()) + part[2:] for part in escaped))
    except ValueError:
        return ""
    if os.name != "nt":
        return folder
    return f"//{host}{folder}" if share else folder[1:] if folder[2:3] == ":" else folder
