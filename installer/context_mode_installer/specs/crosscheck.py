"""What no schema can say: names that are used are defined, templates and patterns can be read, scopes are answered."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from context_mode_runtime.resources import shipped

from .where import HOLE, TextError, compile_condition, compile_where, holes, parse_template

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .findings import Sheet
    from .load import Way

COMMON_HOLES = frozenset({"home", "project", "bin", "tmp"})
VALUE_HOLES = COMMON_HOLES | {"serve", "hook"}
GROUP_HOLES = frozenset({"event", "matcher", "command", "command_windows", "program", "arguments", "timeout"})
TRUST_KEY_HOLES = frozenset({"file", "event_snake", "group", "handler"})
CONDITION_WORDS = frozenset({"ignore", "skip", "cut", "when", "follows"})
JSON_WORDS = frozenset({"value", "group", "template", "off", "default", "text"})


def check_names(sheet: Sheet, path: Path) -> None:
    """Names are unique, and what refers to one finds it."""
    spec = sheet.spec
    if spec["id"] != path.stem:
        sheet.add(("id",), f"the id is {spec['id']}, the file {path.name}", f"call the file {spec['id']}.yaml")
    for words, key in (
        (("name",), "files"),
        (("name", "scope"), "edits"),
        (("surface",), "hooks"),
        (("name", "platform"), "roots"),
        (("scope",), "scopes"),
        (("event",), "events"),
        (("verb", "event"), ("replies", "verbs")),
    ):
        where: Way = key if isinstance(key, tuple) else (key,)
        items = _at(spec, where)
        sheet.unique((((*where, n), tuple(item[word] for word in words)) for n, item in enumerate(items)), "the entry")
    _file_names(sheet)
    _scopes(sheet)
    _callers(sheet)


def _at(value: Any, way: Way) -> Any:  # noqa: ANN401 - any part of a spec
    for step in way:
        value = value[step]
    return value


def _file_names(sheet: Sheet) -> None:
    scopes = {file["name"]: file["scope"] for file in sheet.spec["files"]}
    for way, user in _file_users(sheet.spec):
        if sheet.known((*way, "file"), user["file"], scopes, "name of files"):
            same_scope(sheet, way, user, scopes[user["file"]])
        if user.get("or") is not None:
            sheet.known((*way, "or"), user["or"], scopes, "name of files")
    for n, edit in enumerate(sheet.spec["edits"]):
        if edit["kind"] == "own_file":
            _own_file(sheet, ("edits", n), edit)
        if edit["affects"] is None and (edit["approval"] or edit["kind"] == "flag"):
            sheet.add(
                ("edits", n, "affects"), f"{edit['name']} changes more than our own entry", "say who else feels it"
            )
    if sheet.spec["bridge"]:
        template_file(sheet, ("bridge", "template"), sheet.spec["bridge"]["template"])


def same_scope(sheet: Sheet, way: Way, user: dict[str, Any], scope: str) -> None:
    """A fault where what uses a file is of another scope than the file."""
    if user.get("scope", scope) != scope:
        sheet.add((*way, "scope"), f"the file {user['file']} is of scope {scope}", f"write scope: {scope}")


def _file_users(spec: dict[str, Any]) -> Iterator[tuple[Way, dict[str, Any]]]:
    for key in ("edits", "switches", "foreign"):
        for n, item in enumerate(spec[key]):
            if "file" in item:
                yield (key, n), item
    for n, surface in enumerate(spec["hooks"]):
        for m, item in enumerate(surface["files"]):
            yield ("hooks", n, "files", m), item
    if spec["trust"] and "file" in spec["trust"]:
        yield ("trust",), spec["trust"]


def _own_file(sheet: Sheet, way: Way, edit: dict[str, Any]) -> None:
    owned = {file["name"]: file["own"] for file in sheet.spec["files"]}
    if not owned.get(edit["file"], True):
        sheet.add(
            (*way, "file"), f"the file {edit['file']} is not wholly ours", "write own: true there, or another kind"
        )
    if (edit["text"] is None) == (edit["template"] is None):
        sheet.add((*way, "text"), "a file of ours has either a text or a template", "write one and null for the other")
    if edit["template"] is not None:
        template_file(sheet, (*way, "template"), edit["template"])


def template_file(sheet: Sheet, way: Way, name: str) -> None:
    """A fault where there is no such file beside the spec."""
    places = [Path(sheet.document.file).parent / name, Path(shipped("agent_specs")) / name]
    if not any(place.is_file() for place in places):
        sheet.add(way, f"there is no file {name} beside the spec", "make it, or write another name")


def _scopes(sheet: Sheet) -> None:
    spec = sheet.spec
    refused = {item["scope"]: item["refused"] for item in spec["scopes"]}
    for scope in ("user", "project"):
        if scope not in refused:
            sheet.add(
                ("scopes",), f"the scope {scope} is not answered", "add it, with refused: and the reason, or null"
            )
        elif refused[scope] is None:
            _complete(sheet, scope)
    for key in ("files", "edits", "switches"):
        for n, item in enumerate(spec[key]):
            if refused.get(item["scope"]):
                sheet.add(
                    (key, n, "scope"), f"the scope {item['scope']} is refused", "take the entry out, or answer it"
                )


def _complete(sheet: Sheet, scope: str) -> None:
    values = [edit.get("value", "") for edit in sheet.spec["edits"] if edit["scope"] == scope]
    if not any("{serve}" in value for value in values):
        right = "add an edit with {serve} in its value, or refuse the scope"
        sheet.add(("edits",), f"no edit of scope {scope} enters the server", right)
    for n, surface in enumerate(sheet.spec["hooks"]):
        if all(file["scope"] != scope for file in surface["files"]):
            sheet.add(("hooks", n, "files"), f"no file of scope {scope}", "add one, or refuse the scope")


def _callers(sheet: Sheet) -> None:
    for n, caller in enumerate(sheet.spec["callers"]):
        if caller["agent"] == sheet.spec["id"]:
            sheet.add(("callers", n, "agent"), "an agent does not call for itself", "name the other agent")
    for n, file in enumerate(sheet.spec["files"]):
        if file["new"] is not None and file["new"] not in file["paths"]:
            sheet.add(("files", n, "new"), f"{file['new']} is none of the paths", "write one of them, or null")
        if bool(file["each"]) != any("{each}" in path for path in file["paths"]):
            sheet.add(("files", n, "each"), "folders and {each} in the paths go together", "write both or none")
        if any("*" in folder for folder in file["each"][:1]):
            sheet.add(("files", n, "each", 0), "it may have to be made and is a glob", "put a plain folder first")


def check_templates(sheet: Sheet, _path: Path) -> None:
    """Every JSON text, WHERE, condition, pattern and hole of the spec can be read."""
    roots = {root["name"] for root in sheet.spec["roots"]}
    for way, key, value in walk(sheet.spec, ()):
        if value is None:
            continue
        try:
            _read(way, key, value)
        except TextError as error:
            sheet.add(way, str(error), error.right)
        if isinstance(value, str):
            _holes(sheet, way, value, roots)
    _patterns(sheet)


def walk(value: Any, way: Way) -> Iterator[tuple[Way, str, Any]]:  # noqa: ANN401 - any part of a spec
    """Every value inside `value`: the way to it, the nearest key, the value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in items:
        inner = (*way, step)
        yield inner, next((str(part) for part in reversed(inner) if isinstance(part, str)), ""), item
        yield from walk(item, inner)


def _read(way: Way, key: str, value: Any) -> object:  # noqa: ANN401 - any part of a spec
    if way[0] == "payload" and isinstance(value, list):
        return compile_where(value)
    if key in CONDITION_WORDS and isinstance(value, dict):
        return compile_condition(value)
    if _is_where(way, value):
        return compile_where(value)
    return parse_template(value) if _is_json(way, key, value) else None


def _is_where(way: Way, value: object) -> bool:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return False
    places = (way[0] == "tools" and way[-1] in ("where", "output")) or way[:2] == ("identity", "hook")
    ways = way[:2] == ("identity", "request") and way[-1] in ("conversation", "subagent", "call")
    return places or ways or way == ("project", "request") or way[:1] == ("payload",)


def _is_json(way: Way, key: str, value: object) -> bool:
    if key not in JSON_WORDS or not isinstance(value, str) or not isinstance(way[-1], str):
        return False
    if way[0] in ("edits", "trust") or "edits" in way[1:3]:
        return key == "value" or (key == "text" and way[0] == "trust")
    if way[0] in ("replies", "switches", "hooks"):
        return True
    return key == "value" and ("set" in way or way[:2] == ("server", "tool_meta"))


def _holes(sheet: Sheet, way: Way, text: str, roots: set[str]) -> None:
    known = _known_holes(way, roots)
    if known is None:
        return
    if way[0] == "files" and sheet.spec["files"][way[1]]["each"] and ("paths" in way or way[-1] == "new"):
        known |= {"each"}
    for name in HOLE.findall(text):
        sheet.known(way, name, known, "hole of this text")


def _known_holes(way: Way, roots: set[str]) -> frozenset[str] | None:
    """The holes of a text at `way`, or None where braces have no meaning (replies have their own check)."""
    places = COMMON_HOLES | roots
    if way[0] in ("files", "foreign_data", "texts", "rules", "project", "detection"):
        return None if way[-1] in ("skill_call", "version", "not", "seed", "broken", "unread") else frozenset(places)
    if way[0] == "roots":
        return frozenset({"home"}) if way[-1] == "default" else None
    if way[0] == "tools":
        return frozenset(places | {"conversation"}) if "moved" in way and "roots" in way else None
    return _hook_holes(way, places)


def _hook_holes(way: Way, places: frozenset[str] | set[str]) -> frozenset[str] | None:
    if way[0] == "edits" or way[:2] == ("native", "edits"):
        return frozenset(VALUE_HOLES | places) if way[-1] in ("value", "text") or "at" in way else None
    if way[0] == "hooks":
        return GROUP_HOLES if way[-1] == "group" else frozenset({"event"}) if "list_at" in way else None
    if way[0] == "trust":
        return TRUST_KEY_HOLES if "at" in way else GROUP_HOLES | {"event_snake"} if way[-1] == "text" else None
    return frozenset({"tool"}) if way == ("server", "tool_name") else None


def _patterns(sheet: Sheet) -> None:
    spec = sheet.spec
    listing = spec["commands"]["list"]
    pattern(sheet, ("detection", "version"), spec["detection"]["version"], groups=1)
    pattern(sheet, ("detection", "not"), spec["detection"]["not"])
    for n, item in enumerate(spec["foreign"]):
        pattern(sheet, ("foreign", n, "key"), item["key"])
    if listing:
        pattern(sheet, ("commands", "list", "healthy"), listing["healthy"])
    for n, surface in enumerate(spec["hooks"]):
        _group(sheet, ("hooks", n), surface)


def pattern(sheet: Sheet, way: Way, text: str | None, groups: int | None = None) -> None:
    """A fault where a text is no regular expression, or has another number of groups."""
    if text is None:
        return
    try:
        found = re.compile(text).groups
    except re.error as error:
        sheet.add(way, f"{text!r} is no regular expression: {error}", "mend it")
        return
    if groups is not None and found != groups:
        sheet.add(way, f"{text!r} has {found} groups", f"write exactly {groups}")


def _group(sheet: Sheet, way: Way, surface: dict[str, Any]) -> None:
    """The template of a hook entry holds what its form needs."""
    try:
        group = parse_template(surface["group"])
    except ValueError:
        return
    wanted = {"timeout"} | ({"matcher"} if surface["matcher"]["dialect"] != "none" else set())
    wanted |= {"program", "arguments"} if surface["command"]["form"] == "argv" else {"command"}
    if "{event}" not in surface["list_at"]:
        wanted.add("event")
    for name in sorted(wanted - holes(group)):
        sheet.add((*way, "group"), f"the entry has no hole {{{name}}}", "put it where the host wants it")
    handlers = group if surface["handlers_at"] is None else _dig(group, surface["handlers_at"])
    handler = handlers[0] if isinstance(handlers, list) and handlers else handlers
    if not isinstance(_dig(handler, surface["command"]["program_at"]), str):
        sheet.add(
            (*way, "command", "program_at"), "the entry has no program at these keys", "follow the group's own keys"
        )


def _dig(value: Any, keys: list[str]) -> Any:  # noqa: ANN401 - any JSON
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
