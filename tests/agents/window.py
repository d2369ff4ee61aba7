"""Windows of VS Code: its server, a page of it in a headless browser, and orders for the driver inside.

The browser and its port live as long as the tests of a process, so that the page's code is compiled once; each window
has a server of its own, with the home of its test.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import queue
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import IO, Any

from tests.agents.install import MissingAgentError

Json = dict[str, Any]
DRIVER = Path(__file__).parent / "driver"
START_S = 300
EXTENSIONS = ("copilot", "theme-defaults")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_LISTENING = re.compile(r"listening on ws://(127\.0\.0\.1:\d+)/")
_SERVING = re.compile(r"listening on (\d+)")


def browser_program() -> str:
    """The browser on PATH. Raises MissingAgentError."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise MissingAgentError(f"none of {', '.join(BROWSERS)} is on PATH (Debian package chromium)")
    return found


def end(process: subprocess.Popen[Any]) -> None:
    """Ends a process and its group."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, sign)
            process.wait(5)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


class Browser:
    """One headless browser; pages are opened and closed over its debugging port."""

    def __init__(self) -> None:
        self.port = _free_port()
        """Where each window's server listens in its turn: one address, one cache."""
        self._home = Path(tempfile.mkdtemp(prefix="context-mode-browser-"))
        flags = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--remote-debugging-port=0",
            "--force-prefers-reduced-motion", "--window-size=800,600", "--mute-audio", "--disable-extensions",
            f"--user-data-dir={self._home / 'profile'}", "about:blank",
        ]  # fmt: skip
        self._process = subprocess.Popen(
            [browser_program(), *flags], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, errors="replace", env={**os.environ, "HOME": str(self._home)}, start_new_session=True,
        )  # fmt: skip
        atexit.register(self.close)
        assert self._process.stderr
        self._output = Output(self._process.stderr)
        self._address = self._output.until(_LISTENING)

    def open(self, url: str) -> Json:
        """A new page: its `id`, its `webSocketDebuggerUrl`."""
        return self._ask("PUT", f"new?{urllib.parse.quote(url, safe=':/?=&')}")

    def leave(self, page: Json) -> None:
        """Closes a page."""
        urllib.request.urlopen(f"http://{self._address}/json/close/{page['id']}", timeout=START_S).close()

    def close(self) -> None:
        """Ends the browser."""
        end(self._process)
        self._output.join()
        shutil.rmtree(self._home, ignore_errors=True)

    def _ask(self, method: str, what: str) -> Json:
        request = urllib.request.Request(f"http://{self._address}/json/{what}", method=method)
        with urllib.request.urlopen(request, timeout=START_S) as answer:
            found: Json = json.load(answer)
            return found


@functools.cache
def browser() -> Browser:
    """The browser of this process."""
    return Browser()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


class Output:
    """The lines that a process prints, read to their end so that it never waits."""

    def __init__(self, stream: IO[str]) -> None:
        self._lines: queue.Queue[str] = queue.Queue()
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def until(self, mark: re.Pattern[str]) -> str:
        """Waits for the first line with a match: group 1 of it."""
        said = ""
        while True:
            line = self._lines.get(timeout=START_S)
            found = mark.search(line)
            if found:
                return found.group(1)
            said += line
            assert line, f"ended before it was ready: {said[-2_000:]}"

    def _read(self, stream: IO[str]) -> None:
        with stream:
            for line in stream:
                self._lines.put(line)
        self._lines.put("")

    def join(self) -> None:
        """Waits for the end of a process that was ended."""
        self._thread.join(START_S)


def _link(extensions: Path, folder: Path) -> None:
    """Makes a folder with those of the program's own extensions that the chat agent needs."""
    folder.mkdir(exist_ok=True)
    for name in EXTENSIONS:
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(extensions / name)


class Window:
    """One window in a folder, with the driver inside."""

    def __init__(self, programs: Path, env: dict[str, str], project: Path, out: Path, data: Path) -> None:
        """`programs`: node_modules/.bin of the pinned package; `data`: VS Code's data folder."""
        self._orders: queue.Queue[Json] = queue.Queue()
        self._done: queue.Queue[Json] = queue.Queue()
        self._control = ThreadingHTTPServer(("127.0.0.1", 0), type("Control", (_Control,), {"window": self}))
        self._control.daemon_threads = True
        threading.Thread(target=self._control.serve_forever, args=(0.05,), daemon=True).start()
        extensions = out / "extensions"
        shutil.copytree(DRIVER, extensions / "driver", dirs_exist_ok=True)
        there, few = browser(), out / "builtin"
        code = programs.parent / "code-server" / "lib" / "vscode"
        _link(code / "extensions", few)
        argv = [
            str(programs / "node"), str(code / "out" / "server-main.js"), "--host", "127.0.0.1",
            "--port", str(there.port), "--without-connection-token", "--accept-server-license-terms",
            "--server-data-dir", str(out / "server-data"), "--user-data-dir", str(data),
            "--builtin-extensions-dir", str(few), "--extensions-dir", str(extensions),
            "--telemetry-level", "off", "--disable-workspace-trust",
        ]  # fmt: skip
        control = f"http://127.0.0.1:{self._control.server_address[1]}"
        gallery = '{"serviceUrl":"http://127.0.0.1:9/gallery","itemUrl":"","resourceUrlTemplate":""}'
        self._server = subprocess.Popen(
            argv, cwd=code, env={**env, "STAND_IN_CONTROL": control, "EXTENSIONS_GALLERY": gallery},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            start_new_session=True,
        )  # fmt: skip
        assert self._server.stdout
        self._output = Output(self._server.stdout)
        self._page: Json | None = None
        try:
            self._output.until(_SERVING)
            self._page = there.open(f"http://127.0.0.1:{there.port}/?folder={project}")
            self._done.get(timeout=START_S)
        except BaseException:
            self.close()
            raise

    def follow(self, order: Json, limit: float) -> Json:
        """Has an order carried out: what came of it. Raises queue.Empty after `limit` seconds."""
        assert self._page
        self._orders.put({**order, "page": self._page["webSocketDebuggerUrl"]})
        return self._done.get(timeout=limit)

    def close(self) -> None:
        """Ends it."""
        if self._page:
            browser().leave(self._page)
        self._control.shutdown()
        self._control.server_close()
        end(self._server)
        self._output.join()

    def next(self, done: Json) -> Json:
        """For the driver: tells what came of the last order, waits for the next one."""
        self._done.put(done)
        return self._orders.get()


class _Control(BaseHTTPRequestHandler):
    window: Window

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Nothing on stderr."""

    def do_POST(self) -> None:
        done = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)))
        data = json.dumps(self.window.next(done)).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
