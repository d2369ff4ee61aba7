"""The process between server and code: takes its rights away, then becomes the command. It never runs it otherwise.

Argument: a JSON object `{"mechanism", "program", "strict", "argv", "places"}`. Any failure is one line and exit 126.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import struct
import sys

from context_mode_runtime.execute.isolation import bubblewrap, landlock, seccomp

FAILED = 126
"""A shell's number for a program that is there but can't be started (POSIX, 2.8.2)."""
_SET_SECCOMP, _FILTER_MODE = 22, 2
"""PR_SET_SECCOMP, SECCOMP_MODE_FILTER."""


_DROP_BOUND = 24
"""PR_CAPBSET_DROP."""
_CAPABILITIES = 64
_KEPT = 0b0100_1111_1011
"""CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, NET_BIND_SERVICE of linux/capability.h."""
_CAPABILITY_VERSION = 0x20080522


class _Program(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("len", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def main() -> None:
    """Ends as the command, or with FAILED."""
    try:
        plan = json.loads(sys.argv[1])
        _close_files()
        filter_code = seccomp.program(os.uname().machine, strict=plan["strict"])
        argv = plan["argv"]
        if plan["mechanism"] == "bubblewrap":
            filter_fd = _kept(filter_code)
            argv = [
                *bubblewrap.arguments(plan["program"], plan["places"], strict=plan["strict"], filter_fd=filter_fd),
                *argv,
            ]
        else:
            places = plan["places"]
            _drop_capabilities()
            landlock.restrict(places["write"], places["read"], places["hide"])
            _install(filter_code)
        os.execvp(argv[0], argv)  # noqa: S606 - becoming the command is the point
    except Exception as error:  # noqa: BLE001 - whatever it is, the command must not run
        sys.stderr.write(f"not run: its isolation could not be set up: {error}\n")
        sys.stderr.flush()
        os._exit(FAILED)


def _close_files() -> None:
    """All that the server had open but the three streams."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2:  # noqa: PLR2004
            with contextlib.suppress(OSError):
                os.close(int(name))


def _drop_capabilities() -> None:
    """For an administrator's run: what is more than a right on files and users goes, for it and its children.

    Who may look into the kernel (CAP_PERFMON) reads the environment of any process past Landlock.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    for number in range(_CAPABILITIES):
        if not _KEPT >> number & 1:
            libc.prctl(_DROP_BOUND, number, 0, 0, 0)
    header = ctypes.create_string_buffer(struct.pack("=Ii", _CAPABILITY_VERSION, 0), 8)
    sets = ctypes.create_string_buffer(24)
    get = seccomp.CAPABILITIES[os.uname().machine]
    refused = libc.syscall(get, header, sets)
    effective, permitted = struct.unpack_from("=2I", sets)
    sets = ctypes.create_string_buffer(struct.pack("=6I", effective & _KEPT, permitted & _KEPT, 0, 0, 0, 0), 24)
    if refused or libc.syscall(get + 1, header, sets):
        raise OSError(ctypes.get_errno(), f"capabilities: {os.strerror(ctypes.get_errno())}")


def _kept(data: bytes) -> int:
    """A file in memory that bubblewrap reads the filter from; it closes it."""
    file = os.memfd_create("filter", 0)
    os.write(file, data)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def _install(code: bytes) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    program = _Program(len(code) // 8, code)
    if libc.prctl(_SET_SECCOMP, _FILTER_MODE, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), f"the filter of system calls: {os.strerror(ctypes.get_errno())}")
