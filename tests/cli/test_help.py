"""`--help` of every command: whole lines on a narrow terminal, and an example."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator

import pytest
import typer
from typer.main import get_command

from context_mode_installer.app import app

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


def commands(group: object, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of every command and group of commands."""
    yield words
    for name, command in getattr(group, "commands", {}).items():
        yield from commands(command, (*words, name))


ALL = list(commands(get_command(app)))


@pytest.mark.parametrize("words", ALL, ids=lambda words: " ".join(words) or "context-mode")
def test_every_help_has_an_example(words: tuple[str, ...], run_cli: Cli) -> None:
    done = run_cli(*words, "--help", env={"COLUMNS": "80"})
    assert done.returncode == 0, done.stderr
    assert re.search(r"(Example|Start with): +context-mode( +\S+)*", done.stdout)
    assert not re.search(r"^  \w.*\.\.\.$", done.stdout, re.MULTILINE), "a line of the list is cut"
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_all_commands_are_looked_at() -> None:
    assert ("setup",) in ALL
    assert ("policy", "explain") in ALL
    assert isinstance(app, typer.Typer)
