"""What an agent's spec says to its users: install, what is written where, update, check, see, remove."""

from __future__ import annotations

import json
import os
import shlex
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from tests.docs.pages import table

from context_mode_installer import places
from context_mode_installer.commands import package, setup
from context_mode_installer.specs.catalog import find_spec, usable_specs
from context_mode_installer.specs.model import AgentSpec, Scope, Trust

HOW = {
    "ran": "seen running", "source": "read in its source", "docs": "read in its documentation",
    "reported": "reported by its users",
}  # fmt: skip
KINDS = {
    "hook": "hooks", "skill": "skills", "mcp": "server entry", "approval": "approval of our tools", "bridge": "bridge",
}  # fmt: skip
SYSTEMS = {"linux": "Linux", "macos": "macOS", "windows": "Windows"}
SENTENCE = "call ctx_stats and show me the report"


class Written(NamedTuple):
    """One line of a plan: the file, what comes into it, who else it affects."""

    file: str
    what: str
    affects: str


def install(agent: str) -> str:
    """The part of an agent's page that its spec writes."""
    spec = find_spec(agent)
    sections = {
        "Install": [_install(spec), _next(spec), *_project(spec)],
        "What setup writes": [_written(spec), *_moved(spec), *_trust(spec)],
        "Check": [_check(spec), *_switches(spec)],
        "See the saving": [_saving(spec)],
        "Update": [_update()],
        "Remove": [_remove(spec)],
        "As its own package": _package(spec),
        "What was verified": [_verified(spec)],
    }
    return "\n\n".join(part for title, parts in sections.items() if parts for part in (f"## {title}", *parts))


def code(text: str) -> str:
    return f"`{text}`"


def shell(*lines: str) -> str:
    return "```sh\n" + "\n".join(lines) + "\n```"


def _install(spec: AgentSpec) -> str:
    lines = ["pip install .", f"context-mode setup --agents {spec.id}", f"context-mode doctor --agents {spec.id}"]
    said = "In the checkout, with Python 3.11 or newer (`pipx install .` and `uv tool install .` do as well):"
    return f"{said}\n\n{shell(*lines)}"


def _next(spec: AgentSpec) -> str:
    steps = [*spec.commands.next, *(f"After a setup of one project: {line}" for line in spec.commands.next_in_project)]
    return "Then:\n\n" + "\n".join(f"- {line}" for line in steps)


def _project(spec: AgentSpec) -> list[str]:
    refused = spec.refused("project")
    if refused:
        return [f"For one project alone it can't be set up: {refused}."]
    files = sorted({one.file for one in _plan(spec.id, "project")})
    said = ", ".join(map(code, files))
    command = f"context-mode setup --agents {spec.id} --scope project"
    return [f"For one project alone: `{command}`, run in it. That writes {said}."]


def _written(spec: AgentSpec) -> str:
    said = (
        "Each file keeps its other bytes, a backup is made, a second run changes nothing. `--dry-run` shows the diffs"
    )
    asked = ", `--no-approve` leaves out the approval." if any(edit.approval for edit in spec.edits_in("user")) else "."
    plan = _plan(spec.id, "user")
    if not any(one.affects for one in plan):
        return f"{said}{asked}\n\n{table('file', 'what comes into it', [(code(one.file), one.what) for one in plan])}"
    rows = [(code(one.file), one.what, one.affects) for one in plan]
    return f"{said}{asked}\n\n{table('file', 'what comes into it', 'whom it affects', rows)}"


@cache
def _plan(agent: str, scope: Scope) -> list[Written]:
    """What a first setup on Linux would change, as `setup --dry-run --json` says it, in a home of its own."""
    with tempfile.TemporaryDirectory() as folder:
        home = os.path.realpath(folder)
        project = Path(home, "project")
        (project / ".git").mkdir(parents=True)
        options = setup.Options(
            agents=(agent,), scope=scope, project=project if scope == "project" else None, dry_run=True
        )
        with (
            mock.patch.dict(os.environ, {"HOME": home, "PATH": home}, clear=True),
            mock.patch.object(sys, "platform", "linux"),
        ):
            changes: list[dict[str, Any]] = setup.run(options).data["agents"][0]["changes"]
    named = {edit.name for edit in find_spec(agent).edits}
    found: dict[tuple[str, str, str], list[str]] = {}
    for change in changes:
        said = {key: (text or "").replace(str(project), "PROJECT").replace(home, "~") for key, text in change.items()}
        kind, _, rest = said["what"].partition(" ")
        if kind in KINDS:
            kind, what = KINDS[kind], rest.rpartition(" ")[0]
        else:
            kind, what = rest if kind in named else said["what"], ""
        found.setdefault((said["file"], kind, said["affects"]), []).append(what)
    return [
        Written(file, " ".join([kind, ", ".join(map(code, filter(None, names)))]).strip(), affects)
        for (file, kind, affects), names in found.items()
    ]


def _moved(spec: AgentSpec) -> list[str]:
    variables = [one for root in spec.roots if root.name in _used(spec) for one in root.variables]
    names = sorted({one.name for one in variables if one.means != "adds"})
    elsewhere = [
        f"{code(root.default.replace('{home}', '~'))} ({SYSTEMS[root.platform]})"
        for root in spec.roots
        if root.platform and root.name in _used(spec)
    ]
    parts = [f"The paths are those of Linux. Its folders: {', '.join(elsewhere)}."] if elsewhere else []
    parts.append(f"Moved by {', '.join(map(code, names))}; setup follows." if names else "No variable moves them.")
    return [" ".join(parts)]


def _used(spec: AgentSpec) -> set[str]:
    """The roots in which something is written."""
    texts = [path for file in spec.files for path in (*file.paths, *file.each)]
    texts += [one.folder for one in spec.texts.skills]
    return {root.name for root in spec.roots for text in texts if f"{{{root.name}}}" in text}


def _trust(spec: AgentSpec) -> list[str]:
    match spec.trust:
        case Trust(form="hash"):
            return ["The agent runs hooks that the user trusts: setup writes the trust of ours, by a line of the plan."]
        case Trust(form="step", say=say):
            return [f"One step is left to you: {say}."]
    return []


def _check(spec: AgentSpec) -> str:
    listing = spec.commands.list_
    said = f"`context-mode doctor --agents {spec.id}` runs the hooks and the server that it finds there"
    more = f" The agent's own list, `{shlex.join(listing.argv)}`, names `context-mode`." if listing else ""
    return f"{said} ([what each check means](../doctor.md)).{more}"


def _switches(spec: AgentSpec) -> list[str]:
    rows = [
        (f"{code('.'.join(one.at))}: {code(json.dumps(one.off))}", code(_place(spec, one.file)), one.what)
        for one in spec.switches
        if one.scope == "user"
    ]
    said = "Settings of the agent that switch us off; D12 names them:"
    return [said, table("setting", "file", "then", rows)] if rows else []


def _place(spec: AgentSpec, file: str) -> str:
    """The usual path of a config file on Linux."""
    found = spec.file(file)
    holes = {root.name: root.default for root in spec.roots if root.platform in (None, "linux")}
    path = places.fill_text(found.paths[-1], {"each": found.each[0]} if found.each else {})
    return places.fill_text(places.fill_text(path, holes), {"home": "~"})


def _saving(spec: AgentSpec) -> str:
    call = spec.texts.skill_call
    skill = f"`{call.replace('{name}', 'ctx-stats')}` in the agent, or say" if call else "Say"
    return f'{skill} "{SENTENCE}". In a terminal: `context-mode stats`, in the project.'


def _update() -> str:
    return "`context-mode upgrade` brings the new version and renews what setup wrote. Then start a new session."


def _remove(spec: AgentSpec) -> str:
    return (
        f"{shell(f'context-mode setup --remove --agents {spec.id}')}\n\n"
        "Every file is as it was before, but for what you changed since. The data stays; `--data` deletes it, too."
    )


def _package(spec: AgentSpec) -> list[str]:
    if spec.native is None:
        return []
    make = f"context-mode package {spec.id} DIR"
    add, update, remove = (
        package.lines(argv, Path("DIR")) for argv in (spec.native.add, spec.native.update, spec.native.remove)
    )
    rows = [("update", " then ".join(map(code, [make, *update])))]
    rows += [("remove", " then ".join(map(code, remove)))] if remove else []
    return [
        "Instead of the entries: hooks, server, skills in one folder ([more](../hosts.md#as-the-hosts-own-package)).",
        shell(make, *add, f"context-mode setup --agents {spec.id}"),
        table("to", "command", rows),
    ]


def _verified(spec: AgentSpec) -> str:
    return table("version", "how", "what", [(one.version, HOW[one.how], one.what) for one in spec.verified])


def overview() -> str:
    """One row an agent, with the link to its page."""
    rows = []
    for spec in usable_specs():
        ran = dict.fromkeys(one.version for one in spec.verified if one.how == "ran")
        call = spec.texts.skill_call
        rows.append((
            f"[{spec.name}](hosts/{spec.id}.md)",
            ", ".join(ran) or "not run, by documentation",
            "yes" if spec.refused("project") is None else "no",
            "yes" if spec.native else "no",
            "yes" if any(verb.verb == "replace" for verb in spec.replies.verbs) else "no",
            code(call.replace("{name}", "ctx-stats")) if call else f'"{SENTENCE}"',
        ))  # fmt: skip
    return table(
        "agent", "seen running", "one project alone", "own package", "outputs replaced", "see the saving", rows
    )


def release() -> str:
    """Who gets a release, and how: a row for each way into an agent."""
    rows = []
    for spec in usable_specs():
        files = sorted({one.file for one in _plan(spec.id, "user")})
        rows.append((spec.name, f"what setup wrote: {', '.join(map(code, files))}", "`context-mode upgrade`"))
        if spec.native is not None:
            update = package.lines(spec.native.update, Path("DIR"))
            made = [f"context-mode package {spec.id} DIR", *update]
            rows.append((spec.name, "its own package", " then ".join(map(code, made))))
    return table("agent", "channel", "update", rows)
