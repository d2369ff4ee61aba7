"""Processes in a group of their own, without terminal or input, and how a whole tree of them is stopped."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time

from context_mode_runtime.execute.environment import MARK
from context_mode_runtime.execute.errors import ExecuteError

GRACE = 0.5
"""Seconds between SIGTERM and SIGKILL."""
_STEP = 0.02
_EXITING = 0x4
"""PF_EXITING in the flags word of /proc/PID/stat (include/linux/sched.h): set before the last stream is closed."""
NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)
"""Flags for a program: Windows opens a console for it otherwise (F39)."""


def spawn(argv: list[str], *, cwd: str, env: dict[str, str], output: int) -> subprocess.Popen[bytes]:
    """Starts `argv` in `cwd`, both streams to the file number `output`. Raises ExecuteError with the cause."""
    try:
        if sys.platform == "win32":
            flags = subprocess.CREATE_NEW_PROCESS_GROUP | NO_WINDOW
            return subprocess.Popen(
                argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output, creationflags=flags
            )
        return subprocess.Popen(
            argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    except (OSError, ValueError) as error:
        raise ExecuteError(_why(argv, cwd, error)) from None


def _why(argv: list[str], cwd: str, error: Exception) -> str:
    if not os.path.isdir(cwd):
        return f"the folder {cwd} to run in is not there"
    return f"{argv[0]} could not be started in {cwd}: {getattr(error, 'strerror', None) or error}"


def group_lives(leader: int) -> bool:
    """True while any process is in the group that `leader` began; one that only waits to be reaped doesn't count.

    Always False on Windows: it has no such groups.
    """
    if sys.platform == "win32":
        return False
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    if not os.path.isdir("/proc/self"):
        return True
    return any(group == leader for _, group, _ in _table().values())


def await_group(leader: int, longest: float) -> None:
    """Waits until nothing of the group that `leader` began lives, at most `longest` seconds."""
    until = time.monotonic() + longest
    while group_lives(leader) and time.monotonic() < until:
        time.sleep(_STEP)


def stop_tree(process: subprocess.Popen[bytes], mark: str, grace: float = GRACE) -> int:
    """Ends the process, its group and what left the group but is still known by parent or `mark`.

    SIGTERM, after `grace` seconds SIGKILL, then until they have ended, at most GRACE seconds: a process that has much
    to give back, or waits for a disk, takes its time to die. Returns how many other processes than `process` itself
    were found.
    """
    if sys.platform == "win32":
        subprocess.run(
            ["taskkill", "/T", "/F", "/PID", str(process.pid)], capture_output=True, check=False, timeout=GRACE * 4,
            creationflags=NO_WINDOW,
        )  # fmt: skip
        return 0
    others = members(process.pid, mark) - {process.pid}
    _send(process, others, signal.SIGTERM)
    _await_end(process, others, grace)
    others |= members(process.pid, mark) - {process.pid}
    _send(process, others, signal.SIGKILL)
    _await_end(process, others, GRACE)
    return len(others)


def stop_left(left: list[tuple[int, str]]) -> int:
    """Ends what outlived its run, also in a group or session of its own: (leader of the run's group, mark) each.

    SIGTERM, then SIGKILL after a quarter of a second. What doesn't carry the mark, and whose group holds nothing that
    does, is not ours: the number of a group may have gone to somebody else. Returns how many runs.
    """
    ours = [one for one in left if _survivors(*one)]
    for sign in (signal.SIGTERM, signal.SIGKILL):
        pids = {pid for one in ours for pid in _survivors(*one)}
        for pid in pids:
            with contextlib.suppress(OSError):
                os.kill(pid, sign)
        until = time.monotonic() + GRACE / 2
        while any(map(_lives, pids)) and time.monotonic() < until:
            time.sleep(_STEP)
    return len(ours)


def _survivors(leader: int, mark: str) -> set[int]:
    """Processes that carry `mark`, their groups, and all descendants; without /proc the group, as -`leader`."""
    if not os.path.isdir("/proc/self"):
        return {-leader} if group_lives(leader) else set()
    table = _table()
    wanted = f"{MARK}={mark}".encode()
    groups = {group for pid, (_, group, _) in table.items() if _carries(pid, wanted)}
    return _with_descendants({pid for pid, (_, group, _) in table.items() if group in groups}, table)


def send_group(leader: int, sign: int) -> None:
    """Sends `sign` to the group that `leader` began, at once and without a look at the process table."""
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            os.killpg(leader, sign)


def members(leader: int, mark: str) -> set[int]:
    """Process numbers of the leader's group and session, all descendants, and those that carry `mark`."""
    table = _table()
    wanted = f"{MARK}={mark}".encode()
    found = {pid for pid, (_, group, session) in table.items() if leader in (pid, group, session)}
    found |= {pid for pid in table if pid not in found and _carries(pid, wanted)}
    return _with_descendants(found, table)


def _with_descendants(found: set[int], table: dict[int, tuple[int, int, int]]) -> set[int]:
    while more := {pid for pid, (parent, _, _) in table.items() if parent in found} - found:
        found |= more
    return found - {os.getpid()}


def _table() -> dict[int, tuple[int, int, int]]:
    """Process -> parent, group, session; from /proc, else from POSIX `ps`."""
    if not os.path.isdir("/proc/self"):
        return _table_of_ps()
    table = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (row := _stat(name)):
            table[int(name)] = row
    return table


def _stat(name: str) -> tuple[int, int, int] | None:
    try:
        with open(f"/proc/{name}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        if fields[0] == b"Z" or int(fields[6]) & _EXITING:
            return None
        return int(fields[1]), int(fields[2]), int(fields[3])
    except (OSError, ValueError, IndexError):
        return None


def _table_of_ps() -> dict[int, tuple[int, int, int]]:
    try:
        out = subprocess.run(
            ["ps", "-A", "-o", "pid=,ppid=,pgid="], capture_output=True, check=False, timeout=GRACE * 2
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return {}
    rows = (line.split() for line in out.splitlines())
    return {int(row[0]): (int(row[1]), int(row[2]), int(row[2])) for row in rows if len(row) == 3}  # noqa: PLR2004


def _carries(pid: int, wanted: bytes) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return wanted in file.read().split(b"\0")
    except OSError:
        return False


def _send(process: subprocess.Popen[bytes], others: set[int], sign: int) -> None:
    if process.returncode is None or group_lives(process.pid):
        send_group(process.pid, sign)
    for pid in others:
        with contextlib.suppress(OSError):
            os.kill(pid, sign)


def _await_end(process: subprocess.Popen[bytes], others: set[int], grace: float) -> None:
    until = time.monotonic() + grace
    while time.monotonic() < until:
        if not group_lives(process.pid) and not any(_lives(pid) for pid in others):
            return
        time.sleep(_STEP)


def _lives(pid: int) -> bool:
    if pid < 0:
        return group_lives(-pid)
    return os.path.isdir(f"/proc/{pid}") and _stat(str(pid)) is not None
