"""What is known of a page besides its text: where it came from, when, and what the server said to tell versions by."""

from __future__ import annotations

from context_mode_runtime.store.sources import Source, list_sources, now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.store.db import Store


class KnownPage:
    """A stored page: its `source`, the `url` after redirects, `etag` and `modified` (may be empty), `fetched` in ms."""

    __slots__ = ("etag", "fetched", "modified", "source", "url")

    def __init__(self, source: Source, url: str, etag: str, modified: str, fetched: int) -> None:
        self.source = source
        self.url = url
        self.etag = etag
        self.modified = modified
        self.fetched = fetched


def known_page(store: Store, origin: str, worktree: str | None, label: str | None = None) -> KnownPage | None:
    """The newest page of this origin in this worktree, with `label` only one that is called so. Raises StoreError."""
    where, values = "origin = ? AND worktree IS ? AND NOT live", (origin, worktree)
    more = (" AND label = ?", (label,)) if label else ("", ())
    with store.read() as db:
        found = list_sources(store, where + more[0], values + more[1], 1)
        if not found:
            return None
        row = db.execute(
            "SELECT page_url, page_etag, page_modified, page_fetched FROM sources WHERE id = ?", (found[0].id,)
        ).fetchone()
    url, etag, modified, fetched = row
    return KnownPage(found[0], url or "", etag or "", modified or "", fetched or found[0].made)


def keep_answer(store: Store, number: int, answer: tuple[str, str, str], fetched: int) -> None:
    """Notes the server's answer (`url` after redirects, `etag`, `modified`) and its time in ms. Raises StoreError."""
    with store.write() as db:
        db.execute(
            "UPDATE sources SET page_url = ?, page_etag = ?, page_modified = ?, page_fetched = ? WHERE id = ?",
            (*answer, fetched, number),
        )


def read_by(store: Store, number: int, conversation: str) -> None:
    """Notes that a conversation has asked for a page that is here already. Raises StoreError."""
    with store.write() as db:
        db.execute("INSERT OR IGNORE INTO readers VALUES(?, ?)", (conversation, number))
        db.execute("UPDATE sources SET used = ? WHERE id = ?", (now_ms(), number))
