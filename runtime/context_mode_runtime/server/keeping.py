"""Text into the store, and what a reply says about it."""

from __future__ import annotations

from context_mode_runtime import paths
from context_mode_runtime.oneline import one_line
from context_mode_runtime.redact import redact
from context_mode_runtime.server import catching
from context_mode_runtime.store.chunks import kind_of_output
from context_mode_runtime.store.errors import StoreError
from context_mode_runtime.store.sources import add_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.excerpt import Condensed
    from context_mode_runtime.execute.run import Outcome
    from context_mode_runtime.server.call import Call
    from context_mode_runtime.store.sources import Indexed
    from context_mode_runtime.store.stale import Mark

_LABEL_MAX = 120
_MEGABYTE = 1024 * 1024


class Kept:
    """What became of a text: the source, or why there is none. `parts`: of a long one what an excerpt is made of."""

    __slots__ = ("indexed", "more", "parts", "problem")

    def __init__(self, indexed: Indexed | None, problem: str = "", parts: Condensed | None = None) -> None:
        """`problem` is one line for the reply: what is not shown then is lost, and so not kept out."""
        self.indexed = indexed
        self.problem = problem
        self.parts = parts
        self.more: list[str] = []
        """Further lines for the reply."""

    def notes(self) -> list[str]:
        """Lines for the reply: what was cut, what is not done yet, or the problem."""
        if self.indexed is None:
            return [self.problem] if self.problem else []
        return [*cut_notes(self.indexed.cut), *self.more]


def keep_run(call: Call, outcome: Outcome, *, label: str, intent: str) -> Kept:
    """Stores what a run printed, however much it is. Never raises: a run is done, whatever the store says.

    `intent` picks what is remembered of a long output for the reply; that is the outcome's text from then on.
    """
    stopped = outcome.exit_code is None
    if outcome.output is not None:
        from context_mode_runtime.server.streaming import keep_long

        kept = keep_long(call, outcome.output, label, intent, stopped=stopped)
        outcome.text = kept.parts.text if kept.parts else ""
        return kept
    return _keep(call, outcome.text, label, stopped=stopped) if outcome.text.strip() else Kept(None)


def _keep(call: Call, text: str, label: str, *, stopped: bool) -> Kept:
    try:
        return Kept(stored(call, text, label=label, kind=kind_of_output(text), cut_off=stopped))
    except StoreError as error:
        return Kept(None, not_stored(error))


def stored(  # noqa: PLR0913 - what is known about a text
    call: Call,
    text: str,
    *,
    label: str,
    kind: str,
    origin: str | None = None,
    mark: Mark | None = None,
    cut_off: bool = False,
) -> Indexed:
    """Stores a text for this call, as `add_source` does; a server indexes it behind its reply. Raises StoreError."""
    indexed = add_source(
        call.store(),
        text,
        label=label_of(label),
        kind=kind,
        origin=origin,
        mark=mark,
        conversation=call.session(),
        worktree=call.project().worktree,
        tool=call.tool,
        cut_off=cut_off,
        later=call.running.served,
    )
    catching.go_on(call.store(), indexed.rest)
    return indexed


def kept_bytes(call: Call) -> int:
    """How much of one output is kept: the executor's limit, or the policy's for the whole project, if less."""
    from context_mode_runtime.execute.capture import KEPT
    from context_mode_runtime.policy.load import load_policy

    most = load_policy(call.project().root).retention.get("maxMegabytes", 0)
    return min(KEPT, most * _MEGABYTE) if most else KEPT


def not_stored(error: StoreError) -> str:
    """One line for a reply that stands without a store."""
    return f"not stored: {paths.tilde(error.path)}: {error.reason}"


def cut_notes(cut: int) -> list[str]:
    """What a reply says about secrets and private text that were cut before storing."""
    return [f"{cut} B of secrets or private text were cut before it was stored"] if cut else []


def label_of(text: str) -> str:
    """A label on one line, short enough to stand before each hit; secrets go before it is cut, not half of them."""
    most = 100 * _LABEL_MAX
    clean, _ = redact(text[:most], cut_off=len(text) > most)
    return one_line(clean)[:_LABEL_MAX]
