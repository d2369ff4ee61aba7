"""Hosts of addresses, and the list of those that are let through."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def host_allowed(url: str, allow_hosts: Sequence[str]) -> bool:
    """The host of `url` is one of `allow_hosts` or a sub-domain of one. An entry may name a port."""
    host, port = _host(url)
    for entry in allow_hosts:
        name, _, wanted = entry.lower().strip().removeprefix("*.").partition(":")
        if name and (not wanted or wanted == port) and (host == name or host.endswith("." + name)):
            return True
    return False


def _host(url: str) -> tuple[str, str]:
    scheme, cut, rest = url.partition("://")
    rest = rest if cut else scheme
    for stop in "/?#\\":
        rest = rest.partition(stop)[0]
    rest = rest.rpartition("@")[2].lower()
    if rest.startswith("["):
        name, _, tail = rest[1:].partition("]")
        return name, tail.removeprefix(":")
    name, _, port = rest.partition(":")
    return name.rstrip("."), port
