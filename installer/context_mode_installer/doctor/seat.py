"""The shell's seat where it is taken: it points to a launcher of ours that runs the real shell and its commands."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from context_mode_installer import formats, seats
from context_mode_installer.doctor.model import Outcome, Subject, failed, passed, warned
from context_mode_installer.plan.seat import NAME, launcher_of, seat_edits
from context_mode_installer.system import RealSystem
from context_mode_installer.verify import seat_problem
from context_mode_runtime import paths
from context_mode_runtime.policy.load import load_policy
from context_mode_runtime.project import find_project

if TYPE_CHECKING:
    from collections.abc import Iterator

    from context_mode_installer.plan.host import Target


def with_seat(subject: Subject, outcome: Outcome) -> Outcome:
    """What D11 says, and what is to be said of the seat: the worse of both first."""
    mine = _seat(subject) if not subject.problem else None
    if mine is None:
        return outcome
    first, second = (mine, outcome) if mine.status != "PASS" and outcome.status != "FAIL" else (outcome, mine)
    return Outcome(first.status, f"{first.detail}; {second.detail}", first.fix or second.fix)


def _seat(subject: Subject) -> Outcome | None:
    for target in subject.targets:
        launcher = launcher_of(target)
        if launcher is not None:
            return _taken(subject, target, launcher)
        other = next(_others(target), None)
        if other is not None:
            return passed(f"{NAME}: {other} is set by you")
    return None


def _others(target: Target) -> Iterator[str]:
    """Settings of the user's own in our place."""
    for edit in seat_edits(target):
        config, at = target.config(edit.file or ""), target.keys(edit.at)
        if config.get(at) is not formats.MISSING:
            yield f"{formats.shown(at)} in {paths.tilde(config.path)}"


def _taken(subject: Subject, target: Target, launcher: str) -> Outcome:
    shown = f"{NAME}: {paths.tilde(launcher)}"
    files = (launcher, seats.launcher_behind(launcher))
    changed = [one for one in subject.plan.changes if one.file in files] if subject.plan else []
    if not os.access(launcher, os.X_OK) or changed:
        return failed(f"{shown} is missing or not as setup writes it", subject.setup)
    shell = seats.shell_behind(launcher)
    if not os.access(shell, os.X_OK):
        return failed(f"{shown} is for {shell}, which is not there", subject.setup)
    problem = seat_problem(RealSystem([]), target, launcher, subject.environment, subject.environment["PWD"])
    if problem:
        return failed(problem, subject.setup)
    off = next(_switched_off(target), None)
    if off:
        return warned(f"{shown} runs {shell}, but not here: {off[0]}", off[1])
    return passed(f"{shown} runs {shell}")


def _switched_off(target: Target) -> Iterator[tuple[str, str]]:
    """What switches it off in this folder, and how to mend that: our own policy, the project's own files."""
    project = find_project(os.getcwd())
    policy = load_policy(project.root if project else None)
    if not policy.seated:
        yield "route seat or capture is off", "context-mode policy show"
    seat = target.spec.shell_seat.seat
    for one in seat.overruled if seat and project else ():
        path = one.path.replace("{project}", project.worktree if project else "")
        if one.format is None:
            if os.path.exists(path):
                yield f"{paths.tilde(path)} is there", f"move it: {path}"
        elif _holds(path, one.format, one.at):
            yield f"{paths.tilde(path)} sets {formats.shown(one.at)}", f"take that out of {path}"


def _holds(path: str, form: str, at: formats.Path) -> bool:
    try:
        data = Path(path).read_bytes()
        return formats.get(formats.read(form, data), at) is not formats.MISSING
    except (OSError, formats.FormatError):
        return False
