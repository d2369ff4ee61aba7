"""The server's memory stays within 64 MiB of its idle size whatever a command prints (contract, section 7)."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest
from tests import only

PROMISE_KB = 64 * 1024
PRINTING = {
    "300 MB of numbers": ("sh", "seq 1 34600000"),
    "one line of 60 MB": ("sh", "head -c 60000000 /dev/zero | tr '\\0' x"),
    "60 MB of wide characters": ("sh", "yes '🚀 deployed ✓' | head -c 60000000"),
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


def _answer(host: Any, arguments: dict[str, str]) -> str:
    """The reply of ctx_execute, however long a slow disk takes for 300 MB."""
    params = {"name": "ctx_execute", "arguments": arguments}
    host.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    for _ in range(15):
        with contextlib.suppress(TimeoutError):
            text: str = host.answer(1)["result"]["content"][0]["text"]
            return text
    raise TimeoutError


@pytest.mark.timeout(600)
@only.LINUX
@pytest.mark.parametrize("case", PRINTING)
def test_a_command_that_prints_much_costs_little_memory(serve: Any, case: str) -> None:
    language, code = PRINTING[case]
    host = serve()
    host.call("ctx_execute", {"language": "sh", "code": "echo warm"})
    idle = _kb(host.process.pid, "VmRSS")
    assert "B left out; more: ctx_search(" in _answer(host, {"language": language, "code": code})
    assert _kb(host.process.pid, "VmHWM") - idle <= PROMISE_KB
