"""The ledger: what each call saw and what reached the conversation, in bytes. No text; `accounts` reads it."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.store.db import Store


def add_call(store: Store, tool: str, raw: int, returned: int, conversation: str | None = None) -> None:
    """Notes one call. Raises StoreError."""
    with store.write() as db:
        db.execute(
            "INSERT INTO ledger(at, conversation, tool, raw, returned) VALUES(?, ?, ?, ?, ?)",
            (time.time_ns() // 1_000_000, conversation, tool, raw, returned),
        )
