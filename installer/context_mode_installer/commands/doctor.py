"""`context-mode doctor`: the checks as a table, as JSON, as a report; `--fix` runs what mends."""

from __future__ import annotations

import concurrent.futures
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from context_mode_installer.doctor import config, machine, runs, screens, skills, store, working
from context_mode_installer.doctor.look import subjects
from context_mode_installer.doctor.model import FIX, Check, Finding, examine, examine_alone, rights_fix
from context_mode_installer.groups import groups
from context_mode_installer.result import FINDINGS, OK, Result, Status, UserError
from context_mode_installer.screen import plain, step
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
    Check("D8", "store", store.store, store.store),
    Check("D9", "policy", working.policy, working.policy),
    Check("D10", "skills", skills.skills),
    Check("D11", "shells, languages", working.shells, working.shells),
    Check("D12", "switches, trust", config.switches),
    Check("D13", "data folder", machine.data_folder, machine.data_folder),
)
TITLES = {check.id: check.title for check in CHECKS}
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
    lines = _whole(found, rows)
    shown = _shown(options, found, rows)
    data = {"version": VERSION, "checks": [row.as_data() for row in rows], "fixed": fixed}
    if options.report is not None:
        shown.append(_write_report(options.report, found, rows))
    sick = any(row.status == "FAIL" for row in rows)
    status: Status
    status, code = ("findings", FINDINGS) if sick else ("ok", OK)
    return Result("doctor", status, code, data, (*fixed, *lines), (*fixed, *shown))


def _wanted(only: Sequence[str]) -> list[Check]:
    known = {check.id: check for check in CHECKS}
    for name in only:
        if name.upper() not in known:
            raise UserError(f"unknown check {name!r}; known: {', '.join(known)}")
    return [known[name.upper()] for name in only] or list(CHECKS)


def _look(options: Options, checks: Sequence[Check]) -> tuple[list[Subject], list[Finding]]:
    with tempfile.TemporaryDirectory(prefix="context-mode-doctor-") as folder:
        with step("Looking for agents"):
            found = subjects(options.agents, os.path.realpath(folder), offline=options.offline)
        with step(f"Checking {', '.join(one.host.spec.name for one in found) or 'this machine'}"):
            rows = _examined(found, checks)
    return found, rows


def _examined(found: Sequence[Subject], checks: Sequence[Check]) -> list[Finding]:
    """All rows, agent by agent; agents are looked at side by side, for most checks wait for a process.

    Without an agent those of the machine.
    """
    if not found:
        return [_redacted(row) for row in examine_alone(checks)]
    with concurrent.futures.ThreadPoolExecutor(min(len(found), os.cpu_count() or 1)) as pool:
        by_agent = pool.map(lambda subject: [_redacted(examine(check, subject)) for check in checks], found)
        return [row for rows in by_agent for row in rows]


def _redacted(row: Finding) -> Finding:
    return Finding(row.id, row.agent, row.status, redact(row.detail)[0][:_DETAIL_MAX], row.fix)


def _mend(found: Sequence[Subject], rows: Sequence[Finding]) -> list[str]:
    """Runs what mends: setup (the one thing that writes into configs, rolled back where it fails), the store, rights.

    A command that takes more than our own right, or something of a stranger's away, is left to the user.
    """
    sick = [row for row in rows if row.mendable]
    agents = {row.agent for row in sick if row.fix and row.fix.startswith(SETUP)}
    lines = _set_up_again([subject.agent for subject in found if subject.agent in agents])
    if any(row.fix == FIX for row in sick):
        lines += store.mend()
    if any(row.fix == rights_fix() for row in sick):
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
            lines += ["Setup, to mend what it can:", *setup.run(options).messages]
        except UserError as error:
            lines.append(f"Setup could not mend it: {error}")
    return lines


def _shown(options: Options, found: Sequence[Subject], rows: Sequence[Finding]) -> list[str]:
    """The lines for a screen; the whole table for a pipe and a program."""
    if not rows or not sys.stdout.isatty():
        return _whole(found, rows)
    if not options.verbose:
        lines = screens.short_lines(found, rows, TITLES)
    else:
        lines = (screens.whole_lines if plain() else screens.wide_lines)(found, rows, TITLES)
    return lines if found else [*lines, *_nobody()]


def _whole(found: Sequence[Subject], rows: Sequence[Finding]) -> list[str]:
    """The table with what is to be said where no agent is."""
    lines = screens.whole_lines(found, rows, TITLES) if rows else []
    return lines if found else [*lines, *([""] if lines else []), *_nobody()]


def _nobody() -> list[str]:
    return [
        "No agent was found or set up.",
        *lines_of_strangers(strangers_here()),
        "Known ones: context-mode agents. To set one up: context-mode setup --agents ID",
    ]


def _write_report(path: Path, found: Sequence[Subject], rows: Sequence[Finding]) -> str:
    text = screens.shareable("\n".join(_whole(found, rows)) + "\n", os.environ)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"--report {path}: {error.strerror}") from None
    return f"The report is in {paths.tilde(str(path))}, ready to paste."
