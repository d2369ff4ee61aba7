"""D9 policy, D11 shells and languages: what decides about a call, and what would run it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from context_mode_installer.doctor.model import Outcome, Subject, failed, passed, warned
from context_mode_installer.doctor.seat import with_seat
from context_mode_installer.screen import editing
from context_mode_runtime.agents import UnknownAgentError, load_agent, root_folders
from context_mode_runtime.execute import languages
from context_mode_runtime.execute.errors import ExecuteError
from context_mode_runtime.execute.isolation import mechanism
from context_mode_runtime.paths import tilde
from context_mode_runtime.policy.hostrules import host_rules
from context_mode_runtime.policy.load import Policy, load_policy
from context_mode_runtime.project import find_project

if TYPE_CHECKING:
    from context_mode_runtime.policy.hostrules import HostRules

_CHECK = "context-mode policy check"


def policy(subject: Subject | None = None) -> Outcome:
    """D9: every layer of ours is read, and every list of the host's; what can't be read is named."""
    ours = _policy()
    if ours.closed is not None:
        return failed(f"the gate is closed, nothing runs: {ours.closed}", _CHECK)
    host, unread = _host(subject.agent) if subject else (None, None)
    theirs = [one for one in host.findings if one != unread] if host else []
    said = _summary(ours, host, unread)
    findings = [*ours.findings, *theirs]
    if findings:
        more = f" (and {len(findings) - 1} more)" if findings[1:] else ""
        return warned(f"{findings[0]}{more}; {said}", _CHECK if ours.findings else _opened(findings[0]))
    return passed(said)


def _opened(finding: str) -> str:
    """What opens the host's file that a finding begins with."""
    file = os.path.expanduser(finding.partition(": ")[0])
    return editing(file) if os.path.isfile(file) else _CHECK


def _policy() -> Policy:
    project = find_project(os.getcwd())
    return load_policy(project.root if project else None)


def _host(agent: str) -> tuple[HostRules | None, str | None]:
    """The host's lists as the server reads them, and what the spec says that nobody can read."""
    try:
        table = load_agent(agent)
    except UnknownAgentError:
        return None, None
    project = find_project(os.getcwd())
    folder = project.worktree if project else os.getcwd()
    return host_rules(table, root_folders(table), folder), table["rules"]["unread"]


def _summary(ours: Policy, host: HostRules | None, unread: str | None) -> str:
    count = len(ours.deny) + len(ours.ask)
    parts = [f"{count} deny and ask rules of ours"]
    if host is not None:
        parts.append(f"{len(host.policy.deny) + len(host.policy.ask)} of the host's")
    off = [f"route {name}" for name, on in ours.routes.items() if not on]
    off += [name for name, on in (("inject", ours.inject), ("capture", ours.capture)) if not on]
    if off:
        parts.append(f"off: {', '.join(off)}")
    if unread:
        parts.append(f"not read: {unread}")
    return "; ".join(parts)


def shells(subject: Subject | None = None) -> Outcome:
    """D11: what each language of `ctx_execute` is run by, the sandbox in force, the shell's seat where we have it."""
    return with_seat(subject, _languages()) if subject else _languages()


def _languages() -> Outcome:
    try:
        shell = languages.find("shell")[1]
    except ExecuteError as error:
        return failed(str(error), _CHECK)
    policy = _policy()
    works, sandbox = mechanism.told(policy.sandbox, from_project=policy.sandbox_by_project)
    found = languages.available()
    there = ", ".join(f"{name} {tilde(path)}" for name, path in found.items() if name != "shell")
    missing = ", ".join(name for name in languages.LANGUAGES if name not in found)
    said = f"shell is {shell}; {there}" + (f"; not here: {missing}" if missing else "")
    return passed(f"{sandbox}; {said}") if works else warned(f"{sandbox}; {said}", _CHECK)
