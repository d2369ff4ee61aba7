"""`context-mode stats`: the numbers of `ctx_stats` for people, with bars on a terminal, and for scripts."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

from context_mode_installer.result import FINDINGS, Result, UserError
from context_mode_installer.screen import plain, table
from context_mode_runtime.paths import tilde
from context_mode_runtime.project import find_project
from context_mode_runtime.server import savings, savings_text
from context_mode_runtime.server.call import NO_PROJECT, UnusableStoreError
from context_mode_runtime.store import blocks
from context_mode_runtime.store.errors import StoreError

if TYPE_CHECKING:
    from context_mode_runtime.server.savings import Report
    from context_mode_runtime.server.savings_text import Row

_LARGEST = 5
_DAYS = 14
_BAR_MIN = 8
_BAR_MAX = 30
_BLOCKS = " ▏▎▍▌▋▊▉█"


def stats(session: str | None) -> Result:
    """The report of the project we stand in and its newest conversation, or the one that is named.

    Raises UserError without a project, for an unknown conversation, and where the project's store can't be read.
    """
    project = find_project(os.getcwd())
    if project is None:
        raise UserError(NO_PROJECT)
    books = savings.Books()
    try:
        books.check(project.key())
    except StoreError as error:
        raise UserError(str(UnusableStoreError("the store can't be read", error)), exit_code=FINDINGS) from None
    account = books.account(project.key())
    wanted = named(list(account.conversations), session) if session else account.newest()
    report = savings.Report(books, project.key(), wanted)
    return Result("stats", data=report.data(), messages=tuple(_lines(report, named=session is not None)))


def named(known: list[str], session: str) -> str:
    """The conversation that is meant by our key or by the host's id. Raises UserError."""
    found = fitting(known, session)
    if len(found) == 1:
        return found[0]
    raise UserError(f"no conversation {session!r} in this project; known: {', '.join(known[:10]) or 'none'}")


def fitting(known: list[str], session: str) -> list[str]:
    """The conversation with this key of ours, else those with this id of their host."""
    return [key for key in known if key == session] or [key for key in known if key.partition(":")[2] == session]


def _lines(report: Report, *, named: bool) -> list[str]:
    title = ("that" if named else "newest") + " conversation"
    scope = report.scopes["project"]
    parts = [
        _opening(report, title),
        _table(savings_text.scopes(report, title if report.last else None)),
        _barred(*savings_text.tools(scope, "this project")),
        _barred(*savings_text.days(scope, "this project", _DAYS)),
        _table(savings_text.largest(report, _LARGEST)),
        savings_text.method(report),
        [f"not in these numbers: {tilde(path)}: {reason}" for path, reason in report.books.unreadable.items()],
    ]
    return [line for part in parts if part for line in ("", *part)][1:]


def _opening(report: Report, title: str) -> list[str]:
    """What was kept out, and which conversation is meant."""
    names = {"project": "in this project", "all": "in all projects"}
    told = ", ".join(f"{savings_text.share(report.scopes[name])} {where}" for name, where in names.items())
    lines = [f"Kept out of the context: {told}."] if report.scopes["all"].totals.calls else ["Nothing was counted yet."]
    if report.last:
        name, last = blocks.plain(report.conversation or ""), savings_text.when(report.last)
        lines.append(f"{title.capitalize()}: {name}, last used {last}.")
    return lines


def _table(rows: list[Row]) -> list[str]:
    return table(rows[0], rows[1:]) if rows and plain() else savings_text.columns(rows)


def _barred(rows: list[Row], sizes: list[int]) -> list[str]:
    """The rows in columns, on a terminal with a bar behind each: its part of the largest, as wide as there is room."""
    lines = _table(rows)
    room = shutil.get_terminal_size().columns - max(map(len, lines), default=0) - 3
    if not sys.stdout.isatty() or plain() or room < _BAR_MIN or not max(sizes, default=0):
        return lines
    width = max(map(len, lines))
    bars = [_bar(max(size, 0) / max(sizes), min(room, _BAR_MAX)) for size in sizes]
    return [f"{line.ljust(width)}  {bar}".rstrip() for line, bar in zip(lines, bars, strict=True)]


def _bar(part: float, width: int) -> str:
    """A bar in eighths of a character, or in whole `#` where the terminal can't show those."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    if not encoding.startswith("utf"):
        return "#" * round(part * width)
    whole, eighths = divmod(round(part * width * 8), 8)
    return (_BLOCKS[8] * whole + _BLOCKS[eighths]).rstrip()
