"""Tools, identity and texts: what is promised can be kept, and our tools are called by one name everywhere (F21)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .crosscheck import walk
from .eventcheck import OWN_TOOLS, examples, hosts, own_tools

if TYPE_CHECKING:
    from pathlib import Path

    from .findings import Sheet
    from .load import Way

NEEDED = {"shell": "command", "read": "path", "edit": "path", "fetch": "url", "mcp": "server"}
"""The field without which no rule can be held against a tool of the class."""
_NAMED = re.compile(r"(?<![\w@/.-])(?!_)[\w@/.-]*ctx_\w+")


def check_tools(sheet: Sheet, _path: Path) -> None:
    """Findings about tools, identity, compaction, rules and names in texts."""
    for n, tool in enumerate(sheet.spec["tools"]):
        _tool(sheet, ("tools", n), tool)
        _hidden(sheet, n)
    if all(tool["class"] != "own" for tool in sheet.spec["tools"]):
        sheet.add(("tools",), "no entry of class own", "add one with our tools' names, before the one of class mcp")
    _own(sheet)
    for n, way in enumerate(sheet.spec["identity"]["request"]):
        _way(sheet, ("identity", "request", n), way)
    _moments(sheet)
    _rules(sheet)
    _texts(sheet)


def _tool(sheet: Sheet, way: Way, tool: dict[str, Any]) -> None:
    needed, fields = NEEDED.get(tool["class"]), {field["name"] for field in tool["fields"]}
    if needed and needed not in fields:
        sheet.add((*way, "fields"), f"a tool of class {tool['class']} has no field {needed}", "add it: rules read it")
    if (tool["dialect"] is None) == (tool["class"] == "shell"):
        sheet.add(
            (*way, "dialect"), "dialect is said for shell tools and only for them", "write bash or another, or null"
        )
    for word in ("replace", "moved", "cut"):
        if tool[word] is not None and tool["output"] is None:
            sheet.add((*way, word), f"{word} without an output", "say where the output is, or write null here")
    if tool["replace"] and (tool["replace"]["shape"] == "copy") != bool(tool["replace"]["text_at"]):
        sheet.add((*way, "replace", "text_at"), "text_at goes with the shape copy", "write keys there, [] elsewhere")
    if tool["replace"] and (tool["replace"]["shape"] == "copy") != (tool["replace"]["sample"] is not None):
        right = "write a whole response as JSON text there, null elsewhere"
        sheet.add((*way, "replace", "sample"), "sample goes with the shape copy", right)
    if tool["range"] and tool["class"] != "read":
        sheet.add((*way, "range"), "a range belongs to a read tool", "write null")
    for n, name in enumerate(tool["names"]):
        if "*" not in name and tool["class"] != "own":
            sheet.known((*way, "names", n), name, sheet.spec["knows"]["tools"], "tool of this host (knows.tools)")


def _hidden(sheet: Sheet, n: int) -> None:
    """An entry behind one that takes its names never holds."""
    tools = sheet.spec["tools"]
    for m, name in enumerate(tools[n]["names"]):
        for earlier in tools[:n]:
            for example in examples(sheet.spec, tools[n], name):
                if tools[n]["class"] != "mcp" and any(_fits(pattern, example) for pattern in earlier["names"]):
                    right = "put the narrower entry first"
                    sheet.add(
                        ("tools", n, "names", m), f"{name} is taken by the class {earlier['class']} before", right
                    )
                    break


def _fits(pattern: str, name: str) -> bool:
    return re.fullmatch(".*".join(re.escape(part) for part in pattern.split("*")), name) is not None


def _own(sheet: Sheet) -> None:
    names = [name for tool in sheet.spec["tools"] if tool["class"] == "own" for name in tool["names"]]
    for tool in own_tools(sheet.spec):
        if names and not any(_fits(pattern, tool) for pattern in names):
            right = f"make it fit the names of class own: {', '.join(names)}"
            sheet.add(("server", "tool_name"), f"our tool would be {tool}", right)
            return


def _way(sheet: Sheet, way: Way, entry: dict[str, Any]) -> None:
    kind, hook = entry["way"], sheet.spec["identity"]["hook"]
    verbs = {verb["verb"] for verb in sheet.spec["replies"]["verbs"]}
    rules = (
        (kind in ("meta", "added_meta", "argument"), entry["conversation"], "conversation", "say where it stands"),
        (kind == "join", entry["call"], "call", "say where the call's id stands"),
        (kind == "variable", entry["variable"], "variable", "name it"),
    )
    for holds, has, key, right in rules:
        if holds and not has:
            sheet.add((*way, key), f"the way {kind} has no {key}", right)
    needs = (
        ("join", hook["call"], "where hooks find the call's id", "say it in identity.hook.call"),
        ("added_meta", "add_meta" in verbs, "a verb that adds it", "add the verb add_meta"),
        ("argument", "set_input" in verbs, "a verb that adds it", "add the verb set_input for our own tools"),
    )
    for name, has, what, right in needs:
        if kind == name and not has:
            sheet.add((*way, "way"), f"the way {kind} needs {what}", right)
    if kind != "variable" and entry["variable"] is not None:
        sheet.add((*way, "variable"), f"the way {kind} reads no variable", "write null")
    if entry["variable"] in sheet.spec["identity"]["stale_variables"]:
        sheet.add((*way, "variable"), f"{entry['variable']} goes stale", "leave the way out")


def _moments(sheet: Sheet) -> None:
    compaction, there = sheet.spec["compaction"], {event for _way, event, _host in hosts(sheet.spec)}
    told = {verb["event"] for verb in sheet.spec["replies"]["verbs"] if verb["verb"] == "context"}
    if compaction["before"] is not None:
        sheet.known(("compaction", "before"), compaction["before"], there, "event that this host has")
    first = compaction["state_block"]
    if first and first["when"] is None and compaction["before"] is None:
        right = "say what in the payload tells of one, or write null for state_block"
        sheet.add(("compaction", "state_block", "when"), "nothing tells that a compaction was", right)
    for key in ("state_block", "resumed"):
        moment = compaction[key]
        if moment and sheet.known(("compaction", key, "event"), moment["event"], there, "event that this host has"):
            names = {host["name"] for _way, event, host in hosts(sheet.spec) if event == moment["event"]}
            if not names & told:
                right = "add a verb context for it, or name another event"
                sheet.add(("compaction", key, "event"), f"nothing can be said at {moment['event']}", right)


def _rules(sheet: Sheet) -> None:
    rules = sheet.spec["rules"]
    for key in ("order", "anchors"):
        if (rules[key] is None) == bool(rules["files"]):
            sheet.add(("rules", key), f"{key} goes with files", "say it when there are files, else null")


def _texts(sheet: Sheet) -> None:
    """Wherever one of our tools is named, it is called as the host calls it."""
    spec = sheet.spec
    patterns = [spec["server"]["tool_name"]]
    patterns += [part["tool_name"] for part in (spec["native"], spec["bridge"]) if part and part["tool_name"]]
    right_names = {pattern.replace("{tool}", tool) for pattern in patterns for tool in OWN_TOOLS}
    for way, _key, value in walk(spec, ()):
        if isinstance(value, str) and not value.startswith("^"):
            for name in _NAMED.findall(value):
                sheet.known(way, name, right_names, "name of our tools here")
