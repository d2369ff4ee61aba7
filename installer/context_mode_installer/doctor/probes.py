"""Payloads for a probe of every event, made from the spec: what the host would send, with nothing of the user in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from context_mode_installer.specs.where import put

if TYPE_CHECKING:
    from context_mode_installer.specs.model import AgentSpec, HostEvent, Tool

CONVERSATION = "context-mode-doctor"
URL = "https://example.com/context-mode-doctor"
_LONG = "".join(f"line {n} of a long output\n" for n in range(1_000))
_INPUTS = {"command": "ls", "url": URL, "path": "context-mode-doctor.png", "prompt": "probe", "pattern": "probe"}


class Probe:
    """A payload for one host event, its name for people, and whether a reply is expected."""

    __slots__ = ("event", "expects_reply", "name", "payload")

    def __init__(self, name: str, event: str, payload: dict[str, Any], *, expects_reply: bool = False) -> None:
        self.name = name
        self.event = event
        self.payload = payload
        self.expects_reply = expects_reply


def probes(spec: AgentSpec, cwd: str) -> list[Probe]:
    """At least one probe for every host event that setup writes; for tools a small call, a route and a long output."""
    found = []
    for event in spec.events:
        for host in event.hosts:
            base = _base(spec, host, cwd)
            found += _tool_probes(spec, event.event, host, base) or [Probe(host.name, host.name, base)]
    return found


def _tool_probes(spec: AgentSpec, event: str, host: HostEvent, base: dict[str, Any]) -> list[Probe]:
    if event not in ("pre_tool", "post_tool"):
        return []
    out = []
    for class_ in ("shell", "read", "fetch"):
        tool = next((tool for tool in spec.tools if tool.class_ == class_), None)
        if tool is None:
            continue
        payload = _with_tool(spec, tool, base)
        routed = event == "pre_tool" and class_ == "fetch" and _has(spec, "deny", host.name)
        out.append(Probe(f"{host.name} {tool.names[0]}", host.name, payload, expects_reply=routed))
        if event == "post_tool" and tool.replace and tool.output and _has(spec, "replace", host.name):
            long = put(payload, tool.output[-1], _LONG)
            out.append(Probe(f"{host.name} {tool.names[0]} long", host.name, long, expects_reply=True))
    return out


def call_payload(spec: AgentSpec, event: str, tool: str, given: dict[str, Any], cwd: str) -> dict[str, Any]:
    """What the host would send with `event` for this call of a tool."""
    payload: dict[str, Any] = {}
    for word, value in {"event": event, "cwd": cwd, "tool": tool, "input": given}.items():
        for place in spec.payload[word][:1]:
            payload = put(payload, place, value)
    return payload


def _has(spec: AgentSpec, verb: str, event: str) -> bool:
    return any(one.verb == verb and one.event == event for one in spec.replies.verbs)


def _base(spec: AgentSpec, host: HostEvent, cwd: str) -> dict[str, Any]:
    payload: dict[str, Any] = {}
    values = {"event": host.name, "cwd": cwd, "prompt": "a probe of context-mode doctor", "source": "startup"}
    for word, value in values.items():
        for place in spec.payload[word][:1]:
            payload = put(payload, place, value)
    for place in spec.identity.hook.conversation:
        payload = put(payload, place, CONVERSATION)
    return payload


def _with_tool(spec: AgentSpec, tool: Tool, base: dict[str, Any]) -> dict[str, Any]:
    payload = base
    for place in spec.payload["tool"][:1]:
        payload = put(payload, place, tool.names[0])
    for field in tool.fields:
        if field.name in _INPUTS:
            payload = put(payload, field.where[0], _INPUTS[field.name])
    if tool.replace and tool.replace.sample is not None:
        for place in spec.payload["response"][:1]:
            payload = put(payload, place, tool.replace.sample)
    return payload
