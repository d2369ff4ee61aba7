"""The one place that prints: JSON for programs, lines and tables for people."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import re
import shlex
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from context_mode_installer.result import Verbatim
from context_mode_runtime import paths
from context_mode_runtime.redact import redact

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from typer.exceptions import TyperException

    from context_mode_installer.result import Result

_UNBOUND = 10_000
"""Columns of a pipe: nobody wraps there."""
_AROUND = 30
"""Characters of a line that are shown before and behind a place in it."""
_PAD_MAX = 80
"""A longer cell pushes what stands behind it; the others are not padded to its length."""
_PLAIN = "CONTEXT_MODE_PLAIN"
_STYLES = (
    (re.compile(r"(?<!not )\b(PASS|set up|up to date|taken out|ok)(?= \|| +D\d|; |$| \()"), "green"),
    (re.compile(r"^(?P<word>error:)|(?<=[|] )FAIL\b|^ *FAIL\b"), "red"),
    (re.compile(r"(?<=[|] )WARN\b|^ *(?:WARN\b|attention:)"), "yellow"),
)
"""Colour for state only, on the first word that tells it."""
_DIFF = {"+": "green", "-": "red", "@": "cyan"}


def plain() -> bool:
    """Whether the reader wants bare lines (CONTEXT_MODE_PLAIN=1, a dumb terminal): no columns, colour, progress."""
    if os.environ.get(_PLAIN, "0") not in ("", "0"):
        return True
    return os.environ.get("TERM") == "dumb" and sys.stdout.isatty()


class OutputError(Exception):
    """What was to be shown can't be written: a full disk behind stdout, say."""


def show(result: Result, *, as_json: bool) -> None:
    """Prints a result: one JSON object on stdout, or its lines; errors go to stderr.

    Raises OutputError, and BrokenPipeError for a reader that has gone.
    """
    try:
        _print(result, as_json=as_json)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"the output can't be written: {error.strerror}") from None


def _print(result: Result, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(result.as_json() + "\n")
        return
    bad = result.status == "error"
    stream = sys.stderr if bad else sys.stdout
    first, *rest = result.shown or result.messages or ("",)
    console = Console(
        file=stream, highlight=False, soft_wrap=True, markup=False, emoji=False,
        color_system=None if plain() else "auto",
    )  # fmt: skip
    for message in (f"error: {first}" if bad else first, *rest):
        for line in _folded(message, stream):
            console.print(_painted(line, verbatim=isinstance(message, Verbatim)))


def _folded(message: str, stream: TextIO) -> list[str]:
    """On a terminal: cut at blanks to its width, the rest indented. What is verbatim or has no blank stays as it is."""
    if isinstance(message, Verbatim) or not stream.isatty() or plain():
        return [message]
    indent = " " * (len(message) - len(message.lstrip()) + 4)
    width = shutil.get_terminal_size().columns
    return textwrap.wrap(
        message, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False, drop_whitespace=True
    ) or [message]


def _painted(line: str, *, verbatim: bool) -> Text:
    if verbatim and line[:1] in _DIFF:
        return Text(line, _DIFF[line[0]])
    text = Text(line)
    for pattern, style in _STYLES:
        if found := pattern.search(line):
            text.stylize(style, *found.span())
            break
    return text


@contextlib.contextmanager
def step(text: str) -> Iterator[None]:
    """Says on stderr what takes a while, only where somebody looks; the line goes when it is done."""
    if not sys.stderr.isatty():
        yield
    elif plain():
        sys.stderr.write(f"{text}\n")
        yield
    else:
        with Console(stderr=True, highlight=False).status(text, spinner="line"):
            yield


def complain(line: str) -> None:
    """One line on stderr, in our name."""
    with contextlib.suppress(OSError):
        sys.stderr.write(f"context-mode: {line}\n")


def excerpt(place: str, line: int, column: int, text: str) -> list[str]:
    """Where in a file something is wrong: its place and the line itself, a caret below; secrets and long ends cut."""
    head = f"  --> {place}:{line}:{column}"
    shown, at = _window(text.expandtabs(1), column - 1)
    if redact(text)[0] != text or not shown:
        return [Verbatim(head)]
    if plain():
        return [head, f"  line {line}: {shown}"]
    gutter = " " * len(str(line))
    return [
        Verbatim(one)
        for one in (head, f" {gutter} |", f" {line} | {shown}", f" {gutter} | {' ' * at}^", f" {gutter} |")
    ]


def quoted(path: str) -> str:
    """A path as a word of a command to paste, short where that works."""
    short = paths.tilde(path)
    return short if shlex.quote(short.removeprefix("~")) == short.removeprefix("~") else shlex.quote(path)


def editing(path: str) -> str:
    """The command that opens a file to mend it."""
    return f'notepad "{path}"' if os.name == "nt" else f"${{EDITOR:-vi}} {quoted(path)}"


def _window(text: str, at: int) -> tuple[str, int]:
    """The part of a line around a place in it, and where in that the place is."""
    start = max(0, min(at - _AROUND, len(text) - 2 * _AROUND))
    return text[start : start + 2 * _AROUND].rstrip(), at - start


def usage_error(error: TyperException, arguments: list[str]) -> str:
    """A wrong option, command or value: one line that says what, names the nearest known word, and where help is."""
    context = getattr(error, "ctx", None)
    words = itertools.takewhile(lambda word: not word.startswith("-"), arguments)
    command = context.command_path if context else " ".join(("context-mode", *words))
    said = error.format_message().replace(": Value error, ", ": ")  # pydantic's own word in front of ours
    return f"{said} (see {command} --help)"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table as lines; on a terminal the last column wraps to its width, elsewhere nothing is cut or wrapped.

    In plain mode each row is a sentence that names its columns.
    """
    if plain():
        return [_spoken(columns, row) for row in rows]
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _UNBOUND
    console = Console(file=io.StringIO(), width=width, no_color=True, highlight=False, markup=False)
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="")
    for name in columns:
        grid.add_column(name, overflow="fold", no_wrap=name != columns[-1])
    for row in rows:
        grid.add_row(*row)
    with console.capture() as captured:
        console.print(grid)
    return [line.rstrip() for line in captured.get().splitlines()]


def ruled(rows: Sequence[Sequence[str]]) -> list[str]:
    """A table to paste elsewhere, its heads first: ` | ` between the cells, one line a row whatever its length."""
    widths = [min(_PAD_MAX, max(len(row[column]) for row in rows)) for column in range(len(rows[0]))]
    return [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _spoken(columns: Sequence[str], row: Sequence[str]) -> str:
    return "; ".join(f"{name}: {cell}" for name, cell in zip(columns, row, strict=True))


def wrapped(first: str, text: str) -> list[str]:
    """`first` and then `text`, wrapped to the screen, the following lines indented as far as `first` goes."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _UNBOUND
    return textwrap.wrap(
        text, max(width, 2 * len(first)), initial_indent=first, subsequent_indent=" " * len(first),
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
