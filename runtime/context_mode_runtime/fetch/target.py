"""URLs as fetch understands them: http and https, a plain host, nothing that two readers could read differently."""

from __future__ import annotations

import base64
import re
from urllib.parse import quote, unquote, urljoin, urlsplit

from context_mode_runtime.fetch import addresses
from context_mode_runtime.fetch.rules import FetchError

_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?\Z")
_BAD = re.compile(r"[\x00-\x20\x7f\\]")
_KEPT_IN_PATH = "/%:=&?~#+!$,;'@()*[]|"
_SHOWN_MAX = 200


class Target:
    """One hop: scheme, host (lower case, ASCII), port, request path, `authorization` header value or an empty text."""

    __slots__ = ("authorization", "host", "path", "port", "scheme", "url")

    def __init__(self, text: str) -> None:
        """Reads `text`. Raises FetchError when it is not a plain http or https URL."""
        try:
            parts = urlsplit(text.strip())
            port = parts.port
        except ValueError as error:
            raise FetchError(f"{shown(text)} is not a URL: {error}") from None
        self.scheme = parts.scheme.lower()
        if self.scheme not in _PORTS:
            raise FetchError(f"{shown(text)}: only http and https are fetched, not {self.scheme or 'a bare name'!r}")
        if _BAD.search(parts.netloc):
            raise FetchError(f"{shown(text)} is not a URL: a space, control character or backslash in its host part")
        self.host = _plain_host(parts.hostname or "", text)
        self.port = _PORTS[self.scheme] if port is None else port
        path = quote(parts.path, safe=_KEPT_IN_PATH) or "/"
        self.path = path + ("?" + quote(parts.query, safe=_KEPT_IN_PATH) if parts.query else "")
        self.authorization = _basic(parts.username, parts.password)
        self.url = f"{self.scheme}://{self.authority}{self.path}"

    @property
    def authority(self) -> str:
        """Host and, where it isn't the scheme's own, port, as in a `Host` header."""
        return self.host_port if self.port != _PORTS[self.scheme] else self.bracketed

    @property
    def host_port(self) -> str:
        """Host and port, always both."""
        return f"{self.bracketed}:{self.port}"

    @property
    def bracketed(self) -> str:
        """The host as it stands in a URL."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def origin(self) -> tuple[str, str, int]:
        """What has to stay the same for credentials to be sent again."""
        return self.scheme, self.host, self.port

    def follow(self, location: str) -> Target:
        """The target of a redirect. Credentials go along within the same origin only; those it names are ignored."""
        following = Target(urljoin(self.url, location.strip()))
        following.authorization = self.authorization if following.origin == self.origin else ""
        return following


def shown(text: str) -> str:
    """A URL for an error line: no password, one line, at most 200 characters."""
    plain = re.sub(r"(?<=//)[^/?#\s]*@", "", "".join(c if c.isprintable() else " " for c in text))
    return plain if len(plain) <= _SHOWN_MAX else plain[:_SHOWN_MAX] + "…"


def _plain_host(name: str, text: str) -> str:
    if ":" in name and "%" not in name:
        return name
    host = name if name.isascii() else _ascii_name(name)
    if not _HOST.match(host):
        raise FetchError(f"{shown(text)} is not a URL: it has no usable host name")
    odd = addresses.unusual_spelling(host)
    if odd is None and host != name and addresses.is_address(host):
        odd = "an unusual spelling of an IPv4 address"
    if odd:
        raise FetchError(f"{shown(text)}: {host} is {odd}, which is not fetched; write it as four plain numbers")
    return host.rstrip(".")


def _ascii_name(name: str) -> str:
    try:
        return name.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return ""


def _basic(user: str | None, password: str | None) -> str:
    if user is None:
        return ""
    pair = f"{unquote(user)}:{unquote(password or '')}"
    return "Basic " + base64.b64encode(pair.encode()).decode("ascii")
