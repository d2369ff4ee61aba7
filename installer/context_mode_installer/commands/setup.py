"""`context-mode setup`: plan, back up, apply, verify, or roll back; remove, undo, history."""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from context_mode_installer import launchers, receipt, verify
from context_mode_installer.afterwards import HostCommands, compile_runtime
from context_mode_installer.backups import KEEP
from context_mode_installer.commands import setup_screens as screens
from context_mode_installer.detect import find_hosts
from context_mode_installer.plan.build import Grants, Plan, finished, others_unreadable, plan_removals, plan_setup
from context_mode_installer.plan.draft import Desk, Draft, PlanError, path_problem
from context_mode_installer.plan.host import Target
from context_mode_installer.plan.report import Telling, lines_of, plan_data
from context_mode_installer.result import FINDINGS, INTERRUPTED, Result, Status, UserError, Verbatim
from context_mode_installer.screen import step
from context_mode_installer.specs.catalog import faulty_specs, find_spec, mend_command, spec_files, usable_specs
from context_mode_installer.system import DryRunSystem, PathError, RealSystem
from context_mode_installer.transaction import (
    BusyError,
    ChangedError,
    Transaction,
    VerifyError,
    Work,
    changed_since,
    undo,
)
from context_mode_runtime import paths
from context_mode_runtime.policy.load import load_policy
from context_mode_runtime.project import find_project

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from context_mode_installer.backups import Backup
    from context_mode_installer.detect import Host
    from context_mode_installer.specs.model import Scope

_TRIES = 3
"""Plans made anew when a running agent writes its config between plan and write."""
_RESTORED = "Every file is as it was before."
NEWEST = "newest"
"""`--undo` without an id."""


@dataclass(frozen=True)
class Options:
    """The options of the command line."""

    agents: tuple[str, ...] = ()
    scope: Scope = "user"
    project: Path | None = None
    dry_run: bool = False
    approve: bool = True
    replace: bool = False
    shell_seat: bool = False
    remove: bool = False
    data: bool = False
    undo: str | None = None
    history: bool = False
    verbose: bool = False


def run(options: Options) -> Result:
    """Does what the options say. Raises UserError for what the user can mend; then no file was changed."""
    _check(options)
    try:
        return _Run(options).result()
    except (BusyError, ChangedError) as error:
        raise UserError(str(error), exit_code=FINDINGS) from None
    except PathError as error:
        raise path_problem(error) from None
    except VerifyError as error:
        shown = (str(error), _RESTORED, "help: to see what our server says by itself:", screens.by_hand())
        raise UserError(f"{error}. {_RESTORED}", exit_code=FINDINGS, shown=shown) from None


def _check(options: Options) -> None:
    wishes = {"--remove": options.remove, "--undo": options.undo is not None, "--history": options.history}
    said = [name for name, wished in wishes.items() if wished]
    if len(said) > 1:
        raise UserError(f"{said[0]} and {said[1]} don't go together: take one")
    if options.shell_seat and said:
        raise UserError(f"--shell-seat and {said[0]} don't go together: take one")
    if options.data and not options.remove:
        raise UserError("--data goes with --remove only")
    if options.project is not None and options.scope != "project":
        raise UserError("--project goes with --scope project only")
    if options.project is not None and not options.project.is_dir():
        raise UserError(f"--project {options.project}: there is no such folder")


class _Run:
    """One call of the command."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.environment = dict(os.environ)
        self.root = paths.data_root()
        self.specs = [find_spec(agent) for agent in dict.fromkeys(options.agents)] or usable_specs()
        moved = [os.environ[one.name] for spec in self.specs for root in spec.roots for one in root.variables
                 if os.environ.get(one.name)]  # fmt: skip
        homes = [paths.home(), self.root, *(os.path.expanduser(folder) for folder in moved)]
        self.system = (DryRunSystem if options.dry_run else RealSystem)(homes)
        self.transaction = Transaction(self.system, self.root)
        self.project = self._project()

    def result(self) -> Result:
        """The outcome."""
        if self.options.history:
            return self._history()
        if self.options.undo is not None:
            return self._undo(self.options.undo)
        if self.options.remove:
            return self._remove()
        return self._setup()

    def _project(self) -> str | None:
        if self.options.scope != "project":
            return None
        if self.options.project is not None:
            return os.path.realpath(self.options.project)
        found = find_project(os.getcwd())
        if found is None:
            raise UserError("this folder is no project; name one with --project DIR")
        return os.path.realpath(found.worktree)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        if self.options.dry_run:
            yield
            return
        with contextlib.ExitStack() as held:
            try:
                held.enter_context(self.transaction.lock(0))
            except BusyError:
                with step("Waiting for another setup to end"):
                    held.enter_context(self.transaction.lock())
            self.transaction.recover_locked()
            yield

    def _draft(self) -> Draft:
        return Draft(Desk(self.system), receipt.load(self.system, self.root), self.transaction.backups)

    def _setup(self) -> Result:
        hosts, skipped = self._chosen()
        skipped += screens.may_go(sys.prefix)
        for _ in range(_TRIES - 1):
            with contextlib.suppress(ChangedError):
                return self._set_up(hosts, skipped)
        return self._set_up(hosts, skipped)

    def _set_up(self, hosts: Sequence[Host], skipped: Sequence[str]) -> Result:
        if not os.path.isdir(self.root) and (plan := self._plan(hosts)[0]).obstacles:
            # a first setup that can't be done makes no folder
            return self._report(plan, hosts, skipped, status="findings")
        with self._locked():
            plan, targets = self._plan(hosts)
            if plan.obstacles:
                return self._report(plan, hosts, skipped, status="findings")
            if self.options.dry_run or plan.empty:
                return self._report(plan, hosts, skipped)
            seen = self._apply(plan, targets)
        notes = [*self._after(plan, hosts), *skipped]
        return self._report(plan, hosts, notes, done=True, seen=seen)

    def _plan(self, hosts: Sequence[Host]) -> tuple[Plan, list[Target]]:
        draft = self._draft()
        targets = [self._target(host, draft) for host in hosts]
        grants = Grants(self.options.approve, self.options.replace, self.options.shell_seat)
        try:
            plan_setup(draft, targets, grants, self.environment, launchers.this_interpreter())
        except PlanError as error:
            error.others += others_unreadable(error, targets)
            raise
        return finished(draft, "setup", targets, self.transaction.new_id()), targets

    def _apply(self, plan: Plan, targets: Sequence[Target]) -> dict[str, list[str]]:
        """Writes, verifies, moves a foreign tool's data aside. Returns what was seen to work, by agent."""
        seen: dict[str, list[str]] = {}

        def check() -> None:
            verify.check_files(self.system, plan.work.files)
            with step("Running each hook and server once"):
                seen.update(verify.check_targets(self.system, targets, self.environment))

        self._transact(plan.work, check)
        for source, aside in plan.moves:
            self.system.rename(source, aside)
        self.transaction.backups.sweep(keep=_keep(), pinned=plan.receipt.pinned())
        return seen

    def _transact(self, work: Work, check: Callable[[], None]) -> Backup | None:
        """All of it or nothing; a Ctrl-C says that it was nothing."""
        try:
            return self.transaction.run(work, check)
        except KeyboardInterrupt:
            raise UserError(f"interrupted. {_RESTORED}", exit_code=INTERRUPTED) from None

    def _after(self, plan: Plan, hosts: Sequence[Host]) -> list[str]:
        """What follows the transaction: a failure there is a word, not a roll-back."""
        host_commands = HostCommands(self.system, self.environment, hosts)
        with step("Preparing the hooks, running the agents' own commands"):
            notes = host_commands.run(plan.commands)
            compile_runtime()
            return notes + host_commands.renew(plan.updates, lambda host: self._target(host, self._draft()).install)

    def _remove(self) -> Result:
        with self._locked():
            draft = self._draft()
            targets = self._removal_targets(draft)
            plan_removals(draft, targets)
            packaged = [target for target in targets if target.install]
            plan = finished(draft, "remove", targets, self.transaction.new_id())
            if self.options.data:
                _check_unused(plan)
            if not plan.empty and not self.options.dry_run:
                self._transact(plan.work, lambda: verify.check_files(self.system, plan.work.files))
                self.transaction.backups.sweep(keep=_keep(), pinned=plan.receipt.pinned())
        touched = {change.agent for change in plan.changes}
        hosts = [target.host for target in targets if target.spec.id in touched]
        done = not plan.empty and not self.options.dry_run
        notes = [*self._faulty(), *map(screens.package_stays, packaged), *(self._after(plan, hosts) if done else [])]
        if self.options.data and not self.options.dry_run:
            notes += _delete_data(self.root)
        return self._report(plan, list({host.spec.id: host for host in hosts}.values()), notes, done=done)

    def _removal_targets(self, draft: Draft) -> list[Target]:
        """Every place where something of ours may be: those of the receipt, and files that name us."""
        targets = []
        entries = draft.receipt.entries
        for spec in self.specs:
            places = [(one.scope, one.project) for one in entries if one.agent == spec.id]
            user: tuple[Scope, str | None] = ("user", None)
            for scope, project in dict.fromkeys([user, *places]):
                if self.options.scope == "project" and project != self.project:
                    continue
                (host,) = find_hosts([spec], _Blind(), self.environment, project)
                target = self._target(host, draft, scope, project)
                target.removing = True
                if (scope, project) in places or any(b"context-mode" in one.data for one in target.configs()):
                    targets.append(target)
        return targets

    def _chosen(self) -> tuple[list[Host], list[str]]:
        """The hosts to set up, and a line for each that was left out. Raises UserError for one that was named."""
        with step("Looking for agents"):
            hosts = find_hosts(self.specs, self.system, self.environment, self.project)
        known = receipt.load(self.system, self.root).entries
        ours = {one.agent for one in known if (one.scope, one.project) == (self.options.scope, self.project)}
        named, notes, chosen = bool(self.options.agents), self._faulty(), []
        for host in hosts:
            refused = host.spec.refused(self.options.scope)
            if not named and not host.found and not (host.weak and host.spec.id in ours):
                if host.weak:
                    where = ", ".join(map(paths.tilde, host.weak))
                    notes.append(f"{host.spec.name}: only {where} is there; to set it up: --agents {host.spec.id}")
            elif refused and named:
                raise UserError(f"{host.spec.name} can't be set up for one project: {refused}")
            elif refused:
                notes.append(f"{host.spec.name}: left out, {refused}")
            else:
                chosen.append(host)
        if not chosen and not named:
            notes += screens.looked_for(hosts)
        return chosen, notes

    def _faulty(self) -> list[str]:
        """A line for each spec that was left out."""
        left_out = [] if self.options.agents else faulty_specs()
        return [f"{paths.tilde(str(one.path))} has faults and was left out: {mend_command(one)}" for one in left_out]

    def _target(self, host: Host, draft: Draft, scope: Scope | None = None, project: str | None = None) -> Target:
        agents = frozenset(spec_files())
        if scope is None:
            scope, project = self.options.scope, self.project
        return Target(host, scope, project, agents, draft)

    def _undo(self, wanted: str) -> Result:
        known = [one.id for one in self.transaction.backups.history()]
        if not known or wanted not in (NEWEST, *known):
            which = "no setup yet" if wanted == NEWEST else f"no setup {wanted}"
            raise UserError(f"there is {which} to go back from; see: context-mode setup --history")
        with self._locked():
            work = undo(self.transaction, known[0] if wanted == NEWEST else wanted)
            changed = changed_since(self.transaction, work)
            done = None
            if work.files and not self.options.dry_run:
                done = self._transact(work, lambda: verify.check_files(self.system, work.files))
        backup = done.id if done else None
        data = {"files": [one.path for one in work.files], "backup": backup, "dry_run": self.options.dry_run}
        return Result("setup", data=data, messages=tuple(screens.undone_lines(work, backup, changed)))

    def _history(self) -> Result:
        history = self.transaction.backups.history()
        data = {"history": screens.history_data(history)}
        return Result("setup", data=data, messages=tuple(screens.history_lines(history)))

    def _report(
        self, plan: Plan, hosts: Sequence[Host], notes: Sequence[str], *, done: bool = False,
        seen: dict[str, list[str]] | None = None, status: Status = "ok",
    ) -> Result:  # fmt: skip
        data = plan_data(plan, hosts, seen or {}) | {"dry_run": self.options.dry_run, "done": done}
        whole = self.options.dry_run or self.options.verbose
        lines = lines_of(plan, hosts, Telling(whole, done, seen or {}))
        if status == "findings":
            return Result("setup", status, FINDINGS, data, (*lines, "Nothing was changed."))
        closing = self._closing(plan, hosts, done=done)
        if not hosts and not self.options.remove:
            closing.append(screens.to_name_one())
        return Result("setup", data=data, messages=(*lines, *notes, *closing))

    def _closing(self, plan: Plan, hosts: Sequence[Host], *, done: bool) -> list[str]:
        shown = paths.tilde(self.root)
        if self.options.dry_run:
            gone = [f"Data and launchers in {shown} would be deleted."] if self.options.data else []
            return [*gone, "Nothing was written."]
        if self.options.data:
            return []
        if not done:
            ready = "All is set up already; nothing was changed." if hosts else "Nothing was changed."
            left = not self.options.remove or (_still_set_up(plan) and not self.options.agents)
            return [ready if left else "Nothing of ours is there."]
        lines = screens.saved(plan.work.files, self.transaction.backups, plan.work.id)
        if not self.options.remove:
            touched = {change.agent for change in plan.changes}
            return [
                *lines,
                *screens.next_steps((host for host in hosts if host.spec.id in touched), self.options.scope),
            ]
        if _still_set_up(plan):
            return [*lines, screens.RESTART]
        stay = f"Data and launchers stay in {shown}. To delete them, too:"
        return [*lines, screens.RESTART, stay, Verbatim("  context-mode setup --remove --data")]


class _Blind(RealSystem):
    """Starts no program: a removal needs no version."""

    def __init__(self) -> None:
        super().__init__([])

    def run(self, *_: object, **__: object) -> Any:  # noqa: ANN401 - as the base class
        from context_mode_installer.system import Ran

        return Ran(None, "", "")


def _keep() -> int:
    """How many backups stay, by the policy."""
    return load_policy(None).retention.get("backups", KEEP)


_OURS = ("projects", "run", "backups", "bin", "hook-errors.log", "hook-errors.log.1", "setup.lock")


def _check_unused(plan: Plan) -> None:
    """Raises UserError where an agent stays set up: it needs our launchers, its backups are in the data, too."""
    left = _still_set_up(plan)
    faulty = [mend_command(one) for one in faulty_specs() if one.path.stem in left.split(", ")]
    if left:
        mend = f"a spec has faults: {faulty[0]}" if faulty else "to take out all: context-mode setup --remove --data"
        raise UserError(f"--data would delete what still runs {left}; {mend}")


def _still_set_up(plan: Plan) -> str:
    """The agents that are set up after a plan. One whose spec is gone can't be taken out and does not count."""
    return ", ".join({one.agent: None for one in plan.receipt.entries if one.agent in spec_files()})


def _delete_data(root: str) -> list[str]:
    """Deletes our data and launchers; the user's own policy and specs stay."""
    import shutil

    for name in _OURS:
        path = os.path.join(root, name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        elif os.path.lexists(path):
            os.unlink(path)
    with contextlib.suppress(OSError):
        os.rmdir(root)
    stay = f"; your own files in {paths.tilde(root)} stay" if os.path.isdir(root) else ""
    return [f"Data and launchers deleted{stay}. Restart the agents."]
