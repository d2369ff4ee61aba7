"""The reply to a run: how it ended, what it printed, and the call that gets what was left out."""

from __future__ import annotations

from context_mode_runtime import limits
from context_mode_runtime.excerpt import excerpt, short_reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.execute.run import Outcome
    from context_mode_runtime.server.call import Call
    from context_mode_runtime.server.keeping import Kept

_QUERY_MAX = 120


def headline(outcome: Outcome, timeout_ms: int) -> str:
    """`exit 0 · 239 B`; bytes as they were printed."""
    if outcome.timed_out:
        return f"timed out after {timeout_ms} ms · {outcome.printed_bytes} B"
    if outcome.exit_code is None:
        return f"cancelled · {outcome.printed_bytes} B"
    return f"exit {outcome.exit_code} · {outcome.printed_bytes} B"


def reply(call: Call, outcome: Outcome, head: str, kept: Kept, intent: str) -> str:
    """The whole text up to OUTPUT_CAP, else SHORT_REPLY bytes of the parts that matter and the exact search call."""
    notes = [*outcome.notes, *kept.notes()]
    if kept.parts is None and len(outcome.text.encode(errors="replace")) <= limits.OUTPUT_CAP:
        body = outcome.text if outcome.text.endswith("\n") or not outcome.text else outcome.text + "\n"
        return f"{head}\n{body}{_lines(notes)}".rstrip("\n")
    head = "\n".join([head, *notes])
    failed = outcome.exit_code != 0
    text = kept.parts or outcome.text
    if kept.indexed is None:
        part = excerpt(text, budget=limits.OUTPUT_CAP, intent=intent, failed=failed)
        return f"{head}\n{part.text}\n({part.left_out_bytes} B left out)"
    pointer = call.example("ctx_search", {"queries": _queries(intent), "source": kept.indexed.sid})
    return short_reply(head, text, pointer=pointer, intent=intent, failed=failed)


def _queries(intent: str) -> list[str]:
    query = " ".join(intent.split())[:_QUERY_MAX]
    return [query] if query else []


def _lines(notes: list[str]) -> str:
    return "".join(f"({note})\n" for note in notes)
