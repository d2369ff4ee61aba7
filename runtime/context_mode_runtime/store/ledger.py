"""The ledger: what each call saw and what reached the conversation, in bytes. No text."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.store.db import Store


class Sum:
    """Calls of one tool: how many, bytes that they saw (`raw`), bytes that reached the conversation (`returned`)."""

    __slots__ = ("calls", "raw", "returned", "tool")

    def __init__(self, tool: str, calls: int, raw: int, returned: int) -> None:
        self.tool = tool
        self.calls = calls
        self.raw = raw
        self.returned = returned


def add_call(store: Store, tool: str, raw: int, returned: int, conversation: str | None = None) -> None:
    """Notes one call. Raises StoreError."""
    with store.write() as db:
        db.execute(
            "INSERT INTO ledger(at, conversation, tool, raw, returned) VALUES(?, ?, ?, ?, ?)",
            (time.time_ns() // 1_000_000, conversation, tool, raw, returned),
        )


def sums(store: Store, conversation: str | None = None) -> list[Sum]:
    """One Sum a tool, the one that saw most first; of one conversation when it is given, else of all time."""
    where = "" if conversation is None else " WHERE conversation = ?"
    with store.read() as db:
        found = db.execute(
            f"SELECT tool, count(*), sum(raw), sum(returned) FROM ledger{where} GROUP BY tool ORDER BY 3 DESC, tool",
            () if conversation is None else (conversation,),
        ).fetchall()
    return [Sum(*row) for row in found]
