"""Why a call of a tool is decided as it is: by the very code of the hook, and of the gate before our own tools."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from context_mode_installer.doctor.probes import call_payload
from context_mode_installer.result import UserError
from context_mode_installer.specs.catalog import find_spec
from context_mode_runtime.agents import UnknownAgentError, load_agent, root_folders
from context_mode_runtime.hooks import before
from context_mode_runtime.hooks.call import Call
from context_mode_runtime.policy.hostrules import host_rules
from context_mode_runtime.project import Project, find_project
from context_mode_runtime.server.call import ToolError
from context_mode_runtime.server.guard import Guard
from context_mode_runtime.server.session import Connection

if TYPE_CHECKING:
    from collections.abc import Callable

    from context_mode_installer.specs.model import AgentSpec, HostEvent
    from context_mode_runtime.agents import Table
    from context_mode_runtime.policy.hostrules import HostRules
    from context_mode_runtime.policy.verdicts import Verdict

    Said = dict[str, Any]

_OWN = "ctx_"
_BY_RULE = re.compile(r"rule (?P<rule>.+) of (?P<file>.+?)(?:\. This tool can't ask.*)?$", re.DOTALL)
_WORDS = {"read": "Read", "search": "Read", "edit": "Edit"}


class _Asker:
    """What the gate has to know of a call: the connection and the project."""

    def __init__(self, connection: Connection, project: Project) -> None:
        self.connection = connection
        self._project = project

    def project(self) -> Project:
        return self._project


def explained(agent: str, tool: str, given: dict[str, Any]) -> tuple[Said, list[str]]:
    """The three that judge: our hook, the host's own lists as we read them, the gate of our tools. Raises UserError."""
    spec = find_spec(agent)
    table = _table(agent)
    project = _project()
    name = str(table["server"]["tool_name"]).replace("{tool}", tool) if tool.startswith(_OWN) else tool
    event = next((one for one in _events(spec) if one.matcher is None or re.search(one.matcher, name)), None)
    first = event or next(iter(_events(spec)), None)
    host_event = first.name if first else next(iter(table["events"]))
    payload = call_payload(spec, host_event, name, given, os.getcwd())
    call = Call(table, "pre_tool", host_event, payload, assume_server=True)
    parts = {
        "hook": _hook(call, reached=event is not None),
        "host": _host(call, host_rules(table, root_folders(table), project.worktree)),
        "gate": _gate(call, tool, given, Guard(_Asker(Connection(agent, table, project.worktree), project))),
    }
    data = {"agent": agent, "tool": name, "class": call.tool_class or None, **parts}
    titles = {"hook": "Our hook", "host": "The host's own lists", "gate": "Our own tools"}
    return data, [line for key, title in titles.items() for line in _lines(title, parts[key])]


def _table(agent: str) -> Table:
    try:
        return load_agent(agent)
    except UnknownAgentError:
        raise UserError(f"{agent} was not compiled yet; run: context-mode setup --agents {agent}") from None


def _project() -> Project:
    found = find_project(os.getcwd())
    here = os.path.realpath(os.getcwd())
    return found or Project(here, here)


def _events(spec: AgentSpec) -> list[HostEvent]:
    return [host for event in spec.events if event.event == "pre_tool" for host in event.hosts]


def _said(decision: str, by: str | None, reason: str) -> Said:
    found = _BY_RULE.search(reason) if by == "rule" else None
    name = {"rule": found["rule"], "file": found["file"]} if found else {"rule": None, "file": None}
    return {"decision": decision, "by": by, "route": None, **name, "reason": reason}


def _lines(title: str, said: Said) -> list[str]:
    first, *rest = said["reason"].splitlines()
    name = f" (route {said['route']})" if said["route"] else ""
    return [f"{title}: {said['decision']}{name}: {first}", *(f"  {line}" for line in rest)]


def _hook(call: Call, *, reached: bool) -> Said:
    if call.tool_class == "own":
        return _said("pass", None, "one of our own tools: the gate before it decides")
    if not reached:
        return _said("pass", None, "the host does not ask our hook about this tool")
    decision = before.decide(call)
    if decision is None:
        return _said("pass", None, "no rule holds and no route is taken")
    reason = str(decision.holes["reason"])
    route = _route(call)
    return {
        **_said(decision.verb, None if route else "rule", reason),
        **({"by": "route", "route": route} if route else {}),
    }


def _route(call: Call) -> str | None:
    """The route without which the call would pass."""
    routes = call.policy().routes
    for name in [name for name, on in routes.items() if on]:
        routes[name] = False
        passes = before.decide(call) is None
        routes[name] = True
        if passes:
            return name
    return None


def _host(call: Call, host: HostRules) -> Said:
    """The host judges its lists itself; this is how we read them."""
    project = call.project()
    folder = project.worktree if project else call.cwd()
    verdicts: list[Verdict | None] = []
    if call.field("command"):
        verdicts.append(host.judge_command(call.field("command"), cwd=call.cwd(), project=folder))
    word = _WORDS.get(call.tool_class, "Read")
    verdicts += [host.judge_path(str(one), cwd=call.cwd(), project=folder, tool=word) for one in call.fields("path")]
    if call.field("url"):
        verdicts.append(host.judge_tool("WebFetch", call.field("url")))
    found = next((one for one in verdicts if one), None)
    if found is None:
        notes = f" (not read: {'; '.join(host.findings)})" if host.findings else ""
        return _said("pass", None, f"no rule of the host that we can read holds{notes}")
    return _said(found.decision, "rule", found.reason)


def _gate(call: Call, tool: str, given: dict[str, Any], guard: Guard) -> Said:
    """What our tools would say of the same command, path or address."""
    checks = _own_checks(given, guard) if tool.startswith(_OWN) else _same_checks(call, guard)
    if not checks:
        return _said("pass", None, "nothing that runs or reads something")
    for check in checks:
        try:
            check()
        except ToolError as error:
            return _said("deny", "rule", str(error))
    return _said("pass", None, "no rule holds")


def _same_checks(call: Call, guard: Guard) -> list[Callable[[], None]]:
    checks: list[Callable[[], None]] = []
    if call.field("command"):
        checks.append(lambda: guard.code("shell", call.field("command")))
    checks += [_path_check(guard, str(path)) for path in call.fields("path")]
    if call.field("url"):
        checks.append(lambda: guard.url(call.field("url")))
    return checks


def _own_checks(given: dict[str, Any], guard: Guard) -> list[Callable[[], None]]:
    checks: list[Callable[[], None]] = []
    if given.get("code"):
        checks.append(lambda: guard.code(str(given.get("language", "shell")), str(given["code"])))
    commands = given.get("commands", [])
    listed = commands if isinstance(commands, list) else [commands]
    texts = [str(one.get("command", "")) if isinstance(one, dict) else str(one) for one in listed]
    checks += [_code_check(guard, text) for text in texts]
    checks += [_path_check(guard, str(given[name])) for name in ("path", "file") if given.get(name)]
    if given.get("url"):
        checks.append(lambda: guard.url(str(given["url"])))
    return checks


def _code_check(guard: Guard, text: str) -> Callable[[], None]:
    return lambda: guard.code("shell", text)


def _path_check(guard: Guard, path: str) -> Callable[[], None]:
    return lambda: guard.path(os.path.abspath(os.path.expanduser(path)))
