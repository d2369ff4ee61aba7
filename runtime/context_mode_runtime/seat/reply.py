"""A command's long output: stored whole, and the short form that stands for it."""

from __future__ import annotations

from context_mode_runtime import shorten
from context_mode_runtime.execute.clean import clean_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.excerpt import Condensed
    from context_mode_runtime.seat.output import Output
    from context_mode_runtime.seat.passing import Seated
    from context_mode_runtime.shorten import About
    from context_mode_runtime.store.db import Store
    from context_mode_runtime.store.sources import Indexed

AT_ONCE = 1024 * 1024
"""Bytes up to which an output is indexed at once; a longer one is stored piece by piece and indexed by the server."""
KEPT = 64 * 1024 * 1024
"""Bytes that are kept of one output; of a longer one the middle is left out, and a line of its own says so."""
_LABEL_MAX = 120


def short(seated: Seated, output: Output, size: int, shown: int, *, failed: bool) -> str | None:
    """The short form of an output of `size` bytes, of which `shown` are shown; None where it would save nothing.

    Raises StoreError where it can't be stored.
    """
    from context_mode_runtime.store.db import Store

    project = seated.project
    torn = shown > 0 and output.read(shown - 1, 1) != b"\n"
    with Store.open(project.key(), name=project.name) as store:
        store.secret_names = tuple(seated.policy.redact)
        about = _about(seated, store, failed=failed)
        keep = _at_once if size <= AT_ONCE else _by_pieces
        source, rest = keep(store, output, size, shown, about)
        remarks = [f"the first {shown:,} B are above"] if shown else []
        text = shorten.short_form(store, source, rest, about, size=size, shown=shown + torn, remarks=remarks)
    return None if text is None else "\n" * torn + text


def _about(seated: Seated, store: Store, *, failed: bool) -> About:
    from context_mode_runtime.redact import redact
    from context_mode_runtime.store.journal import last_prompt

    table = seated.table
    tool = next(one for one in table["tools"] if one["class"] == "shell")
    label = " ".join(redact(seated.command, store.secret_names)[0].split())[:_LABEL_MAX]
    return shorten.About(
        label=label, tool=tool["names"][0], worktree=seated.project.worktree, conversation=seated.key, failed=failed,
        search=str(table["server"]["tool_name"]).replace("{tool}", "ctx_search"), asked=seated.asked,
        intent=f"{seated.asked} {last_prompt(store, seated.key)}",
    )  # fmt: skip


def _at_once(store: Store, output: Output, size: int, shown: int, about: About) -> tuple[Indexed, str]:
    data = output.read(0, size)
    return shorten.stored(store, clean_bytes(data), about), clean_bytes(data[shown:])


def _by_pieces(store: Store, output: Output, size: int, _shown: int, about: About) -> tuple[Indexed, Condensed]:
    """The same in bounded memory; a very long one without its middle, which a line of its own names."""
    from context_mode_runtime.excerpt_digest import Digest
    from context_mode_runtime.execute.output import Output as Pieces
    from context_mode_runtime.store.live import open_live
    from context_mode_runtime.store.sources import Placed

    source = open_live(store, Placed(about.label, about.conversation, about.worktree, about.tool, None))
    digest = Digest(about.intent)
    for text in Pieces(_Kept(output, size), lambda: None).rest():
        digest.feed(text)
        source.append(store, text)
    return source.close(store), digest.condensed()


class _Kept:
    """An output that has ended, as `execute.output` reads one: of a very long one the beginning and the end."""

    def __init__(self, output: Output, size: int) -> None:
        from context_mode_runtime.execute.capture import TAIL_KEPT

        self._output = output
        self.printed = size
        self.head = KEPT - TAIL_KEPT
        self._behind = max(self.head, size - TAIL_KEPT)

    def read(self, at: int, size: int) -> bytes:
        """Up to `size` bytes from place `at`."""
        return self._output.read(at, size)

    def gap(self) -> tuple[int, int]:
        """From where to where it is not kept."""
        return self.head, self._behind

    def keep_no_more(self) -> None:
        """What a process that was left behind still prints is not read: `printed` stays."""

    def close(self) -> None:
        """The file goes with this process."""
