"""The `shell_seat` part of a spec: a reason or a way, whose setting names our program and can be taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .crosscheck import COMMON_HOLES, VALUE_HOLES, same_scope
from .where import HOLE

if TYPE_CHECKING:
    from pathlib import Path

    from .findings import Sheet
    from .load import Way

SEAT_HOLES = frozenset({"seat", "seat_env"})
_KINDS = ("key", "flag")


def check_seat(sheet: Sheet, _path: Path) -> None:
    """Either a reason or a way; its edits, its files, its command."""
    told = sheet.spec["shell_seat"]
    seat = told["seat"]
    if (told["absent"] is None) == (seat is None):
        sheet.add(("shell_seat",), "either absent says why, or seat says how", "write one, and null for the other")
    if seat is None:
        return
    for n, edit in enumerate(seat["edits"]):
        _edit(sheet, ("shell_seat", "seat", "edits", n), edit)
    if not any(set(HOLE.findall(edit.get("value", ""))) & SEAT_HOLES for edit in seat["edits"]):
        sheet.add(("shell_seat", "seat", "edits"), "no edit names our program", "write {seat} or {seat_env} in a value")
    command = seat["command"]
    if command["quoted"] and (command["after"] is None or command["before"] is not None):
        way: Way = ("shell_seat", "seat", "command", "quoted")
        sheet.add(way, "a quoted word stands after a text and ends by itself", "write after, and before: null")
    for n, file in enumerate(seat["overruled"]):
        if (file["format"] is None) != (not file["at"]):
            way = ("shell_seat", "seat", "overruled", n, "at")
            sheet.add(way, "format and keys go together", "write both, or null and an empty list")


def _edit(sheet: Sheet, way: Way, edit: dict[str, Any]) -> None:
    if edit["kind"] not in _KINDS:
        sheet.add((*way, "kind"), f"{edit['kind']} is no setting with one value", f"one of {', '.join(_KINDS)}")
        return
    if edit["name"] in {one["name"] for one in sheet.spec["edits"]}:
        sheet.add((*way, "name"), f"{edit['name']} is an entry of edits, too", "call this one otherwise")
    if edit["affects"] is None:
        sheet.add((*way, "affects"), f"{edit['name']} changes more than our own entry", "say who else feels it")
    scopes = {file["name"]: file["scope"] for file in sheet.spec["files"]}
    if sheet.known((*way, "file"), edit["file"], scopes, "name of files"):
        same_scope(sheet, way, edit, scopes[edit["file"]])
    known = VALUE_HOLES | COMMON_HOLES | SEAT_HOLES | {root["name"] for root in sheet.spec["roots"]}
    for name in HOLE.findall(edit["value"]):
        sheet.known((*way, "value"), name, known, "hole of this text")
