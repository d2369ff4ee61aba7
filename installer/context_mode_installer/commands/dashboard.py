"""`context-mode dashboard`: a local page over what is stored, until Ctrl-C."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import threading
import webbrowser

from context_mode_installer.dashboard.routes import Routes
from context_mode_installer.dashboard.server import ADDRESS, Dashboard
from context_mode_installer.result import Result, UserError
from context_mode_installer.screen import complain
from context_mode_runtime.server.browsing import Browser


def run(port: int, *, opens: bool) -> Result:
    """Serves the page until Ctrl-C, which is how it ends: exit 0. Raises UserError for a port that can't be had."""
    routes = Routes(Browser(os.getcwd()))
    try:
        server = Dashboard(port, routes)
    except OSError as error:
        raise UserError(_why(port, error)) from None
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job begins without it
    with server:
        sys.stdout.write(f"Dashboard: {server.url}\n")
        sys.stdout.flush()
        complain("open this address in a browser; it is private to you, and Ctrl-C ends it")
        if opens and _has_screen():
            threading.Thread(target=webbrowser.open, args=(server.url_once,), daemon=True).start()  # some wait for it
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
    return Result("dashboard")


def _why(port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"--port {port}: another program listens on {ADDRESS}:{port}; name another one, or leave --port out"
    return f"--port {port}: {error.strerror or error}; name a port from 1024 on, or leave --port out"


def _has_screen() -> bool:
    """Whether a browser would open a window, not take this terminal."""
    return os.name == "nt" or sys.platform == "darwin" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
