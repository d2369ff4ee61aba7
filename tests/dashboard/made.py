"""Stores made for what reads them: calls on several days, outputs, journals, texts that mean harm."""

from __future__ import annotations

from pathlib import Path

from context_mode_runtime.project import find_project
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.journal import add_row
from context_mode_runtime.store.sources import add_source

DAY_MS = 86_400_000
NOON = 1_795_953_600_000
"""2026-11-29, 12:00 UTC."""
Row = tuple[int, str | None, str, int, int]
"""Day before NOON, conversation, tool, bytes that it saw, bytes that it returned."""

CALLS: tuple[Row, ...] = (
    (3, "claude-code:c-1", "Bash", 1_200_000, 4_000),
    (3, "claude-code:c-1", "Read", 300_000, 4_010),
    (3, "claude-code:c-1", "ctx_index", 50_000, 70),
    (2, "claude-code:c-1", "ctx_search", 0, 1_500),
    (2, "codex:c-2", "ctx_execute", 90_000, 4_090),
    (2, "codex:c-2", "ctx_execute", 6, 19),
    (0, "codex:c-2", "ctx_batch", 640_000, 16_000),
    (0, None, "Bash", 20_000, 2_000),
)
ELSEWHERE: tuple[Row, ...] = ((1, "claude-code:c-3", "Bash", 40_000, 4_000),)


def key_of(folder: Path) -> str:
    """The key of the project in this folder."""
    found = find_project(str(folder))
    assert found
    return found.key()


def open_store(folder: Path) -> Store:
    """The store of the project in this folder, made where it is missing."""
    found = find_project(str(folder))
    assert found
    return Store.open(found.key(), name=found.name)


def add_calls(folder: Path, rows: tuple[Row, ...]) -> None:
    """Calls at the times that their rows say."""
    with open_store(folder) as store, store.write() as db:
        db.executemany(
            "INSERT INTO ledger(at, conversation, tool, raw, returned) VALUES(?, ?, ?, ?, ?)",
            [(NOON - row[0] * DAY_MS, *row[1:]) for row in rows],
        )


def add_texts(folder: Path) -> None:
    """Two outputs, an indexed page, and what a conversation did."""
    log = "".join(f"10:{n // 60:02}:{n % 60:02} INFO worker handled request {n}\n" for n in range(600))
    found = find_project(str(folder))
    assert found
    with open_store(folder) as store:
        for label, text, tool in (
            ("pytest -q", log + "ERROR payment 7731 refused: card expired\n", "Bash"),
            ("git log --stat", "commit 1\n\n    numbat retries four times\n" * 40, "Bash"),
            ("docs/guide.md", "# Guide\n\nThe numbat retries four times.\n", "ctx_index"),
        ):
            add_source(
                store, text, label=label, kind="markdown" if label.endswith(".md") else "log",
                worktree=found.worktree, tool=tool, conversation="claude-code:c-1",
            )  # fmt: skip
        for kind, text, detail in (
            ("prompt", "fix the payment test", None),
            ("edit", "src/pay.py", None),
            ("failure", "pytest -q", "1 failed: payment 7731 refused"),
            ("decision", "retry four times", None),
        ):
            add_row(store, "claude-code:c-1", kind, text, detail=detail)
