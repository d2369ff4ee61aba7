"""Everyday work in a network namespace without any network: the kernel counts no attempt to reach anything."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import ROOT, not_to_be_had

COUNT = "import json; from tests.network.counters import counted; print(json.dumps(counted()))"
TRIES = {
    "a name": "socket.getaddrinfo('example.invalid', 443)",
    "an address": "socket.create_connection(('192.0.2.1', 443), 1)",
    "a datagram": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
    "this machine": "socket.create_connection(('127.0.0.1', 443), 1)",
}


def alone(words: list[str], env: dict[str, str] | None = None) -> dict[str, int]:
    """The last line of a Python program's output, run where there is no network at all."""
    for unshare in (["unshare", "-n"], ["unshare", "-rn"]):
        try:
            if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode == 0:
                break
        except OSError:
            continue
    else:
        not_to_be_had("a network namespace of its own")
    done = subprocess.run(
        [*unshare, sys.executable, *words], cwd=ROOT, env={**os.environ, **(env or {})}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    counters: dict[str, int] = json.loads(done.stdout.splitlines()[-1])
    return counters


@pytest.mark.parametrize("what", TRIES)
def test_an_attempt_is_counted(what: str) -> None:
    attempt = f"import contextlib, socket\nwith contextlib.suppress(OSError):\n    {TRIES[what]}\n"
    if what == "a name" and not os.path.exists("/etc/resolv.conf"):
        not_to_be_had("a resolver to ask")
    assert alone(["-c", attempt + COUNT])


def test_main_paths_attempt_nothing(home: Path, project: Path) -> None:
    assert alone([str(Path(__file__).with_name("main_paths.py")), str(home), str(project)]) == {}
