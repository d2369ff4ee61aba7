"""Forgets what nobody used for long, and keeps the file below its size. Every removal stands in the log (F52)."""

from __future__ import annotations

from context_mode_runtime import log
from context_mode_runtime.store import purge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.store.db import Store

_DAY_MS = 86_400_000
_MEGABYTE = 1024 * 1024
_ALL = 1_000_000
_STEP = 20


def prune(store: Store, *, days: int, megabytes: int, now_ms: int) -> int:
    """Deletes conversations and sources unused for `days` (0: never), then sources until `megabytes` hold the rest.

    Those unused longest go first; what was used in the last day stays. Returns how many rows went. Raises StoreError.
    """
    gone = 0
    _end_deserted(store, now_ms - _DAY_MS)
    if days:
        for conversation in _quiet(store, now_ms - days * _DAY_MS):
            gone += purge.purge_session(store, conversation, keep_ledger=True)
            log.log_error("retention", f"{store.name}: conversation {conversation}, unused for {days} days")
        gone += _drop(store, now_ms - days * _DAY_MS, f"unused for {days} days", _ALL)
    if megabytes and _size(store) > megabytes * _MEGABYTE:
        gone += _shrink(store, megabytes, now_ms)
    return gone


def _end_deserted(store: Store, before: int) -> None:
    """Sources whose process died while they grew grow no more."""
    with store.write() as db:
        db.execute("UPDATE sources SET live = 0 WHERE live AND used < ?", (before,))


def _quiet(store: Store, before: int) -> list[str]:
    """Conversations whose last event is older, and that read nothing since."""
    with store.read() as db:
        rows = db.execute(
            "SELECT conversation FROM journal GROUP BY conversation HAVING max(at) < ?1 AND NOT EXISTS"
            " (SELECT 1 FROM readers r JOIN sources s ON s.id = r.source"
            " WHERE r.conversation = journal.conversation AND s.used >= ?1)",
            (before,),
        )
        return [row[0] for row in rows]


def _drop(store: Store, before: int, why: str, limit: int) -> int:
    """Deletes up to `limit` sources last used before then, the one unused longest first."""
    with store.read() as db:
        found = db.execute(
            "SELECT id, label FROM sources WHERE NOT live AND used < ? ORDER BY used LIMIT ?", (before, limit)
        ).fetchall()
    for number, label in found:
        log.log_error("retention", f"{store.name}: s{number} {label}, {why}")
    return purge.purge_sources(store, [number for number, _ in found]) if found else 0


def _shrink(store: Store, megabytes: int, now_ms: int) -> int:
    gone = 0
    while _size(store) > megabytes * _MEGABYTE:
        dropped = _drop(store, now_ms - _DAY_MS, f"the store is over {megabytes} MB", _STEP)
        if not dropped:
            break
        gone += dropped
    return gone


def _size(store: Store) -> int:
    """Bytes of the pages in use."""
    pages, free, size = (
        int(store.db.execute(f"PRAGMA {name}").fetchone()[0]) for name in ("page_count", "freelist_count", "page_size")
    )
    return (pages - free) * size
