"""`context-mode search|index|resume|purge`: the tools for people and scripts, in the current project.

The very code of the tools runs here, in this process: same gate, same replies. A person is in no conversation.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from context_mode_installer.commands.stats import fitting, named
from context_mode_installer.result import FINDINGS, Result, UserError
from context_mode_installer.screen import complain, table
from context_mode_runtime.execute.clean import clean
from context_mode_runtime.server import direct, journaling, searching
from context_mode_runtime.server.call import ToolError, UnusableStoreError
from context_mode_runtime.store import journal
from context_mode_runtime.store.errors import StoreError
from context_mode_runtime.store.state import empty_block, state_block

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_mode_runtime.server.call import Call
    from context_mode_runtime.store.journal import Row
    from context_mode_runtime.store.search import Found


@contextmanager
def _call(tool: str, arguments: dict[str, object]) -> Iterator[Call]:
    """A call in the folder we stand in. What it can't do becomes a UserError."""
    call = None
    try:
        call = direct.open_call(tool, arguments, os.getcwd(), _tell if sys.stderr.isatty() else None)
        yield call
    except UnusableStoreError as error:
        raise UserError(str(error), exit_code=FINDINGS) from None
    except ToolError as error:
        raise UserError(str(error)) from None
    except StoreError as error:
        raise UserError(str(UnusableStoreError("the store can't be used", error)), exit_code=FINDINGS) from None
    finally:
        if call is not None:
            call.close()


def _tell(text: str) -> None:
    complain(text)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n"))


def search(arguments: dict[str, object]) -> Result:
    """Per query its hits, or why there are none."""
    with _call("ctx_search", arguments) as call:
        text = direct.reply(call)
        store = searching.opened(call)
        most = call.number("limit", 1)
        found = {query: searching.find(call, store, query, most) for query in searching.asked(call)} if store else {}
    data = {"queries": [_found(query, one) for query, one in found.items()], "stored": store is not None}
    return Result("search", data=data, messages=_lines(text))


def _found(query: str, found: Found) -> dict[str, Any]:
    names = ("sid", "label", "n", "heading", "snippet", "stale")
    hits = [{name: getattr(hit, name) for name in names} for hit in found.hits]
    return {"query": query, "hits": hits, "nothing": found.nothing.text if found.nothing else None}


def index(places: list[str], label: str | None, *, refresh: bool) -> Result:
    """Indexes one place after the other; one that can't be had stops no other."""
    if label and len(places) > 1:
        raise UserError("--label names one path or page; give one, or leave it out")
    done, failed, codes = [], [], []
    for place in places:
        try:
            with _call("ctx_index", _place(place, label, refresh=refresh)) as call:
                done.append({"place": place, "reply": direct.reply(call)})
        except UserError as error:
            failed.append({"place": place, "error": str(error)})
            codes.append(error.exit_code)
    if not done:
        raise UserError("; ".join(one["error"] for one in failed), exit_code=max(codes))
    lines = [line for one in done for line in one["reply"].split("\n")]
    lines += [f"not indexed: {one['place']}: {one['error']}" for one in failed]
    data = {"indexed": done, "failed": failed}
    if failed:
        return Result("index", "findings", FINDINGS, data=data, messages=tuple(lines))
    return Result("index", data=data, messages=tuple(lines))


def _place(place: str, label: str | None, *, refresh: bool) -> dict[str, object]:
    web = place.lower().startswith(("http://", "https://"))
    found: dict[str, object] = {"url": place} if web else {"path": os.path.abspath(os.path.expanduser(place))}
    return {**found, "refresh": refresh, **({"label": label} if label else {})}


def purge(session: str | None, source: str | None, *, project: bool) -> Result:
    """Deletes what exactly one option names."""
    given: dict[str, object] = {"session": session, "source": source, "project": project or None}
    arguments = {name: value for name, value in given.items() if value is not None}
    if len(arguments) != 1:
        raise UserError("say what to delete: one of --session ID, --source ID, --project")
    with _call("ctx_purge", arguments) as call:
        if session is not None:
            call.arguments["session"] = _key_of(call, session)
        text = direct.reply(call)
    data = {"scope": next(iter(arguments)), "deleted": int(text.split()[2])}
    return Result("purge", data=data, messages=_lines(text))


def _key_of(call: Call, session: str) -> str:
    """The key of the conversation that is meant; a name that fits none, or several, as it was given."""
    store = searching.opened(call)
    keys = [key for key, _, _ in journal.conversations(store)] if store else []
    found = fitting(keys, session)
    return found[0] if len(found) == 1 else session


def resume(seq: int | None, session: str | None) -> Result:
    """One row whole, the state of one conversation, or the list of them when there are several."""
    with _call("ctx_resume", {}) as call:
        store = searching.opened(call)
        if seq is not None:
            return _row(journaling.find_row(store, seq))
        known = journal.conversations(store) if store else []
        wanted = _wanted([key for key, _, _ in known], session)
        if wanted is None:
            return _listed(known)
        block = (state_block(store, wanted) if store else "") or empty_block(wanted)
    return Result("resume", data={"session": wanted, "state": block}, messages=_lines(block))


def _row(row: Row) -> Result:
    names = ("seq", "conversation", "kind", "text", "detail", "at")
    text = clean("".join(journaling.pieces(row)))
    lines = (journaling.head(row), *_lines(text))
    return Result("resume", data={"row": {name: getattr(row, name) for name in names}}, messages=lines)


def _wanted(known: list[str], session: str | None) -> str | None:
    """The conversation that is meant: the one that is named by our key or the host's id, or the only one."""
    if session is None:
        return known[0] if len(known) == 1 else None
    return named(known, session)


def _listed(known: list[tuple[str, int, int]]) -> Result:
    rows = [(key, str(count), time.strftime("%Y-%m-%d %H:%M", time.gmtime(at / 1000))) for key, count, at in known]
    data = {"conversations": [{"session": key, "rows": count, "last": at} for key, count, at in known]}
    if not rows:
        return Result("resume", data=data, messages=("No conversation of this project is stored yet.",))
    lines = [*table(("Conversation", "Rows", "Last (UTC)"), rows), "One of them: context-mode resume --session ID"]
    return Result("resume", data=data, messages=tuple(lines))
