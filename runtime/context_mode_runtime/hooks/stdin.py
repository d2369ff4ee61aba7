"""Reads one payload from a pipe that may hold anything and may never close."""

from __future__ import annotations

import os
import select

from context_mode_runtime import jsonio

PAYLOAD_MAX = 64 * 1024 * 1024
"""A payload over this many bytes is drained and not looked at: no host sends one."""
_BLOCK = 1 << 16
_PAUSE_S = 0.05
"""A host that is still writing does not pause longer within a value, as a rule; if it does, reading goes on."""
_BEFORE = "\ufeff \t\r\n"


class PayloadError(Exception):
    """Standard input holds no JSON object."""


def read_payload(handle: int) -> dict[str, object]:
    """The first whole JSON value on `handle`; what else is there already is read and dropped.

    A pipe that stays open behind a whole value is not waited for. Raises PayloadError for anything but an object.
    """
    data = bytearray()
    again = 0
    while True:
        block = _read(handle)
        if len(data) <= PAYLOAD_MAX:
            data += block
        ended = len(data) >= again and bytes(data[-8:]).rstrip().endswith((b"}", b"]"))
        if block and _more(handle, 0 if ended else _PAUSE_S):
            continue
        value = _parse(data)
        if value is not None:
            drain(handle)
            return value
        if not block:
            raise PayloadError(_complaint(data))
        again = 2 * len(data)  # so that all tries together cost about as much as two


def _parse(data: bytearray) -> dict[str, object] | None:
    if len(data) > PAYLOAD_MAX:
        return None
    try:
        value, _ = jsonio.first_value(data.decode("utf-8", "replace").lstrip(_BEFORE))
    except ValueError:
        return None
    if not isinstance(value, dict):
        raise PayloadError(f"the payload is a {type(value).__name__}, not an object")
    return value


def _complaint(data: bytearray) -> str:
    if len(data) > PAYLOAD_MAX:
        return f"the payload is over {PAYLOAD_MAX} bytes"
    return "no whole JSON value in the payload" if data.strip() else "the payload is empty"


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, _BLOCK)
    except BlockingIOError:  # the host's end of the pipe made it so
        select.select([handle], [], [])
        return _read(handle)
    except OSError:
        return b""


def _more(handle: int, wait_s: float = 0) -> bool:
    """Whether there is something to read within `wait_s`. Where that can't be asked (Windows): if we would wait."""
    try:
        return bool(select.select([handle], [], [], wait_s)[0])
    except (OSError, ValueError):
        return wait_s > 0


def drain(handle: int) -> None:
    """Reads and drops what is there already, so that a host that is still writing sees no broken pipe."""
    while _more(handle) and _read(handle):
        pass
