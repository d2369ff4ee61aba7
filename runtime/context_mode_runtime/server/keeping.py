"""Text into the store, and what a reply says about it."""

from __future__ import annotations

from context_mode_runtime import paths
from context_mode_runtime.redact import redact
from context_mode_runtime.store.errors import StoreError
from context_mode_runtime.store.sources import add_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.server.call import Call
    from context_mode_runtime.store.sources import Indexed

_LABEL_MAX = 120


class Kept:
    """What became of a text: the source, or why there is none."""

    __slots__ = ("indexed", "problem")

    def __init__(self, indexed: Indexed | None, problem: str = "") -> None:
        """`problem` is one line for the reply."""
        self.indexed = indexed
        self.problem = problem

    def notes(self) -> list[str]:
        """Lines for the reply: what was cut, or the problem."""
        if self.indexed is None:
            return [self.problem] if self.problem else []
        return cut_notes(self.indexed.cut)


def keep(call: Call, text: str, *, label: str, kind: str) -> Kept:
    """Stores a text that came out of a run. Never raises: a run is done, whatever the store says."""
    try:
        indexed = add_source(
            call.store(),
            text,
            label=label_of(label),
            kind=kind,
            conversation=call.session(),
            worktree=call.project().worktree,
            tool=call.tool,
        )
    except StoreError as error:
        return Kept(None, not_stored(error))
    return Kept(indexed)


def not_stored(error: StoreError) -> str:
    """One line for a reply that stands without a store."""
    return f"not stored: {paths.tilde(error.path)}: {error.reason}"


def cut_notes(cut: int) -> list[str]:
    """What a reply says about secrets and private text that were cut before storing."""
    return [f"{cut} B of secrets or private text were cut before it was stored"] if cut else []


def label_of(text: str) -> str:
    """A label on one line, short enough to stand before each hit; secrets go before it is cut, not half of them."""
    clean = redact(text[: 100 * _LABEL_MAX])[0]
    return " ".join("".join(char if char.isprintable() else " " for char in clean).split())[:_LABEL_MAX]
