"""A command of ours that can be killed where it hurts: `stoppable.py N FD WORD...`.

At its N-th change of a file (or start of a process or of a database) it writes one byte to FD; at its end, how many
there were.
"""

from __future__ import annotations

import os
import sys

from context_mode_installer.app import run_app
from context_mode_installer.commands import upgrade
from context_mode_installer.origin import Origin

CHANGES = frozenset(
    ["os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.chmod", "subprocess.Popen", "sqlite3.connect"]
)
WRITES = os.O_WRONLY | os.O_RDWR
wanted, told = int(sys.argv[1]), int(sys.argv[2])
count = 0


def watch(event: str, arguments: tuple[object, ...]) -> None:
    global count  # noqa: PLW0603 - an audit hook has no other place
    if arguments and "__pycache__" in str(arguments[0]):  # byte code is made once, by whoever comes first
        return
    flags = arguments[2] if event == "open" else 0
    if event in CHANGES or (isinstance(flags, int) and flags & WRITES):
        count += 1
        if count == wanted:
            os.write(told, b"x")


# what brings a new version is not ours to kill; what comes after it is
vars(upgrade)["find_origin"] = lambda: Origin("folder", "a program of the test", (("true",),), None)
sys.addaudithook(watch)
code = run_app(sys.argv[3:])
os.write(told, b"%d" % count)
sys.exit(code)
