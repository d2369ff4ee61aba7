"""A connection to a checked address: look up once, judge every address, connect to one that was judged."""

from __future__ import annotations

import errno
import os
import socket
import threading
import time

from context_mode_runtime.fetch import addresses
from context_mode_runtime.fetch.rules import PROXY_ENVIRONMENT, PROXY_OFF, FetchError, FetchRules, setting_file
from context_mode_runtime.fetch.target import Target, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable
    from typing import TypeVar

    Resolver = Callable[[str, int], list[str]]
    Result = TypeVar("Result")

_PROXY_REPLY_MAX = 65_536
_LOOK_S = 0.25
"""A fetch that is cancelled notices it within this time."""
_ATTEMPT_MIN_S = 2.0
"""A dead address gets at least this long before the next one is tried, time permitting."""


class Deadline:
    """A fixed moment by which everything has to be done, or earlier when `cancel` is set by another thread."""

    __slots__ = ("_cancel", "_end", "_limit_ms")

    def __init__(self, limit_ms: int, cancel: threading.Event | None = None) -> None:
        """Ends `limit_ms` milliseconds from now."""
        self._limit_ms = limit_ms
        self._cancel = cancel
        self._end = time.monotonic() + limit_ms / 1000

    def left(self) -> float:
        """Seconds left, more than 0. Raises FetchError when there are none, or when the fetch was cancelled."""
        if self._cancel is not None and self._cancel.is_set():
            raise FetchError("cancelled")
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.passed()
        return left

    def step(self) -> float:
        """Seconds to wait before looking again whether there is time left: at most a quarter."""
        return min(self.left(), _LOOK_S)

    def within(self, sock: socket.socket, work: Callable[[], Result]) -> Result:
        """What `work`, which waits for `sock`, returns. Raises FetchError when the time is over or it was cancelled."""
        while True:
            sock.settimeout(self.step())
            try:
                return work()
            except TimeoutError:
                continue

    def passed(self) -> FetchError:
        """The error that says that the time is over."""
        return FetchError(f"no whole answer within {self._limit_ms:,} ms (fetch.timeoutMs)")


def system_resolver(host: str, port: int) -> list[str]:
    """The addresses of a name by the system's resolver, in its order. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def open_connection(
    target: Target, proxy: Target | None, rules: FetchRules, resolver: Resolver, deadline: Deadline
) -> socket.socket:
    """A connected socket for one hop, TLS done where the scheme asks for it, certificate checked by the host's name.

    With a proxy: a tunnel through it for https, the connection to the proxy itself for http.
    Raises FetchError: forbidden address, no such name, no connection, bad certificate, time over.
    """
    if proxy is None:
        sock = _connect(_checked_addresses(target, rules, resolver, deadline), target, deadline)
    else:
        sock = _through_proxy(proxy, target, rules, resolver, deadline)
    if target.scheme == "http":
        return sock
    try:
        return _secured(sock, target, deadline)
    except BaseException:
        sock.close()
        raise


def _checked_addresses(target: Target, rules: FetchRules, resolver: Resolver, deadline: Deadline) -> list[str]:
    found = [target.host] if addresses.is_address(target.host) else _looked_up(target, resolver, deadline)
    for address in found:
        reason = addresses.forbidden(address)
        if reason and not addresses.allowed_private(target.host, target.port, address, rules.private_hosts):
            raise FetchError(_refusal(target, address, reason))
    return found


def _refusal(target: Target, address: str, reason: str) -> str:
    where = "" if address == target.host else f" leads to {address}"
    return (
        f"refused: {target.host_port}{where} ({reason}). To allow it, the user adds"
        f' "{target.host_port}" to fetch.privateHosts in {setting_file()}'
    )


def _looked_up(target: Target, resolver: Resolver, deadline: Deadline) -> list[str]:
    """Looks the name up in a thread of its own, since the system's resolver knows no time limit."""
    box: list[list[str] | OSError | UnicodeError] = []

    def look() -> None:
        try:
            box.append(resolver(target.host, target.port))
        except (OSError, UnicodeError) as error:
            box.append(error)

    thread = threading.Thread(target=look, name="fetch-lookup", daemon=True)
    thread.start()
    _join(thread, deadline)
    answer = box[0] if box else OSError("the name server did not answer in time")
    if isinstance(answer, list) and answer:
        return answer
    why = _plain_reason(answer) if isinstance(answer, Exception) else "no address"
    raise FetchError(f"{target.host} was not found: {why}" + _proxy_hint(target))


def _join(thread: threading.Thread, deadline: Deadline) -> None:
    """Waits for the end of `thread` or of the time, whichever comes first. Raises FetchError when cancelled."""
    until = time.monotonic() + deadline.left()
    while thread.is_alive() and time.monotonic() < until:
        thread.join(min(deadline.step(), max(until - time.monotonic(), 0)))


def _connect(found: list[str], target: Target, deadline: Deadline) -> socket.socket:
    last = "no address"
    for n, address in enumerate(found):
        try:
            left = deadline.left()
            share = max(_ATTEMPT_MIN_S, left / (len(found) - n))
            return _connected(address, target.port, min(share, left), deadline)
        except OSError as error:
            last = _plain_reason(error)
    raise FetchError(f"no connection to {target.host_port}: {last}" + _proxy_hint(target))


def _connected(address: str, port: int, seconds: float, deadline: Deadline) -> socket.socket:
    """A connection to one address, tried for `seconds`. Raises OSError; FetchError when time is over or cancelled."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    [(_, _, _, _, place), *_] = socket.getaddrinfo(address, port, family, socket.SOCK_STREAM, 0, socket.AI_NUMERICHOST)
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.settimeout(0)
        _await_connection(sock, sock.connect_ex(place), time.monotonic() + seconds, deadline)
    except BaseException:
        sock.close()
        raise
    return sock


def _await_connection(sock: socket.socket, problem: int, until: float, deadline: Deadline) -> None:
    import select

    while problem in _UNDER_WAY:
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        _, ready, odd = select.select((), (sock,), (sock,), min(deadline.step(), left))
        if ready or odd:
            problem = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if problem:
        raise OSError(problem, os.strerror(problem))


_UNDER_WAY = frozenset({errno.EINPROGRESS, errno.EWOULDBLOCK, getattr(errno, "WSAEWOULDBLOCK", errno.EINPROGRESS)})


def _secured(sock: socket.socket, target: Target, deadline: Deadline) -> socket.socket:
    import ssl

    context = ssl.create_default_context()
    context.hostname_checks_common_name = False
    secured = context.wrap_socket(sock, server_hostname=target.host, do_handshake_on_connect=False)
    try:
        _shake_hands(secured, target, deadline)
    except BaseException:
        secured.close()
        raise
    return secured


def _shake_hands(secured: ssl.SSLSocket, target: Target, deadline: Deadline) -> None:
    import ssl

    try:
        deadline.within(secured, secured.do_handshake)
    except ssl.SSLCertVerificationError as error:
        raise FetchError(f"{target.host_port}: its certificate is not valid: {error.verify_message}") from None
    except OSError as error:
        raise FetchError(f"no TLS connection to {target.host_port}: {_plain_reason(error)}") from None


def proxy_variable(scheme: str) -> tuple[str, str] | None:
    """The first set proxy variable that programs would use for `scheme`, as (name, value), else None."""
    for name in (f"{scheme}_proxy", f"{scheme.upper()}_PROXY", "all_proxy", "ALL_PROXY"):
        value = os.environ.get(name)
        if value:
            return name, value
    return None


def _proxy_hint(target: Target) -> str:
    """What to set when the direct way failed and a proxy variable is there; empty when none is."""
    found = proxy_variable(target.scheme)
    if found is None:
        return ""
    return (
        f'. {found[0]} is set but not used: "fetch": {{"proxy": "{PROXY_ENVIRONMENT}"}} in {setting_file()} goes'
        " through that proxy, which then looks up the names,"
        " so that inner addresses behind a name are no longer kept out"
    )


def proxy_for(target: Target, rules: FetchRules) -> Target | None:
    """The proxy that the policy wants for this target, else None. Raises FetchError when it isn't an http:// one."""
    if rules.proxy == PROXY_OFF:
        return None
    text = rules.proxy
    if text == PROXY_ENVIRONMENT:
        from urllib.request import proxy_bypass

        found = proxy_variable(target.scheme)
        if found is None or proxy_bypass(target.host_port):
            return None
        text = found[1]
    proxy = Target(text if "://" in text else f"http://{text}")
    if proxy.scheme != "http":
        raise FetchError(f"fetch.proxy: {shown(text)} is not an http:// proxy")
    return proxy


def _through_proxy(
    proxy: Target, target: Target, rules: FetchRules, resolver: Resolver, deadline: Deadline
) -> socket.socket:
    """A socket to the proxy; for https with a tunnel to the target in it.

    The proxy looks the name up; what can be judged here (addresses, names known here) is judged all the same.
    """
    try:
        _checked_addresses(target, rules, resolver, deadline)
    except FetchError as error:
        if str(error).startswith("refused"):
            raise
    found = [proxy.host] if addresses.is_address(proxy.host) else _looked_up(proxy, resolver, deadline)
    sock = _connect(found, proxy, deadline)
    try:
        if target.scheme == "https":
            _open_tunnel(sock, proxy, target, deadline)
    except BaseException:
        sock.close()
        raise
    return sock


def _open_tunnel(sock: socket.socket, proxy: Target, target: Target, deadline: Deadline) -> None:
    lines = [f"CONNECT {target.host_port} HTTP/1.1", f"Host: {target.host_port}"]
    if proxy.authorization:
        lines.append(f"Proxy-Authorization: {proxy.authorization}")
    answer = b""
    try:
        sock.settimeout(deadline.left())
        sock.sendall(("\r\n".join(lines) + "\r\n\r\n").encode("ascii"))
        while not answer.endswith(b"\r\n\r\n") and len(answer) < _PROXY_REPLY_MAX:
            byte = deadline.within(sock, lambda: sock.recv(1))
            if not byte:
                break
            answer += byte
    except TimeoutError:
        raise deadline.passed() from None
    except OSError as error:
        raise FetchError(f"the proxy {proxy.host_port} failed: {_plain_reason(error)}") from None
    status = answer.partition(b"\r\n")[0].decode("latin-1").split(" ", 1)
    if len(status) < 2 or not status[1].startswith("2"):  # noqa: PLR2004 - status line: version, rest
        raise FetchError(f"the proxy {proxy.host_port} refused {target.host_port}: {shown(' '.join(status[1:]))}")
    if not answer.endswith(b"\r\n\r\n"):
        raise FetchError(f"the proxy {proxy.host_port} does not end its answer about {target.host_port}")


def _plain_reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror[:1].lower() + error.strerror[1:]
    return str(error)
