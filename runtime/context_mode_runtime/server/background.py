"""Runs that nobody waits for; their output is a source that grows, until they end or the server does."""

from __future__ import annotations


def flush() -> None:
    """Brings the sources of this process' background runs up to date."""
