"""Printed bytes as text: bad bytes as U+FFFD, control sequences out, overwritten lines in their last state."""

from __future__ import annotations

import re

OVERWRITE_MAX = 65_536
"""Characters of one line that are replayed cell by cell; of a longer line the last overwriting stretch counts."""

_ERASE_LINE = "\ufdd0"
_ERASE_END = "\ufdd1"
_SEQUENCE = re.compile(
    r"\x1b\[([0-?]*)[ -/]*([@-~])"  # CSI, ECMA-48 5.4
    r"|\x1b[\]PX^_][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)?"  # OSC, DCS, SOS, PM, APC; none takes the next line along
    r"|\x1b[ -/]{0,3}[0-~]?"
)
_DROPPED = {code: None for code in (*range(0x20), 0x7F, *range(0x80, 0xA0)) if chr(code) not in "\t\n\x85"}
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x84\x86-\x9f]")


def clean_bytes(data: bytes) -> str:
    """`data` decoded as UTF-8 and cleaned. Linear in its length."""
    return clean(data.decode("utf-8", "replace"))


def clean(text: str) -> str:
    """`text` as a terminal would leave it: no control characters but tab and newline; CR and backspace overwrite."""
    if not _CONTROL.search(text):
        return text
    text = text.replace("\r\n", "\n")
    text = _overwritten(text) if "\r" in text or "\b" in text else _SEQUENCE.sub("", text)
    return text.translate(_DROPPED)


def _overwritten(text: str) -> str:
    return "\n".join(
        _last_state(_SEQUENCE.sub(_erasing, line)) if "\r" in line or "\b" in line else _SEQUENCE.sub("", line)
        for line in text.split("\n")
    )


def _erasing(match: re.Match[str]) -> str:
    if match.group(2) != "K":
        return ""
    return _ERASE_LINE if match.group(1) == "2" else _ERASE_END if match.group(1) in ("", "0") else ""


def _last_state(line: str) -> str:
    if len(line) > OVERWRITE_MAX:
        return last_stretch(line)
    cells: list[str] = []
    at = 0
    for char in line:
        at = _put(cells, at, char)
    return "".join(cells)


def last_stretch(line: str) -> str:
    """What stands behind the last carriage return that has something behind it."""
    for part in reversed(line.split("\r")):
        left = re.sub(f"[{_ERASE_LINE}{_ERASE_END}\b]", "", _SEQUENCE.sub("", part))
        if left:
            return left
    return ""


def _put(cells: list[str], at: int, char: str) -> int:
    if char == "\r":
        return 0
    if char == "\b":
        return max(at - 1, 0)
    if char == _ERASE_END:
        del cells[at:]
        return at
    if char == _ERASE_LINE:
        cells.clear()
        return at
    if at > len(cells):
        cells += " " * (at - len(cells))
    cells[at : at + 1] = char
    return at + 1
