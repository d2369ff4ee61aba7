"""The journal: what happened in a conversation, one row an event, numbered through the project."""

from __future__ import annotations

import time

from context_mode_runtime.redact import redact
from context_mode_runtime.store.db import mended

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from context_mode_runtime.store.db import Store

KINDS = (
    "prompt", "edit", "command", "failure", "decision", "task", "subagent", "commit", "fetch", "read", "search", "note",
)  # fmt: skip
"""Kinds the state block knows; others are stored and found all the same."""

LOOKED_THROUGH = 10_000
"""How many of a conversation's newest rows a hook looks through: its time may not grow with the journal."""


class Row:
    """One event: `seq` in the project, `conversation`, `kind`, `text`, `detail` or None, `at` in ms since 1970."""

    __slots__ = ("at", "conversation", "detail", "kind", "seq", "text")

    def __init__(self, row: tuple[int, str, str, str, str | None, int]) -> None:
        self.seq, self.conversation, self.kind, self.text, self.detail, self.at = row


def add_row(store: Store, conversation: str, kind: str, text: str, *, detail: str | None = None) -> int:
    """Stores one event, secrets cut out, and returns its number. Raises StoreError.

    `text` by kind: prompt the prompt, edit and read the path, command and failure the command line, decision and task
    its words, commit the message, fetch the URL, subagent what it was asked. `detail`: of a failure the error, of a
    task its state (`open`, `done`, ...), of a sub-agent its answer.
    """
    text = redact(_plain(text), store.secret_names)[0]
    detail = None if detail is None else redact(_plain(detail), store.secret_names)[0]
    return mended(store, lambda: _write(store, (conversation, kind, text, detail, time.time_ns() // 1_000_000)))


def _write(store: Store, values: tuple[str, str, str, str | None, int]) -> int:
    with store.write() as db:
        inserted = db.execute(
            "INSERT INTO journal(conversation, kind, text, detail, at) VALUES(?, ?, ?, ?, ?)",
            values,
        )
        seq = int(inserted.lastrowid or 0)
        db.execute("INSERT INTO journal_words(rowid, text, detail) VALUES(?, ?, ?)", (seq, *values[2:4]))
    return seq


def _plain(text: str) -> str:
    """Without lone surrogates, which no database takes: they become U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def rows(
    store: Store, conversation: str, *, kinds: Iterable[str] = (), after: int = 0, limit: int = 10_000
) -> list[Row]:
    """The newest `limit` events of a conversation behind number `after`, in order.

    When `kinds` are named, of these, among its newest LOOKED_THROUGH events.
    """
    wanted = tuple(kinds)
    where = f" WHERE kind IN ({','.join('?' * len(wanted))})" if wanted else ""
    with store.read() as db:
        found = db.execute(
            "SELECT * FROM (SELECT seq, conversation, kind, text, detail, at FROM journal WHERE conversation = ?"
            f" AND seq > ? ORDER BY seq DESC LIMIT ?){where} ORDER BY seq DESC LIMIT ?",
            (conversation, after, LOOKED_THROUGH if wanted else limit, *wanted, limit),
        ).fetchall()
    return [Row(row) for row in reversed(found)]


def last_prompts(store: Store) -> dict[str, str]:
    """What was asked last in each conversation with a prompt, by its key."""
    with store.read() as db:
        found = db.execute(
            "SELECT conversation, text, max(seq) FROM journal WHERE kind = 'prompt' GROUP BY conversation"
        ).fetchall()
    return {str(key): str(text) for key, text, _ in found}


def row(store: Store, seq: int) -> Row | None:
    """The event with this number, whichever conversation it belongs to, or None."""
    with store.read() as db:
        found = db.execute(
            "SELECT seq, conversation, kind, text, detail, at FROM journal WHERE seq = ?", (seq,)
        ).fetchone()
    return Row(found) if found else None


def last_prompt(store: Store, conversation: str | None) -> str:
    """The latest prompt of a conversation, or an empty string."""
    found = rows(store, conversation, kinds=("prompt",), limit=1) if conversation else []
    return found[0].text if found else ""


def numbers(store: Store) -> tuple[int, int]:
    """The first and the last number in the project's journal; (0, 0) when it is empty."""
    with store.read() as db:
        first, last = db.execute("SELECT coalesce(min(seq), 0), coalesce(max(seq), 0) FROM journal").fetchone()
    return int(first), int(last)


def conversations(store: Store) -> list[tuple[str, int, int]]:
    """(key, rows, time of the last row in ms since 1970) of each conversation, the one with the newest row first."""
    with store.read() as db:
        found = db.execute(
            "SELECT conversation, count(*), max(at) FROM journal GROUP BY conversation ORDER BY max(seq) DESC"
        ).fetchall()
    return [(str(key), int(count), int(at)) for key, count, at in found]
