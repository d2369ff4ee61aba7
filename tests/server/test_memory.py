"""The server's memory stays within 64 MiB of its idle size whatever a command prints (contract, section 7)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

PROMISE_KB = 64 * 1024
PRINTING = {
    "300 MB of numbers": ("sh", "seq 1 34600000"),
    "lines with a wide character and a word of their own": (
        "python",
        "for n in range(700_000):\n    print(f'it\u2019s line word{n * 7919 % 10000019}x{n} done')",
    ),
}


def _kb(pid: int, field: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1])
    raise AssertionError(field)


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")
@pytest.mark.parametrize("case", PRINTING)
def test_a_command_that_prints_much_costs_little_memory(serve: Any, case: str) -> None:
    language, code = PRINTING[case]
    host = serve()
    host.call("ctx_execute", {"language": "sh", "code": "echo warm"})
    idle = _kb(host.process.pid, "VmRSS")
    text, failed = host.call("ctx_execute", {"language": language, "code": code})
    assert not failed
    assert "B between beginning and end were not kept" in text
    assert _kb(host.process.pid, "VmHWM") - idle <= PROMISE_KB
