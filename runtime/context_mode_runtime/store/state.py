"""The state block: what a conversation needs to go on after its context was compacted (contract, section 6).

Chosen by rule from the conversation's own rows: the last request, files being edited, the last failure, decisions,
open tasks, then commits, sub-agents and pages. The same rows always give the same bytes.
"""

from __future__ import annotations

from context_mode_runtime import limits
from context_mode_runtime.store import blocks, journal
from context_mode_runtime.store.cuts import size_of
from context_mode_runtime.store.journal import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.store.db import Store

_MORE = 'more: ctx_search(queries:[], scope:"session")'
_END = "</context_mode_state>"
_ROWS = 5_000
_CLOSED = frozenset(("done", "completed", "complete", "cancelled", "canceled", "deleted", "removed", "closed"))
_PLAN = (
    ("prompt", "request", 1),
    ("failure", "failing", 1),
    ("edit", "editing", 8),
    ("decision", "decision", 5),
    ("task", "task", 8),
    ("commit", "commit", 2),
    ("subagent", "subagent", 3),
    ("fetch", "fetched", 3),
)
"""Kind of row, its word in the block, at most how many; in the order in which room is given and lines are shown."""


def state_block(store: Store, conversation: str | None) -> str:
    """The block for a conversation, at most STATE_BUDGET bytes in whole lines; empty without rows or identity."""
    rows = journal.rows(store, conversation, limit=_ROWS) if conversation is not None else []
    if not rows or conversation is None:
        return ""
    head = _head(conversation, rows[-1].seq)
    room = limits.STATE_BUDGET - sum(size_of(text) + 1 for text in (head, _MORE)) - size_of(_END)
    lines = []
    for kind, word, count in _PLAN:
        for row in _chosen(rows, kind)[-count:]:
            line = _line(word, row)
            room -= size_of(line) + 1
            if room < 0:
                break
            lines.append(line)
        if room < 0:
            break
    return "\n".join((head, *lines, _MORE, _END))


def empty_block(conversation: str) -> str:
    """The block of a conversation without rows."""
    return "\n".join((_head(conversation, 0), _MORE, _END))


def _head(conversation: str, upto: int) -> str:
    return f'<context_mode_state session="{blocks.attribute(conversation)[:200]}" upto="{upto}">'


def _line(word: str, row: Row) -> str:
    if row.detail and row.kind == "failure":
        return blocks.failure_line(word, row.seq, row.text, row.detail)
    told = f"{row.text}: {row.detail}" if row.detail and row.kind in ("decision", "subagent") else row.text
    return blocks.line(word, row.seq, told)


def _chosen(rows: list[Row], kind: str) -> list[Row]:
    """The rows of `kind` that count, in order; of rows with the same text the last one."""
    last = {row.text: row for row in rows if row.kind == kind}
    if kind == "failure":
        passed = {row.text: row.seq for row in rows if row.kind == "command"}
        last = {text: row for text, row in last.items() if passed.get(text, 0) < row.seq}
    if kind == "task":
        last = _open_tasks(last)
    return sorted(last.values(), key=lambda row: row.seq)


def _open_tasks(last: dict[str, Row]) -> dict[str, Row]:
    """Of single tasks those that aren't done; a whole list (`[state] words; [state] words`) replaces older ones."""
    lists = [row for row in last.values() if row.text.startswith("[") and "] " in row.text]
    newest = max(lists, key=lambda row: row.seq, default=None)
    after = newest.seq if newest else 0
    out = {text: row for text, row in last.items() if row.seq > after and (row.detail or "").lower() not in _CLOSED}
    for item in newest.text[1:].split("; [") if newest else ():
        state, _, words = item.partition("] ")
        if newest and state.lower() not in _CLOSED:
            out[words] = Row((newest.seq, newest.conversation, newest.kind, words, None, newest.at))
    return out


def hold_state(store: Store, conversation: str | None) -> bool:
    """At a compaction: stores the block as it is now, due once, and one match block behind it. False without rows."""
    with store.write() as db:
        block = state_block(store, conversation)
        if not block:
            return False
        upto = db.execute("SELECT max(seq) FROM journal WHERE conversation = ?", (conversation,)).fetchone()[0]
        db.execute("INSERT OR REPLACE INTO held VALUES(?, ?, ?, 1, 1)", (conversation, upto, block))
    return True


def take_state(store: Store, conversation: str | None) -> str:
    """The block that is due, and from now on no more; empty when none is. Two processes never both get it."""
    return _take(store, conversation, "state_due", "block")


def take_match(store: Store, conversation: str | None) -> int:
    """Of a compaction whose match block is due: the last row before it. 0: none is, or the state block comes first."""
    return int(_take(store, conversation, "match_due", "upto", " AND NOT state_due") or 0)


def _take(store: Store, conversation: str | None, flag: str, column: str, condition: str = "") -> str:
    where = f"conversation = ? AND {flag}{condition}"
    if conversation is None:
        return ""
    with store.read() as db:
        if not db.execute(f"SELECT 1 FROM held WHERE {where}", (conversation,)).fetchone():
            return ""
    with store.write() as db:
        row = db.execute(f"SELECT {column} FROM held WHERE {where}", (conversation,)).fetchone()
        db.execute(f"UPDATE held SET {flag} = 0 WHERE {where}", (conversation,))
    return str(row[0]) if row else ""
