"""One line of a block that we put into a conversation: stored text can neither end the block nor speak in our name."""

from __future__ import annotations

from context_mode_runtime.store.cuts import size_of

LINE_MAX = 300
"""A longer line, in bytes, is cut and points to the whole row."""
_COMMAND_MAX = 80
_AROUND_MAX = 60
"""Kind, number and pointer of a line."""


def plain(text: str) -> str:
    """`text` on one line: no tags, no control or direction characters, white space folded."""
    clean = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(clean.replace("<", "&lt;").split())


def attribute(text: str) -> str:
    """`text` fit for a double-quoted attribute."""
    return plain(text).replace('"', "&quot;").replace(">", "&gt;")


def line(kind: str, seq: int, text: str, *, more: bool = False) -> str:
    """`KIND #SEQ: TEXT`, at most LINE_MAX bytes.

    What is too long, or has `more` behind it, ends with the call that brings the whole row.
    """
    whole = f"{plain(kind)[:40]} #{seq}: {plain(text)}"
    if size_of(whole) <= LINE_MAX and not more:
        return whole
    pointer = f" ... ctx_resume({seq})"
    room = LINE_MAX - size_of(pointer)
    return whole.encode()[:room].decode(errors="ignore").rstrip() + pointer


def failure_line(kind: str, seq: int, command: str, error: str) -> str:
    """The same for a command that failed: behind it the lines of its output that say what failed."""
    from context_mode_runtime.failures import telling

    short = command if len(command) <= _COMMAND_MAX else command[:_COMMAND_MAX] + " ..."
    told = telling(error, LINE_MAX - size_of(short) - _AROUND_MAX)
    return line(kind, seq, f"{short}: {told}", more=told != error or short != command)
