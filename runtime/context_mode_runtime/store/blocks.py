"""One line of a block that we put into a conversation: stored text can neither end the block nor speak in our name."""

from __future__ import annotations

from context_mode_runtime.store.cuts import size_of

LINE_MAX = 300
"""A longer line, in bytes, is cut and points to the whole row."""


def plain(text: str) -> str:
    """`text` on one line: no tags, no control or direction characters, white space folded."""
    clean = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(clean.replace("<", "&lt;").split())


def attribute(text: str) -> str:
    """`text` fit for a double-quoted attribute."""
    return plain(text).replace('"', "&quot;").replace(">", "&gt;")


def line(kind: str, seq: int, text: str) -> str:
    """`KIND #SEQ: TEXT`, at most LINE_MAX bytes; what is too long ends with the call that brings the whole row."""
    whole = f"{plain(kind)[:40]} #{seq}: {plain(text)}"
    if size_of(whole) <= LINE_MAX:
        return whole
    pointer = f" ... ctx_resume({seq})"
    room = LINE_MAX - size_of(pointer)
    return whole.encode()[:room].decode(errors="ignore").rstrip() + pointer
