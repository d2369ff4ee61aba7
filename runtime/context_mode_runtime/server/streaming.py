"""Stores an output that is too long for memory: piece by piece, all of it, before it is indexed."""

from __future__ import annotations

import threading
import time

from context_mode_runtime import limits
from context_mode_runtime.excerpt_digest import ENDS, Digest
from context_mode_runtime.server import catching
from context_mode_runtime.server.keeping import Kept, label_of, not_stored
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.errors import StoreBusyError, StoreError
from context_mode_runtime.store.live import open_live
from context_mode_runtime.store.sources import Placed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.excerpt import Condensed
    from context_mode_runtime.execute.output import Output
    from context_mode_runtime.server.call import Call
    from context_mode_runtime.store.live import LiveSource

_STORING_S = 45.0
"""Longest wait for the end of the storing; it goes on behind the reply then."""
_INDEXING_S = 4.0
_ANSWER_S = 1.5
_LOOK_S = 0.1
_TRIES = 3
"""Times that a store in use by others is waited for, each as long as its time limit."""


def keep_long(call: Call, output: Output, label: str, intent: str, *, stopped: bool) -> Kept:
    """Stores `output`, closes it, and says what matters of it. Never raises: a run is done, whatever the store says.

    `stopped`: the run did not end by itself.
    """
    keeping = _Keeping(call, output, label_of(label), intent, stopped=stopped)
    until = time.monotonic() + min(_STORING_S, _left_s(call))
    while not keeping.done.wait(_LOOK_S) and time.monotonic() < until and not call.running.cancel.is_set():
        call.running.progress(f"storing: {keeping.seen} of {output.printed} B")
    return keeping.kept(call, min(_INDEXING_S, max(_left_s(call), 0.0)))


def _left_s(call: Call) -> float:
    return call.running.received + limits.EXEC_TIMEOUT_MS / 1000 - _ANSWER_S - time.monotonic()


class _Keeping:
    """The storing of one output by a thread of its own. `done` is set at its end; `seen`: bytes looked at so far."""

    __slots__ = (
        *("_digest", "_named", "_output", "_place", "_problem", "_project", "_secret", "_source", "_stopped", "_turn"),
        *("done", "seen"),
    )

    def __init__(self, call: Call, output: Output, label: str, intent: str, *, stopped: bool) -> None:
        project = call.project()
        self._project = (project.key(), project.name)
        self._place = Placed(label, call.session(), project.worktree, call.tool, None)
        self._output = output
        self._stopped = stopped
        self._digest = Digest(intent)
        self._source: LiveSource | None = None
        self._named = False
        self._problem = ""
        self._secret: tuple[str, ...] = ()
        self._turn = threading.Lock()
        self.seen = 0
        self.done = threading.Event()
        try:
            self._secret = call.store().secret_names
            self._source = open_live(call.store(), self._place)
        except StoreError as error:
            self._problem = not_stored(error)
        threading.Thread(target=self._work, name="ctx-storing", daemon=True).start()

    def kept(self, call: Call, indexing_s: float) -> Kept:
        """What the reply says now, after up to `indexing_s` seconds for the index where all is stored."""
        with self._turn:
            done, source = self.done.is_set(), self._source
            self._named = True
            kept = Kept(source.indexed if source else None, self._problem, self._condensed())
        if source and not done:
            kept.more.append(f"still being stored: {self.seen:,} of {self._output.printed:,} B so far")
        elif source:
            kept.more += catching.catch_up(call.store(), indexing_s).get(source.indexed.id, "").splitlines()
        return kept

    def _condensed(self) -> Condensed:
        return self._digest.condensed() if self.done.is_set() else self._digest.condensed(self._output.ahead(ENDS))

    def _work(self) -> None:
        try:
            if self._source is None:
                self._look_at_all(None)
                return
            with Store.open(self._project[0], name=self._project[1]) as store:
                store.secret_names = self._secret
                self._look_at_all(store)
                catching.catch_up(store, 0.0)
        except StoreError as error:
            self._fail(error)
            self._look_at_all(None)
        finally:
            self._output.close()
            self.done.set()

    def _look_at_all(self, store: Store | None) -> None:
        """Reads the output to its end; what the store does not take is still looked at for the reply."""
        for text in self._output.rest():
            with self._turn:
                self._digest.feed(text)
                self.seen = self._output.read
            if store and self._source:
                self._store(store, self._source, text)
        if store and self._source:
            with self._turn:
                self._source.close(store, named=self._named, cut_off=self._stopped or self._output.cut > 0)

    def _store(self, store: Store, source: LiveSource, text: str) -> None:
        for left in range(_TRIES, 0, -1):
            try:
                source.append(store, text)
            except StoreError as error:
                if left == 1 or not isinstance(error, StoreBusyError):
                    self._fail(error)
                    return
                text = ""
            else:
                return

    def _fail(self, error: StoreError) -> None:
        with self._turn:
            self._source, self._problem = None, not_stored(error)
