"""One run from start to answer: in the foreground with a time limit, or in the background until the server ends."""

from __future__ import annotations

import os
import secrets
import signal
import threading
import time

from context_mode_runtime import limits
from context_mode_runtime.execute import process
from context_mode_runtime.execute.capture import KEPT, Capture
from context_mode_runtime.execute.errors import ExecuteError
from context_mode_runtime.execute.output import Output
from context_mode_runtime.execute.script import write_script

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from context_mode_runtime.execute.script import File

    Progress = Callable[[int, str], None]
    """Called about once a second with the bytes printed so far and the last line."""

DRAIN = 1.0
"""Longest time, in seconds, that a run that has ended waits for the rest of its output."""
_TICK = 0.05
_PROGRESS_EVERY = 1.0
_NOT_STARTED = 126
"""A shell's number for a program that is there but can't be started (POSIX, 2.8.2)."""
_SIGNAL_EXIT = 128
"""A shell's number for "ended by signal N" is 128 + N (POSIX, 2.8.2)."""


class Run:
    """What to run. `file`: (path, text or its pieces), see `write_script`; `timeout_ms` None: no limit (background).

    `keep`: bytes of the output that are kept at most. `sandbox`: off, project or strict, as the policy says.
    """

    __slots__ = ("code", "cwd", "file", "keep", "language", "sandbox", "timeout_ms")

    def __init__(
        self,
        language: str,
        code: str,
        *,
        cwd: str,
        timeout_ms: int | None = limits.EXEC_TIMEOUT_MS,
        file: File | None = None,
        sandbox: str = "off",
    ) -> None:
        self.language = language
        self.sandbox = sandbox
        self.code = code
        self.cwd = cwd
        self.timeout_ms = timeout_ms
        self.file = file
        self.keep = KEPT


class Outcome:
    """How a run ended.

    `exit_code`: None when it was stopped by time-out or cancel. `text`: what was printed, both streams as they came,
    cleaned; of a long one the ends, and `output` has it all: close it. `printed_bytes`: all that was printed.
    `still_running`: something that the code started lives on. `notes`: lines for the reply, without which it would not
    be understood.
    """

    __slots__ = (
        "cancelled",
        "elapsed_ms",
        "exit_code",
        "notes",
        "output",
        "printed_bytes",
        "still_running",
        "text",
        "timed_out",
    )

    def __init__(self) -> None:
        self.exit_code: int | None = None
        self.timed_out = False
        self.cancelled = False
        self.text = ""
        self.printed_bytes = 0
        self.output: Output | None = None
        self.still_running = False
        self.elapsed_ms = 0
        self.notes: list[str] = []


def run(spec: Run, *, cancel: threading.Event, progress: Progress | None = None) -> Outcome:
    """Runs and waits. Raises ExecuteError when nothing could be started; a failing command is no error.

    Returns at the latest `timeout_ms` plus about two seconds later; `cancel` ends it the same way.
    """
    job = Job(spec)
    try:
        outcome = job.wait(cancel, progress)
        if not job.fits:
            outcome.output = job.output()
        return outcome
    finally:
        job.close()


class Background:
    """A run that nobody waits for. `output` is what it prints; whoever started it closes that.

    `outcome` is None while it runs and has no text. `on_news` is called on our thread, about once a second while there
    is new output, and when the run has ended.
    """

    __slots__ = ("_cancel", "_job", "_on_news", "_told", "outcome", "output", "thread")

    def __init__(self, spec: Run, on_news: Callable[[], None] = lambda: None) -> None:
        """Starts it. Raises ExecuteError."""
        self._job = Job(spec)
        self._job.wants_text = False
        self.output = self._job.output()
        self._cancel = threading.Event()
        self._on_news = on_news
        self._told = 0
        self.outcome: Outcome | None = None
        self.thread = threading.Thread(target=self._work, name="ctx-background", daemon=True)
        self.thread.start()

    @property
    def running(self) -> bool:
        """True until the outcome is there."""
        return self.outcome is None

    def stop(self) -> None:
        """Ends it with all its processes; returns when that is done."""
        self._cancel.set()
        self.thread.join(process.GRACE * 4)

    def _work(self) -> None:
        try:
            outcome = self._job.wait(self._cancel, self._tell)
        except ExecuteError as error:
            outcome = Outcome()
            outcome.exit_code, outcome.notes = _NOT_STARTED, [str(error)]
        self.outcome = outcome
        self._on_news()
        self._job.close()

    def _tell(self, printed: int, _line: str) -> None:
        if printed != self._told:
            self._told = printed
            self._on_news()


class Job:
    """One started script with its capture; used by `run` and `Background`."""

    __slots__ = (
        *("_deadline", "_mark", "_process", "_read", "_script", "_spec", "_started", "capture", "fits", "stopped"),
        "wants_text",
    )

    def __init__(self, spec: Run) -> None:
        """Writes the script and starts it, or its compiler. Raises ExecuteError."""
        self._spec = spec
        self._started = time.monotonic()
        self._deadline = None if spec.timeout_ms is None else self._started + spec.timeout_ms / 1000
        self._mark = f"{os.getpid()}-{secrets.token_hex(8)}"
        self._read = False
        self.stopped = False
        self.wants_text = self.fits = True
        try:
            self._script = write_script(spec.language, spec.code, cwd=spec.cwd, mark=self._mark, file=spec.file)
        except OSError as error:
            raise ExecuteError(f"no room for the script in the folder for temporary files: {error}") from None
        try:
            if spec.sandbox != "off":
                from context_mode_runtime.execute.isolation import mechanism

                self._script.env = mechanism.environment(spec.sandbox, self._script.env, self._script.folder)
            self.capture = Capture(self._script.output, spec.keep)
            self._process = self._spawn(self._script.build or self._script.argv)
        except BaseException:
            self.close()
            raise
        _live.add(self)

    def wait(self, cancel: threading.Event, progress: Progress | None) -> Outcome:
        """Waits for the end, the limit, or `cancel`, whichever comes first, and says how it went."""
        reason = self._watch(cancel, progress)
        if self._script.build and not reason and self._process.returncode == 0:
            self._process = self._spawn(self._script.argv)
            reason = self._watch(cancel, progress)
        self.capture.release()
        outcome = Outcome()
        outcome.timed_out, outcome.cancelled = reason == "timed out", reason == "cancelled"
        outcome.notes += self._script.notes
        if reason:
            self._stop(outcome)
        else:
            outcome.exit_code = self._exit_code(outcome)
        self._settle(outcome)
        return outcome

    def send(self, sign: int) -> None:
        """Sends `sign` to the run's group."""
        process.send_group(self._process.pid, sign)

    def output(self) -> Output:
        """The output to be read piece by piece; whoever asks for it closes it."""
        self._read = True
        return Output(self.capture, self._script.remove)

    def close(self) -> None:
        """Removes the script, and the output unless it is still read; what still runs goes on, unheard."""
        _live.discard(self)
        capture = getattr(self, "capture", None)
        if capture:
            capture.release()
            if not self._read:
                capture.close()
        self._script.remove()

    def _spawn(self, argv: list[str]) -> subprocess.Popen[bytes]:
        spec = self._spec
        if spec.sandbox != "off":
            from context_mode_runtime.execute.isolation import mechanism

            argv = mechanism.wrapped(spec.sandbox, argv, project=spec.cwd, folder=self._script.folder)
        return process.spawn(argv, cwd=spec.cwd, env=self._script.env, output=self.capture.writer)

    def _watch(self, cancel: threading.Event, progress: Progress | None) -> str:
        """`timed out`, `cancelled`, or nothing when the process has ended by itself."""
        ended = threading.Event()
        threading.Thread(target=_reap, args=(self._process, ended), name="ctx-wait", daemon=True).start()
        told = time.monotonic()
        while not ended.wait(_TICK):
            now = time.monotonic()
            if cancel.is_set() or self.stopped:
                return "cancelled"
            if self._deadline is not None and now >= self._deadline:
                return "timed out"
            if progress and now - told >= _PROGRESS_EVERY:
                told = now
                progress(self.capture.printed, self.capture.last_line())
        return "cancelled" if self.stopped else ""

    def _stop(self, outcome: Outcome) -> None:
        others = process.stop_tree(self._process, self._mark)
        if others:
            outcome.notes.append(f"{others} process(es) that it had started were stopped, too")

    def _exit_code(self, outcome: Outcome) -> int:
        code = self._process.returncode
        if code >= 0:
            return code
        try:
            outcome.notes.append(f"ended by {signal.Signals(-code).name}")
        except ValueError:
            outcome.notes.append(f"ended by signal {-code}")
        return _SIGNAL_EXIT - code

    def _settle(self, outcome: Outcome) -> None:
        ended = self.capture.settle(DRAIN)
        if self._spec.sandbox != "off":
            from context_mode_runtime.execute.isolation import mechanism

            if mechanism.ends_all():
                process.await_group(self._process.pid, DRAIN)
        outcome.still_running = not ended or process.group_lives(self._process.pid)
        if outcome.still_running:
            _left.append((self._process.pid, self._mark))
            outcome.notes.append("something that it started still runs; it ends with the server")
        if self.wants_text:
            outcome.text, self.fits = self.capture.text()
        outcome.printed_bytes = self.capture.printed
        start, end = self.capture.gap()
        if end > start:
            outcome.notes.append(f"{end - start:,} B between beginning and end were not kept")
        outcome.notes += _environment_hint(self._spec, outcome.text)
        outcome.elapsed_ms = int((time.monotonic() - self._started) * 1000)


_live: set[Job] = set()
_left: list[tuple[int, str]] = []


def stop_all(longest: float = 1.5) -> int:
    """Ends all that runs for us within `longest` seconds: for the end of the server. Returns how many runs it was."""
    jobs = list(_live)
    for job in jobs:
        job.stopped = True
        job.send(signal.SIGTERM)
    left = process.stop_left(_left)
    _left.clear()
    until = time.monotonic() + longest
    while any(job in _live for job in jobs) and time.monotonic() < until:
        time.sleep(_TICK)
    for job in jobs:
        if job in _live:
            job.send(signal.SIGKILL)
    return len(jobs) + left


def _reap(child: subprocess.Popen[bytes], ended: threading.Event) -> None:
    child.wait()
    ended.set()


def _environment_hint(spec: Run, text: str) -> list[str]:
    """The runner of the project's own environment, when a module was missed that may well be there."""
    names = ("bin", "python") if os.name != "nt" else ("Scripts", "python.exe")
    runner = os.path.join(".venv", *names)
    if "No module named" not in text or not os.path.exists(os.path.join(spec.cwd, runner)):
        return []
    return [f"this folder has an environment of its own: run {runner} in language shell"]
