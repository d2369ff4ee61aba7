"""A host's bridge: the file of ours that runs inside the host, and what it starts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from context_mode_installer import launchers
from context_mode_installer.plan.edits import template_text

if TYPE_CHECKING:
    from context_mode_installer.plan.host import Target


def bridge_file(target: Target) -> tuple[str, bool] | None:
    """Path of the bridge in this scope and whether it is as setup writes it; None for a host without one here."""
    template = target.spec.bridge.template if target.spec.bridge else None
    for edit in target.spec.edits_in(target.scope) if template else ():
        if edit.kind == "own_file" and edit.template == template and target.holds(edit.only):
            path = target.config(edit.file or "").path
            return path, target.draft.desk.read(path) == template_text(target, edit).encode()
    return None


def bridge_program(target: Target, name: str) -> str | None:
    """A launcher that the bridge starts: our package's, else the one that its file names; None where it names none."""
    if target.install is not None:
        return target.install.program(name)
    found = bridge_file(target)
    program: str = target.holes["hook" if name == launchers.HOOK else "serve"]
    text = target.draft.desk.read(found[0]) if found else None
    return target.started(program) if text and json.dumps(program, ensure_ascii=False).encode() in text else None


def bridge_hook(target: Target, event: str) -> list[str] | None:
    """The words that the bridge starts for an event."""
    program = bridge_program(target, launchers.HOOK) if target.spec.bridge else None
    return [program, target.spec.id, event] if program else None


def bridge_server(target: Target) -> list[str] | None:
    """The words by which the bridge starts our server, where it is the one that offers our tools."""
    bridge = target.spec.bridge
    if bridge is None or bridge.tool_name is None or not target.holds(bridge.only):
        return None
    program = bridge_program(target, launchers.SERVE)
    return [program, "--agent", target.spec.id] if program else None


def bridge_events(target: Target) -> list[str]:
    """The host's events that a bridge carries, as the spec names them."""
    return [host.name for event in target.spec.events for host in event.hosts if target.holds(host.only)]
