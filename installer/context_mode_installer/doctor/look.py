"""Gathers what the checks need: agents, the places they are set up in, what a setup would still change."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, cast

from context_mode_installer import launchers, receipt
from context_mode_installer.detect import find_hosts
from context_mode_installer.doctor.model import Subject
from context_mode_installer.plan.build import Grants, finished, plan_setup
from context_mode_installer.plan.draft import Desk, Draft, path_problem
from context_mode_installer.plan.host import Target
from context_mode_installer.result import UserError
from context_mode_installer.specs.catalog import copy_tables, find_spec, usable_specs
from context_mode_installer.system import DryRunSystem, PathError
from context_mode_installer.transaction import Transaction
from context_mode_installer.verify import link_launchers
from context_mode_runtime import paths
from context_mode_runtime.project import find_project

if TYPE_CHECKING:
    from collections.abc import Sequence

    from context_mode_installer.detect import Host
    from context_mode_installer.specs.model import Scope

BARE_PATH = os.pathsep.join(("/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"))
"""What a host started from a desktop may have; our launchers need none of it."""


def subjects(agents: Sequence[str], folder: str, *, offline: bool) -> list[Subject]:
    """The named agents, or those found or set up. `folder` is a throw-away one for probes. Raises UserError."""
    specs = [find_spec(agent) for agent in dict.fromkeys(agents)] or usable_specs()
    environment = dict(os.environ)
    moved = [environment[one.name] for spec in specs for root in spec.roots for one in root.variables
             if environment.get(one.name)]  # fmt: skip
    root = paths.data_root()
    system = DryRunSystem([paths.home(), root, *(os.path.expanduser(one) for one in moved)])
    known = receipt.load(system, root)
    set_up = {entry.agent for entry in known.entries}
    project = find_project(os.getcwd())
    here = os.path.realpath(project.worktree) if project else None
    hosts = [host for host in find_hosts(specs, system, environment) if agents or host.found or host.spec.id in set_up]
    draft = Draft(Desk(system), known, Transaction(system, root).backups)
    os.mkdir(os.path.join(folder, "data"), 0o700)
    link_launchers(os.path.join(folder, "data"))
    copy_tables(os.path.join(folder, "data"))
    probing = {**environment, "PATH": BARE_PATH, "CONTEXT_MODE_DATA_DIR": os.path.join(folder, "data"), "PWD": folder}
    return [_subject(host, _targets(host, draft, here), probing, offline=offline) for host in hosts]


def _targets(host: Host, draft: Draft, here: str | None) -> tuple[Target, ...]:
    """The user's place, and this project's when it was set up; where only other projects were, those."""
    agents = frozenset(spec.id for spec in usable_specs())
    mine = dict.fromkeys((one.scope, one.project) for one in draft.receipt.entries if one.agent == host.spec.id)
    near = [place for place in (("user", None), ("project", here)) if place in mine]
    far = [place for place in mine if place[1] and os.path.isdir(place[1])]
    wanted = near or far if mine else [("user", None)]
    return tuple(_as_is(Target(host, cast("Scope", scope), project, agents, draft)) for scope, project in wanted)


def _as_is(target: Target) -> Target:
    target.as_is = True
    return target


def _subject(host: Host, targets: tuple[Target, ...], environment: dict[str, str], *, offline: bool) -> Subject:
    """The plan is made on a desk of its own, so that the checks read the files as they are."""
    plan, problem, fix = None, None, None
    try:
        known = targets[0].draft if targets else None
        if known is not None:
            draft = Draft(Desk(known.desk.system), known.receipt, known.backups)
            wanted = [_as_is(Target(host, one.scope, one.project, one.agents, draft)) for one in targets]
            plan_setup(draft, wanted, Grants(), os.environ, launchers.this_interpreter())
            plan = finished(draft, "setup", wanted, "doctor")
            for target in targets:
                for config in target.configs():
                    config.value()
    except UserError as error:
        problem, fix = str(error), error.fix
    except PathError as error:
        unusable = path_problem(error)
        problem, fix = str(unusable), unusable.fix
    return Subject(host, targets, plan, problem, fix, environment, offline)
