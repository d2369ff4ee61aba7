"""Runs that nobody waits for: their output is a source that is brought up to date whenever somebody looks."""

from __future__ import annotations

import os
import threading

from context_mode_runtime import log
from context_mode_runtime.server.call import ToolError
from context_mode_runtime.server.keeping import label_of, not_stored
from context_mode_runtime.store.db import Store
from context_mode_runtime.store.errors import StoreError
from context_mode_runtime.store.sources import add_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from context_mode_runtime.execute.run import Background, Outcome, Run
    from context_mode_runtime.server.call import Call

_runs: list[_Watched] = []
_turn = threading.Lock()


class _Watched:
    """One background run, the source that holds its output, and how much of that is stored already."""

    __slots__ = ("_key", "_name", "_place", "_secret", "_turn", "background", "label", "sid")

    def __init__(self, call: Call, label: str) -> None:
        """Makes the source, still empty. Raises StoreError."""
        project = call.project()
        self._key, self._name = project.key(), project.name
        self._secret = call.store().secret_names
        self._turn = threading.Lock()
        self._place = (f"run:{call.connection.key}:{len(_runs) + 1}", call.session(), project.worktree, call.tool)
        self.label = label_of(label)
        self.background: Background | None = None
        self.sid = self._put(call.store(), "")

    def belongs_to(self, path: str) -> bool:
        """Whether its source lies in the database at `path`."""
        return os.path.basename(os.path.dirname(path)) == self._key

    def bring_up_to_date(self) -> None:
        """Stores what was printed since; a store that can't be written now gets it the next time."""
        if self.background is None:
            return
        try:
            with self._turn, Store.open(self._key, name=self._name) as store:
                store.secret_names = self._secret
                self._put(store, self.background.text())
        except StoreError as error:
            log.log_error("serve background", error)

    def _put(self, store: Store, text: str) -> str:
        origin, conversation, worktree, tool = self._place
        return add_source(
            store,
            text,
            label=self.label,
            kind="log",
            origin=origin,
            conversation=conversation,
            worktree=worktree,
            tool=tool,
        ).sid


def start(call: Call, spec: Run, label: str) -> str:
    """Starts the run and says where its output will be. Raises ToolError without a store, ExecuteError."""
    from context_mode_runtime.execute.run import Background

    spec.timeout_ms = None
    try:
        with _turn:
            watched = _Watched(call, label)
            _runs.append(watched)
    except StoreError as error:
        raise ToolError(f"a background run needs the store; {not_stored(error)}") from None

    def ended(_outcome: Outcome) -> None:
        watched.bring_up_to_date()

    watched.background = Background(spec, ended)
    look = call.example("ctx_search", {"queries": [], "source": watched.sid})
    return f"running · {watched.sid}\nits output so far: {look}; it ends with this server"


def flush() -> None:
    """Brings the sources of this process' background runs up to date; those that have ended are up to date."""
    for watched in _runs:
        if watched.background is not None and watched.background.running:
            watched.bring_up_to_date()


def forget(store: Store) -> None:
    """After a purge: runs whose source is gone are not stored again; they go on unheard."""
    from context_mode_runtime.store.errors import UnknownSourceError
    from context_mode_runtime.store.sources import find_source

    for watched in _runs:
        if watched.background is not None and watched.belongs_to(store.path):
            try:
                gone = find_source(store, watched.sid).label != watched.label
            except UnknownSourceError:
                gone = True
            if gone:
                watched.background = None


def state(sid: str, label: str) -> str:
    """`running`, `exit 0 · 12 B`, or nothing for a source that is no background run of this process."""
    from context_mode_runtime.server.printed import headline

    for watched in _runs:
        if (watched.sid, watched.label) == (sid, label) and watched.background is not None:
            outcome = watched.background.outcome
            return headline(outcome, 0) if outcome else "running"
    return ""
