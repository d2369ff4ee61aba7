"""The installer's own command line, asked as a child process: the runtime itself never loads it."""

from __future__ import annotations

import os
import subprocess
import sys

from context_mode_runtime import jsonio, paths

INSTALL = "pipx install context-mode-py && context-mode setup"
"""What brings the installer to somebody who has only a native package folder."""
_NAMES = ("context-mode", "context-mode.cmd")
_MODULE = "context_mode_installer.cli"


class AskError(Exception):
    """The command line is there but gave no answer: one line that says why."""


def command() -> list[str] | None:
    """How to start it: the launcher that setup made, else this interpreter where it can import it; None: not here."""
    for name in _NAMES:
        path = os.path.join(paths.bin_dir(), name)
        if os.access(path, os.X_OK):
            return [path]
    from importlib.util import find_spec

    return [sys.executable, "-P", "-m", _MODULE] if find_spec(_MODULE.partition(".")[0]) else None


def ask(start: list[str], words: list[str], *, cwd: str, seconds: float) -> dict[str, object]:
    """The `--json` object of one command, exit 0 or 1. Raises AskError."""
    try:
        done = subprocess.run(
            [*start, *words, "--json"], capture_output=True, stdin=subprocess.DEVNULL, cwd=cwd, timeout=seconds,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise AskError(f"no answer within {seconds:.0f} s") from None
    except OSError as error:
        raise AskError(f"{paths.tilde(start[0])} can't be started: {error.strerror}") from None
    try:
        answer = jsonio.loads(done.stdout.decode("utf-8", "replace"))
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise AskError(said[-1][:300] if said else f"it ended with {done.returncode} and no word")
    return answer
