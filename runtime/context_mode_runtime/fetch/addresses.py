"""Which addresses a fetch may connect to: our own list, since `ipaddress.is_global` lets several inner ones pass.

Sources: the IANA special-purpose registries (RFC 6890 and its updates), RFC 6052 and 8215 (NAT64), RFC 3056 (6to4),
RFC 4380 (Teredo), RFC 3879 (site-local), RFC 9780 (dummy prefix).
"""

from __future__ import annotations

import ipaddress
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Address = ipaddress.IPv4Address | ipaddress.IPv6Address
    Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_INNER = (
    ("0.0.0.0/8", "this network"),
    ("10.0.0.0/8", "private"),
    ("100.64.0.0/10", "shared address space"),
    ("127.0.0.0/8", "loopback"),
    ("169.254.0.0/16", "link-local"),
    ("172.16.0.0/12", "private"),
    ("192.0.0.0/24", "reserved"),
    ("192.0.2.0/24", "documentation"),
    ("192.88.99.0/24", "6to4 relay"),
    ("192.168.0.0/16", "private"),
    ("198.18.0.0/15", "benchmark"),
    ("198.51.100.0/24", "documentation"),
    ("203.0.113.0/24", "documentation"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved"),
    ("::1/128", "loopback"),
    ("::/128", "unspecified"),
    ("100::/64", "discard"),
    ("100:0:0:1::/64", "dummy prefix"),
    ("2001:db8::/32", "documentation"),
    ("3fff::/20", "documentation"),
    ("5f00::/16", "segment routing"),
    ("fc00::/7", "private"),
    ("fe80::/10", "link-local"),
    ("fec0::/10", "site-local"),
    ("ff00::/8", "multicast"),
)
_CARRIERS = (
    ("::ffff:0:0/96", "IPv4 inside IPv6", 0),
    ("::ffff:0:0:0/96", "IPv4 inside IPv6", 0),
    ("::/96", "IPv4 inside IPv6", 0),
    ("64:ff9b::/96", "NAT64", 0),
    ("64:ff9b:1::/48", "local NAT64", 0),
    ("2002::/16", "6to4", 80),
    ("2001::/32", "Teredo", None),
    ("2001::/23", "reserved", None),
)
"""IPv6 networks that carry an IPv4 address, and how many bits stand behind it (None: not a plain one)."""

_UNICAST = ipaddress.IPv6Network("2000::/3")
"""The one part of the IPv6 space that is given out for the public network (RFC 4291, IANA's registry)."""
_NETWORKS = tuple((ipaddress.ip_network(text), reason) for text, reason in _INNER)
_CARRIER_NETWORKS = tuple((ipaddress.IPv6Network(text), reason, shift) for text, reason, shift in _CARRIERS)
_NUMBER = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)\Z", re.IGNORECASE)


def forbidden(address: str) -> str | None:
    """Why `address`, one IP address in text form, is not for fetching, in a few words; None when it is public.

    Anything that is no IP address in its usual spelling is forbidden, too. An address with a zone (`fe80::1%eth0`) is
    judged without it.
    """
    parsed = _parse(address)
    if parsed is None:
        return "not an IP address in its usual spelling"
    for network, reason in _NETWORKS:
        if parsed in network:
            return reason
    if parsed.version == 4:  # noqa: PLR2004 - IP version
        return None
    return _carrier_reason(parsed) or (None if parsed in _UNICAST else "unassigned")


def is_address(host: str) -> bool:
    """Whether `host` is an IP address in its usual spelling."""
    return _parse(host) is not None


def unusual_spelling(host: str) -> str | None:
    """What is wrong with a host name that is an IPv4 address in disguise; None for a name or a normal address.

    Decimal (`2130706433`), octal (`0177.0.0.1`), hex (`0x7f.1`) and short (`127.1`) forms are read as addresses by
    the system's resolver. A host whose last part is a number is always meant as one (WHATWG URL, "ends in a number").
    """
    last = host.rstrip(".").rpartition(".")[2]
    if ":" in host or not _NUMBER.match(last) or is_address(host):
        return None
    return "an unusual spelling of an IPv4 address"


def allowed_private(host: str, port: int, address: str, rules: Iterable[str]) -> bool:
    """Whether one of `rules` (policy key `fetch.privateHosts`) names this target.

    A rule is `host`, `host:port` (`[v6]:port`) or a range in CIDR form. Hosts are compared with the name as asked for
    and with the address that it has; ranges with the address. An IPv4 address inside an IPv6 one has to be allowed
    itself: a rule for the carrying network doesn't open what lies behind it.
    """
    parsed = _parse(address)
    listed = list(rules)
    if parsed is None or not any(_matches(rule, host, port, parsed) for rule in listed):
        return False
    inner = embedded_ipv4(address)
    if inner is None or forbidden(inner) is None:
        return True
    return any(_matches(rule, host, port, ipaddress.ip_address(inner)) for rule in listed)


def embedded_ipv4(address: str) -> str | None:
    """The IPv4 address that an IPv6 address of a translation or tunnel network carries, else None."""
    parsed = _parse(address)
    if parsed is None or parsed.version == 4 or parsed.is_loopback or parsed.is_unspecified:  # noqa: PLR2004 - IP version
        return None
    for network, _, shift in _CARRIER_NETWORKS:
        if parsed in network:
            return None if shift is None else str(ipaddress.IPv4Address((int(parsed) >> shift) & 0xFFFFFFFF))
    return None


def _carrier_reason(parsed: Address) -> str | None:
    for network, reason, _ in _CARRIER_NETWORKS:
        if parsed in network:
            inner = embedded_ipv4(str(parsed))
            why = f": {forbidden(inner) or 'public'}" if inner else ""
            return f"{reason} of {inner}{why}" if inner else reason
    return None


def _matches(rule: str, host: str, port: int, address: Address) -> bool:
    network = _range(rule)
    if network is not None:
        return address in network
    name, rule_port = _split_port(rule.strip().lower().rstrip("."))
    if rule_port is not None and rule_port != port:
        return False
    if name == host.lower().rstrip("."):
        return True
    parsed = _parse(name)
    return parsed is not None and parsed == address


def _range(rule: str) -> Network | None:
    if "/" not in rule:
        return None
    try:
        return ipaddress.ip_network(rule.strip(), strict=False)
    except ValueError:
        return None


def _split_port(rule: str) -> tuple[str, int | None]:
    if rule.startswith("["):
        name, _, rest = rule[1:].partition("]")
        return name, int(rest[1:]) if rest.startswith(":") and rest[1:].isdecimal() else None
    name, colon, port = rule.rpartition(":")
    if colon and ":" not in name and port.isdecimal():
        return name, int(port)
    return rule, None


def _parse(address: str) -> Address | None:
    try:
        return ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
