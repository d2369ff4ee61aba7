"""A real web server on this machine for the tests, whose every answer a test can choose byte by byte."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable
from typing import Any

import pytest

from context_mode_runtime.fetch.client import fetch
from context_mode_runtime.fetch.rules import FetchError, FetchRules

Answer = bytes | Callable[[socket.socket, bytes], None]
Names = dict[str, list[str]]
Resolver = Callable[[str, int], list[str]]
NOBODY = FetchRules()


def refusal(url: str, rules: FetchRules = NOBODY, resolver: Resolver | None = None) -> str:
    """The one line by which a fetch is refused."""
    with pytest.raises(FetchError) as caught:
        fetch(url, rules, resolver=resolver)
    text = str(caught.value)
    assert "\n" not in text
    return text


def answer(body: bytes | str, *headers: str, status: str = "200 OK", kind: str = "text/html; charset=utf-8") -> bytes:
    """A whole HTTP answer with its length."""
    data = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(data)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


def redirect(to: str, status: str = "302 Found") -> bytes:
    return answer("", f"Location: {to}", status=status)


def endless(head: bytes, piece: bytes) -> Answer:
    """An answer whose last piece comes again and again, until nobody listens."""

    def send(connection: socket.socket, _request: bytes) -> None:
        connection.sendall(head)
        while True:
            connection.sendall(piece)

    return send


class Site:
    """Listens on 127.0.0.1; `pages` maps a request path to an answer; `requests` keeps what came, as text."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self.pages: dict[str, Answer] = {}
        self.requests: list[str] = []
        self.release = threading.Event()
        self._context = context
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._serve, daemon=True)]
        self._threads[0].start()

    @property
    def url(self) -> str:
        return f"{'https' if self._context else 'http'}://127.0.0.1:{self.port}"

    def rules(self, *hosts: str, **settings: Any) -> FetchRules:
        """Rules that list this site, and `hosts` besides."""
        return FetchRules(private_hosts=(f"127.0.0.1:{self.port}", *hosts), **settings)

    def hold(self, _connection: socket.socket, _request: bytes) -> None:
        """An answer that never comes."""
        self.release.wait()

    def close(self) -> None:
        self.release.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(10)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._answer, args=(connection,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _answer(self, plain: socket.socket) -> None:
        connection = plain
        try:
            if self._context:
                connection = self._context.wrap_socket(plain, server_side=True)
            request = b""
            while b"\r\n\r\n" not in request:
                piece = connection.recv(65_536)
                if not piece:
                    return
                request += piece
                if request.startswith(b"\x16"):  # a TLS client at a plain server
                    connection.sendall(answer("", status="400 Bad Request"))
                    return
            self.requests.append(request.decode("latin-1"))
            path = request.split(b" ")[1].decode("latin-1")
            page = self.pages.get(path, answer("nothing here", status="404 Not Found"))
            if callable(page):
                page(connection, request)
            else:
                connection.sendall(page)
        except OSError:
            pass
        finally:
            connection.close()
