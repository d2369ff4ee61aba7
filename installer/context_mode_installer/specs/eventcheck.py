"""Events, matchers and time limits: all nine of ours, none twice, none the host does not know, none too short."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .compile import MARGIN_MS, MS
from .matchers import fires

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .findings import Sheet
    from .load import Way

LEAST_MS, MOST_MS = 1_000, 15_000
"""What a written hook limit may come to."""
OWN_TOOLS = (
    "ctx_execute",
    "ctx_batch",
    "ctx_index",
    "ctx_search",
    "ctx_resume",
    "ctx_stats",
    "ctx_doctor",
    "ctx_upgrade",
    "ctx_purge",
)
JUDGED = ("shell", "read", "edit", "fetch", "mcp", "own")
"""Classes that `pre_tool` has to see: deny rules hold for them, or the server needs its note."""


def hosts(spec: dict[str, Any]) -> Iterator[tuple[Way, str, dict[str, Any]]]:
    """Every host event of a spec: the way to it, our event, the record."""
    for n, event in enumerate(spec["events"]):
        for m, host in enumerate(event["hosts"]):
            yield ("events", n, "hosts", m), event["event"], host


def own_tools(spec: dict[str, Any]) -> list[str]:
    """Our nine tools as this host names them."""
    return [spec["server"]["tool_name"].replace("{tool}", tool) for tool in OWN_TOOLS]


def check_events(sheet: Sheet, _path: Path) -> None:
    """Findings about events, surfaces, limits and matchers."""
    _answered(sheet)
    _bridge(sheet)
    for way, _event, host in hosts(sheet.spec):
        sheet.known((*way, "name"), host["name"], sheet.spec["knows"]["events"], "event of this host")
        _surface(sheet, way, host)
    named = [(way, (host["name"], host["surface"])) for way, _event, host in hosts(sheet.spec)]
    sheet.unique((((*way, "name"), value) for way, value in named), "the host event")
    if not sheet.findings:
        _overlaps(sheet)
    if not sheet.findings:
        _coverage(sheet)


def _answered(sheet: Sheet) -> None:
    nine = sheet.spec["events"]
    for n, event in enumerate(nine):
        if event["absent"] is None and not event["hosts"]:
            sheet.add(
                ("events", n), f"{event['event']} has no host event", "name one, or say in absent why there is none"
            )
        elif event["absent"] is not None and event["hosts"]:
            sheet.add(("events", n, "absent"), f"{event['event']} is absent and has host events", "write null")
    missing = sorted(set(_EVENTS) - {event["event"] for event in nine})
    for event in missing:
        sheet.add(
            ("events",), f"our event {event} does not stand here", "add it, with hosts or the reason why it is absent"
        )


_EVENTS = (
    "session_start",
    "prompt_submit",
    "pre_tool",
    "post_tool",
    "pre_compact",
    "stop",
    "session_end",
    "subagent_start",
    "subagent_stop",
)


def _bridge(sheet: Sheet) -> None:
    spec = sheet.spec
    if bool(spec["hooks"]) == bool(spec["bridge"]):
        sheet.add(("hooks",), "a host has either hooks or a bridge", "write one of them; [] or null for the other")
    for n, surface in enumerate(spec["hooks"]):
        _exact(sheet, ("hooks", n, "matcher"), surface["matcher"])


def _exact(sheet: Sheet, way: Way, matcher: dict[str, Any]) -> None:
    if (matcher["dialect"] == "exact-or-regex") != (matcher["exact"] is not None):
        sheet.add(
            (*way, "exact"), "exact goes with the dialect exact-or-regex", "write its signs there, null elsewhere"
        )


def _surface(sheet: Sheet, way: Way, host: dict[str, Any]) -> None:
    surfaces = {surface["surface"]: surface for surface in sheet.spec["hooks"]}
    if host["surface"] is not None:
        if sheet.known((*way, "surface"), host["surface"], surfaces, "surface of hooks"):
            _limit(sheet, way, host, surfaces[host["surface"]])
    elif len(surfaces) > 1:
        sheet.add((*way, "surface"), "there are several surfaces", f"name one of {', '.join(sorted(surfaces))}")
    elif surfaces:
        _limit(sheet, way, host, next(iter(surfaces.values())))
    elif host["timeout"] is not None or host["matcher"] is not None:
        sheet.add(way, "a bridge has no matchers and its own limit", "write null for matcher and timeout")


def _limit(sheet: Sheet, way: Way, host: dict[str, Any], surface: dict[str, Any]) -> None:
    unit, written = surface["timeout"]["unit"], host["timeout"]
    between = f"{LEAST_MS // MS[unit]} to {MOST_MS // MS[unit]} {unit}"
    if written is None:
        sheet.add((*way, "timeout"), f"{host['name']} has no time limit", f"write {between}")
    elif not LEAST_MS <= written * MS[unit] <= MOST_MS:
        sheet.add((*way, "timeout"), f"{host['name']} would be given {written} {unit}", f"write {between}")
    if host["limit_ms"] is not None and host["limit_ms"] < 2 * MARGIN_MS:
        sheet.add((*way, "limit_ms"), f"{host['limit_ms']} ms leave no time for a hook", "check the unit: these are ms")
    _matcher(sheet, way, host, surface["matcher"])


def _matcher(sheet: Sheet, way: Way, host: dict[str, Any], rule: dict[str, Any]) -> None:
    if rule["dialect"] == "none" and host["matcher"] is not None:
        sheet.add((*way, "matcher"), "this surface knows no matchers", "write null")
    try:
        fires(rule, host["matcher"], "some tool")
    except re.error as error:
        sheet.add((*way, "matcher"), f"{host['matcher']!r} is no regular expression: {error}", "mend it")


def _rule(spec: dict[str, Any], host: dict[str, Any]) -> dict[str, Any]:
    for surface in spec["hooks"]:
        if host["surface"] in (None, surface["surface"]):
            rule: dict[str, Any] = surface["matcher"]
            return rule
    return {"dialect": "none", "exact": None}


def _overlaps(sheet: Sheet) -> None:
    """For each tool name at most one hook of ours for one thing that happens (F07); each pair is told once."""
    spec, told = sheet.spec, set()
    for tool in [*spec["knows"]["tools"], *own_tools(spec)]:
        first: dict[tuple[object, ...], str] = {}
        for way, event, host in hosts(spec):
            if event not in ("pre_tool", "post_tool") or not fires(_rule(spec, host), host["matcher"], tool):
                continue
            other = first.setdefault((event, host["surface"], host["failure"], host["use"]), host["name"])
            if other != host["name"] and (other, way) not in told:
                told.add((other, way))
                right = "narrow one of the two matchers"
                sheet.add((*way, "matcher"), f"{tool} starts a hook for {other} and one for {host['name']}", right)


def _coverage(sheet: Sheet) -> None:
    """What the tools of the spec promise is seen: a matcher fires for each of them."""
    spec = sheet.spec
    for n, tool in enumerate(spec["tools"]):
        events = (["pre_tool"] if tool["class"] in JUDGED else []) + (["post_tool"] if tool["replace"] else [])
        for m, name in enumerate(tool["names"]):
            for event in events:
                if not any(_seen(spec, event, known) for known in examples(spec, tool, name)):
                    right = "put the name into the matcher, or take it out here"
                    sheet.add(("tools", n, "names", m), f"no matcher of {event} fires for {name}", right)


def _seen(spec: dict[str, Any], event: str, tool: str) -> bool:
    return any(
        fires(_rule(spec, host), host["matcher"], tool)
        for _way, ours, host in hosts(spec)
        if ours == event and not host["failure"]
    )


def examples(spec: dict[str, Any], tool: dict[str, Any], name: str) -> list[str]:
    """Real tool names that the pattern `name` of `tool` stands for; the pattern itself when it is a plain name."""
    if "*" not in name:
        return [name]
    known = own_tools(spec) if tool["class"] == "own" else spec["knows"]["tools"]
    pattern = re.compile(".*".join(re.escape(part) for part in name.split("*")))
    return [example for example in known if pattern.fullmatch(example)] or [name.replace("*", "x")]
