"""Retention goes by last use, has a size cap, and says in the log what it took."""

from __future__ import annotations

from pathlib import Path

from context_mode_runtime.store import accounts, ledger
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.journal import add_row, rows
from context_mode_runtime.store.retention import prune
from context_mode_runtime.store.sources import add_source, list_sources, now_ms

DAY = 86_400_000


def age(store: Store, table: str, column: str, days: float, where: str) -> None:
    store.db.execute(f"UPDATE {table} SET {column} = {column} - ? WHERE {where}", (int(days * DAY),))  # noqa: S608


def labels(store: Store) -> list[str]:
    return sorted(source.label for source in list_sources(store))


def test_what_was_used_lately_stays_however_old_it_is(store: Store, home: Path) -> None:
    for name in ("old", "lively"):
        for _ in range(2):
            add_row(store, name, "prompt", f"about {name}")
        add_source(store, f"text of {name}", label=name, kind="text", conversation=name)
    age(store, "journal", "at", 40, "conversation = 'old' OR seq = 3")
    age(store, "sources", "made", 40, "1")
    age(store, "sources", "used", 40, "label = 'old'")
    assert prune(store, days=30, megabytes=0, now_ms=now_ms()) > 0
    assert labels(store) == ["lively"]
    assert (len(rows(store, "old")), len(rows(store, "lively"))) == (0, 2)
    log = (home / ".context-mode" / "hook-errors.log").read_text()
    assert "conversation old, unused for 30 days" in log
    assert prune(store, days=30, megabytes=0, now_ms=now_ms()) == 0


def test_zero_days_keep_for_ever(store: Store) -> None:
    add_source(store, "text", label="a", kind="text")
    age(store, "sources", "used", 4000, "1")
    assert prune(store, days=0, megabytes=0, now_ms=now_ms()) == 0


def test_over_the_size_the_ones_unused_longest_go(store: Store) -> None:
    for number in range(30):
        text = "".join(f"line {line} word{number}x{line}\n" for line in range(3_000))
        add_source(store, text, label=f"{number:02}", kind="log")
        age(store, "sources", "used", 29 - number, f"label = '{number:02}'")
    assert prune(store, days=0, megabytes=3, now_ms=now_ms()) > 0
    left = labels(store)
    assert left
    assert left[-1] == "29"
    assert left == [f"{number:02}" for number in range(30 - len(left), 30)]


def test_what_a_forgotten_conversation_saved_still_counts(store: Store) -> None:
    """All time is all time (F67): the ledger holds numbers and no text."""
    add_row(store, "old", "prompt", "about old")
    ledger.add_call(store, "Bash", 10_001, 725, "old")
    age(store, "journal", "at", 40, "1")
    assert prune(store, days=30, megabytes=0, now_ms=now_ms()) > 0
    assert rows(store, "old") == []
    assert accounts.account(store).totals().saved == 9_276
