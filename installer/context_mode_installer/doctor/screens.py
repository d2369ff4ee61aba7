"""What people read of doctor: a line for an agent that is well, what mends the rest, the whole table."""

from __future__ import annotations

import os
import platform
import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from context_mode_installer.origin import find_origin
from context_mode_installer.result import Verbatim
from context_mode_installer.screen import plain, ruled, wrapped
from context_mode_runtime import paths
from context_mode_runtime.redact import REDACTED, redact
from context_mode_runtime.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from context_mode_installer.doctor.model import Finding, Subject

    Titles = Mapping[str, str]
    """Check id -> its name."""

_SICK = ("FAIL", "WARN")
_MACHINE = "This machine"
"""What stands for an agent over the rows of a machine without one."""
_HEAD = ("Check", "Status", "Detail", "Fix")
_SECRET = re.compile(r"TOKEN|SECRET|PASSW|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|AUTH", re.IGNORECASE)
_SHORTEST = 3
"""A shorter name of a user or host stands in too many other words."""
_COMMON = frozenset({"root", "user", "admin", "localhost", "ubuntu", "runner"})


def environment_lines(found: Sequence[Subject]) -> list[str]:
    """The two lines that a report begins with."""
    hosts = ", ".join(f"agent {one.agent} {one.host.version or '?'}" for one in found) or "no agent found"
    system = f"{platform.system().lower()}-{platform.machine()}"
    shell = os.environ.get("SHELL", "none")
    commit = find_origin().commit
    lines = [
        f"Environment: context-mode {VERSION}{f' ({commit})' if commit else ''}, {hosts}",
        f"Environment: {system}, Python {platform.python_version()} at {paths.tilde(sys.executable)}, shell {shell}",
    ]
    return [Verbatim(line) for line in lines]


def whole_lines(found: Sequence[Subject], rows: Sequence[Finding], titles: Titles) -> list[str]:
    """The environment and every row: a table with ` | `, a row a line; in plain mode sentences."""
    head = [*environment_lines(found), ""]
    if plain():
        return head + [line for row in rows for line in _spoken(row, titles)]
    several = len(found) > 1
    cells = [(_name(row, titles, several=several), row.status, row.detail, row.fix or "-") for row in rows]
    return [*head, *map(Verbatim, ruled([_HEAD, *cells]))]


def wide_lines(found: Sequence[Subject], rows: Sequence[Finding], titles: Titles) -> list[str]:
    """The same for the width of a terminal: agent by agent, the detail wrapped, what mends it below, never wrapped."""
    width = max((len(_name(row, titles)) for row in rows), default=0)
    lines = [*environment_lines(found), "", f"{'Check':{width}} | Status | Detail, Fix"]
    groups: dict[str | None, str] = {subject.agent: subject.host.title for subject in found}
    for agent, title in (groups or {None: _MACHINE}).items():
        lines.append(title)
        for row in rows:
            if row.agent == agent:
                lines += wrapped(f"{_name(row, titles):{width}} | {row.status:6} | ", row.detail)
                lines += [Verbatim(f"{'':{width}} | Fix    | {row.fix}")] if row.fix else []
    return lines


def short_lines(found: Sequence[Subject], rows: Sequence[Finding], titles: Titles) -> list[str]:
    """Agents that are well on a line each; what is the same for all of them once; a last sentence."""
    lines = [f"context-mode {VERSION}  {paths.tilde(paths.data_root())}"]
    shared = _shared(found, rows)
    if shared:
        lines.append("All agents")
        lines += [line for row in shared for line in _sick_lines(replace(row, agent=None), titles)]
    for subject in found:
        mine = [row for row in rows if row.agent == subject.agent]
        sick = [row for row in mine if row.status in _SICK and _said(row) not in map(_said, shared)]
        if not subject.set_up and (any(row.fix == subject.setup for row in sick) or _unseen(mine)):
            why = [f"  {subject.obstacle.said}"] if subject.obstacle else []
            lines += [f"{subject.host.title}  not set up", *why, Verbatim(f"  fix: {subject.setup}")]
            continue
        lines += _group(subject.host.title, sick, len(mine) - len(shared), titles)
    if not found:
        alone = [row for row in rows if row.status in _SICK]
        lines += _group(_MACHINE, alone, len(rows), titles)
        if not alone:
            return lines
    return [*lines, _closing(rows, shared, len(found))]


def _unseen(rows: Sequence[Finding]) -> bool:
    """Whether nothing was looked at."""
    return all(row.status == "SKIP" for row in rows)


def _group(title: str, sick: Sequence[Finding], count: int, titles: Titles) -> list[str]:
    head = title if sick else f"{title}  ok ({_checks(count)})"
    return [head, *(line for row in sick for line in _sick_lines(row, titles))]


def _shared(found: Sequence[Subject], rows: Sequence[Finding]) -> list[Finding]:
    """The sick rows that say the same of every agent."""
    if len(found) < 2:  # noqa: PLR2004 - one agent shares with nobody
        return []
    said = [_said(row) for row in rows]
    first = [row for row in rows if row.agent == found[0].agent and row.status in _SICK]
    return [row for row in first if said.count(_said(row)) == len(found)]


def _said(row: Finding) -> tuple[object, ...]:
    return row.id, row.status, row.detail, row.fix


def _closing(rows: Sequence[Finding], shared: Sequence[Finding], agents: int) -> str:
    counts = {
        status: sum(row.status == status for row in rows) - (agents - 1) * sum(row.status == status for row in shared)
        for status in _SICK
    }
    told = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    if not told:
        return f"All is well ({_checks(len(rows))}; context-mode doctor -v shows them)."
    if any(row.mendable for row in rows):
        return Verbatim(f"{told}. To mend what setup can: context-mode doctor --fix")
    return f"{told}. Run what stands behind each fix."


def _checks(count: int) -> str:
    return f"{count} check{'' if count == 1 else 's'}"


def _sick_lines(row: Finding, titles: Titles) -> list[str]:
    if plain():
        return _spoken(row, titles)
    lines = wrapped(f"  {row.status}  ", f"{_name(row, titles)}: {row.detail}")
    return lines + ([Verbatim(f"        fix: {row.fix}")] if row.fix else [])


def _spoken(row: Finding, titles: Titles) -> list[str]:
    lines = [f"{row.status} {_name(row, titles, several=True)}: {row.detail}"]
    return lines + ([Verbatim(f"Fix: {row.fix}")] if row.fix else [])


def _name(row: Finding, titles: Titles, *, several: bool = False) -> str:
    return f"{row.id} {titles[row.id]}" + (f" ({row.agent})" if several and row.agent else "")


def shareable(text: str, environment: Mapping[str, str]) -> str:
    """A report without secrets, secret values of the environment, names of user and machine, and the home's path."""
    text, _ = redact(text)
    for name, value in environment.items():
        if _SECRET.search(name) and len(value) > _SHORTEST and not value.isalpha():
            text = text.replace(value, REDACTED)
    for home in {paths.home(), os.path.realpath(paths.home())}:
        text = re.sub(rf"{re.escape(home)}(?![\w.-])", "~", text)
    host = platform.node()
    people = {environment.get(name, "") for name in ("USER", "LOGNAME", "USERNAME")} | {os.path.basename(paths.home())}
    for word, names in (("HOST", {host, host.partition(".")[0]}), ("USER", people)):
        for one in sorted(names, key=len, reverse=True):
            if len(one) >= _SHORTEST and one.lower() not in _COMMON:
                text = re.sub(rf"(?<![\w.-]){re.escape(one)}(?![\w-])", word, text)
    return text
