"""The savings report in words: its tables as rows of texts, its method in lines, and the reply of `ctx_stats`."""

from __future__ import annotations

import time

from context_mode_runtime.server.savings import TOKEN_BYTES
from context_mode_runtime.store import accounts, blocks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.server.savings import Report, Scope

    Row = tuple[str, ...]
    Bars = list[int]
    """One number a row, for a bar; the title's is 0."""

_TOOLS_MAX = 12
_DAYS_MAX = 7
_LARGEST_MAX = 3
_NAME_MAX = 32
_LABEL_MAX = 60
METHOD = (
    "saved = produced - returned, counted once, only where less came back; own cost = our texts + the words of our "
    "replies; net = saved - fetched back - own cost; kept out = net of produced, at least 0; "
    f"a token = {TOKEN_BYTES} B."
)
"""How the numbers come about, on one line."""


def text(report: Report) -> str:
    """The reply of `ctx_stats`: at most 4 KB."""
    percents = [f"{report.scopes[name].percent:.1f}%" for name in ("all", "conversation")]
    parts = [
        [f"ctx_stats: {percents[0]} kept out all-time, {percents[1]} this session."],
        columns(scopes(report, "this conversation")),
        columns(tools(report.scopes["project"], "this project")[0][: _TOOLS_MAX + 1]),
        columns(days(report.scopes["project"], "this project")[0]),
        columns(largest(report, _LARGEST_MAX)),
        method(report),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part)


def scopes(report: Report, conversation: str | None) -> list[Row]:
    """The three scopes side by side; the conversation under this title, left out where there is none."""
    titles = {
        **({"conversation": conversation} if conversation else {}),
        "project": "this project",
        "all": f"all projects ({len(report.books.found)})",
    }
    found = [report.scopes[name] for name in titles]

    def row(title: str, numbers: list[int]) -> Row:
        return (title, *(f"{number:,}" for number in numbers))

    return [
        ("Measured, in bytes", *titles.values()),
        row("produced", [one.totals.produced for one in found]),
        row("saved", [one.totals.saved for one in found]),
        row("fetched back", [one.totals.fetched for one in found]),
        row("own cost", [one.cost for one in found]),
        row("net", [one.net for one in found]),
        ("kept out (net)", *map(share, found)),
        row("calls", [one.totals.calls for one in found]),
        row("conversations", [len(one.account.conversations) for one in found]),
        row("indexed, not saved", [one.totals.indexed for one in found]),
        row("net, estimated in tokens", [one.net // TOKEN_BYTES for one in found]),
    ]


def share(scope: Scope) -> str:
    """What was kept out, `82.5%`; `-` where nothing was produced."""
    return f"{scope.percent:.1f}%" if scope.totals.produced else "-"


def tools(scope: Scope, where: str) -> tuple[list[Row], Bars]:
    """Calls, bytes produced and saved of each tool, that which saved most first; what only brings texts has a dash."""
    rows: list[Row] = [(f"By tool, {where}", "calls", "produced", "saved")]
    bars = [0]
    for tool, one in scope.account.by_tool().items():
        brings = tool in (*accounts.INDEXING, *accounts.FETCHING)
        numbers = ("-", "-") if brings else (f"{one.produced:,}", f"{one.saved:,}")
        rows.append((_named(tool, _NAME_MAX), f"{one.calls:,}", *numbers))
        bars.append(one.saved)
    return (rows, bars) if len(rows) > 1 else ([], [])


def days(scope: Scope, where: str, most: int = _DAYS_MAX) -> tuple[list[Row], Bars]:
    """The last days with a call or a new conversation, the newest first."""
    found = scope.days()[: -most - 1 : -1]
    rows: list[Row] = [(f"By day (UTC), {where}", "calls", "produced", "saved", "net")]
    names = ("calls", "produced", "saved", "net")
    rows += [(str(day["day"]), *(f"{day[name]:,}" for name in names)) for day in found]
    return (rows, [0, *(int(str(day["saved"])) for day in found)]) if found else ([], [])


def largest(report: Report, most: int) -> list[Row]:
    """The largest outputs that are stored: what they are called, how large, and where to read them."""
    rows: list[Row] = [("Largest outputs stored", "bytes", "source")]
    rows += [(_named(one.label, _LABEL_MAX), f"{one.bytes:,}", one.sid) for _, one in report.largest[:most]]
    return rows if len(rows) > 1 else []


def method(report: Report) -> list[str]:
    """What the words mean, our fixed cost by agent, and what could not be read."""
    costs = [_cost(agent, parts) for agent, parts in report.fixed.parts.items()]
    lines = [METHOD, *costs[:_LARGEST_MAX]]
    if report.books.unreadable:
        lines.append(f"{len(report.books.unreadable)} project(s) could not be read.")
    return lines


def _cost(agent: str, parts: dict[str, int]) -> str:
    of = ", ".join(f"{name} {size:,} B" for name, size in parts.items())
    return f"own cost of each conversation{f', {agent}' if agent else ''}: {of}."


def when(at: int) -> str:
    """A time in ms since 1970 for people."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(at / 1000))


def columns(rows: list[Row]) -> list[str]:
    """Aligned by blanks: the first column to the left, the others to the right."""
    if not rows:
        return []
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        ).rstrip()
        for row in rows
    ]


def _named(name: str, most: int) -> str:
    """A name that somebody else chose, on one line, cut to `most` bytes."""
    data = blocks.plain(name).encode()
    return data.decode() if len(data) <= most else data[: most - 3].decode(errors="ignore") + "..."
