"""D3 MCP entry, D4 leftovers and foreign tools, D12 switches, trust and approval: what the host's files say of us."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from context_mode_installer.doctor import package
from context_mode_installer.doctor.model import Outcome, Subject, failed, passed, skipped, warned
from context_mode_installer.plan.bridge import bridge_events, bridge_file
from context_mode_installer.plan.foreign import PROGRAM, PROGRAM_FIX, foreign_program
from context_mode_installer.plan.hooks import events_of, other_owner, ours_in
from context_mode_installer.screen import editing
from context_mode_installer.verify import written_server
from context_mode_runtime import paths

if TYPE_CHECKING:
    from context_mode_installer.plan.draft import Change


def mcp_entry(subject: Subject) -> Outcome:
    """D3: the entry is there, runs a program that is there, and is as setup writes it."""
    if subject.problem:
        return failed(subject.problem.removesuffix(". Nothing was changed."), subject.problem_fix or subject.setup)
    packaged = next((target for target in subject.targets if target.install is not None), None)
    if packaged is not None:
        return package.in_force(subject, packaged)
    found = [words for words in map(written_server, subject.targets) if words]
    if not found:
        return failed(f"no MCP entry of ours in the files of {subject.host.spec.name}", subject.setup)
    for words in found:
        if not os.access(words[0], os.X_OK):
            return failed(f"the MCP entry runs {paths.tilde(words[0])}, which is not there", subject.setup)
    wrong = [one for one in _changes(subject) if one.what.startswith("mcp ")]
    if wrong:
        return failed(f"{paths.tilde(wrong[0].file)}: {wrong[0].what.replace('added', 'is missing')}", subject.setup)
    return passed(paths.tilde(found[0][0]))


def leftovers(subject: Subject) -> Outcome:
    """D4: each event has one hook of ours, and no other tool of our name is there."""
    if subject.problem:
        return skipped("the files can't be judged: see D3")
    if subject.obstacle:
        return failed(subject.obstacle.said, subject.obstacle.fix)
    if any(target.install is not None for target in subject.targets):
        return package.beside(subject)
    return _bridged(subject) if subject.host.spec.bridge else _declared(subject)


def _bridged(subject: Subject) -> Outcome:
    """The bridge is in its place, as it has to be."""
    events = []
    for target in subject.targets:
        bridge = bridge_file(target)
        if bridge is not None and not bridge[1]:
            return failed(f"{paths.tilde(bridge[0])} is missing or not as setup writes it", subject.setup)
        events += bridge_events(target) if bridge is not None else []
    return _beside(subject, len(events))


def _declared(subject: Subject) -> Outcome:
    """Each event has one hook of ours in the host's files."""
    missing, doubled, count = [], [], 0
    for target in subject.targets:
        for surface, name in target.surfaces():
            config = target.config(name)
            wanted = [event.name for event in events_of(target, surface)]
            mine = ours_in(target, surface, config.value())
            places = [one.event for one in mine if one.event in wanted or not other_owner(surface, config, one)]
            count += len(places)
            missing += [event for event in wanted if event not in places]
            doubled += sorted({str(place) for place in places if places.count(place) > 1 or place not in wanted})
        for surface, name in [*target.idle_surfaces(), *target.retired_surfaces()]:
            doubled += [spot.event for spot in ours_in(target, surface, target.config(name).value())]
    if missing:
        return failed(f"no hook of ours for {', '.join(missing)}", subject.setup)
    if doubled:
        return failed(f"old or second hooks of ours for {', '.join(doubled)}", subject.setup)
    return _beside(subject, count)


def _beside(subject: Subject, count: int) -> Outcome:
    """What stands beside our hooks: a program of our name, hooks of the user in the host's other file."""
    program = foreign_program(os.environ)
    if program is not None:
        return warned(f"{count} hooks, each once; {paths.tilde(program)}: {PROGRAM}", PROGRAM_FIX)
    apart = [path for target in subject.targets for path in target.apart()]
    if apart:
        where = paths.tilde(apart[0])
        return warned(f"{count} hooks work, but yours are in {where}: all in one file is better", subject.setup)
    return passed(f"{count} hooks, each once; no other tool of our name")


def switches(subject: Subject) -> Outcome:
    """D12: the host runs our hooks and lets our tools run."""
    if subject.problem:
        return skipped("the files can't be judged: see D3")
    off = [one for one in subject.plan.switched_off if one.agent == subject.agent] if subject.plan else []
    if off:
        return failed(off[0].what, editing(off[0].file))
    return _trusted(subject)


def _trusted(subject: Subject) -> Outcome:
    """Whether the host trusts our hooks and asks before our tools; nothing is said of one never set up."""
    if not subject.set_up and not any(map(written_server, subject.targets)):
        return skipped("nothing of ours is set up here: see D3")
    open_ = [one for one in _changes(subject) if one.affects]
    trust = [one for one in open_ if not one.what.startswith("approval ")]
    if trust:
        return failed(f"{paths.tilde(trust[0].file)}: {trust[0].what.replace('added', 'is missing')}", subject.setup)
    if open_:
        return warned("our tools ask before each call: the approval was left out", subject.setup)
    step = subject.host.spec.trust
    if step is not None and step.form == "step" and any(target.holds(step.only) for target in subject.targets):
        return warned(f"one step is left to you: {step.say}", shlex.join(step.run))
    ours = any(edit.approval for edit in subject.host.spec.edits)
    return passed(f"hooks on, trusted; {'tools approved' if ours else 'what tools may is said to the host alone'}")


def _changes(subject: Subject) -> list[Change]:
    return [one for one in subject.plan.changes if one.agent == subject.agent] if subject.plan else []
