"""The HTTP client: GET, redirects by hand, one time limit, bounded headers and bodies, no silent proxy or cookies."""

from __future__ import annotations

import http.client
import io

from context_mode_runtime.fetch import connect, encodings, pagecheck
from context_mode_runtime.fetch.convert import NotTextError, to_text
from context_mode_runtime.fetch.rules import MAX_REDIRECTS, FetchError, FetchRules, Known, Page
from context_mode_runtime.fetch.target import Target, shown
from context_mode_runtime.version import VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    import threading
    from collections.abc import Iterator
    from typing import Self

    from context_mode_runtime.fetch.connect import Deadline, Resolver

HEADER_MAX = 262_144
"""All header lines of one answer, interim answers included; browsers stop at the same 256 KiB."""
_PIECE = 65_536
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_NOT_MODIFIED = 304
_INTERIM = frozenset(range(102, 200))
"""Answers before the answer (RFC 9110, 15.2). 100 is passed over by `http.client`; 101 was not asked for."""
_ACCEPT = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/json;q=0.9, */*;q=0.8"


def fetch(
    url: str,
    rules: FetchRules,
    *,
    resolver: Resolver | None = None,
    known: Known | None = None,
    cancel: threading.Event | None = None,
) -> Page:
    """Gets `url` and turns it into text. A set `cancel` ends it within a second.

    With `known`, what an earlier fetch learned, the server is asked only for something newer; where it has nothing
    newer the page has `unchanged` set and no text.

    Every hop is judged anew: scheme, every address of the name, host rules. `resolver(host, port)` gives the addresses
    of a name as texts and raises OSError; default is the system's. Raises FetchError, one line: refused, not found,
    time over, too large, an HTTP error, a login page, a bot wall, a page without readable text, no text at all.
    """
    deadline = connect.Deadline(rules.timeout_ms, cancel)
    first = target = Target(url)
    for _ in range(MAX_REDIRECTS + 1):
        conditions = known.conditions if known and known.url == target.url else ()
        with _Answer(target, rules, resolver or connect.system_resolver, deadline, conditions) as answer:
            found = _read(answer, first, rules.max_bytes)
        if isinstance(found, Page):
            return found
        try:
            target = target.follow(found)
        except FetchError as error:
            raise FetchError(f"{shown(target.url)} redirects: {error}") from None
    raise FetchError(f"{shown(url)}: more than {MAX_REDIRECTS} redirects; such a circle often means it wants cookies")


def _read(answer: _Answer, first: Target, max_bytes: int) -> Page | str:
    """The page, or the place that it sends its reader to."""
    location = answer.header("Location")
    if answer.status in _REDIRECTS and location:
        return location
    if answer.status == _NOT_MODIFIED and answer.conditional:
        return _described(answer, b"")
    pagecheck.check_status(answer.status, answer.reason, answer.header, shown(answer.target.url))
    body = answer.body(max_bytes)
    return pagecheck.refresh_target(body, answer.header("Content-Type")) or _page(answer, body, first)


def _page(answer: _Answer, body: bytes, first: Target) -> Page:
    page = _described(answer, body)
    try:
        page.text, page.kind, page.note = to_text(body, page.content_type, page.url)
    except NotTextError as error:
        raise FetchError(f"{shown(page.url)} {error}") from None
    pagecheck.check_page(page, body, first)
    return page


def _described(answer: _Answer, body: bytes) -> Page:
    page = Page(url=answer.target.url, status=answer.status, content_type=answer.header("Content-Type"), body=body)
    page.etag, page.modified = answer.header("ETag"), answer.header("Last-Modified")
    page.unchanged = answer.status == _NOT_MODIFIED
    return page


class _Bounded(io.RawIOBase):
    """The socket as a stream that ends at the deadline and, while headers are read, after HEADER_MAX bytes."""

    def __init__(self, sock: socket.socket, deadline: Deadline) -> None:
        self._sock = sock
        self._deadline = deadline
        self.room: int | None = HEADER_MAX

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # of all buffers `io` gives this one
        size = self._deadline.within(self._sock, lambda: self._sock.recv_into(buffer))
        if self.room is not None:
            self.room -= size
            if self.room < 0:
                raise FetchError(f"the answer's headers are over {HEADER_MAX:,} B")
        return size

    def makefile(self, _mode: str) -> io.BufferedReader:
        """What `http.client` asks of a socket."""
        return io.BufferedReader(self, _PIECE)


class _Answer:
    """One request and its answer, headers read, body not yet. A context manager that closes the connection."""

    def __init__(
        self,
        target: Target,
        rules: FetchRules,
        resolver: Resolver,
        deadline: Deadline,
        conditions: tuple[str, ...],
    ) -> None:
        self.target = target
        self.conditional = bool(conditions)
        self._deadline = deadline
        proxy = connect.proxy_for(target, rules)
        self._sock = connect.open_connection(target, proxy, rules, resolver, deadline)
        try:
            self._response = self._ask(_request(target, proxy, conditions))
        except BaseException:
            self._sock.close()
            raise
        self.status = self._response.status
        self.reason = self._response.reason

    def _ask(self, request: bytes) -> http.client.HTTPResponse:
        stream = _Bounded(self._sock, self._deadline)
        response = http.client.HTTPResponse(stream, method="GET")  # type: ignore[arg-type]  # needs `makefile` alone
        try:
            self._sock.settimeout(self._deadline.left())
            self._sock.sendall(request)
            response.begin()
            while response.status in _INTERIM:
                response.headers = None  # type: ignore[assignment]  # what makes `begin` read once more
                response.begin()
        except (OSError, http.client.HTTPException) as error:
            raise self._plain(error) from None
        stream.room = None
        return response

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._response.close()
        self._sock.close()

    def header(self, name: str) -> str:
        """A header's value, empty when it isn't there."""
        value = self._response.headers.get(name) or ""
        return value.encode("latin-1", "replace").decode("utf-8", "replace")

    def _coding(self) -> str:
        """How the body is packed; several headers are one list."""
        return ", ".join(self._response.headers.get_all("Content-Encoding") or ())

    def body(self, max_bytes: int) -> bytes:
        """The body, unpacked. Raises FetchError when it is over `max_bytes`, cut short, or packed in an unknown way."""
        length = self._response.length
        if length is not None and length > max_bytes:
            raise self._too_large(max_bytes, f"{length:,} B")
        out = bytearray()
        try:
            for piece in encodings.unpacked(self._pieces(max_bytes), self._coding()):
                out += piece
                if len(out) > max_bytes:
                    raise self._too_large(max_bytes, "more, unpacked")
        except encodings.UnknownCodingError as error:
            raise FetchError(f"the server packed the body as {shown(str(error))}, which was not asked for") from None
        except (OSError, http.client.HTTPException, encodings.UnpackError) as error:
            raise self._plain(error) from None
        return bytes(out)

    def _pieces(self, max_bytes: int) -> Iterator[bytes]:
        total = 0
        while piece := self._read_piece():
            total += len(piece)
            if total > max_bytes:
                raise self._too_large(max_bytes, "more")
            yield piece
        if self._response.length:
            raise FetchError(
                f"{shown(self.target.url)}: the connection ended after {total:,} B, {self._response.length:,} B early"
            )

    def _read_piece(self) -> bytes:
        try:
            return self._response.read(_PIECE)
        except ValueError:
            raise http.client.HTTPException("a chunk of a negative size") from None

    def _too_large(self, max_bytes: int, size: str) -> FetchError:
        return FetchError(
            f"{shown(self.target.url)} is too large: {size}, the limit is {max_bytes:,} B (fetch.maxBytes)"
        )

    def _plain(self, error: OSError | http.client.HTTPException | encodings.UnpackError) -> FetchError:
        """An error of the network, the protocol or the packing, in plain words."""
        where = self.target.host_port
        if isinstance(error, encodings.UnpackError):
            return FetchError(f"{where}: its body is damaged: {error}")
        if isinstance(error, http.client.HTTPException):
            return FetchError(f"{where} does not speak proper HTTP: {shown(str(error)) or type(error).__name__}")
        return FetchError(f"the connection to {where} broke: {error.strerror or error}")


def _request(target: Target, proxy: Target | None, conditions: tuple[str, ...]) -> bytes:
    plain_proxy = proxy if target.scheme == "http" else None
    lines = [
        f"GET {target.url if plain_proxy else target.path} HTTP/1.1",
        f"Host: {target.authority}",
        f"User-Agent: context-mode/{VERSION}",
        f"Accept: {_ACCEPT}",
        f"Accept-Encoding: {encodings.accepted()}",
        "Connection: close",
        *conditions,
    ]
    if target.authorization:
        lines.append(f"Authorization: {target.authorization}")
    if plain_proxy and plain_proxy.authorization:
        lines.append(f"Proxy-Authorization: {plain_proxy.authorization}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")
