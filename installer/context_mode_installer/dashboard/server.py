"""The dashboard's HTTP server: 127.0.0.1 only, GET and HEAD, for whoever knows the token of this start."""

from __future__ import annotations

import hmac
import os
import secrets
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import TYPE_CHECKING

from context_mode_installer.dashboard.routes import Answer, said

if TYPE_CHECKING:
    from context_mode_installer.dashboard.routes import Routes

ADDRESS = "127.0.0.1"
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        "trusted-types 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Sent with every answer. Nothing from elsewhere is loaded or sent to, no text of the store can run."""
_METHODS = ("GET", "HEAD")
_TOKEN_BYTES = 24
_DRAINED = 65_536


class Dashboard(ThreadingHTTPServer):
    """Listens until `shutdown`; `url` is the page's address, which holds the token."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = os.name == "posix"  # elsewhere that would let a second program take the port

    def __init__(self, port: int, routes: Routes) -> None:
        """A free port for 0. Raises OSError where the port can't be had."""
        super().__init__((ADDRESS, port), _Handler)
        self.routes = routes
        self._token = secrets.token_urlsafe(_TOKEN_BYTES)
        self._once: str | None = secrets.token_urlsafe(_TOKEN_BYTES)
        self._turn = threading.Lock()
        self.hosts = {f"{name}:{self.server_port}" for name in (ADDRESS, "localhost")}

    def server_bind(self) -> None:
        """Without the base class's question for a name of the address, which may go to a name server."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.socket.getsockname()

    @property
    def url(self) -> str:
        """The page."""
        return f"{self._base}/{self._token}/"

    @property
    def url_once(self) -> str:
        """Leads to the page once: for a browser's command line, which other users of the machine can read."""
        return f"{self._base}/{self._once}/"

    @property
    def _base(self) -> str:
        return f"http://{ADDRESS}:{self.server_port}"

    def is_token(self, word: str) -> bool:
        """Whether this is the token, in a time that doesn't tell how much of it is right."""
        return hmac.compare_digest(word.encode(), self._token.encode())

    def take_once(self, word: str) -> bool:
        """Whether this is the word of `url_once`, which is used up by that."""
        with self._turn:
            fits = self._once is not None and hmac.compare_digest(word.encode(), self._once.encode())
            if fits:
                self._once = None
            return fits


class _Handler(BaseHTTPRequestHandler):
    server: Dashboard
    timeout = 30

    def parse_request(self) -> bool:
        """Also refuses every method but two, and what has no version: it takes no headers."""
        if not super().parse_request():
            return False
        if self.request_version == "HTTP/0.9":
            self.request_version = "HTTP/1.0"
            self.send_error(HTTPStatus.BAD_REQUEST)
            return False
        if self.command not in _METHODS:
            self._drain()
            self._send(said(HTTPStatus.METHOD_NOT_ALLOWED, "This page is only read."), {"Allow": ", ".join(_METHODS)})
            return False
        return True

    def do_GET(self) -> None:
        """The answer."""
        word, slash, target = self.path.removeprefix("/").partition("/")
        if self.headers.get_all("Host", []) not in [[host] for host in self.server.hosts]:
            self._send(said(HTTPStatus.FORBIDDEN, "This page answers to its own address only."))
        elif self.server.is_token(word) and slash:
            self._send(self.server.routes.answer(target))
        elif self.command == "GET" and self.server.take_once(word):
            self._send(said(HTTPStatus.SEE_OTHER, "The page has another address."), {"Location": self.server.url})
        else:
            self._send(said(HTTPStatus.FORBIDDEN, "Wrong address: take the one that context-mode dashboard printed."))

    do_HEAD = do_GET  # noqa: N815 - the base class's name

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """A request that is none, in our form and without its own words: they may hold the token."""
        del message, explain
        self.close_connection = True
        self._send(said(HTTPStatus(code), f"{HTTPStatus(code).phrase}."))

    def _send(self, answer: Answer, more: dict[str, str] | None = None) -> None:
        self.send_response_only(answer.status)
        headers = {"Content-Type": answer.kind, "Content-Length": str(len(answer.body)), **HEADERS, **(more or {})}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    def log_message(self, *_: object) -> None:
        """Nothing: a path holds the token."""

    def _drain(self) -> None:
        """Reads a body of some size: a client that still sends may miss the answer."""
        length = self.headers.get("Content-Length", "")
        if length.isdecimal():
            self.rfile.read(min(int(length[:9]), _DRAINED))

    def handle(self) -> None:
        """A browser that went away is no fault."""
        try:
            super().handle()
        except (ConnectionError, TimeoutError):
            self.close_connection = True
