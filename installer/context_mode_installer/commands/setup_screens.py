"""What setup says beside its plan: where it looked, what an undo restored, the history, what to do next."""

from __future__ import annotations

import os
import shlex
from datetime import datetime
from typing import TYPE_CHECKING, Any

from context_mode_installer import launchers
from context_mode_installer.origin import TO_STAY, in_cache
from context_mode_installer.result import Verbatim
from context_mode_installer.screen import table
from context_mode_installer.specs.catalog import spec_files
from context_mode_installer.unsupported import lines_of as lines_of_strangers
from context_mode_installer.unsupported import strangers_here
from context_mode_runtime import paths

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from context_mode_installer.backups import Backup, Backups
    from context_mode_installer.detect import Host
    from context_mode_installer.plan.host import Target
    from context_mode_installer.specs.model import Scope
    from context_mode_installer.transaction import FileChange, Work

RESTART = "Next: restart the agents; running sessions keep their old settings."


def looked_for(hosts: Sequence[Host]) -> list[str]:
    """Where agents were looked for; hosts without a spec by name."""
    lines = ["No agent was found. Looked for a program, or one of these places:"]
    for host in hosts:
        folders = [paths.tilde(host.places.path(folder.path)) for folder in host.spec.detection.folders]
        program = host.spec.detection.binary
        lines.append(f"  {host.spec.name}: {', '.join([*([program] if program else []), *folders])}")
    return lines + lines_of_strangers(strangers_here())


def to_name_one() -> str:
    """The next step where no agent was found."""
    return f"Next: to set one up all the same: context-mode setup --agents {next(iter(spec_files()), 'ID')}"


def may_go(prefix: str) -> list[str]:
    """A word on an environment that its tool may delete any time: launchers would start nothing then."""
    if not in_cache(prefix):
        return []
    return [f"Launchers start {paths.tilde(prefix)}, which lies in a cache and may go any time; {TO_STAY}"]


def saved(files: Iterable[FileChange], backups: Backups, backup: str) -> list[str]:
    """Where the files are as they were, and the way back; nothing where none was written."""
    before = [one.before is not None for one in files]
    if not before:
        return []
    kept = f"{_files(sum(before))} as before" if any(before) else f"{_files(len(before), 'new ')} noted"
    return [f"Saved: {kept} in {paths.tilde(backups.path(backup))}", go_back(backup)]


def _files(count: int, kind: str = "") -> str:
    return f"{count} {kind}file{'' if count == 1 else 's'}"


def go_back(backup: str) -> str:
    """The command that undoes a run."""
    return Verbatim(f"To go back: context-mode setup --undo {backup}")


def by_hand() -> str:
    """The command that starts our server as the launchers do, without an agent; it ends at once where all is well."""
    use = launchers.this_interpreter()
    return Verbatim(f"  {shlex.join([use.python, '-I', use.launch, 'serve'])} < {os.devnull}")


def next_steps(hosts: Iterable[Host], scope: Scope) -> list[str]:
    """What each agent still needs, by its spec, and how to look later."""
    by_agent = [host.spec.commands for host in hosts]
    steps = [line for one in by_agent for line in (*one.next, *(one.next_in_project if scope == "project" else ()))]
    return [*(f"Next: {line}" for line in steps), *(["Check it at any time: context-mode doctor"] if steps else [])]


def package_stays(target: Target) -> str:
    """A native package is the host's to take out: how."""
    native, install = target.spec.native, target.install
    commands = install.commands(native, native.remove) if native and install else []
    way = " && ".join(map(shlex.join, commands)) or "its entry goes by hand"
    return f"{target.spec.name}: our package stays; to take it out: {way}"


def history_lines(history: Sequence[Backup]) -> list[str]:
    """The earlier setups, newest first."""
    if not history:
        return ["There was no setup yet."]
    rows = [(one.id, _local(one.time), one.command, str(len(one.files)), ", ".join(one.agents)) for one in history]
    shown = table(("Id", "When", "What", "Files", "Agents"), rows)
    return [*map(Verbatim, shown), "To go back to before one: context-mode setup --undo ID"]


def history_data(history: Sequence[Backup]) -> list[dict[str, Any]]:
    """The same for programs."""
    return [
        {"id": one.id, "time": one.time, "command": one.command, "agents": list(one.agents),
         "files": [kept.path for kept in one.files]}
        for one in history
    ]  # fmt: skip


def _local(time: str) -> str:
    return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M")


def undone_lines(work: Work, backup: str | None, changed: Collection[str]) -> list[str]:
    """What an undo did to each file; what it would do where `backup` is None.

    `changed` are files that were changed since setup wrote them: going back gives those changes up.
    """
    if not work.files:
        return ["Nothing to undo: every file is as it was."]
    said = ("restored", "removed") if backup else ("to restore", "to remove")
    width = max(map(len, said))
    lines = []
    for one in work.files:
        lines.append(f"  {said[one.after is None].ljust(width)}  {paths.tilde(one.path)}")
        if one.path in changed:
            lines.append(f"    {'it had been changed since' if backup else 'it was changed since: that goes, too'}")
    title = f"Undone: {_files(len(work.files))}" if backup else f"To be undone: {_files(len(work.files))}"
    return [title, *lines, *([go_back(backup), RESTART] if backup else ["Nothing was written."])]
