"""Runs that nobody waits for: their output is a source that grows with them, and is indexed when somebody looks."""

from __future__ import annotations

import os
import threading
import time

from context_mode_runtime import log
from context_mode_runtime.server import catching
from context_mode_runtime.server.call import UnusableStoreError
from context_mode_runtime.server.keeping import kept_bytes, label_of
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.errors import StoreError, UnknownSourceError
from context_mode_runtime.store.live import open_live
from context_mode_runtime.store.sources import Placed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.execute.run import Background, Run
    from context_mode_runtime.server.call import Call

_runs: list[_Watched] = []
_turn = threading.Lock()


_LOOK_S = 5.0
"""Longest that one look takes; what it leaves comes with the next one."""


class _Watched:
    """One background run and the source that its output goes to. Every look costs what is new."""

    __slots__ = ("_key", "_name", "_secret", "_source", "_turn", "background", "label", "sid", "stored")

    def __init__(self, call: Call, label: str) -> None:
        """Makes the source, still empty. Raises StoreError."""
        project = call.project()
        self._key, self._name = project.key(), project.name
        self._secret = call.store().secret_names
        self._turn = threading.Lock()
        origin = f"run:{call.connection.key}:{len(_runs) + 1}"
        place = Placed(label_of(label), call.session(), project.worktree, call.tool, origin)
        self._source = open_live(call.store(), place)
        self.background: Background | None = None
        self.label = place.label
        self.sid = self._source.indexed.sid
        self.stored = False

    def belongs_to(self, path: str) -> bool:
        """Whether its source lies in the database at `path`."""
        return os.path.basename(os.path.dirname(path)) == self._key

    def bring_up_to_date(self, *, search: bool = False) -> None:
        """Stores what was printed since, for a `search` indexed too. A store that can't be written gets it later."""
        with self._turn:
            if self.background is None or self.stored:
                return
            try:
                with Store.open(self._key, name=self._name) as store:
                    store.secret_names = self._secret
                    self.stored = self._store(store, self.background)
                    if search or self.stored:
                        catching.catch_up(store, _LOOK_S if search else 0.0)
            except UnknownSourceError:
                self.drop()
            except StoreError as error:
                log.log_error("serve background", error)

    def _store(self, store: Store, background: Background) -> bool:
        """True when the run has ended and all is stored."""
        outcome = background.outcome
        until = time.monotonic() + _LOOK_S
        self._source.flush(store)
        for text in background.output.rest() if outcome else background.output.more():
            self._source.append(store, text)
            if not outcome and time.monotonic() >= until:
                break
        if outcome is None:
            self._source.flush(store)
            return False
        cut_off = outcome.exit_code is None or background.output.cut > 0
        self._source.close(store, named=True, cut_off=cut_off)
        background.output.close()
        return True

    def give_up(self, store: Store) -> None:
        """The run could not be started: the source stays empty. Raises StoreError."""
        self._source.close(store, named=True)

    def drop(self) -> None:
        """Its source is gone: it runs on unheard."""
        if self.background is not None:
            self.background.output.close()
            self.background = None


def start(call: Call, spec: Run, label: str) -> str:
    """Starts the run and says where its output will be. Raises ToolError without a store, ExecuteError."""
    from context_mode_runtime.execute.errors import ExecuteError
    from context_mode_runtime.execute.run import Background

    spec.timeout_ms = None
    spec.keep = kept_bytes(call)
    try:
        with _turn:
            watched = _Watched(call, label)
            _runs.append(watched)
    except StoreError as error:
        raise UnusableStoreError("a background run needs the store; not stored", error) from None

    try:
        watched.background = Background(spec, watched.bring_up_to_date)
    except ExecuteError:
        watched.give_up(call.store())
        raise
    if watched.background.outcome is not None:
        watched.bring_up_to_date()
    look = call.example("ctx_search", {"queries": [], "source": watched.sid})
    return f"running · {watched.sid}\nits output so far: {look}; it ends with this server"


def flush() -> None:
    """Brings the sources of this process' background runs up to date; those that have ended are up to date."""
    for watched in _runs:
        watched.bring_up_to_date(search=True)


def forget(store: Store) -> None:
    """After a purge: runs whose source is gone are not stored again; they go on unheard."""
    from context_mode_runtime.store.sources import find_source

    for watched in _runs:
        if watched.background is not None and watched.belongs_to(store.path):
            try:
                gone = find_source(store, watched.sid).label != watched.label
            except UnknownSourceError:
                gone = True
            if gone:
                watched.drop()


def state(sid: str, label: str) -> str:
    """`running`, `exit 0 · 12 B`, or nothing for a source that is no background run of this process."""
    from context_mode_runtime.server.printed import headline

    for watched in _runs:
        if (watched.sid, watched.label) == (sid, label) and watched.background is not None:
            outcome = watched.background.outcome
            return headline(outcome, 0) if outcome else "running"
    return ""
