"""The search budget: how many hits a query may bring, by the calls that a conversation made in the last minute.

Kept in the project's database, so that all processes of one conversation share it (contract, section 7).
"""

from __future__ import annotations

from context_mode_runtime import limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection

    from context_mode_runtime.store.db import Store

UNLIMITED = 1 << 30
"""What `spend` returns for a caller outside the budget."""


class BudgetRules:
    """Calls 1 to `full_calls` in `window_ms` bring `full_hits` hits a query, up to `calls` `later_hits`, then none."""

    __slots__ = ("calls", "full_calls", "full_hits", "later_hits", "window_ms")

    def __init__(
        self,
        *,
        window_ms: int = limits.BUDGET_WINDOW_MS,
        full_calls: int = 3,
        full_hits: int = 2,
        calls: int = 8,
        later_hits: int = 1,
    ) -> None:
        self.window_ms = window_ms
        self.full_calls = full_calls
        self.full_hits = full_hits
        self.calls = calls
        self.later_hits = later_hits


class BudgetSpentError(Exception):
    """The conversation made too many calls; the message says what to do and when the next one is free."""


BudgetSpent = BudgetSpentError


def spend(store: Store, conversation: str | None, now_ms: int, rules: BudgetRules | None = None) -> int:
    """Notes a search call at `now_ms` and returns the hits a query may bring; UNLIMITED without a conversation.

    A call leaves the window exactly `window_ms` after it was made. Raises BudgetSpentError, which notes nothing, and
    StoreError.
    """
    if conversation is None:
        return UNLIMITED
    rules = rules or BudgetRules()
    with store.write() as db:
        calls = _calls(db, conversation, now_ms, rules.window_ms)
        if len(calls) >= rules.calls:
            wait = calls[-rules.calls] + rules.window_ms - now_ms
            raise BudgetSpentError(
                f"{len(calls)} search calls in {rules.window_ms // 1000} s: put all queries into one call "
                f'(queries: ["...", "..."]), or wait {max(wait, 1)} ms'
            )
        calls.append(now_ms)
        _keep(db, conversation, now_ms, calls)
    return rules.full_hits if len(calls) <= rules.full_calls else rules.later_hits


def _calls(db: Connection, conversation: str, now_ms: int, window_ms: int) -> list[int]:
    """Times of the calls in the window, in order. Those far in the future come from a clock that was set back."""
    row = db.execute("SELECT calls FROM search_calls WHERE conversation = ?", (conversation,)).fetchone()
    times = sorted(int(time) for time in row[0].split()) if row else []
    return [time for time in times if now_ms - window_ms < time <= now_ms + window_ms]


def _keep(db: Connection, conversation: str, now_ms: int, calls: list[int]) -> None:
    db.execute(
        "INSERT INTO search_calls VALUES(?, ?, ?) ON CONFLICT(conversation) DO UPDATE SET used = excluded.used,"
        " calls = excluded.calls",
        (conversation, now_ms, " ".join(map(str, calls))),
    )
    surplus = db.execute("SELECT count(*) FROM search_calls").fetchone()[0] - limits.BUDGET_CONVERSATIONS
    if surplus > 0:
        db.execute(
            "DELETE FROM search_calls WHERE conversation IN"
            " (SELECT conversation FROM search_calls WHERE conversation <> ? ORDER BY used, conversation LIMIT ?)",
            (conversation, surplus),
        )
