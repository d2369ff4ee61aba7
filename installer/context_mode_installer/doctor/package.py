"""D3, D4 and D10 for a host where our native package is in force: version, programs, nothing of ours beside it."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from context_mode_installer import launchers
from context_mode_installer.doctor.model import Outcome, Subject, failed, passed, warned
from context_mode_installer.plan.foreign import PROGRAM, PROGRAM_FIX, foreign_program
from context_mode_installer.plan.hooks import ours_in
from context_mode_installer.skilltexts import SKILLS
from context_mode_installer.verify import server_entry
from context_mode_runtime import paths
from context_mode_runtime.version import VERSION

if TYPE_CHECKING:
    from context_mode_installer.native.found import Install
    from context_mode_installer.plan.host import Target


def in_force(subject: Subject, target: Target) -> Outcome:
    """D3: the package's server can be started, is of our version, and no entry starts it a second time."""
    install = _install(target)
    said = f"package {install.version} in {paths.tilde(install.folder)}"
    double = [one for one in subject.targets if server_entry(one)]
    if double:
        return failed(f"{said}, and an entry in the files of {subject.host.spec.name}: two servers", subject.setup)
    program = install.program(launchers.SERVE)
    if not os.access(program, os.X_OK):
        return failed(f"{said}: {paths.tilde(program)} can't be started", _again(target))
    if install.version != VERSION:
        return warned(f"{said}, installed is {VERSION}", subject.setup)
    return passed(said)


def beside(subject: Subject) -> Outcome:
    """D4: no hook of ours in the host's files runs a second time."""
    doubled = [
        spot.event
        for target in subject.targets
        for surface, name in [*target.surfaces(), *target.idle_surfaces()]
        for spot in ours_in(target, surface, target.config(name).value())
    ]
    if doubled:
        return failed(f"the package brings the hooks, and the files hold {', '.join(doubled)}, too", subject.setup)
    program = foreign_program(os.environ)
    if program is not None:
        return warned(f"hooks by the package; {paths.tilde(program)}: {PROGRAM}", PROGRAM_FIX)
    return passed("hooks by the package, none beside it; no other tool of our name")


def skills(target: Target, folder: str) -> Outcome:
    """D10: the package holds the three; `folder` is theirs in it."""
    install = _install(target)
    missing = [name for name in SKILLS if not Path(install.folder, folder, name, "SKILL.md").is_file()]
    where = paths.tilde(os.path.join(install.folder, folder))
    if missing:
        return failed(f"{', '.join(missing)} missing in {where}", _again(target))
    return passed(f"{', '.join(SKILLS)} in {where}")


def _install(target: Target) -> Install:
    if target.install is None:
        raise ValueError(target.spec.id)
    return target.install


def _again(target: Target) -> str:
    """The host's own command that brings the package anew."""
    native = target.spec.native
    commands = _install(target).commands(native, native.update or native.add) if native else []
    name = target.spec.id
    return " && ".join(map(shlex.join, commands)) or f"context-mode package {name} ./context-mode-{name}"
