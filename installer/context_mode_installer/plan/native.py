"""A host with an enabled package of ours: no config entries beside it, its own approvals and trust, its update."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from context_mode_installer import formats
from context_mode_installer.native.make import hooks
from context_mode_installer.places import fill_text
from context_mode_installer.plan.draft import Change
from context_mode_installer.plan.edits import plan_these
from context_mode_installer.plan.removal import take_back
from context_mode_installer.plan.skills import plan_skills
from context_mode_installer.plan.trust import EDIT as TRUST
from context_mode_installer.plan.trust import trust_package
from context_mode_runtime import paths
from context_mode_runtime.version import VERSION

if TYPE_CHECKING:
    from context_mode_installer.native.found import Install
    from context_mode_installer.plan.host import Target
    from context_mode_installer.specs.model import Native


def plan_package(target: Target, install: Install, *, approve: bool, replace: bool) -> None:
    """Puts in what the package needs beside it (the entries are out by now), has another version renewed afterwards."""
    native = _native(target)
    if native.skills is None:
        plan_skills(target)
    if target.scope == "user":
        plan_these(target, native.edits, approve=approve, replace=replace)
        if not approve:
            target.keep_known(TRUST)
        elif native.trust_file is not None:
            trust_package(target, _hook_file(target, native), fill_text(native.trust_file, {"found": install.found}))
    target.draft.notes.append(f"{target.spec.name}: our package in {paths.tilde(install.folder)} is in force")
    if install.version != VERSION:
        _renew(target, install, native)


def retire_package(target: Target) -> None:
    """Takes back what was put in for a package that is no more."""
    native = target.spec.native
    if native is None or target.scope != "user":
        return
    receipt = target.draft.receipt
    for edit in reversed(native.edits):
        if edit.kind != "host_command" and receipt.find(
            target.spec.id, target.scope, target.project, edit.name, target.keys(edit.at)
        ):
            take_back(target, edit)
    if native.trust_file is None or target.spec.trust is None:
        return
    begin = native.trust_file.split("{", maxsplit=1)[0]
    config = target.config(target.spec.trust.file or "")
    cleared = 0
    for entry in receipt.entries:
        mine = (entry.agent, entry.edit, entry.file) == (target.spec.id, TRUST, config.path)
        named = mine and any(str(key).startswith(begin) for key in entry.at)
        if named and config.get(entry.at[:-1]) is not formats.MISSING:
            config.remove(entry.at[:-1], target.before(config.path))
            cleared += 1
    if cleared:
        what = f"trust for {cleared} hooks of the package taken out"
        target.draft.changes.append(Change(target.spec.id, config.path, what))


def _native(target: Target) -> Native:
    if target.spec.native is None:
        raise ValueError(target.spec.id)
    return target.spec.native


def _hook_file(target: Target, native: Native) -> Any:  # noqa: ANN401 - any JSON
    """The package's hook declarations as the host reads them."""
    value = hooks(target.spec, native)
    for key in reversed([key for key in target.spec.hooks[0].list_at if "{event}" not in key]):
        value = {key: value}
    return value


def _renew(target: Target, install: Install, native: Native) -> None:
    target.draft.updates += [(target.spec.id, words) for words in install.commands(native, native.update)]
    commands = install.commands(native, native.update or native.add)
    shown = " && ".join(shlex.join(words) for words in commands)
    what = f"package {install.version} is another version than {VERSION}: to be renewed by {shown}"
    target.draft.changes.append(Change(target.spec.id, install.folder, what))
