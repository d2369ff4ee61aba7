"""What `ctx_index` does with a text, a file and a folder."""

from __future__ import annotations

import os

from context_mode_runtime.fetch import kinds
from context_mode_runtime.fetch.folder import read_document, walk
from context_mode_runtime.oneline import shortened
from context_mode_runtime.server import timing
from context_mode_runtime.server.call import ToolError, UnusableStoreError
from context_mode_runtime.server.guard import Guard
from context_mode_runtime.server.keeping import cut_notes, stored
from context_mode_runtime.store.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.server.call import Call
    from context_mode_runtime.store.sources import Indexed
    from context_mode_runtime.store.stale import Mark

_TOLD_MAX = 5
_SKIPPED_MAX = 600
_TEXT_LABEL = "text"
_STOPPED = "stopped: the time of a call was over while indexing, {} files are left; the same call again goes on"


def index_text(call: Call) -> str:
    """Indexes the argument `text`; without a label its first line names it."""
    text = call.text("text")
    first = next((line.strip("# \t") for line in text.splitlines() if line.strip("# \t")), _TEXT_LABEL)
    kind = kinds.by_name(call.text("label")) or (
        "markdown" if text.lstrip().startswith("#") else kinds.by_content(text)
    )
    return told(add(call, text, label=call.text("label") or first[:60], kind=kind))


def index_file(call: Call, path: str) -> str:
    """Indexes one file of any bytes; its label is its path in the project unless one is given."""
    guard = Guard(call)
    guard.path(path)
    try:
        found, note = _add_file(call, guard, path, call.text("label") or shown(call, path))
    except OSError as error:
        raise ToolError(str(error)) from None
    return "\n".join([told(found), *([note] if note else [])])


def index_folder(call: Call, folder: str) -> str:
    """Indexes the files of a folder, git-ignored ones and those that a rule denies left out, each as one source."""
    guard = Guard(call)
    guard.path(folder)
    label = call.text("label") or shown(call, folder)
    try:
        listing = walk(folder, call.texts("include"), call.texts("exclude"))
    except OSError as error:
        raise ToolError(f"{shortened(folder, _SKIPPED_MAX)}: {error.strerror or error}") from None
    done, notes = _add_all(call, guard, listing, (os.path.realpath(folder), label))
    left_out = [listing.told()] if listing.told() else []
    return "\n".join([*_several(done, label), *notes, *left_out])


def _add_all(call: Call, guard: Guard, paths: list[str], where: tuple[str, str]) -> tuple[list[Indexed], list[str]]:
    """The sources of the files below `where`, a real folder and its label, and what is to be said of the others.

    Ends with the time of the call: what is in by then stays, and is not read again by the next call.
    """
    root, label = where
    done: list[Indexed] = []
    skipped: list[str] = []
    for number, path in enumerate(paths):
        if call.running.cancel.is_set():
            break
        if timing.is_over(call):
            return done, [*_some(skipped), _STOPPED.format(len(paths) - number)]
        inside = os.path.relpath(path, root)
        call.running.progress(inside)
        try:
            done.append(_add_file(call, guard, path, inside if label == "." else os.path.join(label, inside))[0])
        except OSError as error:
            skipped.append(shortened(f"skipped {error}", _SKIPPED_MAX))
    return done, _some(skipped)


def shown(call: Call, path: str) -> str:
    """A path as people say it: inside the project without the project's part, else whole."""
    worktree = call.project().worktree
    real = os.path.realpath(path)
    return os.path.relpath(real, worktree) if real == worktree or real.startswith(worktree + os.sep) else path


def _add_file(call: Call, guard: Guard, path: str, label: str) -> tuple[Indexed, str]:
    """The source of one file and a note on how it was converted. Raises DocumentError."""
    document = read_document(path, judge=guard.reason)
    origin = document.path.encode(errors="replace").decode()
    return add(call, document.text, label=label, kind=document.kind, origin=origin, mark=document.mark), document.note


def add(
    call: Call, text: str, *, label: str, kind: str, origin: str | None = None, mark: Mark | None = None
) -> Indexed:
    """Stores and indexes a text for this call. Raises ToolError with the store's reason."""
    call.raw_bytes = (call.raw_bytes or 0) + len(text.encode(errors="replace"))
    try:
        return stored(call, text, label=label, kind=kind, origin=origin, mark=mark)
    except StoreError as error:
        raise UnusableStoreError("not stored", error) from None


def told(found: Indexed) -> str:
    """The reply for one source."""
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
