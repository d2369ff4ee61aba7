"""A whole plan: what a setup or removal changes, in one list for all agents of the run."""

from __future__ import annotations

import contextlib
import difflib
import functools
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from context_mode_installer import formats, launchers
from context_mode_installer import receipt as receipts
from context_mode_installer.plan.draft import Change, Draft, Obstacle, Off, PlanError
from context_mode_installer.plan.edits import plan_edits
from context_mode_installer.plan.foreign import plan_foreign, plan_program
from context_mode_installer.plan.hooks import plan_hooks
from context_mode_installer.plan.native import plan_package, retire_package
from context_mode_installer.plan.removal import give_back_bytes, plan_removal, plan_retired
from context_mode_installer.plan.seat import plan_seat, remove_seat
from context_mode_installer.plan.skills import plan_skills
from context_mode_installer.plan.steps import steps_of
from context_mode_installer.plan.trust import plan_trust
from context_mode_installer.screen import quoted
from context_mode_installer.system import missing_folders
from context_mode_installer.transaction import FileChange, Work
from context_mode_runtime import paths
from context_mode_runtime.redact import redact

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from context_mode_installer.launchers import Interpreter
    from context_mode_installer.plan.host import Target
    from context_mode_installer.receipt import Receipt

_LONGEST = 160
"""Longer lines of a diff are left out: a config on one line would fill the screen, and shows all its secrets."""
_PRIVATE = (paths.PRIVATE_FILE, paths.PRIVATE_FOLDER)


@dataclass(frozen=True)
class Plan:
    """What a run would do. `work` is empty when all is as it should be."""

    work: Work
    changes: tuple[Change, ...]
    obstacles: tuple[Obstacle, ...]
    notes: tuple[str, ...]
    commands: tuple[tuple[str, tuple[str, ...]], ...]
    updates: tuple[tuple[str, tuple[str, ...]], ...]
    moves: tuple[tuple[str, str], ...]
    switched_off: tuple[Off, ...]
    receipt: Receipt

    @property
    def empty(self) -> bool:
        """Whether there is nothing to do."""
        return not self.work.files and not self.moves and not self.updates

    @functools.cached_property
    def diffs(self) -> dict[str, str]:
        """The change of each file as a unified diff, secrets cut out. Our own receipt isn't among them."""
        own = receipts.path_of(paths.data_root())
        return {change.path: _diff(change) for change in self.work.files if change.path != own}


@dataclass(frozen=True)
class Grants:
    """What the user lets a setup do: grant approvals, take a foreign tool out, sit in for the shell."""

    approve: bool = True
    replace: bool = False
    seat: bool = False


def plan_setup(
    draft: Draft, targets: Sequence[Target], grants: Grants, environment: Mapping[str, str], use: Interpreter
) -> None:
    """Adds a setup of all targets to a draft. Raises PlanError for a file that stops it."""
    _launchers(draft, use)
    _user_tables(draft)
    plan_program(draft, environment, replace=grants.replace)
    for target in targets:
        for one in target.host.places.missing:
            why = f"{one.variable} says {one.folder}, which isn't there; make that folder or unset it"
            raise PlanError(why, fix=f"mkdir -p {quoted(one.folder)}")
    _withdraw(draft, [target.leaving() for target in targets if target.install is not None])
    for target in targets:
        _other_scope(draft, target)
        plan_foreign(target, replace=grants.replace)
        if target.install is None:
            _plan_entries(target, grants)
        else:
            plan_package(target, target.install, approve=grants.approve, replace=grants.replace)
        plan_seat(target, use, environment, wanted=grants.seat)
        _switches(draft, target)


def others_unreadable(first: PlanError, targets: Sequence[Target]) -> list[PlanError]:
    """The other files of these targets that can't be read, after a plan stopped at the first one."""
    found = {str(first): first}
    for target in targets:
        with contextlib.suppress(PlanError):
            for config in target.configs():
                try:
                    config.value()
                except PlanError as error:
                    found.setdefault(str(error), error)
    return [one for one in found.values() if one is not first]


def _plan_entries(target: Target, grants: Grants) -> None:
    """All that setup writes into the host's own files."""
    retire_package(target)
    plan_retired(target)
    plan_edits(target, approve=grants.approve, replace=grants.replace)
    plan_hooks(target, replace=grants.replace)
    plan_trust(target, approve=grants.approve)
    plan_skills(target)


def plan_removals(draft: Draft, targets: Sequence[Target]) -> None:
    """Adds the removal of all targets to a draft."""
    _withdraw(draft, targets)


def _withdraw(draft: Draft, targets: Sequence[Target]) -> None:
    if not targets:
        return
    draft.leaving |= {target.spec.id for target in targets}
    for target in targets:
        for config in target.configs():
            steps = steps_of(draft, draft.backups, config.path)
            draft.originals[config.path] = (steps[0].before or b"") if steps else b""
    for target in targets:
        plan_removal(target)
        if not target.replaced:
            retire_package(target)
            remove_seat(target)
    forms = {config.path: (str(config.form), config.file.seed or "") for one in targets for config in one.configs()}
    forms |= {path: ("text", "") for path in draft.receipt.steps if path not in forms}
    give_back_bytes(draft, draft.backups, forms)


def finished(draft: Draft, command: str, targets: Sequence[Target], backup: str) -> Plan:
    """The plan of a draft: files in the order of writing, the receipt last."""
    changes = draft.desk.changes()
    ours = [one for one in changes if one.path.startswith(paths.data_root() + os.sep)]
    configs = [one for one in changes if one not in ours]
    receipt = _receipt(draft, targets, backup, [*ours, *configs])
    files = [*ours, *configs, *_receipt_change(draft, receipt)]
    folders: tuple[str, ...] = ()
    if command == "remove" or any(target.install for target in targets):
        folders = tuple(reversed(draft.receipt.folders))
    agents = tuple(dict.fromkeys(target.spec.id for target in targets))
    return Plan(
        Work(command, agents, tuple(files), folders if files else (), backup),
        tuple(draft.changes),
        tuple(draft.obstacles),
        tuple(draft.notes),
        tuple(draft.commands),
        tuple(draft.updates),
        tuple(draft.moves),
        tuple(draft.switched_off),
        receipt,
    )


def _receipt(draft: Draft, targets: Sequence[Target], backup: str, files: Sequence[FileChange]) -> Receipt:
    def looked_at(entry: receipts.Entry) -> bool:
        return any(
            (entry.agent, entry.scope, entry.project) == (target.spec.id, target.scope, target.project)
            for target in targets
        )

    old = draft.receipt
    gone = [entry for entry in old.entries if looked_at(entry) and entry not in draft.put_in]
    new = old.without(gone).with_entries(draft.put_in)
    with_ours = {entry.file for entry in new.entries}
    steps = {path: done for path, done in old.steps.items() if path in with_ours}
    folders = list(new.folders)
    for index, change in enumerate(files):
        if change.path in with_ours:
            steps[change.path] = (*steps.get(change.path, ()), (backup, index))
            made = missing_folders(draft.desk.system, draft.desk.system.target(change.path))
            folders += [folder for folder in made if folder not in folders]
    return replace(new, steps=steps, folders=tuple(folders) if new.entries else ())


def _receipt_change(draft: Draft, receipt: Receipt) -> list[FileChange]:
    path = receipts.path_of(paths.data_root())
    before = draft.desk.read(path)
    after = receipt.to_json() if receipt.entries else None
    return [] if after == before else [FileChange(path, before, after, *_PRIVATE)]


def _launchers(draft: Draft, use: Interpreter) -> None:
    for name, file in launchers.names().items():
        path = os.path.join(paths.bin_dir(), file)
        text = launchers.text(name, use).encode(errors="surrogateescape")
        if draft.desk.read(path) != text:
            draft.desk.write(path, text, (launchers.MODE, paths.PRIVATE_FOLDER))
            draft.changes.append(Change("", paths.bin_dir(), f"launcher {file} written"))


def _other_scope(draft: Draft, target: Target) -> None:
    """Entries for the user and for a project would run each hook twice (F06)."""
    for entry in draft.receipt.entries:
        if entry.agent == target.spec.id and entry.scope != target.scope:
            where = f" --scope project --project {quoted(entry.project)}" if entry.project else ""
            what = f"{target.spec.name} is set up for {entry.project or 'this user'} already: each hook would run twice"
            fix = f"context-mode setup --remove --agents {target.spec.id}{where}"
            draft.obstacles.append(Obstacle(target.spec.id, entry.file, what, fix))
            return


def _switches(draft: Draft, target: Target) -> None:
    for switch in target.spec.switches:
        if switch.scope == target.scope:
            config = target.config(switch.file)
            if formats.same(config.get(target.keys(switch.at)), switch.off):
                where = f"{paths.tilde(config.path)}: {formats.shown(switch.at)}"
                draft.switched_off.append(Off(target.spec.id, f"{switch.what} ({where})", config.path))


def _user_tables(draft: Draft) -> None:
    from context_mode_installer.specs.catalog import user_tables

    for path, text in user_tables().items():
        if draft.desk.read(str(path)) != text.encode():
            draft.desk.write(str(path), text.encode(), _PRIVATE)
            draft.changes.append(Change("", str(path), "table of your own spec written"))


def _diff(change: FileChange) -> str:
    """What the plan changes in a file, without the lines around it: they may hold what is nobody's business."""
    old, new = (_lines(data) for data in (change.before, change.after))
    name = paths.tilde(change.path)
    lines = [f"--- {name}", f"+++ {name}", *_hunks(old, new)]
    commas = {line[1:] for line in lines if line.startswith("-") and f"+{line[1:]}," in lines}
    shown = [line for line in lines if line[1:].removesuffix(",") not in commas or line[:1] not in "+-"]
    whole = {sign + side[0] for sign, side in (("-", old), ("+", new)) if len(side) == 1}
    text, _ = redact("\n".join(_cut(line) if len(line) > _LONGEST or line in whole else line for line in shown))
    return text


def _hunks(old: list[str], new: list[str]) -> Iterator[str]:
    """Hunks without context. What both sides begin and end with is not compared line by line: a config can be large."""
    head = _alike(old, new)
    tail = _alike(old[head:][::-1], new[head:][::-1])
    left, right = old[head : len(old) - tail], new[head : len(new) - tail]
    for kind, i1, i2, j1, j2 in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind != "equal":
            yield f"@@ -{_span(head + i1, i2 - i1)} +{_span(head + j1, j2 - j1)} @@"
            yield from (f"-{line}" for line in left[i1:i2])
            yield from (f"+{line}" for line in right[j1:j2])


def _alike(left: list[str], right: list[str]) -> int:
    """How many lines both begin with."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((n for n, (one, other) in pairs if one != other), min(len(left), len(right)))


def _span(start: int, count: int) -> str:
    """Where a hunk is, as `diff -u` writes it."""
    return str(start + 1) if count == 1 else f"{start + 1 if count else start},{count}"


def _cut(line: str) -> str:
    return f"{line[0]}... ({len(line) - 1:,} characters on one line)"


def _lines(data: bytes | None) -> list[str]:
    return [] if data is None else data.decode(errors="replace").splitlines()
