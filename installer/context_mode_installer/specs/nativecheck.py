"""The `native` part of a spec: its files can be made, its commands and places can be filled."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .crosscheck import COMMON_HOLES, pattern, same_scope, template_file
from .where import HOLE, WhereError, compile_where

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from .findings import Sheet
    from .load import Way

FILE_HOLES = frozenset({"version", "token", "hook", "serve", "hooks", "mcp"})
COMMAND_HOLES = frozenset({"folder", "version"})
_JSON_HOLES = ("hooks", "mcp")
_RESERVED = ("bin", "runtime", "context-mode.json", "LICENSE")


def check_native(sheet: Sheet, _path: Path) -> None:
    """Files, commands, signs and edits of the package."""
    native = sheet.spec["native"]
    if native is None:
        return
    sheet.unique(((("native", "files", n, "path"), one["path"]) for n, one in enumerate(native["files"])), "the file")
    for n, file in enumerate(native["files"]):
        _file(sheet, ("native", "files", n), file)
    for key in ("add", "update", "remove"):
        for n, words in enumerate(native[key]):
            for m, word in enumerate(words):
                _holes(sheet, ("native", key, n, m), word, COMMAND_HOLES)
    if native["list"]:
        pattern(sheet, ("native", "list", "healthy"), native["list"]["healthy"])
    _installed(sheet, native)
    _edits(sheet, native["edits"])
    by_hash = bool(sheet.spec["trust"]) and sheet.spec["trust"]["form"] == "hash"
    if by_hash != (native["trust_file"] is not None):
        sheet.add(("native", "trust_file"), "it goes with trust by hash", "say it with trust: hash, else null")
    _holes(sheet, ("native", "trust_file"), native["trust_file"] or "", {"found"})


def _file(sheet: Sheet, way: Way, file: dict[str, Any]) -> None:
    if (file["text"] is None) == (file["template"] is None):
        sheet.add((*way, "text"), "a file has either a text or a template", "write one and null for the other")
    if file["template"] is not None:
        template_file(sheet, (*way, "template"), file["template"])
    inside = file["path"].removeprefix(f"{sheet.spec['native']['folder']}/")
    if inside.split("/", maxsplit=1)[0] in _RESERVED or ".." in file["path"].split("/"):
        sheet.add((*way, "path"), f"{file['path']} is a file that every package has", "choose another name")
    text = file["text"]
    if text is None:
        return
    _holes(sheet, (*way, "text"), text, FILE_HOLES)
    if "{mcp}" in text and not _portable(sheet.spec):
        right = "write the entry out, with {serve} and without a folder of this user"
        sheet.add((*way, "text"), "{mcp} would hold a folder of whoever makes the package", right)
    if file["path"].endswith(".json"):
        _json(sheet, (*way, "text"), text)


def _portable(spec: dict[str, Any]) -> bool:
    values = [edit["value"] for edit in spec["edits"] if edit["scope"] == "user" and "{serve}" in edit.get("value", "")]
    return bool(values) and set(HOLE.findall(values[0])) == {"serve"}


def _json(sheet: Sheet, way: Way, text: str) -> None:
    for name in FILE_HOLES:
        text = text.replace(f"{{{name}}}", "{}" if name in _JSON_HOLES else "x")
    try:
        json.loads(text)
    except ValueError as error:
        sheet.add(way, f"the file would be no JSON: {error}", "mend it; {hooks} and {mcp} stand without quotes")


def _holes(sheet: Sheet, way: Way, text: str, known: Iterable[str]) -> None:
    for name in HOLE.findall(text.replace("${", "$")):
        sheet.known(way, name, known, "hole of this text")


def _installed(sheet: Sheet, native: dict[str, Any]) -> None:
    roots = {root["name"] for root in sheet.spec["roots"]}
    enabled = native["enabled"]
    if enabled is not None:
        scopes = {file["name"]: file["scope"] for file in sheet.spec["files"]}
        if sheet.known(("native", "enabled", "file"), enabled["file"], scopes, "name of files"):
            same_scope(sheet, ("native", "enabled"), {**enabled, "scope": "user"}, scopes[enabled["file"]])
        pattern(sheet, ("native", "enabled", "key"), enabled["key"])
    known = COMMON_HOLES | roots | ({"found"} if enabled else set())
    for n, place in enumerate(native["places"]):
        way: Way = ("native", "places", n)
        if (place["file"] is None) != (place["where"] is None):
            sheet.add((*way, "where"), "file and where go together", "write both, or null for both")
        for key in ("file", "path"):
            _holes(sheet, (*way, key), place[key] or "", known)
        try:
            compile_where([item.replace("{found}", "x") for item in place["where"] or ()])
        except WhereError as error:
            sheet.add((*way, "where"), str(error), error.right)


def _edits(sheet: Sheet, edits: list[dict[str, Any]]) -> None:
    scopes = {file["name"]: file["scope"] for file in sheet.spec["files"]}
    names = {edit["name"] for edit in sheet.spec["edits"]}
    for n, edit in enumerate(edits):
        way: Way = ("native", "edits", n)
        if edit["name"] in names:
            sheet.add((*way, "name"), f"{edit['name']} is an entry of edits, too", "call this one otherwise")
        if edit["scope"] != "user":
            sheet.add((*way, "scope"), "a package is the user's", "write scope: user")
        if "file" in edit and sheet.known((*way, "file"), edit["file"], scopes, "name of files"):
            same_scope(sheet, way, edit, scopes[edit["file"]])
        if edit["affects"] is None and (edit["approval"] or edit["kind"] == "flag"):
            sheet.add((*way, "affects"), f"{edit['name']} changes more than our own entry", "say who else feels it")
        if "{serve}" in edit.get("value", "") or "{hook}" in edit.get("value", ""):
            sheet.add((*way, "value"), "the package brings the programs itself", "take the entry out")
