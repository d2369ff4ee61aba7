"""What is set up here, and how: what upgrade and `doctor --fix` set up again, in the user's own way."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, NamedTuple

from context_mode_installer import receipt
from context_mode_installer.backups import Backups
from context_mode_installer.detect import Host
from context_mode_installer.places import find_places
from context_mode_installer.plan.draft import Desk, Draft
from context_mode_installer.plan.host import Target
from context_mode_installer.plan.trust import EDIT as TRUST
from context_mode_installer.result import UserError
from context_mode_installer.specs.catalog import find_spec, usable_specs
from context_mode_installer.system import DryRunSystem
from context_mode_runtime import paths

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from context_mode_installer.specs.model import Scope


class Group(NamedTuple):
    """Agents that are set up the same way: scope, project, with or without approvals."""

    scope: Scope
    project: str | None
    approved: bool


def groups(agents: Collection[str] | None = None) -> dict[Group, list[str]]:
    """What the receipt of setup says of these agents (None: of all that are known). Raises PathError for a damaged one.

    An agent of the user's own whose spec is gone, or has faults, can't be set up again and is left out.
    """
    root = paths.data_root()
    entries = receipt.load(DryRunSystem([paths.home(), root]), root).entries
    known = {spec.id for spec in usable_specs()}
    found: dict[Group, list[str]] = {}
    for agent, scope, project in dict.fromkeys((one.agent, one.scope, one.project) for one in entries):
        mine = [one for one in entries if (one.agent, one.scope, one.project) == (agent, scope, project)]
        if agent in known and (agents is None or agent in agents):
            found.setdefault(Group(scope, project, _approved(agent, scope, mine)), []).append(agent)
    return found


def packaged() -> list[str]:
    """The agents with an enabled native package of ours, whether or not setup ever saw them."""
    root = paths.data_root()
    system = DryRunSystem([paths.home(), root])
    found = []
    for spec in usable_specs():
        if spec.native is None:
            continue
        host = Host(spec, find_places(spec, os.environ), None, None, (), ())
        draft = Draft(Desk(system), receipt.load(system, root), Backups(system, root))
        with contextlib.suppress(UserError):
            if Target(host, "user", None, frozenset(), draft).install is not None:
                found.append(spec.id)
    return found


def _approved(agent: str, scope: str, entries: Sequence[receipt.Entry]) -> bool:
    """Whether the user let setup write its approvals: those that he left out stay out."""
    spec = find_spec(agent)
    edits = [*spec.edits, *(spec.native.edits if spec.native else ())]
    names = {edit.name for edit in edits if edit.approval and edit.scope == scope} | {TRUST}
    wanted = any(edit.approval and edit.scope == scope for edit in edits)
    return not wanted or any(one.edit in names for one in entries)
