"""Running `tools/call` requests: one thread each, ended by the host's cancel or by the end of the connection."""

from __future__ import annotations

import time

from context_mode_runtime.server import messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from context_mode_runtime.server.messages import Ident
    from context_mode_runtime.server.wire import Wire

_PROGRESS_GAP_S = 1.0


class Running:
    """One request that is being worked on."""

    __slots__ = ("_counted", "_last", "_token", "_wire", "after", "cancel", "ident", "received", "thread")

    def __init__(self, wire: Wire | None, ident: Ident, token: object, cancel: threading.Event) -> None:
        """`token` is the request's own progress token, None where the host asked for no progress.

        Without a `wire` there is no host: a person's own call, which tells no progress here.
        """
        self._wire = wire
        self._token = token
        self._counted = 0
        self._last = time.monotonic()
        self.ident = ident
        self.cancel = cancel
        self.received = self._last
        self.thread: threading.Thread | None = None
        self.after: Callable[[], None] | None = None
        """What is left to do once the answer is sent. It raises nothing."""

    @property
    def served(self) -> bool:
        """Whether this process goes on behind the answer."""
        return self._wire is not None

    def progress(self, text: str) -> None:
        """Tells the host that work goes on, at most once a second, and only where it asked for that."""
        now = time.monotonic()
        if self._wire is None or self._token is None or self.cancel.is_set() or now - self._last < _PROGRESS_GAP_S:
            return
        self._last = now
        self._counted += 1
        params: dict[str, object] = {"progressToken": self._token, "progress": self._counted, "message": text}
        self._wire.send(messages.notification("notifications/progress", params))


class Calls:
    """All running requests of one connection. Only the reading thread starts, cancels and closes."""

    __slots__ = ("_running", "_started", "_wire")

    def __init__(self, wire: Wire) -> None:
        """No thread is made before the first call."""
        self._wire = wire
        self._started = False
        self._running: dict[tuple[type, Ident], Running] = {}

    def start(self, ident: Ident, token: object, work: Callable[[Running], dict[str, object]]) -> None:
        """Runs `work` in a thread and sends its answer, or nothing when the host has cancelled the request by then."""
        import threading

        if not self._started:
            self._started = True
            _end_on_signals(self._wire)
        self._forget_ended()
        running = Running(self._wire, ident, token if isinstance(token, (str, int)) else None, threading.Event())

        def run() -> None:
            answer = work(running)
            if not running.cancel.is_set():
                self._wire.send(answer)
            if running.after is not None and not running.cancel.is_set():
                running.after()

        running.thread = threading.Thread(target=run, name="call", daemon=True)
        self._running[type(ident), ident] = running
        running.thread.start()

    def cancel(self, ident: Ident) -> None:
        """Ends the request with this id; one that is unknown or answered already is no error."""
        running = self._running.get((type(ident), ident))
        if running is not None:
            running.cancel.set()

    def close(self, grace_s: float) -> bool:
        """Waits `grace_s` for answers, then cancels what still runs: True when all have ended."""
        self._wait(grace_s)
        for running in self._running.values():
            running.cancel.set()
        return not self._running

    def _wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        for running in list(self._running.values()):
            if running.thread is not None:
                running.thread.join(max(0.0, until - time.monotonic()))
        self._forget_ended()

    def _forget_ended(self) -> None:
        for key, running in list(self._running.items()):
            if running.thread is not None and not running.thread.is_alive():
                del self._running[key]


def _end_on_signals(wire: Wire) -> None:
    """From the first call on there may be children to stop, so both signals of hosts become KeyboardInterrupt.

    SIGINT is that already, but for a host that was itself started with it ignored, as shells start background jobs.
    """
    import signal
    import threading

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler)
        signal.set_wakeup_fd(wire.wake_descriptor(), warn_on_full_buffer=False)
