"""What `ctx_index` does with a text, a file, a folder and a page."""

from __future__ import annotations

import os
import time

from context_mode_runtime.fetch import kinds
from context_mode_runtime.fetch.folder import read_document, walk
from context_mode_runtime.redact import redact
from context_mode_runtime.server.call import ToolError
from context_mode_runtime.server.guard import Guard
from context_mode_runtime.server.keeping import cut_notes, label_of, not_stored
from context_mode_runtime.store.errors import StoreError
from context_mode_runtime.store.sources import add_source, list_sources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.server.call import Call
    from context_mode_runtime.store.sources import Indexed

_TOLD_MAX = 5
_HOUR_MS = 3_600_000
_TEXT_LABEL = "text"


def index_text(call: Call) -> str:
    """Indexes the argument `text`; without a label its first line names it."""
    text = call.text("text")
    first = next((line.strip("# \t") for line in text.splitlines() if line.strip("# \t")), _TEXT_LABEL)
    kind = kinds.by_name(call.text("label")) or (
        "markdown" if text.lstrip().startswith("#") else kinds.by_content(text)
    )
    return _one(_add(call, text, label=call.text("label") or first[:60], kind=kind))


def index_file(call: Call, path: str) -> str:
    """Indexes one file of any bytes; its label is its path in the project unless one is given."""
    guard = Guard(call)
    guard.path(path)
    try:
        found, note = _add_file(call, guard, path, call.text("label") or shown(call, path))
    except OSError as error:
        raise ToolError(str(error)) from None
    return "\n".join([_one(found), *([note] if note else [])])


def index_folder(call: Call, folder: str) -> str:
    """Indexes the files of a folder, git-ignored ones and those that a rule denies left out, each as one source."""
    guard = Guard(call)
    guard.path(folder)
    label = call.text("label") or shown(call, folder)
    try:
        listing = walk(folder, call.texts("include"), call.texts("exclude"))
    except OSError as error:
        raise ToolError(f"{folder}: {error.strerror or error}") from None
    root = os.path.realpath(folder)
    done: list[Indexed] = []
    skipped: list[str] = []
    for path in listing:
        if call.running.cancel.is_set():
            break
        inside = os.path.relpath(path, root)
        call.running.progress(inside)
        try:
            done.append(_add_file(call, guard, path, inside if label == "." else os.path.join(label, inside))[0])
        except OSError as error:
            skipped.append(f"skipped {error}")
    told = [listing.told()] if listing.told() else []
    return "\n".join([*_several(done, label), *_some(skipped), *told])


def index_url(call: Call) -> str:
    """Fetches and indexes a page, unless it was fetched less than the policy's `ttlHours` ago and `refresh` is off."""
    from context_mode_runtime.fetch.client import fetch
    from context_mode_runtime.fetch.rules import FetchError, FetchRules

    url = call.text("url")
    guard = Guard(call)
    guard.url(url)
    known = None if call.flag("refresh") else _fresh(call, url, guard.policy.fetch)
    if known:
        return known
    try:
        page = fetch(url, FetchRules.from_policy(guard.policy.fetch))
    except FetchError as error:
        raise ToolError(str(error)) from None
    notes = [page.note] if page.note else []
    origin = page.url if "@" in url else url
    found = _add(call, page.text, label=call.text("label") or page.url, kind=page.kind, origin=_origin(origin))
    call.raw_bytes = page.printed_bytes
    return "\n".join([_one(found), *notes])


def shown(call: Call, path: str) -> str:
    """A path as people say it: inside the project without the project's part, else whole."""
    worktree = call.project().worktree
    real = os.path.realpath(path)
    return os.path.relpath(real, worktree) if real == worktree or real.startswith(worktree + os.sep) else path


def _fresh(call: Call, url: str, rules: dict[str, object]) -> str | None:
    hours = rules.get("ttlHours")
    oldest = time.time_ns() // 1_000_000 - int((hours if isinstance(hours, (int, float)) else 24) * _HOUR_MS)
    found = list_sources(call.store(), "origin = ? AND made > ?", (_origin(url), oldest), 1)
    return f"Indexed 0 source(s), 0 chunk(s): unchanged, {found[0].sid}. Label: {found[0].label}" if found else None


def _origin(url: str) -> str:
    """The address as it is stored: of one with a secret in it the rest, and a digest that tells two apart."""
    clean, cut = redact(url)
    if not cut:
        return url
    import hashlib

    return f"{clean}#{hashlib.sha256(url.encode()).hexdigest()[:16]}"


def _add_file(call: Call, guard: Guard, path: str, label: str) -> tuple[Indexed, str]:
    """The source of one file and a note on how it was converted. Raises DocumentError."""
    document = read_document(path, judge=guard.reason)
    return _add(call, document.text, label=label, kind=document.kind, origin=document.path), document.note


def _add(call: Call, text: str, *, label: str, kind: str, origin: str | None = None) -> Indexed:
    call.raw_bytes = (call.raw_bytes or 0) + len(text.encode(errors="replace"))
    try:
        return add_source(
            call.store(),
            text,
            label=label_of(label),
            kind=kind,
            origin=origin,
            conversation=call.session(),
            worktree=call.project().worktree,
            tool=call.tool,
        )
    except StoreError as error:
        raise ToolError(not_stored(error)) from None


def _one(found: Indexed) -> str:
    if found.unchanged:
        return f"Indexed 0 source(s), 0 chunk(s): unchanged, {found.sid}. Label: {found.label}"
    line = f"Indexed 1 source(s), {found.chunks} chunk(s) from {found.sid}. Label: {found.label}"
    return "\n".join([line, *cut_notes(found.cut)])


def _several(done: list[Indexed], label: str) -> list[str]:
    fresh = [one for one in done if not one.unchanged]
    ids = _ranges(sorted(one.id for one in done))
    if not fresh:
        return [f"Indexed 0 source(s), 0 chunk(s): {f'unchanged, {ids}' if ids else 'no files'}. Label: {label}"]
    line = f"Indexed {len(fresh)} source(s), {sum(one.chunks for one in fresh)} chunk(s) from {ids}. Label: {label}"
    same = len(done) - len(fresh)
    return [line, *cut_notes(sum(one.cut for one in fresh)), *([f"{same} unchanged"] if same else [])]


def _some(lines: list[str]) -> list[str]:
    more = len(lines) - _TOLD_MAX
    return [*lines[:_TOLD_MAX], f"skipped {more} more"] if more > 0 else lines


def _ranges(ids: list[int]) -> str:
    """`s1-s4, s9` for 1, 2, 3, 4, 9."""
    runs: list[list[int]] = []
    for number in ids:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join("-".join(f"s{number}" for number in run) for run in runs)
