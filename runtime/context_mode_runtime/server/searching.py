"""What `ctx_search` does: hits a query, the list of sources, a source read in order. Only hits stand at the margin."""

from __future__ import annotations

import os
import time

from context_mode_runtime import limits
from context_mode_runtime.oneline import one_line, shortened
from context_mode_runtime.server import background, catching, journaling, memory
from context_mode_runtime.server.call import ToolError, UnusableStoreError
from context_mode_runtime.store.errors import StoreError, StoreMissingError, UnknownSourceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from context_mode_runtime.server.call import Call
    from context_mode_runtime.store.db import Store
    from context_mode_runtime.store.search import Found, Hit
    from context_mode_runtime.store.sources import Source

_LIMIT = 3
_LIMIT_MAX = 20
_LISTED_MAX = 100
_READ_MAX = 200
_QUERIES_MAX = 50
_SHOWN_MAX = 120
_ROOM_FOR_MORE = 400
_INDEXING_S = 8.0
"""Longest wait for the index of long outputs that were stored just now."""
NOTHING_YET = "nothing is indexed in this project yet"
_FULL = "left out: the reply is full; ask this query again by itself"


def asked(call: Call) -> list[str]:
    """The queries of the call, each on one line, empty ones left out. Raises ToolError for too many."""
    queries = [" ".join(query.split()) for query in call.texts("queries") if query.strip()]
    if len(queries) > _QUERIES_MAX:
        raise ToolError(f"{len(queries)} queries are too many for one reply: at most {_QUERIES_MAX}")
    return queries


def searched(call: Call, queries: list[str]) -> str:
    """Per query its hits, or why there are none; the whole reply stays under OUTPUT_CAP."""
    background.flush()
    if not call.text("source"):
        memory.bring_up_to_date(call)
    heads = [(f'Query "{shortened(query, _SHOWN_MAX)}":', query) for query in queries]
    store = opened(call)
    if store is None:
        return filled([], heads, lambda _: [f"  {NOTHING_YET}"])
    most = min(max(call.number("limit", _LIMIT), 1), _LIMIT_MAX, _allowed(call, store))
    source = _source(call, store) if call.text("source") else None
    waits = [f"  ({line})" for line in catching.catch_up(store, _INDEXING_S).values()]
    return filled(waits, heads, lambda query: answers(call, store, query, most, source))


def filled(opening: list[str], heads: list[tuple[str, str]], find: Callable[[str], list[str]]) -> str:
    """`opening`, then each head of (line, query) with what `find` has for its query.

    The reply stays under OUTPUT_CAP: what is left out of it is said.
    """
    lines = list(opening)
    room = limits.OUTPUT_CAP - sum(map(_size, opening)) - sum(_size(head) + len(_FULL) + 4 for head, _ in heads)
    for head, query in heads:
        lines.append(head)
        for found in find(query):
            if _size(found) > room:
                lines.append(f"  {_FULL}")
                break
            room -= _size(found)
            lines.append(found)
    return "\n".join(lines)


def _size(line: str) -> int:
    return len(line.encode(errors="replace")) + 1


def listed(call: Call) -> str:
    """The sources in scope, the one used last first; in scope `session` the newest rows of its journal, too."""
    background.flush()
    store = opened(call)
    lines = [_line(source) for source in _in_scope(call, store)] if store else []
    if store and call.text("scope") == "session":
        lines += journaling.listed(call, store)
    return "\n".join(f"  {line}" for line in lines or [NOTHING_YET])


def read(call: Call) -> str:
    """The parts of one source in order from `offset` on, as many as one reply takes, and the call for the next ones."""
    background.flush()
    store = opened(call)
    if store is None:
        raise ToolError(NOTHING_YET)
    seq = journaling.row_number(call.text("source"))
    if seq is not None:
        return _in_order(call, call.text("source"), journaling.read_pieces(call, store, seq))
    source = _source(call, store)
    text = _read_source(call, store, source)
    running = background.state(source.sid, source.label)
    return f"{text}\n  ({running})" if running else text


def _read_source(call: Call, store: Store, source: Source) -> str:
    from context_mode_runtime.store import search

    found = search.read(store, source, max(call.number("offset", 1), 1), _READ_MAX)
    text = _in_order(call, source.sid, [block(hit) for hit in found.hits], found.next)
    return text or f"  {_reason(found)}"


def _in_order(call: Call, source: str, blocks: list[str], following: int | None = None) -> str:
    """As many blocks as one reply takes, and the call for those behind; `following` is behind the last of them."""
    room = limits.OUTPUT_CAP - _ROOM_FOR_MORE
    lines: list[str] = []
    for number, shown in enumerate(blocks, max(call.number("offset", 1), 1)):
        room -= _size(shown)
        if room < 0 and lines:
            following = number
            break
        lines.append(shown)
    if following:
        arguments = {"queries": [], "source": source, "offset": following}
        lines.append(f"  more: {call.example('ctx_search', arguments)}")
    return "\n".join(lines)


def opened(call: Call) -> Store | None:
    """The store for a tool that reads: None when there is none yet. Raises ToolError when it can't be read."""
    try:
        store = call.store(create=False)
    except StoreMissingError as error:
        if unusable := hidden(error):
            raise unusable from None
        return None
    except StoreError as error:
        raise UnusableStoreError("the store can't be read", error) from None
    call.raw_bytes = 0
    return store


def hidden(error: StoreMissingError) -> UnusableStoreError | None:
    """Why a store that was not found can't be looked for; None when it just is not there yet."""
    try:
        os.stat(error.path)
    except FileNotFoundError:
        return None
    except OSError as reason:
        return UnusableStoreError("the store can't be read", StoreError(error.path, reason.strerror or str(reason)))
    return None


def _allowed(call: Call, store: Store) -> int:
    """Hits a query by the budget of this conversation; an unknown one is outside it."""
    if call.caller.key is None:
        return _LIMIT_MAX
    from context_mode_runtime.policy.load import load_policy
    from context_mode_runtime.store.budget import BudgetSpentError, spend

    rules = load_policy(call.project().root).search_budget
    try:
        return spend(store, call.caller.key, time.time_ns() // 1_000_000, rules)
    except BudgetSpentError as error:
        raise ToolError(str(error)) from None


def find(call: Call, store: Store, query: str, most: int, source: Source | None = None) -> Found:
    """What the call's scope holds for one query, or its source, as it was found for all of them. Raises ToolError."""
    from context_mode_runtime.store.search import search

    try:
        return search(
            store,
            query,
            limit=most,
            scope=call.text("scope") or "worktree",
            conversation=call.session(),
            worktree=call.project().worktree,
            source=source or call.text("source") or None,
        )
    except StoreError as error:
        raise UnusableStoreError("the store can't be read", error) from None


def answers(call: Call, store: Store, query: str, most: int, source: Source | None = None) -> list[str]:
    """The hits for one query as blocks, or one line that says why there is none; as `find`. Raises ToolError."""
    found = find(call, store, query, most, source)
    rows = journaling.matching(call, store, query, most) if call.text("scope") == "session" else []
    fixed = [f"  (no {word!r} here; searched for {instead!r})" for word, instead in found.fixed]
    hits = [_allowed_block(call, hit) for hit in found.hits] + rows
    return [*fixed, *hits] if hits else [f"  {_reason(found)}"]


def _reason(found: Found) -> str:
    return found.nothing.text if found.nothing else "nothing found"


def _allowed_block(call: Call, hit: Hit) -> str:
    """The block of a hit; of one whose file may no longer be read, why it is left out."""
    refused = _refused(call, hit.origin)
    return f"  left out: {hit.label}: {refused}" if refused else block(hit)


def block(hit: Hit) -> str:
    """`LABEL #N: HEADING` at the margin, the text below it indented by two spaces."""
    stale = f" ({hit.stale})" if hit.stale else ""
    return f"{_head(hit.label, hit.n, hit.heading)}{stale}\n{journaling.indented(hit.snippet)}"


def _head(label: str, number: int, heading: str) -> str:
    from context_mode_runtime.execute.clean import clean

    return f"{label} #{number}: {one_line(clean(heading))}".rstrip()


def _source(call: Call, store: Store) -> Source:
    from context_mode_runtime.store.sources import find_source

    try:
        found = find_source(store, call.text("source"))
    except UnknownSourceError as error:
        near = f"; near: {', '.join(error.near)}" if error.near else ""
        raise ToolError(f"{error.reason}{near}") from None
    except StoreError as error:
        raise UnusableStoreError("the store can't be read", error) from None
    refused = _refused(call, found.origin)
    if refused:
        raise ToolError(refused)
    return found


def _refused(call: Call, origin: str | None) -> str | None:
    """Why what was read from there may not be shown now."""
    return call.guard().stored(origin) if origin else None


def _in_scope(call: Call, store: Store) -> list[Source]:
    from context_mode_runtime.store.search import Scope
    from context_mode_runtime.store.sources import list_sources

    scope = Scope(call.text("scope") or "worktree", call.session(), call.project().worktree)
    return list_sources(store, scope.where, scope.values, _LISTED_MAX)


def _line(source: Source) -> str:
    at = time.strftime("%Y-%m-%d %H:%M", time.gmtime(source.made / 1000))
    running = " · running" if source.live else ""
    return f"{source.sid} {source.label} · {source.chunks} part(s) · {source.bytes} B · {at}{running}"
