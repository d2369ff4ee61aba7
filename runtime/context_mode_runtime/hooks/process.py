"""The process around a hook: arguments, standard input, the time limit, standard output."""

from __future__ import annotations

import _thread
import gc
import os
import time

from context_mode_runtime import limits
from context_mode_runtime.hooks import run, stdin
from context_mode_runtime.log import log_error

DENY_BASE = 100
_OPTIONS = ("--assume-server",)


class _Output:
    """Standard output, written once: by the reply or by the time limit, whichever comes first."""

    def __init__(self) -> None:
        self._turn = _thread.allocate_lock()

    def claim(self) -> bool:
        return self._turn.acquire(blocking=False)


def run_process(arguments: list[str], *, launched: bool) -> int:
    """Runs `AGENT EVENT [--assume-server]` over standard input and output; returns the exit code.

    0, or where the host's deny is exit code N: N with the text on stderr, and for a launcher 100 + N with the text on
    stdout, which the launcher moves. An unknown agent, event or option is a log line and 0. Never raises.
    """
    gc.disable()  # a process of milliseconds: collecting costs a quarter of the time on long commands
    started = time.monotonic()
    output = _Output()
    watch = _Watch(output, started)
    try:
        reply = _answer(arguments, watch)
    except Exception as error:  # noqa: BLE001 - the host goes on, whatever failed
        log_error(f"hook {' '.join(arguments[:2])}", error)
        stdin.drain(0)
        reply = run.PASS
    if not output.claim():
        time.sleep(limits.HOOK_TIMEOUT_MS / 1000)  # the time limit is ending this process
    moved = bool(reply.code) and not launched
    _write(reply.text, handle=2 if moved else 1)
    return reply.code if moved or not reply.code else DENY_BASE + reply.code


def _answer(arguments: list[str], watch: _Watch) -> run.Reply:
    words = [word for word in arguments if not word.startswith("--")]
    unknown = [word for word in arguments if word.startswith("--") and word not in _OPTIONS]
    if unknown or len(words) != 2:  # noqa: PLR2004 - AGENT EVENT
        log_error("hook", f"usage: hook AGENT EVENT [--assume-server], not {' '.join(arguments)!r}")
        stdin.drain(0)
        return run.PASS
    handler = run.prepare(words[0], words[1], assume_server="--assume-server" in arguments)
    watch.limit(handler.timeout_ms, handler.pass_text, " ".join(words))
    try:
        return handler.run(stdin.read_payload(0))
    except Exception as error:  # noqa: BLE001 - the host goes on, in its own words
        log_error(f"hook {' '.join(words)}", error)
        stdin.drain(0)
        return run.Reply(handler.pass_text)


class _Watch:
    """Ends the process with the host's pass when its time is up."""

    def __init__(self, output: _Output, started: float) -> None:
        self._output = output
        self._ends = started + limits.HOOK_TIMEOUT_MS / 1000
        self._pass = ""
        self._what = ""
        _thread.start_new_thread(self._wait, ())

    def limit(self, timeout_ms: int, pass_text: str, what: str) -> None:
        """Takes the event's own limit, counted from the start of the process; `what` it is, for the log."""
        shorter = timeout_ms < limits.HOOK_TIMEOUT_MS
        self._ends -= (limits.HOOK_TIMEOUT_MS - timeout_ms) / 1000 if shorter else 0
        self._pass = pass_text
        self._what = what
        if shorter:
            _thread.start_new_thread(self._wait, ())

    def _wait(self) -> None:
        time.sleep(max(0.0, self._ends - time.monotonic()))
        if time.monotonic() >= self._ends and self._output.claim():
            _write(self._pass)
            log_error(f"hook {self._what}", "time limit reached; the call passes")
            os._exit(0)


def _write(text: str, handle: int = 1) -> None:
    data = text.encode("utf-8", "replace")
    try:
        while data:
            data = data[os.write(handle, data) :]
    except OSError as error:
        log_error("hook", error)
