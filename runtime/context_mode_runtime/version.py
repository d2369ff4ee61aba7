"""The one place that holds the version, which the build reads from here, and the oldest Python that works."""

from __future__ import annotations

VERSION = "0.1.0"
OLDEST_PYTHON = (3, 11)


def too_old(version: tuple[int, ...], program: str) -> str:
    """What command line, server, hooks and doctor say about a Python that is too old; empty for one that works."""
    if tuple(version[:2]) >= OLDEST_PYTHON:
        return ""
    shown, wanted = (".".join(map(str, number)) for number in (version[:2], OLDEST_PYTHON))
    return f"Python {shown} ({program}) is too old: context-mode needs {wanted} or newer; install it again with that"
