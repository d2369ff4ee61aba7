"""The one place that prints: JSON for programs, lines and tables for people."""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, TextIO

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from typer.exceptions import TyperException

    from context_mode_installer.result import Result

_UNBOUND = 10_000
"""Columns of a pipe: nobody wraps there."""
_PAD_MAX = 80
"""A longer cell pushes what stands behind it; the others are not padded to its length."""
_STYLES = {"PASS": "green", "WARN": "yellow", "FAIL": "red", "SKIP": "dim"}


def show(result: Result, *, as_json: bool) -> None:
    """Prints a result: one JSON object on stdout, or its lines; errors go to stderr."""
    if as_json:
        sys.stdout.write(result.as_json() + "\n")
        return
    stream = sys.stderr if result.status == "error" else sys.stdout
    console = Console(file=stream, highlight=False, soft_wrap=True, markup=False)
    for message in result.messages:
        for line in _folded(message, stream):
            console.print(line, style=_style(line))


def _folded(message: str, stream: TextIO) -> list[str]:
    """On a terminal: cut at blanks to its width, the rest indented; diffs and what has no blank stay as they are."""
    if not stream.isatty() or message.startswith(("+", "-", "@")):
        return [message]
    indent = " " * (len(message) - len(message.lstrip()) + 4)
    width = shutil.get_terminal_size().columns
    return textwrap.wrap(
        message, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False, drop_whitespace=True
    ) or [message]


def _style(line: str) -> str:
    return next((style for word, style in _STYLES.items() if word in line.split(maxsplit=4)[:4]), "")


def complain(line: str) -> None:
    """One line on stderr, in our name."""
    sys.stderr.write(f"context-mode: {line}\n")


def usage_error(error: TyperException) -> str:
    """A wrong option, command or value: one line that says what and names the nearest known word."""
    context = getattr(error, "ctx", None)
    return f"{error.format_message()} (see {context.command_path if context else 'context-mode'} --help)"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A plain table as lines; on a terminal the last column wraps to its width, elsewhere nothing is cut or wrapped."""
    console = Console(width=None if sys.stdout.isatty() else _UNBOUND, no_color=True, highlight=False, markup=False)
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="")
    for name in columns:
        grid.add_column(name, overflow="fold", no_wrap=name != columns[-1])
    for row in rows:
        grid.add_row(*row)
    with console.capture() as captured:
        console.print(grid)
    return [line.rstrip() for line in captured.get().splitlines()]


def ruled(rows: Sequence[Sequence[str]]) -> list[str]:
    """A table to paste elsewhere: ` | ` between the cells, one line a row whatever its length."""
    widths = [min(_PAD_MAX, max(len(row[column]) for row in rows)) for column in range(len(rows[0]))]
    return [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def wrapped(first: str, text: str) -> list[str]:
    """`first` and then `text`, wrapped to the screen, the following lines indented as far as `first` goes."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _UNBOUND
    return textwrap.wrap(text, max(width, 2 * len(first)), initial_indent=first, subsequent_indent=" " * len(first))
