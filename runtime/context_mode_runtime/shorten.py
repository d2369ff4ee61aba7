"""A long text of a tool: stored, and in its place the parts that matter and the call that gets the rest.

One form for what a hook replaces afterwards and for what the shell's seat never lets through.
"""

from __future__ import annotations

import os

from context_mode_runtime import jsonio, limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_mode_runtime.excerpt import Condensed
    from context_mode_runtime.store.db import Store
    from context_mode_runtime.store.sources import Indexed

WHOLE = "stored whole"
"""How a short form begins, unless the host has words of its own for it or had cut the text before."""
_RAW, _RAW_VALUE = "CTX_RAW", "1"
"""What a command begins with, or the host runs with, whose output is to come as it is."""
_QUERY_MAX = 120
_TAIL = 2_000


class About:
    """What a text is: the `label` it is stored under, the `tool` that printed it, in which `worktree`, for whom.

    `search` is `ctx_search` as the host spells it; `asked` what the call was for; `intent` that and the last prompt;
    `failed` whether the call failed.
    """

    __slots__ = ("asked", "conversation", "failed", "intent", "label", "search", "tool", "worktree")

    def __init__(  # noqa: PLR0913 - what is known about a text
        self, *, label: str, tool: str, worktree: str | None, conversation: str | None, search: str, asked: str,
        intent: str, failed: bool = False,
    ) -> None:  # fmt: skip
        self.label = label
        self.tool = tool
        self.worktree = worktree
        self.conversation = conversation
        self.search = search
        self.asked = asked
        self.intent = intent
        self.failed = failed


def stored(store: Store, text: str, about: About, *, cut_off: bool = False) -> Indexed:
    """Stores a whole text, or what its host left of it (`cut_off`). Raises StoreError."""
    from context_mode_runtime.store.chunks import kind_of_output
    from context_mode_runtime.store.sources import add_source

    return add_source(
        store,
        text,
        label=about.label,
        kind=kind_of_output(text),
        conversation=about.conversation,
        worktree=about.worktree,
        tool=about.tool,
        cut_off=cut_off,
    )


def short_form(  # noqa: PLR0913 - what the parts of it are made of
    store: Store, source: Indexed, text: str | Condensed, about: About, *, size: int, shown: int = 0,
    opening: str = WHOLE, remarks: Sequence[str] = (),
) -> str | None:  # fmt: skip
    """What stands for a stored text of `size` bytes, noted in the ledger; None where it would save nothing.

    `text` is what is still to be shown of it: `shown` bytes of the reply are spent already. Raises StoreError.
    """
    from context_mode_runtime.excerpt import short_reply
    from context_mode_runtime.store import ledger

    notes = [*remarks, *([f"{source.cut:,} B of secrets or private text cut"] if source.cut else [])]
    head = f"{opening} · {size:,} B as {source.sid}" + (f" ({', '.join(notes)})" if notes else "")
    asked = " ".join(about.asked.split())[:_QUERY_MAX]
    pointer = f"{about.search}({jsonio.dumps({'queries': [asked] if asked else [], 'source': source.sid})})"
    cap = limits.SHORT_REPLY - shown
    short = short_reply(head, text, pointer=pointer, intent=about.intent, failed=about.failed, cap=cap)
    sent = shown + len(short.encode("utf-8", "replace"))
    if sent >= size:
        return None
    ledger.add_call(store, about.tool, size, sent, about.conversation)
    return short


def asked_raw(command: str) -> bool:
    """Whether a command's output is wanted as it is."""
    return command.split(None, 1)[:1] == [f"{_RAW}={_RAW_VALUE}"] or os.environ.get(_RAW) == _RAW_VALUE


def is_short_form(text: str, search: str) -> bool:
    """Whether a text ends with a pointer of ours: what printed it has been shortened already."""
    tail = text[-_TAIL:]
    at = tail.rfind(f": {search}({{")
    return at >= 0 and '"source"' in tail[at:] and f"{WHOLE} · " in text
