"""What a ledger comes to: by conversation, tool and day, in bytes.

Saved is what a call produced less what it returned, counted once, and only where less came back (field report F67).
Text that was merely indexed is not saved; what a search brought back was not kept out after all.
"""

from __future__ import annotations

from context_mode_runtime.store.sources import list_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    from context_mode_runtime.store.db import Store
    from context_mode_runtime.store.sources import Source

    Key = TypeVar("Key", str, int)

INDEXING = ("ctx_index",)
"""Tools that store a text and return none of it."""
FETCHING = ("ctx_search", "ctx_resume")
"""Tools that bring stored text back."""
DAY_MS = 86_400_000
_COUNTED = ("calls", "produced", "returned", "saved", "fetched", "indexed", "added")


class Totals:
    """Some calls together, in bytes.

    `produced` by calls that ran or replaced something, `returned` of that at once, `saved` of that, `fetched` back by
    searches, `indexed` only, `added` by our own replies to what a call produced.
    """

    __slots__ = _COUNTED

    def __init__(self) -> None:
        self.calls = self.produced = self.returned = self.saved = self.fetched = self.indexed = self.added = 0

    def count(self, cell: Cell) -> None:
        """Adds the calls of one cell."""
        self.calls += cell.calls
        if cell.tool in FETCHING:
            self.fetched += cell.returned
            return
        if cell.tool in INDEXING:
            self.indexed += cell.raw
            self.added += cell.returned
            return
        self.produced += cell.raw
        self.returned += cell.returned
        self.saved += cell.saved
        self.added += cell.returned - cell.raw + cell.saved

    def data(self) -> dict[str, int]:
        """The numbers by their names."""
        return {name: getattr(self, name) for name in _COUNTED}


class Cell:
    """Calls of one tool in one conversation (None: nobody's) on one day (of UTC, counted from 1970).

    `raw`: bytes that they saw, `returned`: bytes that reached the conversation, `saved`: what those that returned less
    than they saw kept out.
    """

    __slots__ = ("calls", "conversation", "day", "raw", "returned", "saved", "tool")

    def __init__(self, row: tuple[str | None, str, int, int, int, int, int]) -> None:
        self.conversation, self.tool, self.day, self.calls, self.raw, self.returned, self.saved = row


class Account:
    """The `cells` of some calls, and of each conversation its first and last event, in ms since 1970."""

    __slots__ = ("cells", "conversations")

    def __init__(self, cells: list[Cell], conversations: dict[str, tuple[int, int]]) -> None:
        self.cells = cells
        self.conversations = conversations

    def of(self, conversation: str) -> Account:
        """The part of one conversation; empty when it is not known."""
        return self.by_conversation().get(conversation) or Account([], {})

    def by_conversation(self) -> dict[str, Account]:
        """The part of each conversation, by its key."""
        found = {key: Account([], {key: times}) for key, times in self.conversations.items()}
        for cell in self.cells:
            if cell.conversation is not None:
                found[cell.conversation].cells.append(cell)
        return found

    def newest(self) -> str | None:
        """The conversation with the last event."""
        return max(self.conversations, key=lambda key: self.conversations[key][1], default=None)

    def totals(self) -> Totals:
        """All of it."""
        return _sum(self.cells)

    def by_tool(self) -> dict[str, Totals]:
        """The totals of each tool, that which saved most first."""
        found = _grouped(self.cells, lambda cell: cell.tool)
        return dict(sorted(found.items(), key=lambda item: (-item[1].saved, -item[1].produced, item[0])))

    def by_day(self) -> dict[int, Totals]:
        """The totals of each day with a call, in order."""
        return dict(sorted(_grouped(self.cells, lambda cell: cell.day).items()))


def joined(accounts: Iterable[Account]) -> Account:
    """Several projects together; a conversation that worked in two of them is one."""
    cells: list[Cell] = []
    conversations: dict[str, tuple[int, int]] = {}
    for one in accounts:
        cells += one.cells
        for key, (first, last) in one.conversations.items():
            _lasting(conversations, key, first, last)
    return Account(cells, conversations)


def account(store: Store) -> Account:
    """What the project's ledger holds. Raises StoreError."""
    with store.read() as db:
        cells = db.execute(
            f"SELECT conversation, tool, at / {DAY_MS}, count(*), sum(raw), sum(returned), sum(max(raw - returned, 0)),"
            " min(at), max(at) FROM ledger GROUP BY conversation, tool, 3"
        ).fetchall()
        told = db.execute("SELECT conversation, min(at), max(at) FROM journal GROUP BY conversation").fetchall()
    conversations: dict[str, tuple[int, int]] = {}
    for key, first, last in (*told, *((row[0], *row[7:]) for row in cells if row[0] is not None)):
        _lasting(conversations, key, first, last)
    return Account([Cell(row[:7]) for row in cells], conversations)


def largest_outputs(store: Store, limit: int) -> list[Source]:
    """The largest texts that calls produced, the largest first; nothing that was indexed, no memory file."""
    bringing = (*INDEXING, *FETCHING)
    marks = ",".join("?" * len(bringing))
    with store.read() as db:
        found = db.execute(
            f"SELECT id FROM sources WHERE tool NOTNULL AND tool NOT IN ({marks}) ORDER BY bytes DESC, id LIMIT ?",
            (*bringing, limit),
        ).fetchall()
    numbers = tuple(row[0] for row in found)
    known = {one.id: one for one in list_sources(store, f"id IN ({','.join('?' * len(numbers))})", numbers)}
    return [known[number] for number in numbers if number in known]


def _lasting(conversations: dict[str, tuple[int, int]], key: str, first: int, last: int) -> None:
    known = conversations.get(key, (first, last))
    conversations[key] = (min(first, known[0]), max(last, known[1]))


def _sum(cells: Iterable[Cell]) -> Totals:
    found = Totals()
    for cell in cells:
        found.count(cell)
    return found


def _grouped(cells: Iterable[Cell], key: Callable[[Cell], Key]) -> dict[Key, Totals]:
    found: dict[Key, Totals] = {}
    for cell in cells:
        found.setdefault(key(cell), Totals()).count(cell)
    return found
