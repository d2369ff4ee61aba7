"""The savings report of `ctx_stats`: what was kept out of the context, net of what we cost ourselves."""

from __future__ import annotations

from context_mode_runtime import jsonio, limits
from context_mode_runtime.policy.load import load_policy
from context_mode_runtime.server import searching
from context_mode_runtime.server.instructions import instructions
from context_mode_runtime.server.tools import registry
from context_mode_runtime.store import ledger
from context_mode_runtime.store.ledger import Totals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.server.call import Call
    from context_mode_runtime.server.session import Connection
    from context_mode_runtime.store.ledger import Sum

TOKEN_BYTES = 4
"""Bytes of a token in the estimate: about right for English and code, whatever the model."""
_TOOLS_MAX = 12
_NAME_MAX = 40


class Report:
    """The three scopes with their totals, what we cost each conversation (`fixed`, by its parts), and the tools.

    `projects` counts all of them, `unreadable` those of whose databases nothing could be read.
    """

    __slots__ = ("fixed", "projects", "scopes", "tools", "unreadable")

    def __init__(self, call: Call, *, asked_by_person: bool = False) -> None:
        """Reads the ledgers. A person who asks is in no conversation. Raises ToolError, StoreError."""
        store = searching.opened(call)
        session = ledger.totals(store, call.session()) if store else Totals([], 1)
        project = ledger.totals(store) if store else Totals([], 0)
        if asked_by_person:
            session.conversations = 0
        else:
            project.conversations = max(project.conversations, 1)
        others, read, self.unreadable = ledger.elsewhere(store.path if store else None)
        self.projects = read + 1
        self.fixed = fixed_cost(call.connection, inject=load_policy(call.project().root).inject)
        self.tools: list[Sum] = ledger.sums(store) if store else []
        self.scopes = {"conversation": session, "project": project, "all": project.plus(others)}

    def cost(self, totals: Totals) -> int:
        """Bytes that we put into these conversations on top of what their calls produced."""
        return totals.conversations * sum(self.fixed.values()) + totals.added

    def net(self, totals: Totals) -> int:
        """What was saved less what was fetched back and our own cost; below zero when we cost more than we saved."""
        return totals.saved - totals.fetched - self.cost(totals)

    def share(self, scope: str) -> str:
        """The net part of what was produced, never below zero: `82.5%`."""
        totals = self.scopes[scope]
        part = max(self.net(totals), 0) / totals.produced if totals.produced else 0.0
        return f"{100 * part:.1f}%"

    def text(self) -> str:
        """The report for people and models, at most 4 KB."""
        first = f"ctx_stats: {self.share('all')} kept out all-time, {self.share('conversation')} this session."
        return "\n".join(
            [first, "", *self._measured(), "", *self._by_tool(), "", *self._estimated(), "", *self._words()]
        )

    def data(self) -> dict[str, object]:
        """The same as numbers, for programs."""
        scopes = {
            name: {
                **{field: getattr(totals, field) for field in Totals.__slots__},
                "own_cost": self.cost(totals),
                "net": self.net(totals),
                "net_tokens_estimated": self.net(totals) // TOKEN_BYTES,
            }
            for name, totals in self.scopes.items()
        }
        tools = [{"tool": one.tool, "calls": one.calls, "produced": one.raw, "saved": one.saved} for one in self.tools]
        return {"scopes": scopes, "fixed_cost": self.fixed, "tools": tools, "projects": self.projects}

    def _measured(self) -> list[str]:
        names = (f"all projects ({self.projects})", "this project", "this conversation")
        rows: list[tuple[str, ...]] = [("Measured, in bytes", "produced", "saved", "fetched back", "own cost", "net")]
        for name, totals in zip(names, reversed(self.scopes.values()), strict=True):
            numbers = (totals.produced, totals.saved, totals.fetched, self.cost(totals), self.net(totals))
            rows.append((name, *(f"{number:,}" for number in numbers)))
        return _columns(rows)

    def _by_tool(self) -> list[str]:
        brought = (*ledger.INDEXING, *ledger.FETCHING)
        ran = [one for one in self.tools if one.tool not in brought][:_TOOLS_MAX]
        rows: list[tuple[str, ...]] = [("By tool, this project", "calls", "produced", "saved")]
        rows += [(one.tool[:_NAME_MAX], f"{one.calls:,}", f"{one.raw:,}", f"{one.saved:,}") for one in ran]
        rows += [(one.tool, f"{one.calls:,}", "-", "-") for one in self.tools if one.tool in brought]
        return _columns(rows) if self.tools else []

    def _estimated(self) -> list[str]:
        nets = {name: self.net(totals) // TOKEN_BYTES for name, totals in self.scopes.items()}
        shown = ", ".join(f"{net:,} {name}" for name, net in nets.items())
        return [f"Estimated, in tokens at {TOKEN_BYTES} B each: net {shown}."]

    def _words(self) -> list[str]:
        parts = ", ".join(f"{name} {size:,} B" for name, size in self.fixed.items())
        counts = "; ".join(
            f"{totals.conversations:,} {name}" for name, totals in self.scopes.items() if name != "conversation"
        )
        lines = [
            "saved: what calls produced less what they returned, counted once, only where less came back.",
            "fetched back: what searches and journal rows returned later.",
            f"own cost: {parts} in each conversation ({counts}), and the words of our replies.",
            "net: saved less fetched back less own cost; the first line is net of produced.",
            f"Indexed in this project, not counted as saved: {self.scopes['project'].indexed:,} B.",
        ]
        return [*lines, f"{self.unreadable} project(s) could not be read."] if self.unreadable else lines


def fixed_cost(connection: Connection, *, inject: bool) -> dict[str, int]:
    """What we put into every conversation of this host, in bytes, by its parts."""
    listed = registry.listed(connection.part("server").get("tool_meta"))
    parts = {
        "tool list": len(jsonio.dumps(listed).encode()),
        "instructions": len(instructions(connection, registry.TOOLS).encode()),
    }
    return {**parts, "start text at most": limits.HOWTO_MAX} if inject and _tells_at_start(connection) else parts


def _tells_at_start(connection: Connection) -> bool:
    """Whether this host takes a text of ours when a conversation starts."""
    verbs = connection.part("replies").get("verbs")
    takers = verbs.get("context") if isinstance(verbs, dict) else None
    events = connection.part("events")
    records = [events.get(name) for name in takers] if isinstance(takers, dict) else []
    return any(isinstance(record, dict) and record.get("event") == "session_start" for record in records)


def _columns(rows: list[tuple[str, ...]]) -> list[str]:
    """Aligned by blanks: the first column to the left, numbers to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]
