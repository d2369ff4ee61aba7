"""Texts that others chose, on one line: names, queries, what is wrong with a call."""

from __future__ import annotations


def shortened(text: str, most: int) -> str:
    """`text` without control characters and line ends; over `most` bytes it is cut there, and `…` follows."""
    shown = "".join(char if char.isprintable() else " " for char in text[:most])
    cut = shown.encode(errors="replace")[:most].decode(errors="ignore")
    return cut if len(cut) == len(text) else cut + "…"


def one_line(text: str) -> str:
    """`text` without control characters, white space folded: the form that labels have."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
