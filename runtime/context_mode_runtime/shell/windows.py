"""The same pass for PowerShell and cmd: other quotes, other separators, blocks in braces."""

from __future__ import annotations

from context_mode_runtime.shell.cmd_text import CMD
from context_mode_runtime.shell.model import Scan
from context_mode_runtime.shell.powershell import POWERSHELL, as_ascii
from context_mode_runtime.shell.windows_reader import Reader


def scan_windows(text: str, dialect: str) -> Scan:
    """The segments of PowerShell or cmd text. Never raises; linear."""
    reader = Reader(text, CMD) if dialect == "cmd" else Reader(as_ascii(text), POWERSHELL)
    reader.run()
    result = Scan()
    result.segments = reader.segments
    result.incomplete = reader.incomplete
    return result
