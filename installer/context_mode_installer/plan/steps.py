"""What setup did to a file before, from the copies in its backups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_mode_installer.plan.revert import Step

if TYPE_CHECKING:
    from context_mode_installer.backups import Backups
    from context_mode_installer.plan.draft import Draft


def steps_of(draft: Draft, backups: Backups, path: str) -> list[Step]:
    """The copies of a file before and after each setup that the receipt knows; those of lost backups are left out."""
    found = {one.id: one for one in backups.history()}
    out = []
    for backup, index in draft.receipt.steps.get(path, ()):
        if backup not in found:
            return []
        kept = found[backup].files[index]
        before = backups.copy(backup, index, "before") if kept.existed else None
        out.append(Step(before, backups.copy(backup, index, "after") if kept.stays else None))
    return out
