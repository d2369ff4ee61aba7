"""What the dashboard shows, as plain data: read with the tools' own code from databases that are open for reading.

Nothing is written: no ledger row, no budget, no journal row, no index. A project is named by its key; "" is every one.
"""

from __future__ import annotations

import os
import re

from context_mode_runtime import paths
from context_mode_runtime.digests import blake2b
from context_mode_runtime.policy.load import load_policy
from context_mode_runtime.project import Project, find_project
from context_mode_runtime.server import catching, direct, searching, selfcheck
from context_mode_runtime.server.call import ToolError
from context_mode_runtime.server.savings import Books, Fixed, Report, Scope
from context_mode_runtime.store import health, inventory, journal, reading, sources
from context_mode_runtime.store.errors import StoreError
from context_mode_runtime.store.state import empty_block, state_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from context_mode_runtime.server.call import Call
    from context_mode_runtime.server.savings import Book
    from context_mode_runtime.store.db import Store
    from context_mode_runtime.store.journal import Row

    Data = dict[str, object]

_LIMIT = 3
"""Hits a query, as `ctx_search` gives without a `limit`; less where the first calls of a conversation get less."""
_ROWS_MAX = 200
"""Sources, conversations or journal rows of one answer."""
_TITLE_MAX = 300
_TEXT_MAX = 4_000
_LOG_BYTES = 8_192
_LOG_LINES = 12
_CHECKS = ("D9", "D11", "D13")
_MORE = re.compile(r'^  more: .*"offset":\s*(\d+)\}\)\Z', re.MULTILINE)
"""The last line of a source that goes on."""
_SOURCE = ("sid", "label", "kind", "tool", "bytes", "chunks", "live", "made")


class UnknownError(Exception):
    """There is no such project or conversation; the text says it to people."""


class Browser:
    """Everything that is stored for this user, as seen from the folder in which the dashboard was started."""

    __slots__ = ("_known", "here")

    def __init__(self, folder: str) -> None:
        self.here = find_project(folder)
        self._known: dict[str, tuple[str, Book]] = {}

    def stamp(self) -> str:
        """A text that changes with every change of any database or of the log of errors."""
        digest = blake2b(digest_size=12)
        for files in reading.stored_files():
            digest.update(f"{files.path}\n{files.state()}\n".encode(errors="surrogateescape"))
        digest.update(inventory.written(paths.error_log()).encode())
        return digest.hexdigest()

    def projects(self) -> Data:
        """The projects to choose from, where we are first, and the stamp of what was seen."""
        here = self.here.key() if self.here else ""
        stamp = self.stamp()
        found = [{"key": key, "name": store.name, "here": key == here} for key, store in self._stores("")]
        if self.here and all(one["key"] != here for one in found):
            found.append({"key": here, "name": self.here.name, "here": True})
        return {"projects": sorted(found, key=lambda one: (not one["here"], one["name"])), "stamp": stamp}

    def stats(self, project: str) -> Data:
        """The report of `context-mode stats --json` for a project and its newest conversation.

        Raises UnknownError, StoreError.
        """
        self._files(project)
        books = Books(self._known)
        if project:
            books.check(project)
        newest = books.account(project).newest() if project else None
        return Report(books, project or None, newest).data()

    def sources(self, project: str) -> Data:
        """The newest sources, and how many there are. Raises UnknownError, StoreError."""
        found: list[Data] = []
        count = 0
        for key, store in self._stores(project):
            with store.read() as db:
                count += db.execute("SELECT count(*) FROM sources").fetchone()[0]
            newest = sources.list_sources(store, limit=_ROWS_MAX)
            found += [{**_whose(key, store), **{name: getattr(one, name) for name in _SOURCE}} for one in newest]
        return {"sources": sorted(found, key=_by("made"), reverse=True)[:_ROWS_MAX], "count": count}

    def source(self, project: str, source: str, offset: str = "1") -> Data:
        """One source as `ctx_search` reads it in order from a part on; `next`: the part behind it, or None.

        Raises UnknownError, StoreError.
        """
        asked: Data = {"queries": [], "source": source, "offset": offset}

        def read(call: Call) -> Data:
            text = searching.read(call)
            more = _MORE.search(text)
            label = sources.find_source(call.store(), source).label
            return {"label": label, "text": text, "next": int(more[1]) if more else None}

        for key, store in self._stores(project):
            try:
                return read(self._call(key, store, asked))
            except ToolError as error:
                raise UnknownError(str(error)) from None
        raise UnknownError("nothing is stored in this project yet")

    def search(self, project: str, query: str) -> Data:
        """What `ctx_search` answers in each project: `blocks`, or `error`. Raises UnknownError, StoreError."""
        found = [self._found(key, store, query) for key, store in self._stores(project)]
        return {"query": query, "results": found}

    def conversations(self, project: str) -> Data:
        """The conversations used last, with what was asked last and what was saved. Raises UnknownError, StoreError."""
        fixed, books = Fixed(), Books(self._known)
        found: list[Data] = []
        for key, store in self._stores(project):
            account = books.account(key)
            prompts = journal.last_prompts(store)
            rows = {name: count for name, count, _ in journal.conversations(store)}
            for name, part in account.by_conversation().items():
                scope = Scope(part, fixed)
                first, last = part.conversations[name]
                told = {"id": name, "asked": prompts.get(name, "")[:_TITLE_MAX], "first": first, "last": last}
                numbers = {"calls": scope.totals.calls, "saved": scope.totals.saved, "net": scope.net}
                found.append({**_whose(key, store), **told, **numbers, "rows": rows.get(name, 0)})
        return {"conversations": sorted(found, key=_by("last"), reverse=True)[:_ROWS_MAX], "count": len(found)}

    def conversation(self, project: str, name: str) -> Data:
        """One conversation: numbers, state block as `ctx_resume` gives it, newest rows of its journal first.

        Raises UnknownError, StoreError.
        """
        books = Books(self._known)
        for key, store in self._stores(project):
            account = books.account(key).of(name)
            if not account.conversations:
                break
            rows = journal.rows(store, name, limit=_ROWS_MAX)
            state = state_block(store, name) or empty_block(name)
            numbers = Scope(account, Fixed()).data()
            return {"id": name, "stats": numbers, "state": state, "journal": [_row(row) for row in reversed(rows)]}
        raise UnknownError("no such conversation in this project")

    def health(self) -> Data:
        """Checks that change nothing: each database, policy, shells, data folder; and the last lines of our log."""
        files = reading.stored_files()
        rows = [row for one in inventory.all_files() for row in _store_rows(one)]
        call = direct.open_call("ctx_doctor", {}, self.here.worktree if self.here else os.sep)
        checks = [*rows, *selfcheck.rows(call, _CHECKS)]
        names = ("check", "status", "detail", "fix")
        size = sum(one.bytes + one.wal for one in files)
        return {
            "checks": [dict(zip(names, row, strict=True)) for row in checks],
            "databases": len(files),
            "bytes": size,
            "folder": paths.tilde(paths.data_root()),
            "log": _log_lines(),
        }

    def _files(self, project: str) -> dict[str, str]:
        """The databases by key: of the one that is named, none where we are before the first text. UnknownError."""
        found = {os.path.basename(one.folder): one.path for one in reading.stored_files()}
        if not project or project in found:
            return {project: found[project]} if project else found
        if self.here and project == self.here.key():
            return {}
        raise UnknownError(_NO_PROJECT)

    def _stores(self, project: str) -> Iterator[tuple[str, Store]]:
        """The one that is named, or each that can be read. Raises UnknownError, StoreError for the one."""
        for key, path in self._files(project).items():
            try:
                store = reading.open_reading(path)
            except StoreError:
                if project:
                    raise
                continue
            with store:
                yield key, store

    def _found(self, key: str, store: Store, query: str) -> Data:
        whose = _whose(key, store)
        try:
            call = self._call(key, store, {"queries": [query]})
            waits = catching.behind(store) if store.is_current() else {}
            most = min(_LIMIT, load_policy(call.project().root).search_budget.full_hits)
            return {**whose, "waits": list(waits.values()), "blocks": searching.answers(call, store, query, most)}
        except ToolError as error:
            return {**whose, "error": str(error)}

    def _call(self, key: str, store: Store, arguments: Data) -> Call:
        """A call as an agent in that project makes it: in our own worktree here, in all of the project elsewhere."""
        if self.here and self.here.key() == key:
            return direct.reading_call("ctx_search", arguments, self.here, store)
        project = _project(key, store)
        return direct.reading_call("ctx_search", {**arguments, "scope": "project"}, project, store)


def _project(key: str, store: Store) -> Project:
    """Where a project lies, by what its sources say, for its own rules; its data folder when it is gone."""
    with store.read() as db:
        rows = db.execute("SELECT DISTINCT worktree FROM sources WHERE worktree NOTNULL LIMIT 20").fetchall()
    for (worktree,) in rows:
        found = find_project(worktree)
        if found is not None and found.key() == key:
            return found
    folder = os.path.dirname(store.path)
    return Project(folder, folder)


def _whose(key: str, store: Store) -> Data:
    return {"project": key, "name": store.name}


def _by(name: str) -> Callable[[Data], int]:
    def number(one: Data) -> int:
        return int(str(one[name]))

    return number


def _row(row: Row) -> Data:
    cut = {"text": row.text[:_TEXT_MAX], "detail": row.detail[:_TEXT_MAX] if row.detail is not None else None}
    return {"seq": row.seq, "kind": row.kind, "at": row.at, **cut}


def _store_rows(files: inventory.Files) -> list[list[str]]:
    """D8 for one project: whether its database can be read, how large it is, what damaged files are kept."""
    title = f"D8 store {os.path.basename(files.folder)}"
    rows = []
    if os.path.isfile(files.path):
        size = f"{inventory.spoken(files.bytes)} and {inventory.spoken(files.wal)} of log"
        try:
            with reading.open_reading(files.path) as store:
                wrong = health.damaged_pages(store)
        except StoreError as error:
            wrong = error.reason
        told = ["FAIL", f"{paths.tilde(files.path)}: {wrong}", _FIX] if wrong else ["PASS", size, "-"]
        rows.append([title, *told])
    kept = [f"a damaged file is kept: {paths.tilde(path)}" for path in files.damaged]
    return rows + [[title, "WARN", said, "-"] for said in kept]


_FIX = "context-mode doctor"
_NO_PROJECT = "no such project: nothing of it is stored; choose one from the list at the top (api/projects)"


def _log_lines() -> list[str]:
    """The last lines of the log of errors, the newest first."""
    try:
        with open(paths.open_plain(paths.error_log()), "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _LOG_BYTES))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return []
    return text.splitlines()[: -_LOG_LINES - 1 : -1]
