"""The commands as the program itself declares them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from tests.docs.pages import table
from typer.main import get_command

from context_mode_installer.app import app


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
    said, _, example = command.help.partition("Example:")
    context = command.context_class(command, info_name=name)
    rows = [row(parameter.get_help_record(context)) for parameter in command.params]
    parts = [f"## {name}", said.strip(), f"```sh\n{example.strip()}\n```"]
    return "\n\n".join([*parts, table("option", "what it does", rows)] if rows else parts)


def row(record: tuple[str, str]) -> tuple[str, str]:
    """`--limit <int range>` without the type where a name or the choices do not say more."""
    words, said = record
    shown = re.sub(r" <(?!\w+\|)[^<>]+(\[\w+\])?>", "", words)
    return f"`{shown}`", re.sub(r"  \[(.*)\]$", r" (\1)", said)
