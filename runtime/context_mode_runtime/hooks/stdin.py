"""Reads one payload from a pipe that may hold anything and may never close."""

from __future__ import annotations

import os
import select

from context_mode_runtime import jsonio

PAYLOAD_MAX = 64 * 1024 * 1024
"""A payload over this many bytes is drained and not looked at: no host sends one."""
_BLOCK = 1 << 16


class PayloadError(Exception):
    """Standard input holds no JSON object."""


def read_payload(handle: int) -> dict[str, object]:
    """The first whole JSON value on `handle`; what else is there already is read and dropped.

    A pipe that stays open behind a whole value is not waited for. Raises PayloadError for anything but an object.
    """
    data = bytearray()
    while True:
        block = _read(handle)
        if len(data) <= PAYLOAD_MAX:
            data += block
        if block and (_more(handle) or data.rstrip()[-1:] not in b"}]"):
            continue
        value = _parse(data)
        if value is not None:
            drain(handle)
            return value
        if not block:
            raise PayloadError(_complaint(data))


def _parse(data: bytearray) -> dict[str, object] | None:
    if len(data) > PAYLOAD_MAX:
        return None
    try:
        value, _ = jsonio.first_value(data.decode("utf-8", "replace").lstrip("\ufeff"))
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
    except OSError:
        return b""


def _more(handle: int) -> bool:
    """Whether a read would not wait. Files and Windows pipes can't be asked: a read there is tried."""
    try:
        return bool(select.select([handle], [], [], 0)[0])
    except (OSError, ValueError):
        return True


def drain(handle: int) -> None:
    """Reads and drops what is there already, so that a host that is still writing sees no broken pipe."""
    while _more(handle) and _read(handle):
        pass
