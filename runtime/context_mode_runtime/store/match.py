"""The match block: rows of this conversation's journal that match the prompt at hand, by BM25."""

from __future__ import annotations

from context_mode_runtime import limits
from context_mode_runtime.store import blocks
from context_mode_runtime.store.cuts import size_of
from context_mode_runtime.store.db import mended
from context_mode_runtime.store.journal import LOOKED_THROUGH
from context_mode_runtime.store.query import Query

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.store.db import Store

    Found = tuple[int, str, str, str | None]
    """seq, kind, text, detail."""

_HEAD = "<context_mode_match>"
_END = "</context_mode_match>"
_COUNT = 5
_WEIGHTS = "2.0, 1.0"
_ALL = (0, 1 << 62)
_RANGE = 100_000


def match_block(store: Store, conversation: str | None, prompt: str, *, upto: int = 1 << 62) -> str:
    """At most five rows up to number `upto` that match `prompt`, the best first; empty when none does.

    Rows with the very text of the prompt, repeats of one row, and what stands before the conversation's newest
    LOOKED_THROUGH rows or the project's newest _RANGE numbers are left out. At most STATE_BUDGET bytes.
    """
    lines: dict[tuple[str, str], str] = {}
    span = (_begin(store, conversation, upto), upto)
    for seq, kind, text, detail in matching_rows(store, conversation, prompt, 4 * _COUNT, span=span):
        if (kind, text) not in lines:
            lines[kind, text] = _line(seq, kind, text, detail)
    return _block(list(lines.values())[:_COUNT])


def _line(seq: int, kind: str, text: str, detail: str | None) -> str:
    if detail and kind == "failure":
        return blocks.failure_line(kind, seq, text, detail)
    return blocks.line(kind, seq, f"{text}: {detail}" if detail else text)


def matching_rows(
    store: Store, conversation: str | None, words: str, limit: int, *, span: tuple[int, int] = _ALL
) -> list[Found]:
    """At most `limit` rows of a conversation's journal that hold some of `words`, the best first by BM25.

    `span`: the first and the last number that counts. A row with the very text of `words` is left out. Raises
    StoreError.
    """
    terms = Query(words).terms
    if conversation is None or not terms:
        return []
    match = " OR ".join(term.fts for term in terms)
    values = (match, conversation, *span, words, limit)
    return mended(store, lambda: _matches(store, values))


def _begin(store: Store, conversation: str | None, upto: int) -> int:
    """The first row that a match block looks at."""
    own = "SELECT seq FROM journal WHERE conversation = ?1 AND seq <= ?2 ORDER BY seq DESC LIMIT 1"
    with store.read() as db:
        last, first = db.execute(f"SELECT ({own}), ({own} OFFSET ?3)", (conversation, upto, LOOKED_THROUGH)).fetchone()
    return max(first or 0, (last or 0) - _RANGE)


def _matches(store: Store, values: tuple[object, ...]) -> list[Found]:
    with store.read() as db:
        return db.execute(
            "SELECT j.seq, j.kind, j.text, j.detail FROM journal_words w JOIN journal j ON j.seq = w.rowid"
            " WHERE journal_words MATCH ? AND j.conversation = ? AND w.rowid BETWEEN ? AND ? AND j.text <> ?"
            f" ORDER BY bm25(journal_words, {_WEIGHTS}), j.seq DESC LIMIT ?",
            values,
        ).fetchall()


def _block(lines: list[str]) -> str:
    room = limits.STATE_BUDGET - size_of(_HEAD) - size_of(_END) - 1
    kept = []
    for line in lines:
        room -= size_of(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join((_HEAD, *kept, _END)) if kept else ""
