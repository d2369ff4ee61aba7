"""The process in the shell's seat: the real shell with the same words, its output shown, held, shortened.

What does not concern us is the real shell from then on (`exec`). Once that runs as our child nothing here may cost a
byte of its output or its exit code.
"""

from __future__ import annotations

import os
import select
import time

from context_mode_runtime import paths
from context_mode_runtime.seat.output import Output
from context_mode_runtime.seat.passing import Seated, look

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as signals
    from typing import NoReturn
else:
    try:
        import _signal as signals  # `signal` imports `enum`, which costs a third of an interpreter's start
    except ImportError:  # another Python than CPython
        import signal as signals

_FORWARDED = tuple(getattr(signals, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"))
_IGNORED_BY_PYTHON = tuple(getattr(signals, name) for name in ("SIGPIPE", "SIGXFSZ"))
_GRACE_S = 0.05
"""A signal to the whole group has reached the shell by itself: it is sent on to one that still runs after this."""
_SIGNALLED = 128
CHECK = "--check"
"""The word by which the launcher asks whether we can start at all, before a file for the mark of the answer."""


def run(arguments: list[str]) -> int:
    """Runs `AGENT ROOT LC_CTYPE SHELL ARGUMENTS...`; returns the shell's exit code, 128 + n when signal n ended it.

    `ROOT` is our data folder unless it is the default one, `LC_CTYPE` the variable as it was before this interpreter
    may have set it. Where there is nothing to do, or something fails before the start, this process becomes the shell.
    """
    if arguments[0] == CHECK:
        return _check(arguments[1])
    agent, root, ctype, *argv = arguments
    environment = _as_given(ctype)
    try:
        if root:
            os.environ.setdefault("CONTEXT_MODE_DATA_DIR", root)
        seated = look(agent, argv[1:])
        output = Output.open() if seated else None
    except Exception:  # noqa: BLE001 - the command runs, whatever fails here
        output = seated = None
    if seated is None or output is None:
        become(argv, environment)
    return _Child(argv, environment, output).wait(seated)


def _as_by_default() -> None:
    for number in (*_FORWARDED, signals.SIGCHLD):
        if signals.getsignal(number) != signals.SIG_IGN:
            signals.signal(number, signals.SIG_DFL)


def become(argv: list[str], environment: dict[str, str]) -> NoReturn:
    """Makes this process the real shell. Raises OSError when there is none."""
    for number in _IGNORED_BY_PYTHON:
        signals.signal(number, signals.SIG_DFL)
    os.execve(argv[0], argv, environment)  # noqa: S606 - the words are for a shell


def _check(mark: str) -> int:
    """Leaves a mark that is newer than all that we start from; without a place for it we are asked each time."""
    try:
        paths.make_private(os.path.dirname(mark))
        handle = paths.open_private(mark, os.O_WRONLY)
        os.utime(handle)
        os.close(handle)
    except OSError:
        pass
    return 0


def _as_given(ctype: str) -> dict[str, str]:
    """The environment without what Python sets for itself in the C locale."""
    environment = dict(os.environ)
    if ctype:
        environment["LC_CTYPE"] = ctype
    else:
        environment.pop("LC_CTYPE", None)
    return environment


class _Child:
    """The real shell at work."""

    def __init__(self, argv: list[str], environment: dict[str, str], output: Output) -> None:
        """Starts it. Signals that come from now on are kept for it."""
        self._output = output
        self._got: list[tuple[int, float]] = []
        self._news, writer = os.pipe()
        for handle in (self._news, writer):
            os.set_blocking(handle, False)
        signals.set_wakeup_fd(writer)
        signals.signal(signals.SIGCHLD, lambda *_: None)
        for number in _FORWARDED:
            if signals.getsignal(number) != signals.SIG_IGN:
                signals.signal(number, self._note)
        both = [(os.POSIX_SPAWN_DUP2, output.handle, stream) for stream in (1, 2)]
        try:
            self._pid = os.posix_spawn(argv[0], argv, environment, file_actions=both, setsigdef=_IGNORED_BY_PYTHON)
        except OSError:
            become(argv, environment)
        output.started()

    def wait(self, seated: Seated) -> int:
        """Shows the beginning while it runs, and the rest, or what stands for it, at its end."""
        status = self._ended()
        code = os.waitstatus_to_exitcode(status)
        code = code if code >= 0 else _SIGNALLED - code
        self._output.finish(lambda size, shown: seated.short(self._output, size, shown, failed=code != 0))
        self._output.leave(_as_by_default)
        return code

    def _ended(self) -> int:
        while True:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            if pid:
                return status
            wait = [one for one in (self._send_on(), self._output.show()) if one is not None]
            ready, _, _ = select.select([self._news, *self._output.watched], [], [], min(wait, default=None))
            if self._news in ready:
                os.read(self._news, 4096)
            self._output.take()

    def _note(self, number: int, _frame: object) -> None:
        self._got.append((number, time.monotonic() + _GRACE_S))

    def _send_on(self) -> float | None:
        """Sends on what is due; returns the seconds until the next one is."""
        now = time.monotonic()
        while self._got and self._got[0][1] <= now:
            number, _ = self._got.pop(0)
            try:
                os.kill(self._pid, number)
            except OSError:
                return None
        return max(self._got[0][1] - now, 0.0) if self._got else None
