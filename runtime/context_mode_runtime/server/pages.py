"""What `ctx_index` does with a URL: answers from the store, asks the server for something newer, or fetches."""

from __future__ import annotations

from context_mode_runtime.redact import redact
from context_mode_runtime.server import indexing
from context_mode_runtime.server.call import ToolError, UnusableStoreError
from context_mode_runtime.server.guard import Guard
from context_mode_runtime.server.keeping import label_of
from context_mode_runtime.store import pages
from context_mode_runtime.store.errors import StoreError
from context_mode_runtime.store.sources import now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from context_mode_runtime.fetch.rules import Page
    from context_mode_runtime.server.call import Call
    from context_mode_runtime.store.pages import KnownPage

_HOUR_MS = 3_600_000
_TTL_HOURS = 24
_AGES = ((86_400_000, "d"), (_HOUR_MS, "h"), (60_000, "min"))


def index_url(call: Call, now: Callable[[], int] = now_ms) -> str:
    """Fetches and indexes a page. `now` is the time in ms since 1970.

    A page fetched less than the policy's `ttlHours` ago is not asked for; an older one is asked for on the condition
    that it changed. `refresh` fetches whatever is known. A changed page takes the old one's place and id.
    """
    from context_mode_runtime.fetch.client import fetch
    from context_mode_runtime.fetch.rules import FetchError, FetchRules, Known
    from context_mode_runtime.fetch.target import Target

    guard = Guard(call)
    guard.url(call.text("url"))
    refresh = call.flag("refresh")
    try:
        origin = _origin(Target(call.text("url")).url)
        known = pages.known_page(call.store(), origin, call.project().worktree, label_of(redact(call.text("label"))[0]))
        if known and not refresh and now() - known.fetched < _ttl_ms(guard.policy.fetch):
            return _still_here(call, known, _cached(known, now(), guard.policy.fetch))
        earlier = Known(known.url, known.etag, known.modified) if known and not refresh else None
        page = fetch(
            call.text("url"),
            FetchRules.from_policy(guard.policy.fetch),
            known=earlier,
            cancel=call.running.cancel,
        )
        return _taken(call, page, known, origin, now())
    except FetchError as error:
        raise ToolError(str(error)) from None
    except StoreError as error:
        raise UnusableStoreError("not stored", error) from None


def _taken(call: Call, page: Page, known: KnownPage | None, origin: str, now: int) -> str:
    """The reply to an answer of the server, which is stored."""
    answer = (_origin(page.url), page.etag, page.modified)
    if page.unchanged and known:
        pages.keep_answer(call.store(), known.source.id, (known.url, page.etag or known.etag, known.modified), now)
        return _still_here(call, known, f"the server has nothing newer than what was fetched {_age(now, known)}")
    label = call.text("label") or (known.source.label if known else page.url)
    found = indexing.add(call, page.text, label=label, kind=page.kind, origin=origin)
    pages.keep_answer(call.store(), found.id, answer, now)
    call.raw_bytes = page.printed_bytes
    return "\n".join([indexing.told(found), *([page.note] if page.note else [])])


def _still_here(call: Call, known: KnownPage, why: str) -> str:
    source = known.source
    pages.read_by(call.store(), source.id, call.session())
    return f"Indexed 0 source(s), 0 chunk(s): unchanged, {source.sid}. Label: {source.label}\n{why}"


def _cached(known: KnownPage, now: int, rules: dict[str, object]) -> str:
    hours = f"{_ttl_ms(rules) / _HOUR_MS:g}"
    return f"fetched {_age(now, known)}, asked for again after {hours} h (fetch.ttlHours); refresh: true asks now"


def _age(now: int, known: KnownPage) -> str:
    """`2 h ago`."""
    past = max(now - known.fetched, 0)
    return next((f"{past // size} {unit} ago" for size, unit in _AGES if past >= size), "less than a minute ago")


def _ttl_ms(rules: dict[str, object]) -> float:
    hours = rules.get("ttlHours")
    return (hours if isinstance(hours, (int, float)) else _TTL_HOURS) * _HOUR_MS


def _origin(url: str) -> str:
    """The address as it is stored: of one with a secret in it the rest, and a digest that tells two apart."""
    clean, cut = redact(url)
    if not cut:
        return url
    import hashlib

    return f"{clean}#{hashlib.sha256(url.encode()).hexdigest()[:16]}"
