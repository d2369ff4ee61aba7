"""The one error of this package."""

from __future__ import annotations


class ExecuteError(Exception):
    """The code could not be started at all; the text is one line: what, where, how to mend."""
