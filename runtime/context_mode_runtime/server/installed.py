"""The installer's own command line, asked as a child process: the runtime itself never loads it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

from context_mode_runtime import jsonio, paths
from context_mode_runtime.execute.process import NO_WINDOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading

    from context_mode_runtime.server.call import Call

INSTALL = "pipx install context-mode-py && context-mode setup"
"""What brings the installer to somebody who has only a native package folder."""
_NAMES = ("context-mode", "context-mode.cmd")
_MODULE = "context_mode_installer.cli"
_TICK_S = 0.1
_END_S = 1.0

_asked: list[subprocess.Popen[bytes]] = []


class AskError(Exception):
    """The command line is there but gave no answer: one line that says why."""


def command() -> list[str] | None:
    """How to start it: the launcher that setup made, else this interpreter where it can import it; None: not here."""
    for name in _NAMES:
        path = os.path.join(paths.bin_dir(), name)
        if os.access(path, os.X_OK):
            return [path]
    from importlib.util import find_spec

    return [sys.executable, "-P", "-m", _MODULE] if find_spec(_MODULE.partition(".")[0]) else None


def ask(call: Call, start: list[str], words: list[str], *, seconds: float) -> dict[str, object]:
    """The `--json` object of one command, run in the call's project. Raises AskError.

    The process ends with the host's cancel and with the connection.
    """
    folder = call.found.worktree if call.found else call.connection.start_folder or None
    try:
        process = subprocess.Popen(
            [*start, *words, "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=folder, start_new_session=True, creationflags=NO_WINDOW,
        )  # fmt: skip
    except OSError as error:
        raise AskError(f"{paths.tilde(start[0])} can't be started: {error.strerror}") from None
    _asked.append(process)
    try:
        out, errors = _told(process, seconds, call.running.cancel)
    finally:
        _asked.remove(process)
    try:
        answer = jsonio.loads(out.decode("utf-8", "replace"))
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        said = errors.decode("utf-8", "replace").strip().splitlines()
        raise AskError(said[-1][:300] if said else f"it ended with {process.returncode} and no word")
    return answer


def _told(process: subprocess.Popen[bytes], seconds: float, cancel: threading.Event) -> tuple[bytes, bytes]:
    until = time.monotonic() + seconds
    while time.monotonic() < until and not cancel.is_set():
        try:
            return process.communicate(timeout=_TICK_S)
        except subprocess.TimeoutExpired:
            continue
    _end(process, _END_S)
    raise AskError("cancelled" if cancel.is_set() else f"no answer within {seconds:.0f} s")


def stop_all(seconds: float) -> None:
    """Ends what still runs, when the connection ends."""
    for process in (*_asked,):
        _end(process, seconds)


def _end(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Kills the process and what it started, and waits for its end."""
    try:
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait(seconds)
    except (OSError, subprocess.TimeoutExpired):
        return
