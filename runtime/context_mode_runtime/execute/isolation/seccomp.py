"""A filter of system calls (seccomp, Linux): no ways out past paths, and in strict mode no sockets.

Classic BPF over `struct seccomp_data` (linux/seccomp.h): call number at 0, architecture at 4, arguments from 16 on.
A refused call fails with EPERM; `clone3`, whose flags no filter can see, with ENOSYS: libc falls back to `clone`.
"""

from __future__ import annotations

import errno
import struct

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
"""BPF_LD|W|ABS, BPF_JMP|JEQ|K, |JGE|K, |JSET|K, BPF_RET|K of linux/bpf_common.h."""
_AND = 0x54
"""BPF_ALU|AND|K."""
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
"""SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO."""
_X32 = 0x40000000
"""Call numbers from here on are the x32 form of x86-64."""
_NEW_NAMESPACES = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET of linux/sched.h."""
_TYPE_MASK, _DGRAM = 0xF, 2
_TERMINAL_INPUT = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX: both put text into a terminal's input."""

AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""`os.uname().machine` -> AUDIT_ARCH_* of linux/audit.h: the architectures whose call numbers stand here."""

CAPABILITIES = {"x86_64": 125, "aarch64": 90}
"""Number of `capget`; `capset` is the next one."""

_SAME = {
    "io_uring_setup": 425, "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432,
    "fspick": 433, "pidfd_getfd": 438, "mount_setattr": 442, "open_tree_attr": 467,
}  # fmt: skip
_NUMBERS: dict[str, dict[str, int]] = {
    "x86_64": {
        "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161, "unshare": 272, "setns": 308, "bpf": 321,
        "perf_event_open": 298, "userfaultfd": 323, "keyctl": 250, "add_key": 248, "request_key": 249,
        "kexec_load": 246, "kexec_file_load": 320, "init_module": 175, "finit_module": 313, "delete_module": 176,
        "reboot": 169, "swapon": 167, "swapoff": 168, "acct": 163, "open_by_handle_at": 304, "quotactl": 179,
        "iopl": 172, "ioperm": 173, "settimeofday": 164, "clock_settime": 227, "sethostname": 170,
        "setdomainname": 171, "syslog": 103,
    },
    "aarch64": {
        "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51, "unshare": 97, "setns": 268, "bpf": 280,
        "perf_event_open": 241, "userfaultfd": 282, "keyctl": 219, "add_key": 217, "request_key": 218,
        "kexec_load": 104, "kexec_file_load": 294, "init_module": 105, "finit_module": 273, "delete_module": 106,
        "reboot": 142, "swapon": 224, "swapoff": 225, "acct": 89, "open_by_handle_at": 265, "quotactl": 60,
        "settimeofday": 170, "clock_settime": 112, "sethostname": 161, "setdomainname": 162, "syslog": 116,
    },
}  # fmt: skip
"""Refused in both modes. Numbers: the kernel's syscall_64.tbl, and asm-generic/unistd.h for aarch64."""
_CLONE3 = 435
_LOOKED_AT = {
    "x86_64": {"clone": 56, "ioctl": 16, "socketpair": 53},
    "aarch64": {"clone": 220, "ioctl": 29, "socketpair": 199},
}
_SOCKETS = {"x86_64": {"socket": 41, "connect": 42}, "aarch64": {"socket": 198, "connect": 203}}


def program(machine: str, *, strict: bool) -> bytes:
    """The filter as an array of `struct sock_filter`, 8 bytes each. Raises KeyError for an unknown architecture."""
    denied = [*_SAME.values(), *_NUMBERS[machine].values()]
    looked_at = _LOOKED_AT[machine]
    if strict:
        denied += _SOCKETS[machine].values()
    refuse = _op(_RETURN, _ERRNO | errno.EPERM)
    code = [_op(_LOAD, 4), _op(_EQUAL, AUDIT[machine], 1, 0), refuse, _op(_LOAD, 0)]
    if machine == "x86_64":
        code += [_op(_AT_LEAST, _X32, 0, 1), refuse]
    code += [_op(_EQUAL, _CLONE3, 0, 1), _op(_RETURN, _ERRNO | errno.ENOSYS)]
    for number in denied:
        code += [_op(_EQUAL, number, 0, 1), refuse]
    code += _argument(looked_at["clone"], 0, [_op(_ANY_BIT, _NEW_NAMESPACES, 0, 1), refuse])
    for request in _TERMINAL_INPUT:
        code += _argument(looked_at["ioctl"], 1, [_op(_EQUAL, request, 0, 1), refuse])
    if strict:
        datagram = [_op(_AND, _TYPE_MASK), _op(_EQUAL, _DGRAM, 0, 1), refuse]
        code += _argument(looked_at["socketpair"], 1, datagram)
    return b"".join([*code, _op(_RETURN, _ALLOW)])


def _argument(number: int, index: int, checks: list[bytes]) -> list[bytes]:
    """`checks` on the low half of one argument of the call `number`; the number is loaded again behind them."""
    body = [_op(_LOAD, 16 + 8 * index), *checks, _op(_LOAD, 0)]
    return [_op(_EQUAL, number, 0, len(body)), *body]


def _op(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, no, value)
