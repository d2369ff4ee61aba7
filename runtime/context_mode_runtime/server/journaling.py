"""The journal as the server uses it: rows of what our own tools ran, and whole rows for the model."""

from __future__ import annotations

import time

from context_mode_runtime import log
from context_mode_runtime.redact import redact
from context_mode_runtime.server.call import ToolError
from context_mode_runtime.store import blocks, journal, match
from context_mode_runtime.store.cuts import hard_spans
from context_mode_runtime.store.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.execute.run import Outcome
    from context_mode_runtime.server.call import Call
    from context_mode_runtime.store.db import Store
    from context_mode_runtime.store.journal import Row

SOURCE = "journal "
"""`journal 12` as the `source` of `ctx_search` reads row 12 in pieces."""
_PIECE = 1_600
"""Bytes of one piece of a row: with its head and the call for the rest it fits into RESUME_CAP."""
_SESSION_MAX = 120
_TEXT_MAX = 2_000
_ERROR_BYTES = 1_000
_LISTED = 40
_SHOWN = 400
_SEQ_END = 1 << 62
_DIGITS_MAX = 18


def note_run(call: Call, words: str, outcome: Outcome) -> None:
    """Adds what ran to this conversation's journal: `command`, or `failure` with the lines that matter.

    A cancelled run says nothing about the work; with `capture` off nothing is kept. Never raises: the run is done.
    Secrets go before anything is cut: half of one would not be known for what it is.
    """
    from context_mode_runtime.policy.load import load_policy

    if outcome.cancelled or not load_policy(call.project().root).capture:
        return
    failed = outcome.exit_code != 0
    try:
        store = call.store()
        text = " ".join(redact(words, store.secret_names)[0].split())[:_TEXT_MAX]
        cut_off = outcome.output is not None or outcome.exit_code is None
        detail = _error(outcome.text, store.secret_names, cut_off=cut_off) if failed else None
        journal.add_row(store, call.session(), "failure" if failed else "command", text, detail=detail)
    except StoreError as error:
        log.log_error(f"serve {call.tool}", error)


def _error(text: str, secret_names: tuple[str, ...], *, cut_off: bool) -> str:
    from context_mode_runtime.excerpt import excerpt

    clean, _ = redact(text, secret_names, cut_off=cut_off)
    return excerpt(clean, budget=_ERROR_BYTES, failed=True).text


def row_number(source: str) -> int | None:
    """12 for `journal 12`, None for another source."""
    number = source.removeprefix(SOURCE).strip().removeprefix("#")
    return int(number[:_DIGITS_MAX]) if source.startswith(SOURCE) and number.isdecimal() else None


def find_row(store: Store | None, seq: int) -> Row:
    """The row with this number. Raises ToolError, which says which numbers there are."""
    found = journal.row(store, seq) if store and 0 < seq < _SEQ_END else None
    if found is not None:
        return found
    first, last = journal.numbers(store) if store else (0, 0)
    known = f"it holds #{first} to #{last}" if last else "it is empty"
    raise ToolError(f"no row #{seq} in this project's journal; {known}")


def pieces(row: Row) -> list[str]:
    """The row's whole text, its detail behind it, in pieces of at most 1,600 bytes; joined they give it back."""
    whole = row.text if row.detail is None else f"{row.text}\n{row.detail}"
    return [whole[start:end] for start, end in hard_spans(whole, 0, len(whole), _PIECE)] or [""]


def head(row: Row) -> str:
    """What a row is, on one line: its number, kind, time, and conversation."""
    at = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(row.at / 1000))
    session = row.conversation[:_SESSION_MAX].encode()[:_SESSION_MAX].decode(errors="ignore")
    return f"#{row.seq} {row.kind} · {at} UTC · session {session}"


def first_piece(call: Call, row: Row) -> str:
    """The reply of `ctx_resume(seq)`: a head, the first piece, and the call that reads on; at most RESUME_CAP bytes."""
    from context_mode_runtime.execute.clean import clean

    parts = pieces(row)
    lines = [head(row), clean(parts[0]).removesuffix("\n")]
    left = sum(len(part.encode()) for part in parts[1:])
    if left:
        arguments = {"queries": [], "source": f"{SOURCE}{row.seq}", "offset": 2}
        lines.append(f"{left} B of this row are left; more: {call.example('ctx_search', arguments)}")
    return "\n".join(lines)


def read_pieces(call: Call, store: Store, seq: int) -> list[str]:
    """The row's pieces from the argument `offset` on, as blocks of `ctx_search`."""
    row = find_row(store, seq)
    parts = pieces(row)
    first = max(call.number("offset", 1), 1)
    found = [f"{SOURCE}{seq} #{n}: {row.kind}\n{indented(part)}" for n, part in enumerate(parts, 1) if n >= first]
    return found or [f"  {SOURCE}{seq} has {len(parts)} piece(s), none from {first} on"]


def listed(call: Call, store: Store) -> list[str]:
    """One line each for the newest rows of this conversation's journal, and the call that shows one whole."""
    found = journal.rows(store, call.session(), limit=_LISTED)
    lines = [blocks.line(row.kind, row.seq, row.text) for row in found]
    return [*lines, f"whole: {call.example('ctx_resume', {'seq': found[-1].seq})}"] if found else []


def matching(call: Call, store: Store, query: str, most: int) -> list[str]:
    """The rows of this conversation's journal that match, the best first, as blocks of `ctx_search`."""
    found = match.matching_rows(store, call.session(), query, most)
    return [f"{SOURCE}#{seq}: {kind}\n{indented(_cut(text, detail))}" for seq, kind, text, detail in found]


def _cut(text: str, detail: str | None) -> str:
    whole = f"{text}\n{detail}" if detail else text
    return whole.encode()[:_SHOWN].decode(errors="ignore")


def indented(text: str) -> str:
    """Every line with two spaces before it: only hits stand at the margin. Control sequences are not shown."""
    from context_mode_runtime.execute.clean import clean

    return "\n".join(f"  {line}" if line.strip() else "" for line in clean(text).rstrip("\n").split("\n"))
