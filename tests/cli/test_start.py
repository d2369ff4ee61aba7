"""How a command starts and ends."""

from __future__ import annotations

import subprocess
import sys

SAYS = """
import atexit, gc, sys
atexit.register(lambda: print(gc.get_threshold()[0], gc.get_freeze_count() > 10_000, file=sys.stderr))
from context_mode_installer.cli import main
main()
"""


def told(*arguments: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", SAYS, *arguments], input="", capture_output=True, text=True, check=False, timeout=60
    )
    return done.stderr.split("\n")[-2].split()


def test_the_collector_is_kept_out_of_what_a_commands_libraries_made(home: object) -> None:
    assert told("agents") == ["50000", "True"]
    assert told("agents", "--nonsense") == ["50000", "True"]


def test_a_hook_and_the_server_are_left_as_they_are(home: object) -> None:
    assert told("hook", "claude-code", "Stop")[0] != "50000"
    assert told("serve")[0] != "50000"
