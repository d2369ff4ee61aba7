"""The commands as the program itself declares them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.docs.pages import table
from typer.main import get_command

from context_mode_installer.app import app
from context_mode_installer.manual import PAGES, examples


@cache
def root() -> Any:
    """The command line."""
    return get_command(app)


def every(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Each command below, in the order of `--help`, with its whole name; groups of commands first."""
    for word, below in command.commands.items():
        whole = f"{name} {word}"
        if hasattr(below, "commands"):
            yield from every(below, whole)
        else:
            yield whole, below


def commands() -> str:
    return "\n\n".join(section(name, command) for name, command in every(root(), "context-mode"))


def section(name: str, command: Any) -> str:
    page = PAGES[name.removeprefix("context-mode ")]
    lines = [f"{one}  # {note}" if note else one for one, note in examples(page)]
    context = command.context_class(command, info_name=name)
    rows = [row(parameter.get_help_record(context)) for parameter in command.params]
    parts = [f"## {name}", command.help.strip(), "\n".join(["```sh", *lines, "```"])]
    parts += [table("option", "what it does", rows)] if rows else []
    return "\n\n".join([*parts, f"Exit code 1: {page.one}."] if page.one else parts)


def row(record: tuple[str, str]) -> tuple[str, str]:
    """`--limit <int range>` without the type where a name or the choices do not say more."""
    words, said = record
    shown = re.sub(r" <(?!\w+\|)[^<>]+(\[\w+\])?>", "", words)
    return f"`{shown}`", re.sub(r"  \[(.*)\]$", r" (\1)", said)
