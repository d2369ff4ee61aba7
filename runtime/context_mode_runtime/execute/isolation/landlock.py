"""Landlock (Linux 5.13 and later) by its system calls: paths by allow-list, for this process and all it starts.

Numbers and layouts: linux/landlock.h; the calls have the same numbers on every architecture.
"""

from __future__ import annotations

import ctypes
import os
import struct

from context_mode_runtime.execute.isolation.places import DEVICES, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_VERSION_ASKED = 1
_PATH_BENEATH = 1
_NO_NEW_PRIVILEGES = 38
"""PR_SET_NO_NEW_PRIVS."""

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 1 << 1, 1 << 2, 1 << 3
_REFER, _TRUNCATE, _DEVICE_CONTROL = 1 << 13, 1 << 14, 1 << 15
_MAKE_DEVICES = 1 << 6 | 1 << 11
"""MAKE_CHAR and MAKE_BLOCK: handled, granted nowhere."""
_FIRST = (1 << 13) - 1
"""All rights of version 1."""
_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _DEVICE_CONTROL
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_SCOPES = 1 | 1 << 1
"""Abstract unix sockets and signals, to processes outside."""

VERSION_MIN = 3
"""With 1 and 2 a file can be cut to nothing without the right to write it (TRUNCATE: 3, kernel 6.2)."""
VERSION_SCOPES = 6
"""From it on signals and abstract sockets end at the border, too (kernel 6.12)."""
_VERSION_DEVICES = 5


def version() -> int:
    """The kernel's Landlock version, 0 where it has none or it is switched off."""
    try:
        return max(0, int(_libc().syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION_ASKED))))
    except (OSError, AttributeError):
        return 0


def restrict(write: list[str], read: list[str] | None, hide: list[str]) -> None:
    """From here on this process and its children reach only these places. Raises OSError; `read` None: all but `hide`.

    Nothing below a hidden place is granted, whatever stands in `read`. In `write` and beneath, everything but devices.
    """
    known = version()
    handled = _handled(known)
    ruleset = _called(_CREATE, *_attributes(known, handled), 0)
    for path in write:
        _allow(ruleset, path, handled & ~_MAKE_DEVICES)
    for path in DEVICES:
        _allow(ruleset, path, handled & (_READ_FILE | _WRITE_FILE | _TRUNCATE | _DEVICE_CONTROL))
    if read is None:
        _allow(ruleset, "/", _READ_DIR)
        _allow(ruleset, "/dev/shm", handled & ~_MAKE_DEVICES)  # noqa: S108 - semaphores live there
    for path in ["/"] if read is None else read:
        for granted in around(path, hide):
            _allow(ruleset, granted, _READ)
    _no_new_privileges()
    _called(_RESTRICT, ruleset, 0)
    os.close(ruleset)


def around(path: str, hide: list[str]) -> Iterator[str]:
    """`path`, or when a hidden place lies in it, what of it lies beside: siblings, level by level."""
    if any(within(path, hidden) for hidden in hide):
        return
    if not any(within(hidden, path) for hidden in hide):
        yield path
        return
    try:
        names = os.listdir(path)
    except OSError:
        return
    for name in names:
        inner = os.path.join(path, name)
        if not os.path.islink(inner):
            yield from around(inner, hide)


def _handled(known: int) -> int:
    return _FIRST | _REFER | _TRUNCATE | (_DEVICE_CONTROL if known >= _VERSION_DEVICES else 0)


def _attributes(known: int, handled: int) -> tuple[ctypes.Array[ctypes.c_char], ctypes.c_size_t]:
    """`struct landlock_ruleset_attr` as far as this kernel knows it."""
    fields = [handled, 0, _SCOPES] if known >= VERSION_SCOPES else [handled]
    data = struct.pack(f"={len(fields)}Q", *fields)
    return ctypes.create_string_buffer(data, len(data)), ctypes.c_size_t(len(data))


def _allow(ruleset: int, path: str, rights: int) -> None:
    """A place that is not there is passed over."""
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        granted = rights if os.path.isdir(f"/proc/self/fd/{place}") else rights & _ON_FILES
        beneath = struct.pack("=Qi", granted, place)
        _called(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.create_string_buffer(beneath, len(beneath)), 0)
    finally:
        os.close(place)


def _no_new_privileges() -> None:
    if _libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs was refused")


def _called(number: int, *args: object) -> int:
    out = int(_libc().syscall(number, *args))
    if out < 0:
        raise OSError(ctypes.get_errno(), f"Landlock call {number}: {os.strerror(ctypes.get_errno())}")
    return out


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
