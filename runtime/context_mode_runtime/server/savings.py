"""What was saved, in numbers: the one source of `ctx_stats`, `context-mode stats` and the dashboard.

All is read from the databases as they are on disk, and nothing is written.
"""

from __future__ import annotations

import os
import time

from context_mode_runtime import jsonio, limits, paths
from context_mode_runtime.agents import UnknownAgentError, load_agent
from context_mode_runtime.policy.load import load_policy
from context_mode_runtime.server.instructions import instructions
from context_mode_runtime.server.session import Connection
from context_mode_runtime.server.tools import registry
from context_mode_runtime.store import accounts, place, reading
from context_mode_runtime.store.accounts import DAY_MS, Account, Totals
from context_mode_runtime.store.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_mode_runtime.store.sources import Source

TOKEN_BYTES = 4
"""Bytes of a token in the estimate: about right for English and code, whatever the model."""
OUTPUTS_MAX = 10
"""How many of the largest outputs are named."""


class Book:
    """What one project's database holds: its `key`, `name`, `account`, and the `largest` outputs that are stored."""

    __slots__ = ("account", "key", "largest", "name")

    def __init__(self, path: str) -> None:
        """Raises StoreError."""
        with reading.open_reading(path) as store:
            self.key = os.path.basename(os.path.dirname(path))
            self.name = store.name
            self.account = accounts.account(store)
            self.largest = accounts.largest_outputs(store, OUTPUTS_MAX)


class Books:
    """Every project of this user: `found` by key, `unreadable` with the reason by path."""

    __slots__ = ("found", "unreadable")

    def __init__(self, known: dict[str, tuple[str, Book]] | None = None) -> None:
        """Of those that are `known` (by path, with the file's state then) only what was written since is read anew."""
        self.found: dict[str, Book] = {}
        self.unreadable: dict[str, str] = {}
        known = {} if known is None else known
        for files in reading.stored_files():
            state = files.state()
            seen, book = known.get(files.path, ("", None))
            if book is None or seen != state:
                try:
                    book = Book(files.path)
                except StoreError as error:
                    self.unreadable[files.path] = error.reason
                    continue
                known[files.path] = (state, book)
            self.found[book.key] = book

    def account(self, key: str | None) -> Account:
        """Of one project, empty when nothing is stored for it."""
        book = self.found.get(key or "")
        return book.account if book else Account([], {})

    def check(self, key: str) -> None:
        """Raises StoreError where something is stored for this project that can't be read."""
        path = os.path.join(paths.project_dir(key), place.FILE)
        if path in self.unreadable:
            raise StoreError(path, self.unreadable[path])


class Scope:
    """Some conversations together: `account`, `totals`, and the bytes of our `fixed` cost in them."""

    __slots__ = ("_fixed", "account", "fixed", "totals")

    def __init__(self, account: Account, fixed: Fixed) -> None:
        self.account = account
        self.totals = account.totals()
        self._fixed = fixed
        self.fixed = sum(fixed.of(key) for key in account.conversations)

    @property
    def cost(self) -> int:
        """Bytes that we put into these conversations on top of what their calls produced."""
        return self.fixed + self.totals.added

    @property
    def net(self) -> int:
        """What was saved less what was fetched back and our own cost; below zero when we cost more than we saved."""
        return self.totals.saved - self.totals.fetched - self.cost

    @property
    def percent(self) -> float:
        """The net part of what was produced, never below zero, to a tenth."""
        return round(100 * max(self.net, 0) / self.totals.produced, 1) if self.totals.produced else 0.0

    def tools(self) -> list[dict[str, object]]:
        """The numbers of each tool, that which saved most first."""
        return [{"tool": tool, **totals.data()} for tool, totals in self.account.by_tool().items()]

    def days(self) -> list[dict[str, object]]:
        """The numbers of each day (UTC) with a call or a new conversation, in order; their nets add up to this net.

        What we cost a conversation once counts on its first day.
        """
        fixed: dict[int, int] = {}
        for key, (first, _) in self.account.conversations.items():
            fixed[first // DAY_MS] = fixed.get(first // DAY_MS, 0) + self._fixed.of(key)
        by_day = self.account.by_day()
        found: list[dict[str, object]] = []
        for day in sorted({*by_day, *fixed}):
            totals = by_day.get(day, Totals())
            cost = fixed.get(day, 0) + totals.added
            net = totals.saved - totals.fetched - cost
            found.append({"day": _date(day), **totals.data(), "own_cost": cost, "net": net})
        return found

    def data(self) -> dict[str, object]:
        """All of it as numbers."""
        return {
            "conversations": len(self.account.conversations),
            **self.totals.data(),
            "fixed_cost": self.fixed,
            "own_cost": self.cost,
            "net": self.net,
            "kept_out_percent": self.percent,
            "net_tokens_estimated": self.net // TOKEN_BYTES,
            "tools": self.tools(),
            "days": self.days(),
        }


class Fixed:
    """What we put into every conversation of a host, in bytes, by its parts: read from the agent's table once."""

    __slots__ = ("_bytes", "_inject", "parts")

    def __init__(self) -> None:
        self._inject = load_policy(None).inject
        self._bytes: dict[str, int] = {}
        self.parts: dict[str, dict[str, int]] = {}
        """By agent, "" for a host that nobody named; those that were asked for."""

    def of(self, conversation: str) -> int:
        """Bytes for the conversation with this key."""
        agent = conversation.partition(":")[0]
        if agent not in self._bytes:
            self._bytes[agent] = sum(self.of_agent(agent).values())
        return self._bytes[agent]

    def of_agent(self, agent: str) -> dict[str, int]:
        """Bytes by part: the list of tools, the instructions, the start text where the host takes one."""
        try:
            table = load_agent(agent)
        except (UnknownAgentError, ValueError):
            agent, table = "", None
        if agent not in self.parts:
            self.parts[agent] = self._measured(Connection(agent or None, table, os.sep))
        return self.parts[agent]

    def _measured(self, connection: Connection) -> dict[str, int]:
        listed = registry.listed(connection.part("server").get("tool_meta"))
        parts = {
            "tool list": len(jsonio.dumps(listed).encode()),
            "instructions": len(instructions(connection, registry.TOOLS).encode()),
        }
        takes = self._inject and _tells_at_start(connection)
        return {**parts, "start text at most": limits.HOWTO_MAX} if takes else parts


class Report:
    """The scopes `all`, `project` and `conversation`, and the `largest` stored outputs of the project, or of all."""

    __slots__ = ("books", "conversation", "fixed", "largest", "last", "name", "scopes")

    def __init__(self, books: Books, project: str | None, conversation: str | None) -> None:
        """`project` and `conversation` are keys; what is not known there is empty. Without a project: of all alone."""
        account = books.account(project)
        self.books = books
        self.conversation = conversation
        self.fixed = Fixed()
        book = books.found.get(project or "")
        self.name = book.name if book else ""
        self.last = account.conversations.get(conversation or "", (0, 0))[1]
        self.scopes = {
            "all": Scope(accounts.joined(one.account for one in books.found.values()), self.fixed),
            "project": Scope(account, self.fixed),
            "conversation": Scope(account.of(conversation or ""), self.fixed),
        }
        self.largest = _largest(books.found.values() if project is None else [book] if book else [])

    def data(self) -> dict[str, object]:
        """The whole report as numbers (`schemas/reports/stats.schema.json`)."""
        return {
            "project": self.name or None,
            "conversation": {"id": self.conversation, "last": self.last} if self.last else None,
            "projects": len(self.books.found),
            "unreadable": [
                {"path": paths.tilde(path), "reason": reason} for path, reason in self.books.unreadable.items()
            ],
            "token_bytes": TOKEN_BYTES,
            "scopes": {name: scope.data() for name, scope in self.scopes.items()},
            "largest": [_output(book, source) for book, source in self.largest],
            "fixed_cost": [
                {"agent": agent or None, "parts": [{"name": name, "bytes": size} for name, size in parts.items()]}
                for agent, parts in self.fixed.parts.items()
            ],
        }


def _largest(books: Iterable[Book]) -> list[tuple[Book, Source]]:
    found = [(book, source) for book in books for source in book.largest]
    return sorted(found, key=lambda one: -one[1].bytes)[:OUTPUTS_MAX]


def _output(book: Book, source: Source) -> dict[str, object]:
    return {
        "key": book.key,
        "project": book.name,
        "source": source.sid,
        **{name: getattr(source, name) for name in _OUTPUT},
    }


_OUTPUT = ("label", "tool", "bytes", "chunks", "made")


def _tells_at_start(connection: Connection) -> bool:
    """Whether this host takes a text of ours when a conversation starts."""
    verbs = connection.part("replies").get("verbs")
    takers = verbs.get("context") if isinstance(verbs, dict) else None
    events = connection.part("events")
    records = [events.get(name) for name in takers] if isinstance(takers, dict) else []
    return any(isinstance(record, dict) and record.get("event") == "session_start" for record in records)


def _date(day: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(day * DAY_MS // 1000))
