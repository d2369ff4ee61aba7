"""What the kernel counts in this network namespace (proc_net(5), RFC 4293): everything that somebody wanted to send."""

from __future__ import annotations

from pathlib import Path

NAMES = ("OutRequests", "OutNoRoutes", "ActiveOpens", "OutDatagrams", "OutTransmits")


def counted() -> dict[str, int]:
    """The counters that are not 0. Where no route leads anywhere, a connect or a datagram counts as OutNoRoutes."""
    found: dict[str, int] = {}
    lines = Path("/proc/net/snmp").read_text(encoding="ascii").splitlines()
    for names, values in zip(lines[::2], lines[1::2], strict=True):
        kind = names.split(":")[0]
        found |= {
            f"{kind}{name}": int(value) for name, value in zip(names.split()[1:], values.split()[1:], strict=True)
        }
    for line in Path("/proc/net/snmp6").read_text(encoding="ascii").splitlines():
        name, value = line.split()
        found[name] = int(value)
    return {name: value for name, value in found.items() if value and name.endswith(NAMES)}
