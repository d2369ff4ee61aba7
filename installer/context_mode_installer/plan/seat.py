"""The shell's seat in a setup: our launcher in the place of the shell, only where the user asks for it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from context_mode_installer import launchers, seats
from context_mode_installer.plan.draft import Change
from context_mode_installer.plan.edits import plan_these
from context_mode_installer.plan.removal import take_back
from context_mode_installer.specs.where import holes
from context_mode_runtime import paths

if TYPE_CHECKING:
    from collections.abc import Mapping

    from context_mode_installer.launchers import Interpreter
    from context_mode_installer.plan.host import Target
    from context_mode_installer.specs.model import Edit, Seat

NAME = "shell's seat"
_MODES = (launchers.MODE, paths.PRIVATE_FOLDER)


def plan_seat(target: Target, use: Interpreter, environment: Mapping[str, str], *, wanted: bool) -> None:
    """Puts it in where it is `wanted`; keeps it in order where an earlier setup put it in."""
    seat = target.spec.shell_seat.seat
    edits = seat_edits(target)
    if seat is None or not edits:
        if wanted:
            why = target.spec.shell_seat.absent or f"not in scope {target.scope}, or not on this system"
            target.draft.notes.append(f"{target.spec.name}: no {NAME}: {why}")
        return
    taken = launcher_of(target)
    if not wanted and taken is None:
        return
    kept = seats.shell_behind(taken) if taken and not wanted else ""
    shell = kept if os.access(kept, os.X_OK) else seats.user_shell(target.spec.id, seat, environment)
    if shell is None:
        target.draft.notes.append(f"{target.spec.name}: no {NAME}: none of {', '.join(seat.shells)} is here")
        return
    target.holes["seat"] = seats.path_of(target.spec.id, shell)
    target.holes["seat_env"] = seats.env_path_of(target.spec.id, shell)
    plan_these(target, edits, approve=True, replace=False)
    if launcher_of(target) is not None:
        _write(target, seat, shell, use)


def remove_seat(target: Target) -> None:
    """Takes the setting back; the launcher stays in `bin/`, for what still runs with it."""
    for edit in reversed(seat_edits(target)):
        take_back(target, edit)


def seat_edits(target: Target) -> list[Edit]:
    """What puts it in, in this scope and on this system; when removing, on any."""
    seat = target.spec.shell_seat.seat
    if seat is None or not target.holds(seat.only):
        return []
    return [edit for edit in seat.edits if edit.scope == target.scope]


def _write(target: Target, seat: Seat, shell: str, use: Interpreter) -> None:
    path = target.holes["seat"]
    texts = {path: seats.text_of(target.spec.id, seat, shell, use)}
    if any("seat_env" in holes(edit.value) for edit in seat.edits):
        texts[target.holes["seat_env"]] = seats.env_text_of(path, seat)
    for file, text in texts.items():
        data = text.encode(errors="surrogateescape")
        if target.draft.desk.read(file) != data:
            target.draft.desk.write(file, data, _MODES)
            target.draft.changes.append(Change("", file, f"launcher of the {NAME} written, for {shell}"))


def launcher_of(target: Target) -> str | None:
    """The launcher of ours, or the file for it, that the host's own file points to now."""
    values = [target.config(edit.file or "").get(target.keys(edit.at)) for edit in seat_edits(target)]
    return next((text for value in values for text in _texts(value) if target.is_our_seat(text)), None)


def _texts(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for one in value.values() for text in _texts(one)]
    return [value] if isinstance(value, str) else []
