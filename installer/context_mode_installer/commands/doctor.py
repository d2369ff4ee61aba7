"""`context-mode doctor`: the checks as a table, as JSON, as a report; `--fix` runs what mends."""

from __future__ import annotations

import concurrent.futures
import os
import platform
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from context_mode_installer.doctor import config, machine, runs, skills, store, working
from context_mode_installer.doctor.look import subjects
from context_mode_installer.doctor.model import Check, Finding, examine
from context_mode_installer.groups import groups
from context_mode_installer.origin import find_origin
from context_mode_installer.result import FINDINGS, Result, UserError
from context_mode_installer.screen import ruled, wrapped
from context_mode_installer.unsupported import lines_of as lines_of_strangers
from context_mode_installer.unsupported import strangers_here
from context_mode_runtime import paths
from context_mode_runtime.redact import redact
from context_mode_runtime.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_mode_installer.doctor.model import Subject

CHECKS = (
    Check("D1", "version", machine.version),
    Check("D2", "python", machine.python),
    Check("D3", "MCP entry", config.mcp_entry),
    Check("D4", "leftovers", config.leftovers),
    Check("D5", "hook replies", runs.replies),
    Check("D6", "hook time", runs.hook_time),
    Check("D7", "MCP handshake", runs.mcp_handshake),
    Check("D8", "store", store.store),
    Check("D9", "policy", working.policy),
    Check("D10", "skills", skills.skills),
    Check("D11", "shells, languages", working.shells),
    Check("D12", "switches, trust", config.switches),
    Check("D13", "data folder", machine.data_folder),
)
_DETAIL_MAX = 800
SETUP = "context-mode setup"


@dataclass(frozen=True)
class Options:
    """The options of the command line."""

    agents: tuple[str, ...] = ()
    fix: bool = False
    offline: bool = False
    only: tuple[str, ...] = ()
    report: Path | None = None
    verbose: bool = False


def run(options: Options) -> Result:
    """Looks, mends with `--fix` and looks again. Exit 1 on any FAIL. Raises UserError for an unknown agent or check."""
    checks = _wanted(options.only)
    found, rows = _look(options, checks)
    fixed: list[str] = []
    if options.fix:
        fixed = _mend(found, rows)
        found, rows = _look(options, checks) if fixed else (found, rows)
    lines = [*fixed, *_lines(found, rows, checks, whole=options.verbose or not sys.stdout.isatty())]
    data = {"version": VERSION, "checks": [row.as_data() for row in rows], "fixed": fixed}
    if options.report is not None:
        lines.append(_write_report(options.report, found, rows, checks))
    bad = any(row.status == "FAIL" for row in rows)
    return Result("doctor", "findings" if bad else "ok", FINDINGS if bad else 0, data, tuple(lines))


def _wanted(only: Sequence[str]) -> list[Check]:
    known = {check.id: check for check in CHECKS}
    for name in only:
        if name.upper() not in known:
            raise UserError(f"unknown check {name!r}; known: {', '.join(known)}")
    return [known[name.upper()] for name in only] or list(CHECKS)


def _look(options: Options, checks: Sequence[Check]) -> tuple[list[Subject], list[Finding]]:
    with tempfile.TemporaryDirectory(prefix="context-mode-doctor-") as folder:
        found = subjects(options.agents, os.path.realpath(folder), offline=options.offline)
        rows = _examined(found, checks)
    return found, rows


def _examined(found: Sequence[Subject], checks: Sequence[Check]) -> list[Finding]:
    """All rows, agent by agent; agents are looked at side by side, for most checks wait for a process."""
    with concurrent.futures.ThreadPoolExecutor(min(len(found), os.cpu_count() or 1) or 1) as pool:
        by_agent = pool.map(lambda subject: [_redacted(examine(check, subject)) for check in checks], found)
        return [row for rows in by_agent for row in rows]


def _redacted(row: Finding) -> Finding:
    return Finding(row.id, row.agent, row.status, redact(row.detail)[0][:_DETAIL_MAX], row.fix)


def _mend(found: Sequence[Subject], rows: Sequence[Finding]) -> list[str]:
    """Runs what mends: setup (the one thing that writes into configs, rolled back where it fails), the store, rights.

    A command that takes more than our own right, or something of a stranger's away, is left to the user.
    """
    sick = [row for row in rows if row.status in ("FAIL", "WARN") and row.fix]
    agents = {row.agent for row in sick if row.fix and row.fix.startswith(SETUP)}
    lines = _set_up_again([subject.agent for subject in found if subject.agent in agents])
    if any(row.fix == store.FIX for row in sick):
        lines += store.mend()
    if any(row.fix == machine.rights_fix() for row in sick):
        os.chmod(paths.data_root(), paths.PRIVATE_FOLDER)
        lines.append(f"{paths.tilde(paths.data_root())} is private again")
    return lines


def _set_up_again(agents: Sequence[str]) -> list[str]:
    """As they are set up (scope, approvals left out or not); those that are not, as setup does without options."""
    from context_mode_installer.commands import setup

    known = groups(agents)
    new = [agent for agent in agents if all(agent not in group for group in known.values())]
    wanted = [
        setup.Options(
            agents=tuple(names), scope=way.scope, project=Path(way.project) if way.project else None,
            approve=way.approved,
        )
        for way, names in known.items()
    ]  # fmt: skip
    wanted += [setup.Options(agents=tuple(new))] if new else []
    lines = []
    for options in wanted:
        try:
            lines += [f"setup: {line}" for line in setup.run(options).messages]
        except UserError as error:
            lines.append(f"setup: {error}")
    return lines


def environment_lines(found: Sequence[Subject]) -> list[str]:
    """The two lines that a report begins with."""
    hosts = ", ".join(f"agent {one.agent} {one.host.version or '?'}" for one in found) or "no agent found"
    system = f"{platform.system().lower()}-{platform.machine()}"
    shell = os.environ.get("SHELL", "none")
    commit = find_origin().commit
    return [
        f"Environment: context-mode {VERSION}{f' ({commit})' if commit else ''}, {hosts}",
        f"Environment: {system}, Python {platform.python_version()} at {paths.tilde(sys.executable)}, shell {shell}",
    ]


def _lines(found: Sequence[Subject], rows: Sequence[Finding], checks: Sequence[Check], *, whole: bool) -> list[str]:
    if not found:
        return [
            "No agent was found or set up.",
            *lines_of_strangers(strangers_here()),
            "Known ones: context-mode agents. To set one up: context-mode setup --agents ID",
        ]
    titles = {check.id: check.title for check in checks}
    if whole:
        return [*environment_lines(found), "", *_report_table(found, rows, titles)]
    lines = [f"context-mode {VERSION}  {paths.tilde(paths.data_root())}"]
    for subject in found:
        mine = [row for row in rows if row.agent == subject.agent]
        sick = [row for row in mine if row.status in ("FAIL", "WARN")]
        lines.append(subject.host.title if sick else f"{subject.host.title}  ok ({len(mine)} checks)")
        lines += [line for row in sick for line in _sick_lines(row, titles)]
    return lines


def _report_table(found: Sequence[Subject], rows: Sequence[Finding], titles: dict[str, str]) -> list[str]:
    several = len(found) > 1
    cells = [
        (f"{row.id} {titles[row.id]}" + (f" ({row.agent})" if several else ""), row.status, row.detail, row.fix or "-")
        for row in rows
    ]
    return ruled([("Check", "Status", "Detail", "Fix"), *cells])


def _sick_lines(row: Finding, titles: dict[str, str]) -> list[str]:
    lines = wrapped(f"  {row.status}  ", f"{row.id} {titles[row.id]}: {row.detail}")
    return lines + ([f"        fix: {row.fix}"] if row.fix else [])


def _write_report(path: Path, found: Sequence[Subject], rows: Sequence[Finding], checks: Sequence[Check]) -> str:
    text, _ = redact("\n".join(_lines(found, rows, checks, whole=True)) + "\n")
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"--report {path}: {error.strerror}") from None
    return f"The report is in {paths.tilde(str(path))}."
