"""The reply of `ctx_batch`: how each command ended, then each query with its parts, from the batch's outputs first."""

from __future__ import annotations

from context_mode_runtime import limits
from context_mode_runtime.oneline import shortened
from context_mode_runtime.server import catching, searching
from context_mode_runtime.server.call import ToolError, UnusableStoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.server.batching import Ran
    from context_mode_runtime.server.call import Call
    from context_mode_runtime.store.db import Store
    from context_mode_runtime.store.search import Hit

_HITS = 3
_INDEXING_S = 8.0
_LINES_MAX = 6_000
_LINE_MIN = 110
_QUERY_MAX = 100


def answered(call: Call, commands: list[Ran], queries: list[str]) -> str:
    """The whole reply, at most OUTPUT_CAP bytes. Nothing of it counts against the search budget."""
    most = max(_LINE_MIN, min(_LINES_MAX // len(commands), 600))
    opening = [shortened(ran.line(), most) for ran in commands]
    opening += [line for ran in commands if ran.unstored for line in (f"{ran.label}:", ran.unstored)]
    numbers = sorted({ran.number for ran in commands if ran.number})
    if numbers:
        opening.append(f"whole: {call.example('ctx_search', {'queries': [], 'source': f's{numbers[0]}'})}")
    heads = [(f"## {shortened(query, _QUERY_MAX)}", query) for query in queries]
    answers = _Answers(call, numbers)
    if queries and numbers:
        answers.wait()
    return searching.filled(opening, heads, answers.to)


class _Answers:
    """Finds the parts for one query after the other; a part that stands above already is only named."""

    __slots__ = ("_call", "_numbers", "_shown")

    def __init__(self, call: Call, numbers: list[int]) -> None:
        self._call = call
        self._numbers = numbers
        self._shown: set[str] = set()

    def wait(self) -> None:
        """Gives the index of long outputs a moment: what waits then is said in the status lines."""
        from context_mode_runtime.store.errors import StoreError

        try:
            catching.catch_up(self._call.store(create=False), _INDEXING_S)
        except StoreError:
            return

    def to(self, query: str) -> list[str]:
        """The blocks for `query`, or one line that says why there is none."""
        from context_mode_runtime.store.errors import StoreError, StoreMissingError

        try:
            store = self._call.store(create=False)
            blocks = [searching.block(hit) for hit in self._own(store, query)]
        except StoreMissingError as error:
            return [f"  {searching.hidden(error) or searching.NOTHING_YET}"]
        except StoreError as error:
            unusable = UnusableStoreError("the store can't be read", error)
            return [f"  {unusable}"]
        try:
            return [self._once(block) for block in blocks] or searching.answers(self._call, store, query, _HITS)
        except ToolError as error:
            return [f"  {error}"]

    def _own(self, store: Store, query: str) -> list[Hit]:
        from context_mode_runtime.store import search

        found = search.search_among(store, query, self._numbers, _HITS).hits if self._numbers else []
        return found or self._small(store)

    def _small(self, store: Store) -> list[Hit]:
        """All outputs whole, when they fit into one snippet: no search is better than that."""
        from context_mode_runtime.store import search, sources

        own = [sources.find_source(store, number) for number in self._numbers]
        if sum(source.bytes for source in own) > limits.SNIPPET_MAX_BYTES:
            return []
        return [hit for source in own for hit in search.read(store, source, 1, _HITS).hits]

    def _once(self, block: str) -> str:
        if block in self._shown:
            return f"{block.partition(chr(10))[0]}\n  (the same as above)"
        self._shown.add(block)
        return block
