"""Runs one command and shows what it came to: the end that all commands share."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from context_mode_installer.result import FINDINGS, INTERRUPTED, UserError, failed
from context_mode_installer.screen import complain, show
from context_mode_runtime.paths import NoHomeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from context_mode_installer.result import Result

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def answer(name: str, command: Callable[[], Result], *, as_json: bool) -> NoReturn:
    """Finishes what a killed setup left half done, runs `command`, prints its result, and ends with its exit code."""
    from context_mode_installer.system import PathError

    try:
        _recover()
        outcome = command()
    except PathError as error:  # our own folder can't be used
        outcome = failed(name, UserError(str(error), exit_code=FINDINGS))
    except UserError as error:
        outcome = failed(name, error)
    except NoHomeError as error:
        outcome = failed(name, UserError(str(error)))
    except FileNotFoundError:
        if _folder_is_there():
            raise
        outcome = failed(name, UserError("the folder you are in is gone; go to another one (cd)"))
    except KeyboardInterrupt:
        outcome = failed(name, UserError("interrupted", exit_code=INTERRUPTED))
    show(outcome, as_json=as_json)
    raise typer.Exit(outcome.exit_code)


def _folder_is_there() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def _recover() -> None:
    from context_mode_installer.transaction import recover

    for line in recover():
        complain(line)
