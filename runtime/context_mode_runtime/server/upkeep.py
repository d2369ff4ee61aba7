"""Retention, once a day for a project, after an answer was sent: nobody waits for it (contract, section 8)."""

from __future__ import annotations

import time

from context_mode_runtime import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.project import Project
    from context_mode_runtime.store.db import Store

_DAY_MS = 86_400_000
_LEAP_MS = 7 * _DAY_MS
_LOOK_EVERY_S = 3_600.0
_KEY = "pruned"
_WAITED = "waited"
_DAYS = 30
_MEGABYTES = 1_024

_looked: dict[str, float] = {}


def tidy(project: Project) -> None:
    """Forgets what the policy's `retention` no longer keeps, when no process did so today. Never raises."""
    now = time.monotonic()
    if now - _looked.get(project.key(), now - _LOOK_EVERY_S) < _LOOK_EVERY_S:
        return
    _looked[project.key()] = now
    from context_mode_runtime.server import stores
    from context_mode_runtime.store.errors import StoreError

    try:
        store = stores.take(project.key(), project.name, create=False)
        try:
            if claim(store, time.time_ns() // 1_000_000):
                _prune(store, project)
        finally:
            stores.give_back(project.key(), store)
    except (StoreError, OSError) as error:
        log.log_error("retention", error)


def claim(store: Store, now_ms: int) -> bool:
    """Whether nobody pruned this store in the last day; notes that this process does now. Raises StoreError.

    The first time after more than _LEAP_MS it only notes that: a clock that leapt ahead makes everything look old, and
    one that goes right again within a day has cost nothing.
    """
    with store.write() as db:
        found = db.execute("SELECT value FROM meta WHERE key = ?", (_KEY,)).fetchone()
        last, _, waited = str(found[0]).partition(" ") if found else ("0", "", _WAITED)
        passed = now_ms - int(last)
        if 0 <= passed < _DAY_MS:
            return False
        waits = passed > _LEAP_MS and not waited
        db.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (_KEY, f"{now_ms} {_WAITED}" if waits else str(now_ms)))
        return not waits


def _prune(store: Store, project: Project) -> None:
    from context_mode_runtime.policy.load import load_policy
    from context_mode_runtime.store.retention import prune

    keep = load_policy(project.root).retention
    prune(
        store,
        days=keep.get("days", _DAYS),
        megabytes=keep.get("maxMegabytes", _MEGABYTES),
        now_ms=time.time_ns() // 1_000_000,
    )
