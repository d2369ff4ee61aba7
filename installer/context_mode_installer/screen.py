"""The one place that prints: JSON for programs, lines and tables for people."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from typer.exceptions import TyperException

    from context_mode_installer.result import Result

_STYLES = {"PASS": "green", "WARN": "yellow", "FAIL": "red", "SKIP": "dim"}


def show(result: Result, *, as_json: bool) -> None:
    """Prints a result: one JSON object on stdout, or its lines; errors go to stderr."""
    if as_json:
        sys.stdout.write(result.as_json() + "\n")
        return
    stream = sys.stderr if result.status == "error" else sys.stdout
    console = Console(file=stream, highlight=False, soft_wrap=True, markup=False)
    for line in result.messages:
        console.print(line, style=_style(line))


def _style(line: str) -> str:
    return next((style for word, style in _STYLES.items() if word in line.split(maxsplit=4)[:4]), "")


def complain(line: str) -> None:
    """One line on stderr, in our name."""
    sys.stderr.write(f"context-mode: {line}\n")


def show_usage_error(error: TyperException) -> None:
    """A wrong option, command or value: one line that says what and names the nearest known word."""
    complain(f"{error.format_message()} (see context-mode --help)")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], *, width: int | None = None) -> list[str]:
    """A plain table as lines: columns two blanks apart, no frame; the last column wraps to the screen's width."""
    console = Console(width=width, no_color=True, highlight=False, markup=False, file=sys.stdout)
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="")
    for name in columns:
        grid.add_column(name, overflow="fold", no_wrap=name != columns[-1])
    for row in rows:
        grid.add_row(*row)
    with console.capture() as captured:
        console.print(grid)
    return [line.rstrip() for line in captured.get().splitlines()]
