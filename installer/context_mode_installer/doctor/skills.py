"""D10: our three skills in the host's folders, as this version writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from context_mode_installer.doctor import package
from context_mode_installer.doctor.model import Outcome, Subject, failed, passed, skipped, warned
from context_mode_installer.plan.skills import EDIT, places
from context_mode_runtime import paths

if TYPE_CHECKING:
    from context_mode_installer.plan.host import Target
    from context_mode_installer.plan.skills import Place


def skills(subject: Subject) -> Outcome:
    """D10: each is there and says what it has to; another tool's skill of that name is named."""
    if subject.problem:
        return skipped("the files can't be judged: see D3")
    packaged = next((target for target in subject.targets if target.install is not None), None)
    native = subject.host.spec.native
    if packaged is not None and native is not None and native.skills is not None:
        return package.skills(packaged, native.skills)
    found = [(place, _state(target, place)) for target in subject.targets for place in places(target)]
    if not found:
        return passed(f"{subject.host.spec.name} reads no skills")
    by_state: dict[str, list[Place]] = {}
    for place, state in found:
        by_state.setdefault(state, []).append(place)
    for state, say in (("missing", failed), ("foreign", warned), ("changed", warned)):
        if state in by_state:
            return say(f"{_names(by_state[state])} {_WORDS[state]}", subject.setup)
    return passed(_names(by_state["ok"]))


_WORDS = {
    "missing": "missing",
    "foreign": "belong to something else; setup keeps that and gives it back when it is removed",
    "changed": "changed since setup wrote them",
}


def _state(target: Target, place: Place) -> str:
    data = target.draft.desk.read(place.path)
    if data is None:
        return "missing"
    if data == place.text:
        return "ok"
    known = any((one.edit, one.file) == (EDIT, place.path) for one in target.draft.receipt.entries)
    return "changed" if known else "foreign"


def _names(found: list[Place]) -> str:
    """`ctx-doctor, ctx-stats in ~/x`, folder by folder."""
    folders: dict[str, list[str]] = {}
    for place in found:
        folders.setdefault(place.folder, []).append(place.name)
    return "; ".join(f"{', '.join(names)} in {paths.tilde(folder)}" for folder, names in folders.items())
