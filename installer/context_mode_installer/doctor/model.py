"""What a check is given and what it says."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from context_mode_installer.plan.draft import PlanError
from context_mode_runtime import paths

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from context_mode_installer.detect import Host
    from context_mode_installer.plan.build import Plan
    from context_mode_installer.plan.draft import Obstacle
    from context_mode_installer.plan.host import Target

Status = Literal["PASS", "WARN", "FAIL", "SKIP"]
REPORT = "context-mode doctor --report report.txt"
"""What shows a fault of our own whole."""
FIX = "context-mode doctor --fix"
"""Rebuilds full-text tables from their rows, and moves a damaged file aside, where it is kept."""


def rights_fix() -> str:
    """The command that makes the data folder private."""
    return f"chmod 700 {paths.tilde(paths.data_root())}"


@dataclass(frozen=True)
class Finding:
    """One row: the check, the agent (None: the machine), how it went, why, and the command that mends it."""

    id: str
    agent: str | None
    status: Status
    detail: str
    fix: str | None = None

    @property
    def mendable(self) -> bool:
        """Whether `doctor --fix` does it: what takes something away, a stranger's or ours, is left to the user."""
        words = shlex.split(self.fix or "")
        own = words[:2] == ["context-mode", "setup"] and not {"--remove", "--replace"} & set(words)
        return self.status in ("FAIL", "WARN") and (own or self.fix in (FIX, rights_fix()))

    def as_data(self) -> dict[str, Any]:
        """The row of `data.checks` in `--json`."""
        return {"id": self.id, "agent": self.agent, "status": self.status, "detail": self.detail, "fix": self.fix}


@dataclass(frozen=True)
class Outcome:
    """What a check found."""

    status: Status
    detail: str
    fix: str | None = None


def passed(detail: str) -> Outcome:
    """All is well."""
    return Outcome("PASS", detail)


def failed(detail: str, fix: str) -> Outcome:
    """Something does not work; `fix` is the command that mends it, or shows what has to be mended."""
    return Outcome("FAIL", detail, fix)


def warned(detail: str, fix: str) -> Outcome:
    """It works, but there is something to know; `fix` as in `failed`."""
    return Outcome("WARN", detail, fix)


def skipped(why: str) -> Outcome:
    """Not looked at, and why."""
    return Outcome("SKIP", why)


@dataclass(frozen=True)
class Subject:
    """One agent as it stands here: `targets` are the places it is set up in, `plan` what a setup would still change.

    `problem` says why there is no plan, `problem_fix` what mends that; `environment` is what hook and server are probed
    with: a bare PATH and a data folder that goes afterwards.
    """

    host: Host
    targets: tuple[Target, ...]
    plan: Plan | None
    problem: str | None
    problem_fix: str | None
    environment: Mapping[str, str]
    offline: bool = False
    timings: dict[str, float] = field(default_factory=dict)

    @property
    def agent(self) -> str:
        """Its id."""
        return self.host.spec.id

    @property
    def set_up(self) -> bool:
        """Whether anything of ours is there for it, by setup or as a package."""
        entries = {entry.agent for target in self.targets for entry in target.draft.receipt.entries}
        return self.agent in entries or any(target.install is not None for target in self.targets)

    @property
    def obstacle(self) -> Obstacle | None:
        """What is in setup's way: it changes nothing while that is there."""
        return next(iter(self.plan.obstacles), None) if self.plan else None

    @property
    def setup(self) -> str:
        """The command that sets this agent up again, in the place that was looked at; before it what clears the way."""
        if self.obstacle:
            return self.obstacle.fix
        project = self.targets[0].project if self.targets else None
        place = f" --scope project --project {shlex.quote(project)}" if project else ""
        return f"context-mode setup --agents {self.agent}{place}"


@dataclass(frozen=True)
class Check:
    """A check by its number: one row an agent. `alone` looks at what is the same for all, where there is none."""

    id: str
    title: str
    run: Callable[[Subject], Outcome]
    alone: Callable[[], Outcome] | None = None


def examine(check: Check, subject: Subject) -> Finding:
    """Runs one check; one that raises is a FAIL of its own, never a crash."""
    return _tried(check.id, subject.agent, lambda: check.run(subject))


def examine_alone(checks: Sequence[Check]) -> list[Finding]:
    """The rows of a machine without an agent, of those checks that have something to look at there."""
    return [_tried(check.id, None, check.alone) for check in checks if check.alone is not None]


def _tried(name: str, agent: str | None, run: Callable[[], Outcome]) -> Finding:
    try:
        outcome = run()
    except PlanError:
        outcome = skipped("the files can't be judged: see D3")
    except Exception as error:  # noqa: BLE001 - a check that raises is a finding
        outcome = failed(f"the check itself failed: {type(error).__name__}: {error}", REPORT)
    return Finding(name, agent, outcome.status, outcome.detail, outcome.fix)
